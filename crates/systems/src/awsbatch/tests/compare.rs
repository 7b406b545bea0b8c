//! Comparisons of two strategies with all attempts of a small alphabet.

use super::engine;
use crate::compare::testing::{check, scaled};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

const TEXTS: [&str; 4] = ["a", "a*", "b*", "*"];
const CODES: [&str; 5] = ["1", "1*", "13", "2*", "*"];

fn entry() -> impl Strategy<Value = Value> {
    let texts = || option::weighted(0.4, select(&TEXTS[..]));
    let codes = option::weighted(0.6, select(&CODES[..]));
    (texts(), texts(), codes, any::<bool>()).prop_map(|(status_reason, reason, code, exits)| {
        let action = if exits { "EXIT" } else { "RETRY" };
        let mut entry = Map::from_iter([("action".to_owned(), json!(action))]);
        let fields =
            [("onStatusReason", status_reason), ("onReason", reason), ("onExitCode", code)];
        for (field, pattern) in fields {
            entry.extend(pattern.map(|pattern| (field.to_owned(), json!(pattern))));
        }
        if entry.len() == 1 {
            entry.insert("onReason".to_owned(), json!("*"));
        }
        Value::Object(entry)
    })
}

fn strategy() -> impl Strategy<Value = Value> {
    (1..=4_u32, vec(entry(), 1..=4))
        .prop_map(|(attempts, entries)| json!({"attempts": attempts, "evaluateOnExit": entries}))
}

/// Attempts that tell all patterns apart.
fn attempts() -> Vec<Value> {
    let mut all = vec![json!({"outcome": "TIMED_OUT"})];
    for status_reason in ["", "a", "ab", "b", "c"] {
        for reason in ["", "a", "ab", "b", "c"] {
            for code in [1, 13, 12, 2, 3] {
                all.push(json!({
                    "outcome": "FAILED",
                    "statusReason": status_reason,
                    "reason": reason,
                    "exitCode": code,
                }));
            }
        }
    }
    all
}

proptest! {
    #![proptest_config(scaled(32))]

    #[test]
    fn differences_are_those_of_all_sequences(old in strategy(), new in strategy(), same in any::<bool>(), at in 0..4_usize) {
        let mut new = new;
        if same {
            new = old.clone();
            let entries = new["evaluateOnExit"].as_array_mut().unwrap();
            let at = at % entries.len();
            entries.swap(0, at);
        }
        let engines = [engine(&old), engine(&new)];
        check([&engines[0], &engines[1]], &attempts(), 4)?;
    }
}
