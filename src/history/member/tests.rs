//! The reading of members against a small system: pods in slots that end in a code, or go on.

use super::{Member, MemberHistory, MemberReader, OwnFields, Piece, PodRecord};
use crate::diag::{Code, Source};
use crate::document::{Choice, Choices, Extra, Field, Kind, Need, Shape};
use crate::history::{KubePod, OnBadRecord, Program};
use proptest::prelude::*;
use serde::de::MapAccess;
use std::num::NonZeroUsize;

/// What a slot's run says.
#[derive(Debug, Clone, PartialEq, Default)]
struct SlotFields {
    slot: u32,
    outcome: Outcome,
    code: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Deserialize)]
enum Outcome {
    #[default]
    Failed,
    Succeeded,
    Running,
}

const fn field(name: &'static str, kind: Kind, need: Need) -> Field {
    Field { name, doc: "A field.", kind, need }
}

const COUNT: Kind = Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };

static OUTCOMES: Choices = Choices {
    name: "outcome",
    values: &[
        Choice { value: "Failed", doc: "It failed.", also: &[] },
        Choice { value: "Succeeded", doc: "It did its work.", also: &[] },
        Choice { value: "Running", doc: "It goes on.", also: &[] },
    ],
    any_case: false,
};

static RECORD: Shape = Shape {
    name: "record",
    doc: "A run of a slot.",
    fields: &[
        field("jobId", Kind::SomeText, Need::Required),
        field("slot", COUNT, Need::Optional),
        field("queue", Kind::Text, Need::Optional),
        field("runIndex", COUNT, Need::Optional),
        field("startedAt", Kind::Time, Need::Optional),
        field("finishedAt", Kind::Time, Need::Optional),
        field("node", Kind::Text, Need::Optional),
        field("cluster", Kind::Text, Need::Optional),
        field("outcome", Kind::OneOf(&OUTCOMES), Need::Required),
        field(
            "code",
            Kind::Whole { min: i64::MIN as i128, max: i64::MAX as i128, code: Code::OutOfRange },
            Need::Optional,
        ),
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

impl OwnFields for SlotFields {
    type Key = u32;

    const RECORD: &'static Shape = &RECORD;

    fn field<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "slot" => self.slot = map.next_value::<Option<u32>>()?.unwrap_or_default(),
            "outcome" => self.outcome = map.next_value()?,
            "code" => self.code = map.next_value()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn fault(&self) -> Option<(&'static str, String)> {
        (self.code == Some(5)).then(|| ("code", "a slot has no code 5".to_owned()))
    }

    fn key(&self) -> u32 {
        self.slot
    }

    /// Pods of Jobs, each its own unit where the Job has no index for it.
    fn of_pod(pod: &KubePod) -> Option<PodRecord<Self>> {
        let outcome = match pod.phase.as_str() {
            "Succeeded" => Outcome::Succeeded,
            "Failed" => Outcome::Failed,
            _ if pod.restarts() > 0 => Outcome::Running,
            _ => return None,
        };
        let job = pod.owner.as_ref().filter(|owner| owner.kind == "Job")?;
        let index = pod.annotations.get("batch.kubernetes.io/job-completion-index");
        let slot = index.and_then(|index| index.parse().ok());
        let own = Self { slot: slot.unwrap_or_default(), outcome, code: None };
        let unit = format!("{}/{}", pod.namespace, job.name);
        Some(PodRecord { unit, own, placed: slot.is_some() })
    }

    fn put(&mut self, place: u32) {
        self.slot = place;
    }

    fn succeeded(&self) -> bool {
        self.outcome == Outcome::Succeeded
    }

    fn goes_on(&self) -> bool {
        self.outcome == Outcome::Running
    }
}

/// What a reader made of something, in the words in which it can be compared.
#[derive(Debug, PartialEq)]
struct Made {
    members: Vec<Member<SlotFields>>,
    skipped: usize,
    findings: Vec<String>,
}

fn made(reader: MemberReader<SlotFields>) -> Made {
    let (MemberHistory { members, skipped, .. }, findings) = reader.finish();
    let findings = findings.iter().map(|finding| {
        let place = finding.place.as_ref().unwrap();
        format!("{place}: {}: {}", finding.code.id(), finding.message)
    });
    Made { members, skipped, findings: findings.collect() }
}

fn of_lines(text: impl AsRef<[u8]>, on_bad: OnBadRecord) -> Made {
    let mut reader = MemberReader::new(on_bad);
    reader.piece("x", true, text.as_ref());
    made(reader)
}

fn of_text(text: &str) -> Made {
    let mut reader = MemberReader::new(OnBadRecord::ErrorToTheEnd);
    reader.text(&Source::new("x", text));
    assert!(reader.has_document);
    made(reader)
}

fn findings(text: impl AsRef<[u8]>) -> Vec<String> {
    of_lines(text, OnBadRecord::ErrorToTheEnd).findings
}

impl Made {
    /// A line a member: its unit, queue, key, whether it is alone, and its runs' numbers and nodes.
    fn shown(&self) -> Vec<String> {
        let member = |member: &Member<SlotFields>| {
            let run = |run: &super::MemberRun<SlotFields>| {
                format!(" {}{}", run.run_index, run.node.as_deref().unwrap_or_default())
            };
            let runs: String = member.runs.iter().map(run).collect();
            let alone = if member.alone { " alone" } else { "" };
            format!("{}@{} {}{alone}:{runs}", member.unit, member.queue, member.key)
        };
        self.members.iter().map(member).collect()
    }
}

#[test]
fn members_of_a_unit_stand_together_in_the_order_they_are_met() {
    let text = r#"
{"jobId":"b","slot":7,"outcome":"Failed","queue":"q","node":"n1"}
{"jobId":"a","outcome":"Failed","queue":null,"node":"","x":{"y":[1]},"x":2}

{"jobId":"b","slot":3,"outcome":"Running","startedAt":"1s","finishedAt":"2s"}
{"jobId":"b","slot":7,"outcome":"Succeeded","code":0,"runIndex":5}
{"jobId":"b","slot":3,"outcome":"Failed","code":null}
{"outcome":"Failed","job\u0049d":"c"}"#;
    let made = of_lines(text, OnBadRecord::Error);
    assert!(made.findings.is_empty(), "{:?}", made.findings);
    assert_eq!(made.shown(), ["b@q 7: 0n1 5", "b@q 3: 0 1", "a@ 0 alone: 0", "c@ 0 alone: 0"]);
    assert!(made.members[1].runs[0].own.goes_on() && made.members[0].runs[1].own.succeeded());
    assert_eq!(made.members[1].runs[0].length().unwrap().to_string(), "1s");
}

#[test]
fn each_rule_has_its_finding_in_its_place() {
    const A: &str = r#"{"jobId":"a","outcome":"Failed""#;
    for (more, at, message) in [
        (
            [r#","finishedAt":"9s"}"#, r#","finishedAt":"8s"}"#],
            r#""8s""#,
            "time goes backwards: 1970-01-01T00:00:08Z comes after 1970-01-01T00:00:09Z of the run before",
        ),
        (
            ["}", r#","startedAt":"9s","finishedAt":"8s"}"#],
            r#""8s""#,
            "the run finishes at 1970-01-01T00:00:08Z, before it starts at 1970-01-01T00:00:09Z",
        ),
        (
            [r#","runIndex":4}"#, r#","runIndex":4}"#],
            "4}",
            "runIndex 4 does not grow: the run before has 4",
        ),
        (["}", r#","runIndex":0}"#], "0}", "runIndex 0 does not grow: the run before has 0"),
        (["}", r#","code":5}"#], "5}", "a slot has no code 5"),
        (
            [r#","queue":"p"}"#, r#","slot":1,"queue":"q"}"#],
            r#""q""#,
            "`queue` of job `a` differs from its first record, which counts",
        ),
        (
            [r#","startedAt":"9s"}"#, r#","startedAt":"2026-10-01T00:00:00Z"}"#],
            r#""2026"#,
            "dates are mixed with offsets, and the history has no start",
        ),
        (["}", r#","startedAt":"soon"}"#], r#""soon"#, "`startedAt`"),
        (["}", r#","slot":-1}"#], "-1", "`slot` is -1, not a number from 0 to 4294967295"),
        (["}", r#","slot":"1"}"#], r#""1""#, "`slot`"),
        (["}", r#","slot":1,"slot":1}"#], r#""slot":1}"#, ""),
        (["}", r#","jobId":"b"}"#], r#""jobId":"b""#, ""),
        (["}", ""], r#"""#, "no JSON: EOF while parsing an object"),
    ] {
        let lines = more.map(|more| format!("{A}{more}"));
        let found = findings(lines.join("\n"));
        let column = lines[1].rfind(at).unwrap() + 1;
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert!(one.starts_with(&format!("x:2:{column}: ")) && one.contains(message), "{one}");
    }
    assert_eq!(findings(r#"{"outcome":"Odd","jobId":null}"#).len(), 2);
    assert_eq!(findings(r#"{"outcome":null,"jobId":"a"}"#).len(), 1);
    assert_eq!(findings("[]").len(), 1);
    assert_eq!(findings(b"{\"jobId\":\"\xff\"}"), ["x:1:11: RP003: the line is not UTF-8"]);
}

#[test]
fn bad_records_stop_the_reading_or_are_counted() {
    let bad = "{}\n".repeat(30);
    assert_eq!(of_lines(&bad, OnBadRecord::Error).findings.len(), 2 * 20, "two fields are missing");
    assert_eq!(of_lines(&bad, OnBadRecord::ErrorToTheEnd).findings.len(), 2 * 30);
    let text = r#"{"jobId":"a","slot":1,"outcome":"Failed","finishedAt":"5s"}
{"jobId":"a","slot":1,"outcome":"Failed","finishedAt":"4s"}
{"jobId":"a","slot":1,"outcome":"Odd"}
{"jobId":"a","slot":1,"outcome":"Failed"}
{"jobId":"a","slot":2,"outcome":"Failed"}"#;
    let made = of_lines(text, OnBadRecord::Skip);
    assert_eq!((made.skipped, made.findings.len()), (2, 0));
    assert_eq!(made.shown(), ["a@ 1: 0 3", "a@ 2: 0"], "a bad record has a position all the same");
}

#[test]
fn a_document_is_read_as_its_lines_would_be() {
    let made = of_text(
        "
apiVersion: armadaproject.io/v1
kind: FailureHistory
spec:
  start: 2026-10-01T00:00:00Z
  jobs:
  - jobId: a
    queue: q
    slot: 2
    runs:
    - {outcome: Failed, finishedAt: 10s, node: n1}
    - {outcome: Failed, slot: 1, finishedAt: 2026-10-01T00:01:00Z}
    - {outcome: Succeeded, slot: null}
",
    );
    assert!(made.findings.is_empty(), "{:?}", made.findings);
    assert_eq!(made.shown(), ["a@q 2: 0n1 1", "a@q 1: 0"]);
    assert_eq!(made.members[0].runs[0].finished_at.unwrap().to_string(), "2026-10-01T00:00:10Z");
}

#[test]
fn what_a_document_says_wrong_is_said_in_its_place() {
    let made = of_text(
        "
apiVersion: armadaproject.io/v1
kind: FailureHistory
spec:
  queues: [{name: q}]
  events: [{at: 1s, reload: {enabled: false}}]
  jobs:
  - {jobId: a, runs: []}
  - {jobId: b, startedAt: 1s, runs: [{outcome: Failed}]}
  - {jobId: c, queue: p, runs: [{outcome: Failed, colour: red}, {outcome: Failed, queue: q}]}
  - {jobId: c, runs: [{outcome: Failed}]}
  - {jobId: d, code: 5, runs: [{outcome: Failed}, {outcome: Succeeded, code: 0}, {slot: 3, code: 1}]}
",
    );
    let places: Vec<_> =
        made.findings.iter().map(|finding| finding.split(": RP").next().unwrap()).collect();
    assert_eq!(
        places,
        ["x:6:12", "x:8:5", "x:9:16", "x:10:51", "x:10:90", "x:11:13", "x:12:22", "x:12:82"],
        "{:#?}",
        made.findings
    );
    assert_eq!(made.shown(), ["c@p 0 alone: 1", "d@ 0 alone: 1"]);
}

/// A pod in slot 1 of Job `j`: its status, and what its metadata says besides.
fn pod(number: u32, status: &str, more: &str) -> String {
    format!(
        r#"{{"kind":"Pod","metadata":{{"name":"j-{number}","namespace":"ns",
"annotations":{{"batch.kubernetes.io/job-completion-index":"1"}},
"ownerReferences":[{{"kind":"Job","name":"j","controller":true}}],
"creationTimestamp":"2026-10-01T00:00:00Z"{more}}},
"spec":{{"nodeName":"n{number}"}},"status":{status}}}"#
    )
}

#[test]
fn pods_end_when_the_job_controller_says() {
    const ENDED: &str =
        r#"{"name":"a","state":{"terminated":{"finishedAt":"2026-10-01T00:00:09Z"}}}"#;
    let both = ENDED.replace("09Z", "07Z");
    let on = r#"{"name":"b","restartCount":2,"state":{"running":{}},"lastState":{"terminated":{"exitCode":3,"finishedAt":"2026-10-01T00:00:05Z"}}}"#;
    let unready = r#""conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-10-01T00:00:06Z"}]"#;
    let deleted = r#","deletionTimestamp":"2026-10-01T00:00:38Z","deletionGracePeriodSeconds":30"#;
    let pods = [
        pod(
            0,
            &format!(r#"{{"phase":"Failed","containerStatuses":[{ENDED},{both}],{unready}}}"#),
            deleted,
        ),
        pod(
            1,
            &format!(r#"{{"phase":"Failed","containerStatuses":[{ENDED},{on}],{unready}}}"#),
            deleted,
        ),
        pod(2, r#"{"phase":"Failed"}"#, deleted),
        pod(3, r#"{"phase":"Failed"}"#, ""),
        pod(4, &format!(r#"{{"phase":"Running","containerStatuses":[{on}]}}"#), ""),
        pod(5, r#"{"phase":"Running"}"#, ""),
        pod(6, r#"{"phase":"Failed","startTime":"2026-10-01T00:00:01Z"}"#, ""),
        pod(7, r#"{"phase":"Failed","startTime":"noon"}"#, ""),
    ];
    let text = format!(r#"{{"kind":"List","items":[{}]}}"#, pods.join(","));
    let mut reader = MemberReader::<SlotFields>::new(OnBadRecord::ErrorToTheEnd);
    reader.source(Program::Pods, "x", &mut text.as_bytes()).unwrap();
    let (history, findings) = reader.finish();
    let [member] = history.members.as_slice() else { panic!("{:?}", history.members) };
    assert_eq!((&*member.unit, member.key, member.alone), ("ns/j", 1, true));
    let runs = member.runs.iter().map(|run| {
        let time = run.finished_at.unwrap().to_string();
        format!("{}@{} {:?}", run.node.as_deref().unwrap(), &time[18..19], run.own.outcome)
    });
    let runs: Vec<_> = runs.collect();
    assert_eq!(runs, ["n3@0 Failed", "n4@5 Running", "n1@6 Failed", "n2@8 Failed", "n0@9 Failed"]);
    assert_eq!(history.passed_over.len(), 1, "{:?}", history.passed_over);
    assert_eq!(
        findings.len(),
        2,
        "the pod that ends before it starts, and the one that starts at noon"
    );
}

#[test]
fn other_programs_tell_of_no_members() {
    let mut reader = MemberReader::<SlotFields>::new(OnBadRecord::Error);
    reader.source(Program::Sacct, "x", &mut &b"JobID|State\n1|FAILED\n"[..]).unwrap();
    let (history, findings) = reader.finish();
    assert!(history.members.is_empty() && findings.has_errors());
}

/// A line of a stream: mostly a record, now and then something else.
fn line() -> impl Strategy<Value = String> {
    let record = (0..6u32, 0..4u32, 0..3u32, 0..50u32, any::<bool>()).prop_map(
        |(unit, slot, node, time, dated)| {
            let time = if dated { format!("1970-01-01T00:00:{time:02}Z") } else { format!("{time}s") };
            format!(
                r#"{{"jobId":"u{unit}","slot":{slot},"outcome":"Failed","node":"n{node}","finishedAt":"{time}"}}"#
            )
        },
    );
    let timed = (0..6u32, 0..4u32, 0..50u32).prop_map(|(unit, slot, time)| {
        format!(r#"{{"jobId":"u{unit}","slot":{slot},"outcome":"Running","finishedAt":"{time}s"}}"#)
    });
    let untimed = (0..6u32, 0..3u32).prop_map(|(unit, queue)| {
        format!(r#"{{"jobId":"u{unit}","queue":"q{queue}","outcome":"Succeeded"}}"#)
    });
    let spoiled = prop::sample::select(vec![
        "",
        "  \r",
        "nonsense",
        "[]",
        r#"{"jobId":"u1","slot":"2","outcome":"Failed"}"#,
        r#"{"jobId":"u1","slot":2,"outcome":"Odd"}"#,
        r#"{"jobId":"u2","outcome":"Failed","runIndex":0}"#,
        r#"{"jobId":"u2","outcome":"Failed","startedAt":"9s","finishedAt":"8s"}"#,
    ]);
    prop_oneof![1 => record, 4 => timed, 4 => untimed, 1 => spoiled.prop_map(str::to_owned)]
}

/// The lines in pieces that are cut behind these lines.
fn cut(lines: &[String], cuts: &[usize], name: &str) -> Vec<Piece> {
    let mut pieces = vec![Piece { name: name.into(), begins: true, bytes: Vec::new() }];
    for (number, line) in lines.iter().enumerate() {
        if cuts.contains(&number) {
            pieces.push(Piece { name: name.into(), begins: false, bytes: Vec::new() });
        }
        let bytes = &mut pieces.last_mut().unwrap().bytes;
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    pieces
}

proptest! {
    /// Neither the number of threads nor where a stream is cut changes anything.
    #[test]
    fn threads_and_cuts_change_nothing(
        streams in prop::collection::vec(prop::collection::vec(line(), 0..40), 1..4),
        cuts in prop::collection::vec(0..40usize, 0..12),
        on_bad in prop::sample::select(vec![
            OnBadRecord::Error, OnBadRecord::ErrorToTheEnd, OnBadRecord::Skip,
        ]),
    ) {
        let mut whole = MemberReader::new(on_bad);
        for (number, lines) in streams.iter().enumerate() {
            let text = lines.join("\n") + "\n";
            if !whole.is_full() {
                whole.piece(&format!("s{number}"), true, text.as_bytes());
            }
        }
        let whole = made(whole);
        for threads in 1..4 {
            let mut reader = MemberReader::new(on_bad);
            let pieces = streams.iter().enumerate();
            let pieces = pieces.flat_map(|(number, lines)| cut(lines, &cuts, &format!("s{number}")));
            reader.pieces(pieces, NonZeroUsize::new(threads).unwrap());
            prop_assert_eq!(&made(reader), &whole, "{} threads", threads);
        }
    }

    /// A document says what its runs say as lines.
    #[test]
    fn documents_and_lines_agree(
        lines in prop::collection::vec(line(), 1..40)
            .prop_map(|lines| lines.into_iter().filter(|line| line.starts_with("{\"")).collect::<Vec<_>>()),
    ) {
        let mut jobs: Vec<(String, Vec<String>)> = Vec::new();
        for line in &lines {
            let (id, rest) = line[10..].split_once("\",").unwrap();
            let run = format!("{{{rest}");
            match jobs.iter_mut().find(|(known, _)| known == id) {
                Some((_, runs)) => runs.push(run),
                None => jobs.push((id.to_owned(), vec![run])),
            }
        }
        let jobs = jobs.iter().map(|(id, runs)| format!(r#"{{"jobId":"{id}","runs":[{}]}}"#, runs.join(",")));
        let text = format!(
            r#"{{"apiVersion":"armadaproject.io/v1","kind":"FailureHistory","spec":{{"jobs":[{}]}}}}"#,
            jobs.collect::<Vec<_>>().join(",")
        );
        let mut document = MemberReader::new(OnBadRecord::Skip);
        document.text(&Source::new("x", text));
        let mut by_unit = lines.clone();
        let first = |line: &String| lines.iter().position(|other| other[..12] == line[..12]);
        by_unit.sort_by_key(first);
        let document = made(document);
        let lines = of_lines(by_unit.join("\n"), OnBadRecord::Skip);
        prop_assert_eq!(&document.members, &lines.members);
        prop_assert_eq!(document.skipped, lines.skipped);
    }

    /// No bytes make the reader panic.
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), begins in any::<bool>()) {
        let mut reader = MemberReader::<SlotFields>::new(OnBadRecord::ErrorToTheEnd);
        reader.piece("x", begins, &bytes);
        if let Ok(text) = std::str::from_utf8(&bytes) {
            reader.text(&Source::new("x", text));
        }
        reader.finish();
    }
}
