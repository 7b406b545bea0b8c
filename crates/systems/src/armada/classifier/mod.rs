//! The classifier of Armada's executor: which failure category a failed pod gets, and what the executor reports.
//!
//! Owns the configuration of categories and pod checks ([`config`]), the classification of a pod
//! and the two passes of the executor over it ([`Executor`]). The policies that match categories are
//! decided by [`armada_retry::engine`].
//!
//! Sources of the rules, all of armadaproject/armada at 207cc9e0: `internal/executor/categorizer/classifier.go` for
//! rules, `internal/executor/service/pod_issue_handler.go` and `job_state_reporter.go` for the passes,
//! `internal/executor/podchecks` for the checks, `internal/common/startup.go` for the loading of configuration files.

mod audit;
mod checks;
mod classify_history;
pub mod config;
mod convert;
mod executor;
mod internal;
mod partial_texts;
mod pod;
mod rules;
mod trace;

pub use audit::{ClusterConfig, audit, audit_internal};
pub use checks::FailedPodChecks;
pub use classify_history::{ClassifiedCounts, Executors};
pub use convert::Loss;
pub use convert::{CategoryConversion, CheckNote, to_categories};
pub use executor::{Emission, EmittedAs, Executor, ExecutorReport, Pass, Situation};
pub use pod::FailedContainer;
pub use pod::FailedPod;
pub use rules::ClassifierMemory;
pub use rules::{Classification, Classifier, PassInput};
pub use trace::{PassAnswer, RuleTrace};
