//! Why a decision was made, as a sentence that a person understands.

use super::decision::{Said, SetCode, SetDecision};

/// What is added of restarts that no record shows: nothing, or after a semicolon.
pub(super) fn before_record(restarts: u32) -> String {
    match restarts {
        0 => String::new(),
        1 => "; 1 of these restarts is not on record".to_owned(),
        many => format!("; {many} of these restarts are not on record"),
    }
}

/// The sentence. `job` is the Job's name and `rule` the rule's, where one of the set's decided.
pub(super) fn of(decision: &SetDecision, job: &str, rule: Option<&str>) -> String {
    let job = format!("Job {job}");
    let by = match (rule, decision.said) {
        (Some(name), _) => format!("rule {name}"),
        (None, Said::NoPolicy) => "no failurePolicy".to_owned(),
        (None, _) => "no rule applies".to_owned(),
    };
    let used = decision.used.map_or_else(String::new, |(count, limit)| match decision.code {
        SetCode::FailMaxRestarts => format!(", but {count} of maxRestarts {limit} are used"),
        _ => format!(", restart {count} of {limit}"),
    });
    let others = match decision.others {
        0 => String::new(),
        1 => "; another failed Job restarts with it".to_owned(),
        many => format!("; {many} other failed Jobs restart with it"),
    };
    match decision.code {
        SetCode::RestartJobset => format!("{job} failed, {by}: all Jobs restart{used}{others}"),
        SetCode::RestartJobsetIgnored => {
            format!("{job} failed, {by}: all Jobs restart, uncounted{others}")
        }
        SetCode::RestartJob => format!("{job} failed, {by}: it restarts alone{used}"),
        SetCode::RestartJobIgnored => format!("{job} failed, {by}: it restarts alone, uncounted"),
        SetCode::FailRule => format!("{job} failed, {by}: the set fails"),
        SetCode::FailMaxRestarts => format!("{job} failed, {by}: a restart was due{used}"),
        SetCode::FailNoPolicy => format!("{job} failed, and there is {by}: the set fails"),
        SetCode::FailInPlaceLimit => {
            let (count, limit) = decision.used.unwrap_or_default();
            format!("a pod of {job} restarted in place {count} times, maxRestarts is {limit}")
        }
        SetCode::ReconcileError => match decision.said {
            Said::Stuck(action, why) => {
                format!("{job} failed, {by}: {} cannot be done, {why}", action.as_str())
            }
            _ => format!("{job} failed, {by}: nothing can be done"),
        },
        SetCode::Retry | SetCode::RetryIgnored | SetCode::FailIndex | SetCode::FailJob(_) => {
            of_pod(decision, &job)
        }
    }
}

fn of_pod(decision: &SetDecision, job: &str) -> String {
    let by = match decision.rule {
        Some(index) => format!("podFailurePolicy rule {index}"),
        None => "no podFailurePolicy rule".to_owned(),
    };
    let (count, limit) = decision.used.unwrap_or_default();
    match decision.code {
        SetCode::RetryIgnored => format!("{by}: a pod of {job} is replaced, uncounted"),
        SetCode::FailIndex => format!("{by}: an index of {job} fails"),
        SetCode::FailJob(reason) => match reason.message() {
            Some(message) => format!("{job} fails, {}: {message}", reason.as_str()),
            None => format!("{by}: {job} fails"),
        },
        _ => format!("a pod of {job} is replaced, {count} failed of {limit}"),
    }
}
