//! The changes under several sets of policies equal those that a plain comparison of all timelines finds.
//!
//! Holds cli.md simulate.

use super::question::Question;
use super::ways::pieces;
use crate::oracle::Draw;
use replay::history::{ArmadaRun, History, Piece};
use replay::simulate::{
    self, Batch, Change, ChangeLine, ChangeLines, Changes, CompareOptions, JobReport, Names,
    Options, ReportTexts, Retention, Stream, StreamOptions, Summary, Timelines, changes_report,
    compare_members, read_history, replay_logged,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use systems::armada::Armada;

const SAMPLES: usize = 2;

/// Collects the lines of `--changes`.
struct Lines<'q> {
    engines: &'q [Armada],
    text: Mutex<Vec<u8>>,
}

impl ChangeLines for Lines<'_> {
    fn format(&self, change: &Change<'_>, line: &mut Vec<u8>) {
        let (first, own) = (self.engines[0].rules(), self.engines[change.engine].rules());
        let name = change.engine.to_string();
        let value = ChangeLine::new(change, &name, &first, &own);
        serde_json::to_writer(&mut *line, &value).expect("JSON");
        line.push(b'\n');
    }

    fn write(&self, line: &[u8]) {
        self.text.lock().expect("no panic").extend_from_slice(line);
    }
}

fn options(threads: NonZeroUsize, timelines: Timelines) -> Options {
    Options { timelines, assume: None, only: None, threads, skipped_records: 0, seed: 0 }
}

/// The history of a question in memory; none if reading stopped.
fn history(question: &Question) -> Option<History<ArmadaRun>> {
    let mut full = false;
    let (history, _) = read_history::<Armada>(Some(question.bounds), question.on_bad, |stream| {
        for (name, bytes) in &question.streams {
            let name = name.as_str().into();
            let mut piece = Some(Piece { name, begins: true, bytes: bytes.clone() });
            stream.batch(|next| piece.take().map(|piece| *next = piece).is_some());
            full |= stream.is_full();
        }
    });
    (!full).then_some(history)
}

/// The reports of the changes and the lines of a stream.
fn streamed(question: &Question, draw: &mut Draw, threads: usize) -> (Vec<Value>, String) {
    let (names, engines) = (Names::default(), question.engines.as_slice());
    let threads = NonZeroUsize::new(threads).expect("a thread");
    let options_of_stream = StreamOptions {
        threads,
        batch: NonZeroUsize::new(draw.pick(&[1, 3, 16])).expect("a piece"),
        on_bad: question.on_bad,
        hash_key: (draw.below(1000) as u64, 1),
        seed: 0,
        keep: Retention::Necessary,
        has_alike: true,
        shard: None,
        is_unmatched: None,
    };
    let lines = Lines { engines, text: Mutex::default() };
    let compare = CompareOptions { samples: SAMPLES, lines: Some(&lines) };
    let mut stream = Stream::new(engines, &names, Some(question.bounds), options_of_stream);
    stream.compare(compare);
    let mut pieces = pieces(&question.streams, draw).into_iter();
    while stream.batch(|piece| pieces.next().map(|next| *piece = next).is_some()) == Batch::Full {}
    let outcome = stream.finish();
    let mut all = outcome.changes;
    let members = &outcome.history.members;
    let replayed = engines.iter().zip(outcome.summaries).map(|(engine, streamed)| {
        let options = options(threads, Timelines::None);
        replay_logged(engine, &names, members, options, streamed, true).1
    });
    let logs: Vec<_> = replayed.collect();
    for (number, changes) in all.iter_mut().enumerate() {
        let logs = (number + 1, &logs[0], &logs[number + 1]);
        changes.merge(compare_members(engines, &names, (members, None), logs, compare));
    }
    let reports = all.iter().zip(&engines[1..]).map(|(changes, engine): (&Changes, _)| {
        serde_json::to_value(changes_report((&engines[0], engine), &names, changes)).expect("JSON")
    });
    let text = lines.text.into_inner().expect("no panic");
    (reports.collect(), String::from_utf8(text).expect("UTF-8"))
}

/// The jobs that fail under each engine but the first and succeed under that one, of a history in memory.
fn succeeded_to_failed(question: &Question, history: &History<ArmadaRun>) -> Vec<Value> {
    let (names, engines) = (Names::default(), question.engines.as_slice());
    let (members, compare) = (&history.members, CompareOptions { samples: 0, lines: None });
    let log = |engine: &Armada| {
        let options = options(NonZeroUsize::MIN, Timelines::None);
        let none = Summary::new(engine.rules().len());
        replay_logged(engine, &names, members, options, none, true).1
    };
    let logs: Vec<_> = engines.iter().map(log).collect();
    let others = (1..).zip(&engines[1..]);
    let reports = others.map(|(number, engine)| {
        let logs = (number, &logs[0], &logs[number]);
        let changes = compare_members(engines, &names, (members, None), logs, compare);
        let report = changes_report((&engines[0], engine), &names, &changes);
        serde_json::to_value(report.succeeded_to_failed).expect("JSON")
    });
    reports.collect()
}

/// The decisions about the runs of a job: code, rule and wait.
fn decisions(job: &JobReport) -> BTreeMap<u32, Vec<Value>> {
    let mut all: BTreeMap<u32, Vec<Value>> = BTreeMap::new();
    for decision in &job.decisions {
        all.entry(decision.run_index.expect("a run")).or_default().push(json!({
            "decision": decision.decision,
            "policy": decision.policy,
            "ruleIndex": decision.rule_index,
            "delaySeconds": decision.delay_seconds,
        }));
    }
    all
}

/// The changes that a comparison of timelines finds.
#[derive(Debug, Default, PartialEq)]
struct Found {
    /// The lines, sorted; a side without a decision is null.
    lines: Vec<String>,
    compared: u64,
    other_rule: u64,
    other_wait: u64,
}

fn compare_timelines(variant: usize, first: &[JobReport], own: &[JobReport]) -> Found {
    let mut found = Found::default();
    for (first, own) in first.iter().zip(own) {
        assert_eq!(first.job_id, own.job_id);
        let (from, to) = (decisions(first), decisions(own));
        let line = |change: &str, run: Option<u32>, from: &Value, to: &Value| {
            json!([change, variant.to_string(), first.job_id, first.queue, run, from, to])
                .to_string()
        };
        for run in from.keys().chain(to.keys()).collect::<BTreeSet<_>>() {
            let none = Vec::new();
            let (from, to) = (from.get(run).unwrap_or(&none), to.get(run).unwrap_or(&none));
            for number in 0..from.len().max(to.len()) {
                found.compared += 1;
                let (from, to) = (from.get(number), to.get(number));
                let (from, to) = (from.unwrap_or(&Value::Null), to.unwrap_or(&Value::Null));
                if from["decision"] != to["decision"] {
                    found.lines.push(line("decision", Some(*run), from, to));
                } else if from["delaySeconds"] != to["delaySeconds"] {
                    found.other_wait += 1;
                } else if ["policy", "ruleIndex"].iter().any(|key| from[*key] != to[*key]) {
                    found.other_rule += 1;
                }
            }
        }
        if first.outcome != own.outcome {
            found.lines.push(line("job", None, &json!(first.outcome), &json!(own.outcome)));
        }
    }
    found.lines.sort();
    found
}

/// The words for a run without a decision.
const WITHOUT: [&str; 3] = ["not_reached", "cut_off", "no_decision"];

/// A line of `--changes` in the form of the plain comparison.
fn plain(line: &Value) -> String {
    let side = |side: &Value| match side["decision"].as_str() {
        Some(code) if WITHOUT.contains(&code) => Value::Null,
        _ => side.clone(),
    };
    let (from, to) = (side(&line["from"]), side(&line["to"]));
    json!([
        line["change"],
        line["variant"],
        line["jobId"],
        line["queue"],
        line.get("runIndex"),
        from,
        to
    ])
    .to_string()
}

/// Counts the lines by a key, with the jobs of each and the first run of each job.
fn count_by(
    lines: &[Value],
    key: impl Fn(&Value) -> Option<String>,
) -> BTreeMap<String, (u64, BTreeMap<String, u64>)> {
    let mut counts: BTreeMap<String, (u64, BTreeMap<String, u64>)> = BTreeMap::new();
    for line in lines {
        let Some(key) = key(line) else { continue };
        let (count, jobs) = counts.entry(key).or_default();
        let run = line["runIndex"].as_u64().unwrap_or(0);
        *count += 1;
        let first = jobs.entry(line["jobId"].as_str().expect("an id").to_owned()).or_insert(run);
        *first = run.min(*first);
    }
    counts
}

/// Asserts that rows of a report are the counts of lines, and that their samples are among them.
fn assert_rows(
    rows: &Value,
    count: &str,
    counts: &BTreeMap<String, (u64, BTreeMap<String, u64>)>,
    told: &str,
) {
    let rows = rows.as_array().expect("rows");
    assert_eq!(rows.len(), counts.len(), "{rows:?}\n{counts:?}\n{told}");
    for row in rows {
        let key = format!("{} {}", row["from"], row["to"]);
        let (wanted, jobs) = counts.get(&key).unwrap_or_else(|| panic!("{key}: {counts:?}"));
        assert_eq!(row[count], *wanted, "{key}\n{told}");
        let samples = row["samples"].as_array().expect("samples");
        assert_eq!(samples.len(), jobs.len().min(SAMPLES), "{key}\n{told}");
        for sample in samples {
            let id = sample.as_str().or(sample["jobId"].as_str()).expect("an id");
            let run = sample["runIndex"].as_u64().unwrap_or(0);
            assert_eq!(jobs.get(id), Some(&run), "{key} {sample}\n{told}");
        }
    }
}

/// Asserts that the report of a variant counts its lines.
fn assert_counts(report: &Value, lines: &[Value], told: &str) {
    let is = |line: &Value, change: &str| line["change"] == change;
    let by_decision = count_by(lines, |line| {
        let (from, to) = (&line["from"]["decision"], &line["to"]["decision"]);
        is(line, "decision").then(|| format!("{from} {to}"))
    });
    assert_rows(&report["byDecision"], "count", &by_decision, told);
    let rule = |side: &Value| {
        if WITHOUT.iter().any(|word| side["decision"] == *word) {
            return Value::Null;
        }
        json!({"policy": side["policy"], "ruleIndex": side["ruleIndex"]})
    };
    let by_rule = count_by(lines, |line| {
        let (from, to) = (rule(&line["from"]), rule(&line["to"]));
        is(line, "decision").then(|| format!("{from} {to}"))
    });
    assert_rows(&report["byRule"], "count", &by_rule, told);
    let by_outcome =
        count_by(lines, |line| is(line, "job").then(|| format!("{} {}", line["from"], line["to"])));
    assert_rows(&report["byOutcome"], "jobs", &by_outcome, told);
    let failed = by_outcome.get("\"Succeeded\" \"Failed\"").map_or(0, |(jobs, _)| *jobs);
    assert_eq!(report["succeededToFailed"]["jobs"], failed, "{told}");
    let mut queues: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for line in lines {
        let queue = queues.entry(line["queue"].as_str().expect("a queue")).or_default();
        queue[usize::from(is(line, "job"))] += 1;
    }
    let row = |(queue, [decisions, jobs]): (&&str, &[u64; 2])| json!({"queue": queue, "decisions": decisions, "jobs": jobs});
    let wanted: Vec<Value> = queues.iter().map(row).collect();
    assert_eq!(report["byQueue"], json!(wanted), "{told}");
    let total = |at: usize| queues.values().map(|counts| counts[at]).sum::<u64>();
    assert_eq!((&report["decisions"], &report["jobs"]), (&json!(total(0)), &json!(total(1))));
}

/// Asserts that no job has more lines without a decision than runs that its timeline counts as such.
fn assert_reach(lines: &[Value], side: &str, jobs: &[JobReport], told: &str) {
    for (word, count) in [
        ("not_reached", (|job| job.not_reached) as fn(&JobReport) -> u64),
        ("cut_off", |job| job.cut_off.unwrap_or(0)),
    ] {
        let of_jobs = count_by(lines, |line| {
            (line[side]["decision"] == word)
                .then(|| line["jobId"].as_str().unwrap_or_default().to_owned())
        });
        for job in jobs {
            let (lines, _) = of_jobs.get(&job.job_id).cloned().unwrap_or_default();
            assert!(lines <= count(job), "{word} of {}: {lines}\n{told}", job.job_id);
        }
    }
}

/// What was met, so that a test of nothing does not pass: lines by their two sides, and other counts.
#[derive(Debug, Default)]
struct Met(BTreeMap<String, u64>, usize);

impl Met {
    fn add(&mut self, lines: &[Value], report: &Value) {
        for line in lines {
            let side = |side: &Value| {
                side["decision"].as_str().or(side.as_str()).unwrap_or_default().to_owned()
            };
            let key = format!("{} > {}", side(&line["from"]), side(&line["to"]));
            *self.0.entry(key).or_default() += 1;
        }
        for key in ["otherRule", "otherWait"] {
            *self.0.entry(key.to_owned()).or_default() += report[key].as_u64().expect("a count");
        }
    }
}

/// Asserts that the changes under a set of policies are those of a plain comparison of timelines. Returns their
/// lines.
fn assert_changes(
    variant: usize,
    (report, lines): (&Value, &[Value]),
    (first, own): (&[JobReport], &[JobReport]),
    told: &str,
) -> Vec<Value> {
    let name = json!(variant.to_string());
    let lines: Vec<Value> = lines.iter().filter(|line| line["variant"] == name).cloned().collect();
    let count = |key: &str| report[key].as_u64().expect("a count");
    let mut found = Found {
        lines: lines.iter().map(plain).collect(),
        compared: count("compared"),
        other_rule: count("otherRule"),
        other_wait: count("otherWait"),
    };
    found.lines.sort();
    assert_eq!(found, compare_timelines(variant, first, own), "{told}");
    assert_counts(report, &lines, told);
    assert_reach(&lines, "from", first, told);
    assert_reach(&lines, "to", own, told);
    lines
}

#[test]
fn changes_are_those_of_a_plain_comparison() {
    let (mut compared, mut met) = (0, Met::default());
    for seed in 0.. {
        if compared == super::cases() {
            break;
        }
        let mut draw = Draw::new(seed);
        let question = Question::draw(&mut draw, seed);
        let Some(history) = history(&question).filter(|_| question.engines.len() > 1) else {
            continue;
        };
        compared += 1;
        let told = format!("seed {seed}\n{question}");
        let timelines = question.engines.iter().map(|engine| {
            let none = Summary::new(engine.rules().len());
            let options = options(NonZeroUsize::MIN, Timelines::All);
            let names = Names::default();
            let replayed = simulate::replay(engine, &names, &history.members, options, none);
            replayed.jobs.expect("timelines")
        });
        let timelines: Vec<Vec<JobReport>> = timelines.collect();
        let (reports, text) = streamed(&question, &mut draw, 1);
        let threads = draw.pick(&[2, 3, 7]);
        let other = streamed(&question, &mut draw, threads);
        assert_eq!((&reports, &text), (&other.0, &other.1), "{threads} threads\n{told}");
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let failed: Vec<Value> =
            reports.iter().map(|report| report["succeededToFailed"].clone()).collect();
        assert_eq!(failed, succeeded_to_failed(&question, &history), "{told}");
        met.1 += failed.iter().filter(|it| it["byKind"] != json!([])).count();
        for (variant, report) in (1..).zip(&reports) {
            let pair = (timelines[0].as_slice(), timelines[variant].as_slice());
            let own = assert_changes(variant, (report, &lines), pair, &told);
            met.add(&own, report);
        }
    }
    println!("{compared} histories: {met:?}");
    for key in ["otherRule", "otherWait", "retry > not_reached", "not_reached > retry"] {
        assert!(met.0.get(key).is_some_and(|count| *count > 0), "{key}: {met:?}");
    }
    let has = |part: &str| met.0.keys().any(|key| key.contains(part));
    assert!(met.1 > 0, "{met:?}");
    assert!(has("gang_rerun") && has("fail_gang") && has("Failed > "), "{met:?}");
}
