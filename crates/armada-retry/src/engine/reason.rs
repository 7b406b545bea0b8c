//! Decisions as sentences. A sentence is built only on request, so that a replay of millions of runs builds
//! none.

use super::decision::{Decision, DecisionCode, LegacyCause, LimitSource};
use super::evaluator::Evaluator;
use super::run::Unplaced;
use crate::policy::Rule;

impl Evaluator {
    /// The reason of a decision, as one sentence without a final period.
    pub fn reason(&self, decision: &Decision) -> String {
        let rule = self.rule_text(decision);
        let used = decision.used;
        let limit = used.map_or(0, |used| used.limit);
        match decision.code {
            DecisionCode::Retry => match used {
                Some(used) => format!("{rule}: retry {} of {}", used.count, used.limit),
                None => format!("{rule}: retry"),
            },
            DecisionCode::FailRule => format!("{rule} has action Fail"),
            DecisionCode::FailDefault => format!("no rule matched, and {rule} is Fail"),
            DecisionCode::FailRuleLimit => format!("{rule} has used its {}", retries(limit)),
            DecisionCode::FailPolicyLimit => {
                format!("{rule} has used the {} its policy allows", retries(limit))
            }
            DecisionCode::FailGlobalLimit => global(decision, &rule),
            DecisionCode::FailFast => "failFast is set on the job: it is never retried".to_owned(),
            DecisionCode::RetryUnschedulable => {
                let cause = decision.unplaced.map_or("no node fits the job", Unplaced::as_str);
                format!("{rule}: {cause}")
            }
            DecisionCode::FailGang => match decision.rule {
                Some(_) => {
                    format!(
                        "{rule} has action Retry, but another member of the gang failed permanently"
                    )
                }
                None => "another member of the gang failed permanently".to_owned(),
            },
            DecisionCode::GangRerun => "it runs again with its gang".to_owned(),
            DecisionCode::LegacyRetry => {
                "the legacy path requeues a returned lease, within scheduling.maxRetries".to_owned()
            }
            DecisionCode::LegacyFail => legacy_fail(decision.legacy).to_owned(),
            DecisionCode::NoError => "there is no error information".to_owned(),
        }
    }

    /// The deciding rule or default, such as "infra rule 0 (Preempted, Evicted)" or "the default of infra";
    /// empty if neither decided.
    pub fn rule_text(&self, decision: &Decision) -> String {
        let Some(id) = decision.rule else { return String::new() };
        let name = self.rule(id);
        match (name.index, self.rule_body(id)) {
            (Some(index), Some(rule)) => {
                format!("{} rule {index} ({})", name.policy, matchers(rule))
            }
            _ => format!("the default of {}", name.policy),
        }
    }
}

/// The reason that the legacy path ends a job.
fn legacy_fail(cause: Option<LegacyCause>) -> &'static str {
    match cause {
        Some(LegacyCause::LeaseReturned) => {
            "its lease was returned, and scheduling.maxRetries allows no further attempt"
        }
        Some(LegacyCause::EngineOff) => {
            "the retry engine is off: scheduling.retryPolicy.enabled is not true"
        }
        Some(LegacyCause::NoPolicy) => "no policy applies to the job",
        Some(LegacyCause::Gang) => "the v1beta1 engine never retries the jobs of a gang",
        Some(LegacyCause::FailFast) => "failFast is set on the job: it is never retried",
        Some(LegacyCause::Preempted) => "the v1beta1 engine never retries a preempted run",
        None => "the legacy path does not retry this failure",
    }
}

fn global(decision: &Decision, rule: &str) -> String {
    let global = decision.global_max_retries;
    if global == 0 {
        return format!(
            "globalMaxRetries is 0, which stops all retries ({rule} would have decided)"
        );
    }
    match decision.used {
        Some(used) if used.source == LimitSource::Global && decision.total_retries >= global => {
            format!(
                "the job has used its {} (globalMaxRetries); {rule} would have decided",
                retries(global)
            )
        }
        _ => format!("{rule} has used the {} that globalMaxRetries allows", retries(global)),
    }
}

fn retries(count: u32) -> String {
    if count == 1 { "1 retry".to_owned() } else { format!("{count} retries") }
}

/// A short list of a rule's matchers. It contains at most 4 exit codes and 24 characters of a pattern, so
/// that the list fits on a line of a table.
pub fn matchers(rule: &Rule) -> String {
    let mut parts: Vec<String> = rule.matchers().iter().map(ToString::to_string).collect();
    if let Some(container) = &rule.container {
        parts.push(format!("in {container}"));
    }
    parts.join(", ")
}
