//! Every rule tried on a failed Job, and why it does not apply: what `explain decision` shows.

use super::model::FailurePolicy;
use super::rule::{FailedJob, mismatch};
use crate::simulate::RuleLabel;
use crate::systems::Tried;

/// Every rule of a set's policy tried on a failed Job, in order, then the default. All rules are
/// tried, also those behind the first that applies.
pub fn trace(set: &str, policy: &FailurePolicy, job: &FailedJob<'_>) -> Vec<Tried> {
    let label = |index| RuleLabel { policy: set.to_owned(), index };
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
    use super::super::{Action, Rule};
    use super::*;

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
