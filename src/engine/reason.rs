//! A decision in a sentence, made only when someone reads it.

use super::decision::{Decision, DecisionCode, LegacyCause, LimitSource};
use super::evaluator::Evaluator;
use crate::policy::Rule;

impl Evaluator {
    /// Why it was decided so, as one sentence without a final period.
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

    /// "infra rule 0 (Preempted, Evicted)" or "the default of infra".
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

/// Why the legacy path ends a job.
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

/// What a rule matches, in a few words.
pub fn matchers(rule: &Rule) -> String {
    let mut parts = Vec::new();
    if let Some(codes) = &rule.exit_codes {
        let not = if codes.operator == crate::policy::Operator::NotIn { "not " } else { "" };
        let values: Vec<String> = codes.values.iter().take(4).map(ToString::to_string).collect();
        let more = if codes.values.len() > 4 { ".." } else { "" };
        parts.push(format!("{not}exit {}{more}", values.join("/")));
    }
    if !rule.conditions.is_empty() {
        let names: Vec<&str> = rule.conditions.iter().map(|condition| condition.as_str()).collect();
        parts.push(names.join("/"));
    }
    if let Some(pattern) = &rule.message {
        let text: String = pattern.as_str().chars().take(24).collect();
        let more = if pattern.as_str().chars().count() > 24 { ".." } else { "" };
        parts.push(format!("message ~ {text}{more}"));
    }
    if !rule.categories.is_empty() {
        parts.push(format!("category {}", rule.categories.join("/")));
    }
    if !rule.subcategories.is_empty() {
        parts.push(format!("subcategory {}", rule.subcategories.join("/")));
    }
    if let Some(container) = &rule.container {
        parts.push(format!("in {container}"));
    }
    parts.join(", ")
}
