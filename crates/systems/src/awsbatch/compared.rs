//! The attempts that represent all attempts for a comparison of two retry strategies, and how a strategy treats one.

use super::cells::Cells;
use super::manifest::{RetryAction, RetryStrategy};
use super::record::{AttemptFields, AttemptOutcome};
use crate::compare::Treatment;
use serde_json::{Map, Value, json};

/// Returns one attempt for each way in which the entries of both strategies distinguish failed attempts, then the ends
/// that no entry decides about.
pub(super) fn representatives(strategies: [&RetryStrategy; 2]) -> Vec<Value> {
    let [old, new] = strategies;
    let entries = old.evaluate_on_exit.iter().chain(&new.evaluate_on_exit).cloned();
    // The entries of both together give texts that either of them tells apart; the attempts are not read.
    let both = RetryStrategy { attempts: 1, evaluate_on_exit: entries.collect() };
    let cells = Cells::of(&both);
    let mut attempts: Vec<[&str; 3]> = cells.attempts().collect();
    // Short texts first: the first example that differs is shown.
    attempts.sort_by_key(|texts| texts.map(str::len).iter().sum::<usize>());
    let failed = attempts.into_iter().map(|[status_reason, reason, code]| {
        let mut fields = Map::new();
        fields.insert("outcome".to_owned(), json!(AttemptOutcome::Failed.as_str()));
        for (key, text) in [("statusReason", status_reason), ("reason", reason)] {
            if !text.is_empty() {
                fields.insert(key.to_owned(), json!(text));
            }
        }
        if let Ok(code) = code.parse::<i32>() {
            fields.insert("exitCode".to_owned(), json!(code));
        }
        Value::Object(fields)
    });
    let others = [AttemptOutcome::TimedOut, AttemptOutcome::Invalid];
    failed.chain(others.map(|outcome| json!({"outcome": outcome.as_str()}))).collect()
}

/// Returns how a strategy treats an attempt: its action, or its end if no entry decides about it.
pub(super) fn treatment(strategy: &RetryStrategy, attempt: &AttemptFields) -> Treatment {
    if attempt.outcome != AttemptOutcome::Failed {
        let action = attempt.outcome.as_str().to_owned();
        return Treatment { rule: None, action, is_counted: false };
    }
    let code = attempt.exit_code_text();
    let texts = [&*attempt.status_reason, &*attempt.reason, &*code];
    let action = strategy.action(texts);
    Treatment {
        rule: strategy.first_match(texts),
        action: action.as_str().to_owned(),
        is_counted: action == RetryAction::Retry,
    }
}
