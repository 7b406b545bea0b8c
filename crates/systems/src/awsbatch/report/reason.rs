//! The reason of a decision, as a sentence and as a list of checks.
//!
//! `explain decision` shows the checks.

use crate::Tried;
use crate::awsbatch::engine::{AwsBatchEngine, Decision, JobState, Verdict};
use crate::awsbatch::manifest::EvaluateOnExit;
use crate::awsbatch::record::{AttemptFields, AttemptOutcome};

impl AwsBatchEngine {
    /// Returns the reason of a decision, as one sentence without a final period.
    pub fn reason(&self, decision: Decision) -> String {
        let Decision { verdict, attempt, entry } = decision;
        let attempts = self.definition.strategy.attempts;
        let rule = match entry {
            Some(entry) => format!("evaluateOnExit[{entry}]"),
            None if self.definition.strategy.evaluate_on_exit.is_empty() => String::new(),
            None => "no entry of evaluateOnExit matches".to_owned(),
        };
        let limit = match verdict {
            Verdict::TimedOut => {
                return "a job that exceeds its timeout is not retried".to_owned();
            }
            Verdict::Invalid => {
                return "a job with an invalid definition is not retried".to_owned();
            }
            Verdict::Exit => return format!("{rule}: EXIT"),
            Verdict::Retry => format!("attempts {attempts}: attempt {attempt}"),
            Verdict::UsedUp => format!("attempts {attempts}: attempt {attempt} was the last"),
        };
        match entry {
            Some(_) => format!("{rule}: RETRY; {limit}"),
            None if rule.is_empty() => limit,
            None => format!("{rule}; {limit}"),
        }
    }

    /// Returns every check of a failed attempt, in order; `state` is that before it.
    pub(crate) fn checks(&self, mut state: JobState, fields: &AttemptFields) -> Vec<Tried> {
        let push = |tried: &mut Vec<Tried>, entry, matched, why| {
            tried.push(Tried { rule: self.label(entry), matched, why });
        };
        let mut tried = Vec::new();
        match fields.outcome {
            AttemptOutcome::Succeeded | AttemptOutcome::Terminated => return tried,
            AttemptOutcome::TimedOut | AttemptOutcome::Invalid => {
                let decision = self.decide(&mut state, fields);
                push(&mut tried, None, true, self.reason(decision));
                return tried;
            }
            AttemptOutcome::Failed => {}
        }
        let decision = self.decide(&mut state, fields);
        let code = fields.exit_code_text();
        let texts = [&*fields.status_reason, &*fields.reason, &*code];
        for (at, entry) in self.definition.strategy.evaluate_on_exit.iter().enumerate() {
            let matched = decision.entry == Some(at);
            let why = match mismatch(entry, texts) {
                None => match_text(entry),
                Some(why) => why,
            };
            push(&mut tried, Some(at), matched, why);
            // Entries behind the first match are not compared.
            if matched {
                break;
            }
        }
        if decision.verdict != Verdict::Exit {
            let attempts = self.definition.strategy.attempts;
            let left = if decision.verdict == Verdict::Retry { "below" } else { "not below" };
            let why = format!("attempt {} is {left} attempts {attempts}", decision.attempt);
            push(&mut tried, None, decision.entry.is_none(), why);
        }
        tried
    }
}

/// Describes the conditions of an entry, all of which are met.
fn match_text(entry: &EvaluateOnExit) -> String {
    let patterns = entry.patterns().into_iter();
    let conditions: Vec<String> =
        patterns.filter_map(|(field, pattern)| Some(format!("{field} `{}`", pattern?))).collect();
    let action = entry.action.as_str();
    match conditions.as_slice() {
        [] => format!("it has no condition: {action}"),
        conditions => format!("{}: {action}", conditions.join(", ")),
    }
}

/// Describes the first condition of an entry that is not met; `None` if all are.
fn mismatch(entry: &EvaluateOnExit, texts: [&str; 3]) -> Option<String> {
    let nouns = ["status reason", "reason", "exit code"];
    let mut conditions = entry.patterns().into_iter().zip(nouns).zip(texts);
    conditions.find_map(|(((field, pattern), noun), text)| {
        let pattern = pattern.filter(|pattern| !pattern.matches(text))?;
        Some(if text.is_empty() {
            format!("{field} `{pattern}`: the attempt has no {noun}")
        } else {
            format!("{field} `{pattern}` does not match `{text}`")
        })
    })
}
