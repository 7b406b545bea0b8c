//! Retry policies of [Armada](https://armadaproject.io), and the evaluator of them.
//!
//! For a scheduler that embeds the evaluator:
//! [`read_policies`] reads documents, an [`Evaluator`] holds the compiled policies, a [`JobState`] holds what
//! is remembered of a job, and [`Evaluator::decide`] returns the [`Decision`] about a run that failed.
//! `docs/semantics.md` of armadactl defines what a policy means, and the docs refer to its sections.
//!
//! ```
//! use armada_retry::{
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
//! The modules that are hidden here are for the packages of armadactl, and change without notice.
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod policy;

pub use compact_str::CompactString;
pub use document::diag::{
    Code, Diagnostic, Findings, Label, Place, Severity, Source, Span, short as render_short,
};
pub use document::pattern::{Pattern, PatternError};
pub use document::units::{DurationError, GoDuration, Quantity, QuantityError, Time, TimeError};
pub use engine::{
    Container, Decision, DecisionCode, EndedRun, Evaluator, Gang, Grant, JobFields, JobState,
    LegacyCause, LimitSource, Outcome, Profile, Reload, Resources, Route, RuleId, RuleName,
    Scratch, Tried, Unplaced, Use, V1, V1BETA1,
};
pub use policy::{
    Action, AntiAffinity, Backoff, Condition, Documents, ExitCodes, Form, MemoryBump, Operator,
    PolicyDocument, PolicyName, Queue, QueueDocument, RetryPolicy, Rule, SchedulerSettings,
    read as read_policies, read_scheduler_config,
};
