//! Retry policies of [Armada](https://armadaproject.io) and of five other systems: validation, replay of
//! recorded failures, simulation.
//!
//! This is the library behind the program `armadactl`. Its API is for a scheduler that embeds the evaluator:
//! [`read_policies`] reads documents, an [`Evaluator`] holds the compiled policies, a [`JobState`] holds what
//! is remembered of a job, and [`Evaluator::decide`] returns the [`Decision`] about a failed run.
//! `docs/semantics.md` defines what a policy means, and the docs refer to its sections.
//!
//! ```
//! use armadactl::{
//!     Action, EndedRun, Evaluator, JobFields, JobState, SchedulerSettings, Scratch, Source, V1, read_policies,
//! };
//!
//! let text = "
//! apiVersion: armadaproject.io/v1
//! kind: RetryPolicy
//! metadata: {name: evictions}
//! spec:
//!   rules:
//!   - {action: Retry, onConditions: [Evicted], retryLimit: 1}
//! ";
//! let (documents, findings) = read_policies(&[Source::new("policy.yaml", text)]);
//! assert!(!findings.has_errors());
//! let policies = documents.policies.into_iter().map(|document| document.policy).collect();
//! let evaluator = Evaluator::new(&V1, policies, SchedulerSettings::default(), &[]);
//!
//! let mut state = JobState::new(&JobFields::default(), evaluator.route(&[0]));
//! let mut scratch = Scratch::default();
//! let mut decide = |run_index| {
//!     let run = EndedRun { run_index, conditions: &["Evicted".into()], ..EndedRun::default() };
//!     evaluator.decide(&mut state, run, None, &mut scratch).action()
//! };
//! assert_eq!([decide(0), decide(1)], [Action::Retry, Action::Fail]);
//! ```
//!
//! `examples/embed.rs` is a longer example.
//!
//! # Source tree
//!
//! The folders are private. Each depends only on those below it in this table:
//!
//! | folder | owns | must not |
//! |---|---|---|
//! | `commands` | the commands, a file or folder each: arguments, inputs, calls of the domain, output | judge policies or failures |
//! | `cli` | global flags, the context of a command, exit codes | depend on a command |
//! | `report` | renderers: results to text, a file each | decide, print |
//! | `ui` | stdout and stderr, colour, progress: the only folder that prints, except for what clap prints (`commands/parse_error.rs`) | decide |
//! | `client` | requests to a server, interpretation of its answers, authentication | depend on commands, print |
//! | `config` | the server and the user, with precedence flag, environment, file | open connections |
//! | `server` | the embedded server: routes, store | print, evaluate |
//! | `input` | bytes of files, directories and stdin, decompressed | interpret the bytes |
//! | `analysis` | what is found in policies themselves: lints and what suppresses them, unit tests and their coverage | evaluate, read files, print, use a clock |
//! | `systems` | a folder a system: manifest, engine, records, conversion; the registry of systems | read files, print, use a clock |
//! | `cluster` | the simulated cluster: nodes, fair shares, scheduling rounds, event loop | read files, print, use a clock |
//! | `simulate` | replay of histories through any engine, mergeable summaries | depend on a system |
//! | `history` | run records, their fields and sources, parsing of bytes to records | open files, decide about retries |
//! | `disruption` | the table of signs by which a disruption is recognised | read records |
//! | `engine` | Armada's evaluator: what it reads of jobs and runs, compiled policies, state of a job, decisions | read documents, use a clock |
//! | `policy` | policies, queues, scheduler settings: documents to types and back | evaluate |
//! | `pattern` | regular expressions in Go's syntax | depend on where a pattern is used |
//! | `document` | YAML and JSON as trees with places, shapes of documents | depend on a kind of document |
//! | `units` | durations, quantities, times | read a clock |
//! | `diag` | findings, places, and their rendering as text | depend on another folder |
//!
//! The folders from `analysis` down are the domain: they use no clock, environment, file, network or output.
//! Times, seeds and bytes are passed in.
//!
//! # Flow of a replay
//!
//! ```text
//! history::Piece (filled by input) -> simulate::Stream -> history::read_line -> history::Run<F>
//!     -> UnitReplay<E>::push(run) -> E::evaluate -> Evaluation (verdicts with their decisions)
//! report <- SimulationReport <- Summary <- counts
//! ```
//!
//! Documents and other programs' output are read by `history::Reader<F>`, whose sink passes the same runs to the
//! same units. Units that cannot be judged run by run are kept and replayed at the end (`simulate::replay`); one of
//! several members, such as a gang, by `simulate/group`. Summaries merge, associatively and commutatively, so that
//! threads and shards count separately.
#![forbid(unsafe_code)]

mod analysis;
mod cli;
mod client;
mod cluster;
mod commands;
mod config;
mod diag;
mod disruption;
mod document;
mod engine;
mod history;
mod input;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
mod pattern;
mod policy;
mod report;
mod server;
mod simulate;
mod steps;
mod systems;
mod ui;
mod units;

pub use cli::Exit;
pub use commands::main as run;
pub use diag::{
    Code, Diagnostic, Findings, Label, LineColumn, Place, Severity, Source, Span,
    short as render_short,
};
pub use engine::{
    Bindings, Container, Decision, DecisionCode, EndedRun, Evaluator, Gang, Grant, JobFields,
    JobState, LegacyCause, LimitSource, MissingPolicy, Outcome, Profile, Reload, Resources, Route,
    RuleId, RuleName, Scratch, Tried, Unplaced, Use, V1, V1BETA1,
};
pub use pattern::{Pattern, PatternError, PatternErrorKind};
pub use policy::{
    Action, AntiAffinity, Backoff, Condition, Documents, ExitCodes, Form, MemoryBump, Operator,
    PolicyDocument, PolicyName, Queue, QueueDocument, RetryPolicy, Rule, SchedulerSettings,
    read as read_policies, read_scheduler_config,
};
pub use units::{DurationError, GoDuration, Quantity, QuantityError, Time, TimeError};
