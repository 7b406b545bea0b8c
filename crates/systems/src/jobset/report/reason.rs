//! The reason of a decision, as a sentence and as a list of checks.
//!
//! `explain decision` shows the list: every rule that was compared with a failed Job.

use crate::Tried;
use crate::jobset::engine::decision::{RuleAction, SetCode, SetDecision};
use crate::jobset::engine::failure_policy::{FailedJob, mismatch};
use crate::jobset::manifest::FailurePolicy;
use replay::simulate::RuleLabel;

/// Makes a note on restarts without a record: empty, or text after a semicolon.
pub(crate) fn before_record(restarts: u32) -> String {
    match restarts {
        0 => String::new(),
        1 => "; 1 of these restarts is not recorded".to_owned(),
        many => format!("; {many} of these restarts are not recorded"),
    }
}

/// Returns the sentence. `job` is the Job's name and `rule` the rule's, if a rule of the set decided.
pub(crate) fn of(decision: &SetDecision, job: &str, rule: Option<&str>) -> String {
    let job = format!("Job {job}");
    let by = match (rule, decision.rule_action) {
        (Some(name), _) => format!("rule {name}"),
        (None, RuleAction::NoPolicy) => "no failurePolicy".to_owned(),
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
        SetCode::ReconcileError => match decision.rule_action {
            RuleAction::Stuck(action, why) => {
                format!("{job} failed, {by}: {} cannot be done, {why}", action.as_str())
            }
            _ => format!("{job} failed, {by}: nothing can be done"),
        },
        SetCode::Retry | SetCode::RetryIgnored | SetCode::FailIndex | SetCode::FailJob(_) => {
            pod_reason(decision, &job)
        }
    }
}

fn pod_reason(decision: &SetDecision, job: &str) -> String {
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

/// Compares every rule of a set's policy with a failed Job, in order, then the default. Rules behind the
/// first that applies are compared too.
pub fn trace(set: &str, policy: &FailurePolicy, job: &FailedJob<'_>) -> Vec<Tried> {
    let label = |index| RuleLabel::new(set, index);
    let rules = policy.rules.iter().enumerate().map(|(index, rule)| {
        let fault = mismatch(rule, job);
        let applies = || format!("rule {} applies: {}", rule.name, rule.action.as_str());
        Tried {
            rule: label(Some(index)),
            matched: fault.is_none(),
            why: fault.map_or_else(applies, |fault| fault.why(job)),
        }
    });
    let mut tried: Vec<Tried> = rules.collect();
    let decided = tried.iter().any(|tried| tried.matched);
    let why = if decided { "a rule applies" } else { "no rule applies: RestartJobSet" };
    tried.push(Tried { rule: label(None), matched: !decided, why: why.to_owned() });
    tried
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobset::{Action, Rule};

    #[test]
    fn the_first_part_that_fails_is_named() {
        let rule = |reasons: &[&str], targets: &[&str]| Rule {
            name: "r".into(),
            action: Action::FailJobSet,
            reasons: reasons.iter().map(|text| Box::from(*text)).collect(),
            patterns: Vec::new(),
            targets: targets.iter().map(|text| Box::from(*text)).collect(),
        };
        let rules = vec![rule(&["FailedIndexes"], &["d"]), rule(&[], &["d"]), rule(&[], &["w"])];
        let policy = FailurePolicy { rules, ..FailurePolicy::default() };
        let job = FailedJob {
            name: "js-w-0",
            replicated_job: "w",
            job_index: Some(0),
            reason: "DeadlineExceeded",
            message: "",
            failed_at: 0,
        };
        let tried = trace("js", &policy, &job);
        let matched: Vec<bool> = tried.iter().map(|tried| tried.matched).collect();
        assert_eq!(matched, [false, false, true, false]);
        assert!(tried[0].why.contains("DeadlineExceeded"), "{}", tried[0].why);
        assert!(tried[1].why.contains("targetReplicatedJobs"), "{}", tried[1].why);
        let strange = FailedJob { replicated_job: "", ..job };
        assert!(trace("js", &policy, &strange)[2].why.contains("no replicated Job"));
    }
}
