//! AWS Batch: whether a failed attempt of a job is followed by another.
//!
//! A job has a retry strategy: a number of attempts, and up to five entries of `evaluateOnExit`. Each entry has up to three
//! glob patterns and an action. The first entry of which all patterns match the attempt decides; if none matches, the job
//! is retried while attempts are left. The service is not open source, so that the rules are those of its documentation:
//!
//! - the User Guide, "Automated job retries" (`userguide/job_retries.html`): the default of one attempt, the retry without
//!   a match, the final entry with `onReason: "*"`, and that cancelled and terminated jobs and invalid definitions are not
//!   retried
//! - the API Reference, `RetryStrategy`, `EvaluateOnExit` and `JobTimeout`, with the model of the API in botocore 1.44.8
//!   (`batch/2016-08-10/service-2.json`): 1 to 10 attempts, at most 5 entries, the characters of patterns, `attempts`
//!   beside `evaluateOnExit`, actions in any case, timeouts of at least 60 seconds that are not retried
//! - the User Guide, "Job timeouts" (`userguide/job_timeouts.html`): a timeout counts from the start of an attempt, and
//!   again for the next one
//! - the Terraform provider (`internal/service/batch/job_definition.go`): patterns are not empty
//!
//! Open points of the documentation, and the choice made here:
//!
//! - The comparison of texts has no documented case: "only the start of the string needs to be an exact match". It
//!   depends on case here.
//! - An attempt may lack a reason or an exit code, since its container never started or simply ended. An absent text is
//!   empty here, so that `*` matches it: the documentation's final entry `onReason: "*"` exits "for any reason", also
//!   after a plain exit code, which has no reason.
//! - An entry without any pattern is not excluded. All of its conditions are met, so that it matches everything;
//!   `validate` warns of it.
//! - The guide counts an attempt as the job is placed in `RUNNING`, the API as it is moved to `RUNNABLE`. Each recorded
//!   attempt counts here, also one whose container never started, as the guide's example for `Task failed to start` has it.
//! - No wait between attempts is documented, and none is assumed. The job queues again as `RUNNABLE`; the time in the queue
//!   is not part of the strategy.
//! - A pattern with `*` elsewhere than at its end, or with other characters than the documented ones, is refused here; the
//!   service's own answer is not documented.
//! - `evaluateOnExit` without `attempts` is refused, as the model states.
//! - Whether an attempt that timed out is compared with `evaluateOnExit` has no consequence: it is not retried either way.
//!
//! A unit is a job, and a run is one of its attempts. A child of an array job is a job of its own, with the strategy and
//! the timeout of its parent; a multi-node parallel job is one job, whose attempt is that of all its nodes. Service
//! jobs (`SubmitServiceJob`) have another strategy and are not read.

mod cells;
mod compared;
pub mod convert;
mod coverage;
mod engine;
mod lint;
mod manifest;
mod record;
mod report;
mod revisions;
mod system;
#[cfg(test)]
mod tests;
mod validate;

pub use engine::{AwsBatchEngine, Decision, JobState, Verdict};
pub use manifest::pattern::Glob;
pub use manifest::{EvaluateOnExit, JobDefinition, RetryAction, RetryStrategy};
pub use record::{AttemptFields, AttemptOutcome};
