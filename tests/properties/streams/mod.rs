//! The replay of a stream gives the same reports as a replay from memory, for any cut into pieces and
//! any number of threads.
//!
//! Holds semantics.md 10; cli.md simulate.

mod changes;
mod partial;
mod question;
mod record;
mod spoil;
mod ways;

use super::oracle::Draw;
use question::Question;
use serde_json::Value;
use ways::Answer;

/// Questions in one test run; each is a lot of jobs.
fn cases() -> u64 {
    super::evaluator::cases() / 20
}

/// What was met, so that a test of nothing does not pass.
#[derive(Debug, Default)]
struct Met {
    compared: usize,
    full: usize,
    skipped: usize,
    contradictions: u64,
    many_contradictions: usize,
    uncaught: u64,
    unresolved: u64,
    recovered: u64,
    gangs: usize,
    unread: usize,
}

impl Met {
    fn add(&mut self, question: &Question, answer: &Answer) {
        self.full += usize::from(answer.full);
        self.skipped += answer.skipped;
        self.unread += answer.unread.len();
        self.gangs += usize::from(answer.findings.iter().any(|finding| finding.contains("gang `")));
        self.compared += usize::from(!answer.full && question.engines.len() > 1);
        for report in answer.values() {
            let summary = &report["summary"];
            let count = |value: &Value| value.as_u64().unwrap_or(0);
            self.contradictions += count(&summary["contradictions"]);
            self.many_contradictions += usize::from(count(&summary["contradictions"]) > 10);
            self.uncaught += count(&summary["uncaught"]["failures"]);
            self.unresolved += count(&summary["unresolved"]);
            self.recovered += count(&summary["recovered"]);
        }
    }
}

/// Where two reports differ, place by place.
fn differences(one: &Value, other: &Value, place: &str, found: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(own), Value::Object(more)) => {
            let keys: std::collections::BTreeSet<_> = own.keys().chain(more.keys()).collect();
            for key in keys {
                differences(
                    &one[key.as_str()],
                    &other[key.as_str()],
                    &format!("{place}/{key}"),
                    found,
                );
            }
        }
        (Value::Array(own), Value::Array(more)) if own.len() == more.len() => {
            for (number, (one, other)) in own.iter().zip(more).enumerate() {
                differences(one, other, &format!("{place}/{number}"), found);
            }
        }
        _ if one == other => {}
        _ => found.push(format!("{place}: {one} streamed, {other} in memory")),
    }
}

/// Asserts that two ways found the same and came to the same, which `told` says more of.
fn assert_same(streamed: &Answer, memory: &Answer, told: &str) {
    let pairs = streamed.findings.iter().zip(&memory.findings);
    let found: Vec<_> = pairs.filter(|(one, other)| one != other).take(1).collect();
    assert!(found.is_empty(), "{found:#?}\n{told}");
    assert_eq!(streamed.findings.len(), memory.findings.len(), "{told}");
    assert_eq!((streamed.full, streamed.skipped), (memory.full, memory.skipped), "{told}");
    // What is read before reading stops is nobody's answer.
    if !memory.full {
        assert_eq!(streamed.unread, memory.unread, "{told}");
        let mut found = Vec::new();
        for (one, other) in streamed.values().zip(memory.values()) {
            differences(&one, &other, "", &mut found);
        }
        assert!(found.is_empty(), "{}\n{told}", found.join("\n"));
    }
}

#[test]
fn a_stream_gives_the_reports_of_memory_for_any_cut() {
    let mut met = Met::default();
    for seed in 0..cases() {
        let mut draw = Draw::new(seed);
        let question = Question::draw(&mut draw, seed);
        let memory = ways::in_memory(&question);
        met.add(&question, &memory);
        let mut first: Option<Answer> = None;
        for threads in [1, 2, 3, 7] {
            let streamed = ways::streamed(&question, &mut draw, threads);
            let told = format!("seed {seed}, {threads} threads\n{question}");
            assert_same(&streamed, &memory, &told);
            let first = first.get_or_insert_with(|| streamed.clone());
            assert!(memory.full || streamed.reports == first.reports, "{told}");
        }
    }
    println!("{met:?}");
    let counts = [met.full, met.skipped, met.gangs, met.many_contradictions, met.unread];
    assert!(counts.iter().all(|count| *count > 0), "{met:?}");
    let counts = [met.uncaught, met.unresolved, met.recovered, met.contradictions];
    assert!(counts.iter().all(|count| *count > 0), "{met:?}");
    assert!(met.compared * 3 > usize::try_from(cases()).expect("a number"), "{met:?}");
}
