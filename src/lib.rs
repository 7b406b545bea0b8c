//! Retry policies of [Armada](https://armadaproject.io): read, judged and replayed.
//!
//! The library behind the `armadactl` command line. Its rooms, from the top of the house to the
//! ground floor; a room knows those below it and none above:
//!
//! | room | owns | must not |
//! |---|---|---|
//! | [`commands`] | one file a command: reads inputs, asks the domain, hands the answer on | decide |
//! | [`cli`] | words to arguments, exit codes | read inputs |
//! | [`report`] | one renderer a form of result | decide, print |
//! | [`ui`] | the streams: the only place that prints | decide |
//! | [`client`] | requests to a server, and what its answers mean | know commands, print |
//! | [`config`] | which server, and who asks: flag, environment, file | open connections |
//! | [`server`] | the embedded server: routes, store | print, evaluate |
//! | [`input`] | bytes from files, directories, stdin, decompressed | understand them |
//! | [`systems`] | the other systems' policies, and their engines | read, print, keep time |
//! | [`cluster`] | the simulated cluster: nodes, shares, rounds of the scheduler, the event loop | read, print, keep time |
//! | [`simulate`] | replays of histories, mergeable summaries | know what an engine decides by |
//! | [`engine`] | the evaluator, and the one interface of every engine | read, print, keep time |
//! | [`history`] | run records, and what each source's bytes mean | open files, decide |
//! | [`policy`] | documents of policies, queues, settings, and their meaning | evaluate |
//! | [`pattern`] | Go's regexp dialect | know where a pattern stands |
//! | [`document`] | YAML and JSON as located trees, shapes of documents | know what a policy is |
//! | [`units`] | durations, quantities, times | read a clock |
//! | [`diag`] | findings with their places, and their renderers | know anybody |
//!
//! What a policy means is written down in `docs/semantics.md`; the docs name its sections.
//!
//! From `systems` down it is the domain: no clock, no environment, no file, no network, no
//! output. Time and bytes are passed in.
#![forbid(unsafe_code)]

mod cli;
mod client;
mod cluster;
mod commands;
mod config;
mod diag;
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
    Bindings, Decision, DecisionCode, Evaluator, Grant, JobState, LegacyCause, LimitSource,
    MissingPolicy, Profile, Route, RuleId, RuleName, Scratch, Use, V1, V1BETA1,
};
pub use history::{
    ArmadaRun, Container, Gang, Job, JobFields, Outcome, Reload, Resources, RunRecord,
};
pub use pattern::{Pattern, PatternError};
pub use policy::{
    Action, AntiAffinity, Backoff, Condition, Documents, ExitCodes, Form, MemoryBump, Operator,
    PolicyDocument, PolicyName, Queue, QueueDocument, RetryPolicy, Rule, SchedulerSettings,
    read as read_policies, read_scheduler_config,
};
pub use units::{DurationError, GoDuration, Quantity, QuantityError, Time, TimeError};
