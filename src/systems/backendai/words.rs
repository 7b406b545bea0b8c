//! The causes of failures as documents and records list them, and failures in a few words.

use super::cause::Cause;
use super::record::{SessionFields, SessionOutcome};
use crate::document::{Choice, Choices, choice};
use crate::simulate::{Ending, Labels};

/// How many causes a policy may make eligible.
const MAY_BE_ELIGIBLE: usize = 6;

/// All causes, in the order of [`Cause::ALL`].
static ALL: [Choice; Cause::ALL.len()] = [
    choice(
        Cause::AgentTransient.as_str(),
        "The agent was lost or restarted while the session ran.",
    ),
    choice(Cause::SchedulerTimeout.as_str(), "Kernels were not created in time."),
    choice(Cause::ImagePullFailure.as_str(), "An image could not be pulled."),
    choice(Cause::KernelNonzeroExit.as_str(), "A kernel ended with an exit code other than 0."),
    choice(Cause::OomKilled.as_str(), "A kernel ran out of memory."),
    choice(Cause::Unknown.as_str(), "None of the others."),
    choice(Cause::UserCancelled.as_str(), "Somebody cancelled it; never retried."),
    choice(Cause::ValidationError.as_str(), "Its request was not valid; never retried."),
    choice(Cause::QuotaExceeded.as_str(), "It went beyond a quota; never retried."),
];

/// Those that a record may name.
pub static CAUSES: Choices =
    Choices { name: "cause", values: &ALL, any_case: false, elsewhere: &[] };

/// Those that a policy may make eligible.
pub static ELIGIBLE: Choices = Choices {
    name: "eligible cause",
    values: ALL.split_at(MAY_BE_ELIGIBLE).0,
    any_case: false,
    elsewhere: &[],
};

/// What a run looks like from outside: the cause of a failure is its category, as the draft's
/// counters have it.
pub fn labels(fields: &SessionFields) -> Labels<'_> {
    let cause = (fields.outcome == SessionOutcome::Failed).then(|| fields.cause.as_str());
    Labels { category: cause, exit_code: None, condition: None, message: None }
}

/// How a run ended, as far as summaries tell.
pub fn ending(outcome: SessionOutcome) -> Ending {
    match outcome {
        SessionOutcome::Succeeded => Ending::Succeeded,
        SessionOutcome::Failed => Ending::Failed,
        SessionOutcome::Cancelled => Ending::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_is_listed_and_those_never_retried_are_not_eligible() {
        let listed = |choices: &Choices| -> Vec<&str> {
            choices.values.iter().map(|choice| choice.value).collect()
        };
        assert_eq!(listed(&CAUSES), Cause::ALL.map(Cause::as_str));
        let eligible = Cause::ALL.into_iter().filter(|cause| !cause.is_never_retried());
        assert_eq!(listed(&ELIGIBLE), eligible.map(Cause::as_str).collect::<Vec<_>>());
    }
}
