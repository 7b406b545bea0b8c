//! Retry policies of [Armada](https://armadaproject.io) and of five other systems: validation, replay of
//! recorded failures, simulation.
//!
//! The library behind the program `armadactl`. Its API is [`run`]: a scheduler that embeds the evaluator depends on the
//! package `armada-retry` alone.
//!
//! # Source tree
//!
//! Packages in `crates`, and private folders here. Each depends only on those below it in this table:
//!
//! | folder | owns | must not |
//! |---|---|---|
//! | `commands` | the commands, a file or folder each: arguments, inputs, calls of the domain, output | judge policies or failures |
//! | `project` | the inputs of commands, read once: documents with findings, manifests, configurations | evaluate, depend on a command |
//! | `cli` | global flags, the context of a command, exit codes | depend on a command |
//! | `report` | renderers: results to text, a file each | decide, print |
//! | `ui` | stdout and stderr, colour, progress: the only folder that prints, except for what clap prints (`commands/parse_error.rs`) | decide |
//! | `findings` | findings as text for people, as workflow commands and as data; the pages of their ids | decide, print |
//! | `input` | bytes of files, directories and stdin, decompressed | interpret the bytes |
//! | `analysis` | what is found in policies themselves: lints, what suppresses them, baselines, unit tests and their coverage | evaluate, read files, print, use a clock |
//! | [`client`] | requests to a server, interpretation of its answers, authentication | print |
//! | [`client::config`] | the server and the user, with precedence flag, environment, file | open connections |
//! | [`server`] | the embedded server: routes, store | print, evaluate |
//! | [`systems`] | a folder a system: manifest, engine, records, conversion; the registry of systems | read files, print, use a clock |
//! | [`cluster`] | the simulated cluster: nodes, fair shares, scheduling rounds, event loop | read files, print, use a clock |
//! | [`replay::simulate`] | replay of histories through any engine, mergeable summaries | depend on a system |
//! | [`replay::history`] | run records, their fields and sources, parsing of bytes to records | open files, decide about retries |
//! | [`replay::disruption`] | the table of signs by which a disruption is recognised | read records |
//! | [`armada_retry::engine`] | Armada's evaluator: what it reads of jobs and runs, compiled policies, state of a job, decisions | read documents, use a clock |
//! | [`armada_retry::policy`] | policies, queues, scheduler settings: documents to types and back | evaluate |
//! | [`document::pattern`] | regular expressions in Go's syntax | depend on where a pattern is used |
//! | [`document`] | YAML and JSON as trees with places, shapes of documents | depend on a kind of document |
//! | [`document::units`] | durations, quantities, times | read a clock |
//! | [`document::diag`] | findings, places, the ids of findings | depend on another folder but `names` |
//! | [`document::steps`] | counts of steps, for tests of growth | depend on another folder |
//! | `document::names` | the macro that declares enums with names | depend on another folder |
//!
//! `analysis`, `systems`, `cluster` and what is below them are the domain: they use no clock, environment, file, network
//! or output. Times, seeds and bytes are passed in.
#![forbid(unsafe_code)]

mod analysis;
mod cli;
mod commands;
mod findings;
mod input;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
mod project;
mod report;
mod ui;

pub use cli::Exit;
pub use commands::main as run;
