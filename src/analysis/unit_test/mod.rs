//! Unit tests of policies (`kind: RetryPolicyTest`) with coverage.
//!
//! A test is a short history: failures are read as records of the policies' system, and replayed through its engine as
//! any history is. Owns the form of the documents ([`TestShape`]), the expectations and their comparison, coverage, and
//! the generation of tests ([`mod@scaffold`], [`pinned_tests`]). Files and engines are passed in.

mod armada_examples;
mod armada_targets;
mod case;
mod case_history;
mod compare;
mod coverage;
mod failure_pool;
mod fields;
mod names;
mod pinned;
mod run;
mod scaffold;
mod shape;
mod value_text;

pub use armada_examples::armada_examples;
pub use armada_targets::ArmadaPolicies;
pub use case::{Case, CaseRuns, read_cases};
pub use case_history::{Recorded, attempts_of_history, read_failures};
pub use compare::FieldDifference;
pub use coverage::TargetIndex;
pub use coverage::{Coverage, CoverageEntry};
pub use names::{Names, check_names};
pub use pinned::{PinnedFailures, pinned_tests};
pub use run::{CaseOutcome, Mismatch, check_attempts, run_case};
pub use scaffold::{ScaffoldedTest, Scaffolding, scaffold};
pub use shape::{KIND, TestShape};
