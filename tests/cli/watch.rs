//! `watch` from a gateway of Armada that cuts its streams anywhere, and from one that fails.
//!
//! Holds cli.md Commands.

use super::numbers::Numbers;
use super::quirks::{Fake, Piece, Script, answer, chunked};
use super::sandbox::{Run, Sandbox, at_once, root};
use serde_json::{Value, json};
use std::fs;
use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const NIGHT: &str = "watch batch night-1";

/// A stream of the recorded Armada.
fn stream(set: usize) -> String {
    let path = root().join(format!("testdata/sources/armada-events-recorded/set-{set}.jsonl"));
    fs::read_to_string(path).unwrap()
}

fn id(line: &str) -> String {
    let line: Value = serde_json::from_str(line).unwrap();
    line["result"]["id"].as_str().unwrap().to_owned()
}

/// The lines behind the event that a request names, and `again` more before them.
fn behind<'s>(stream: &'s str, request: &str, again: usize) -> Vec<&'s str> {
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/job-set/batch/night-"), "{head}");
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["errorIfMissing"], true);
    let lines: Vec<&str> = stream.split_inclusive('\n').collect();
    let from = body["fromMessageId"].as_str().unwrap();
    let at = match from {
        "" => 0,
        from => lines.iter().position(|line| id(line) == from).unwrap() + 1,
    };
    lines[at.saturating_sub(again)..].to_vec()
}

/// The bytes of an answer, cut.
fn cut(script: Script, length: usize) -> Script {
    let mut left = length;
    let mut pieces = Vec::new();
    for piece in script {
        let Piece::Bytes(mut bytes) = piece else { continue };
        bytes.truncate(left);
        left -= bytes.len();
        pieces.push(Piece::Bytes(bytes));
    }
    pieces
}

/// An answer whose end is that of the connection, so that a cut cannot be told from the end.
fn until_close(lines: &[&str]) -> Script {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n";
    vec![Piece::Bytes(head.into()), Piece::Bytes(lines.concat().into())]
}

/// An answer that ends well within a line.
fn half(lines: &[&str], length: usize) -> Script {
    let text = lines.concat();
    chunked(&[&text[..length.min(text.len())]], true)
}

/// A gateway that cuts most answers at a byte that follows from the seed, and may repeat events.
fn cutting(stream: String, seed: u64, silence: Option<u64>) -> Fake {
    let numbers = Mutex::new(Numbers(seed));
    Fake::routed(move |request| {
        let mut numbers = numbers.lock().unwrap();
        let again = usize::try_from(numbers.below(4)).unwrap();
        let lines = behind(&stream, request, again);
        let length = usize::try_from(numbers.below(6_000)).unwrap();
        let script = match numbers.below(5) {
            0 => cut(until_close(&lines), length.max(400)),
            1 => half(&lines, length),
            2 => chunked(&lines, true),
            _ => cut(chunked(&lines, true), length),
        };
        let Some(silence) = silence else { return script };
        script.into_iter().flat_map(|piece| [piece, Piece::Silence(silence)]).collect()
    })
}

fn record(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.path().join("r.jsonl")).unwrap_or_default()
}

fn url(fake: &Fake, line: &str) -> String {
    format!("{line} --armada-rest-url {}", fake.url())
}

fn watch(fake: &Fake, line: &str) -> Run {
    Sandbox::new().run(&url(fake, line))
}

#[test]
fn nothing_is_lost_and_nothing_comes_twice() {
    let cuts = AtomicUsize::new(0);
    let check = |seed: usize| {
        let set = 1 + seed % 2;
        let fake = cutting(stream(set), seed as u64, None);
        let sandbox = Sandbox::new();
        let line = format!("watch batch night-{set} --no-follow --record r.jsonl -o json");
        let run = sandbox.run(&url(&fake, &line)).exits(0);
        assert!(record(&sandbox) == stream(set), "seed {seed}");
        assert!(run.stdout == stream(set), "seed {seed}");
        cuts.fetch_add(fake.requests().len(), Ordering::Relaxed);
    };
    at_once(0..16, |first| (first..64).step_by(16).for_each(check));
    assert!(cuts.load(Ordering::Relaxed) > 4 * 64, "{cuts:?} requests");
}

#[test]
fn a_record_replays_as_the_stream_does() {
    let fake = cutting(stream(1), 7, None);
    let sandbox = Sandbox::new();
    sandbox.run(&url(&fake, &format!("{NIGHT} --no-follow --record r.jsonl"))).exits(0);
    sandbox.file("original.jsonl", stream(1));
    sandbox.file(
        "policy.yaml",
        fs::read(root().join("testdata/sources/armada-events-recorded/policy.yaml")).unwrap(),
    );
    let replay = |file: &str| {
        let line = format!("simulate -f policy.yaml -o json --timelines all --history {file}");
        let mut report = sandbox.run(&line).exits(0).json();
        report.as_object_mut().unwrap().remove("provenance");
        report
    };
    assert_eq!(replay("r.jsonl"), replay("original.jsonl"));
    assert_eq!(replay("r.jsonl")["jobs"].as_array().unwrap().len(), 8);
}

/// SIGKILL at any time, also while the gateway cuts its streams.
#[cfg(unix)]
#[test]
fn a_killed_watch_goes_on() {
    let fake = cutting(stream(1), 3, Some(4));
    let sandbox = Sandbox::new();
    let line = url(&fake, &format!("{NIGHT} --no-follow --record r.jsonl --resume"));
    let (mut kills, mut within) = (0, 0);
    for round in 0_u64.. {
        let mut child = sandbox.command().args(line.split(' ')).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(30 + 37 * round % 90 + 20 * round));
        if child.try_wait().unwrap().is_some_and(|status| status.success()) {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        within += usize::from((1..stream(1).len()).contains(&record(&sandbox).len()));
    }
    assert!(kills > 2 && within > 0, "{kills} kills, {within} of them within the stream");
    assert!(record(&sandbox) == stream(1), "after {kills} kills");
}

/// A record that ends anywhere, as after a power failure.
#[test]
fn a_record_that_ends_within_a_line_goes_on() {
    let whole = stream(1);
    let mut numbers = Numbers(5);
    let line_end = whole.find('\n').unwrap();
    let places = [0, 1, line_end, line_end + 1, whole.len() - 1, whole.len()];
    let random = (0..6).map(|_| usize::try_from(numbers.below(whole.len() as u64)).unwrap());
    at_once(places.into_iter().chain(random), |place| {
        let (sandbox, fake) = (Sandbox::new(), cutting(whole.clone(), place as u64, None));
        sandbox.file("r.jsonl", &whole[..place]);
        let line = format!("{NIGHT} --no-follow --record r.jsonl --resume -o json");
        let run = sandbox.run(&url(&fake, &line)).exits(0);
        assert!(record(&sandbox) == whole, "cut at {place}");
        let kept = whole[..place].rfind('\n').map_or(0, |at| at + 1);
        assert!(run.stdout == whole[kept..], "the events that are new, cut at {place}");
    });
}

/// Starts a watch that records, and waits until the record is as long as the stream.
fn follow(sandbox: &Sandbox, fake: &Fake, flags: &str, length: usize) -> Child {
    let line = url(fake, &format!("{NIGHT} --record r.jsonl {flags}"));
    let child = sandbox.command().args(line.split_whitespace()).spawn().unwrap();
    let begun = Instant::now();
    while record(sandbox).len() < length {
        assert!(begun.elapsed() < Duration::from_mins(1), "{} bytes", record(sandbox).len());
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args([name, &id]).status().unwrap().success());
}

/// An answer that stays open after its events.
fn open(lines: &[&str]) -> Script {
    let mut script = chunked(lines, false);
    script.push(Piece::Silence(600_000));
    script
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_watch_with_success() {
    let fake = Fake::routed(|request| {
        assert!(request.contains("\"watch\":true"), "{request}");
        open(&behind(&stream(1), request, 0))
    });
    for name in ["-INT", "-TERM"] {
        let sandbox = Sandbox::new();
        let child = follow(&sandbox, &fake, "-o json", stream(1).len());
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(output.stdout == stream(1).as_bytes(), "{output:?}");
        assert!(record(&sandbox) == stream(1));
    }
}

/// More than fits into a pipe that nobody reads, so that the process waits.
#[cfg(unix)]
#[test]
fn a_second_signal_ends_a_watch_at_once() {
    let fake = Fake::routed(|_| {
        let event = json!({"result": {"id": "1:0:0:1", "message": {"x": "x".repeat(200_000)}}});
        open(&[&format!("{event}\n")])
    });
    let sandbox = Sandbox::new();
    let mut child = follow(&sandbox, &fake, "-o json", 200_000);
    signal(&child, "-INT");
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None);
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_closed_output_ends_a_watch_quietly() {
    let fake = Fake::routed(|request| {
        let stream = stream(1);
        let mut script = Vec::new();
        for piece in chunked(&behind(&stream, request, 0), false) {
            script.extend([piece, Piece::Silence(20)]);
        }
        script
    });
    let mut child = Sandbox::new().command().args(url(&fake, NIGHT).split(' ')).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

/// Ten times the timeout of a request without a byte: the stream is opened again. A shorter silence is none.
#[cfg(unix)]
#[test]
fn a_dead_connection_is_noticed_and_a_silent_one_is_not_cut() {
    let fake = Fake::routed(|request| {
        let stream = stream(1);
        let lines = behind(&stream, request, 0);
        let mut script = chunked(&lines[..lines.len() / 2], false);
        if lines.len() < 30 {
            return open(&lines);
        }
        script.push(Piece::Silence(700));
        script.extend(chunked(&lines[lines.len() / 2..lines.len() - 10], false).split_off(1));
        script.push(Piece::Silence(600_000));
        script
    });
    let sandbox = Sandbox::new();
    let child = follow(&sandbox, &fake, "--request-timeout 200ms", stream(1).len());
    assert_eq!(fake.requests().len(), 2);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    assert!(record(&sandbox) == stream(1));
}

/// Armada sends not even a status before the first event.
#[cfg(unix)]
#[test]
fn a_resumed_watch_waits_for_the_next_event() {
    let fake = Fake::routed(|request| {
        let stream = stream(1);
        let lines = behind(&stream, request, 0);
        let mut script = vec![Piece::Silence(900)];
        script.extend(open(&lines));
        script
    });
    let sandbox = Sandbox::new();
    let (whole, kept) = (stream(1), stream(1).find('\n').unwrap() + 1);
    sandbox.file("r.jsonl", &whole[..kept]);
    let child = follow(&sandbox, &fake, "--resume --request-timeout 200ms", whole.len());
    signal(&child, "-INT");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    assert_eq!(fake.requests().len(), 1);
    let first = watch(&fake, &format!("{NIGHT} --request-timeout 200ms")).exits(7);
    assert!(first.stderr.contains("did not answer in time"), "{first}");
}

/// After the first connection a server may be away for any time.
#[cfg(unix)]
#[test]
fn a_server_that_restarts_is_waited_for() {
    let requests = AtomicUsize::new(0);
    let fake = Fake::routed(move |request| {
        let stream = stream(1);
        let lines = behind(&stream, request, 0);
        match requests.fetch_add(1, Ordering::Relaxed) {
            0 => cut(chunked(&lines, true), 9_000),
            1..=7 => answer(503, &[], ""),
            8 => chunked(&[lines[0], "{\"error\":{\"grpc_code\":14,\"message\":\"bye\"}}"], true),
            _ => open(&lines),
        }
    });
    let sandbox = Sandbox::new();
    let child = follow(&sandbox, &fake, "", stream(1).len());
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("not available (503); trying again in 0."), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(record(&sandbox) == stream(1));
}

#[test]
fn errors_have_their_exit_codes() {
    let json = &["Content-Type: application/json"][..];
    let stream_error = |code: u64| {
        json!({"error": {"grpc_code": code, "message": "[GetJobSetEvents] no \u{1b}[2J"}})
            .to_string()
    };
    let event = stream(1).lines().next().unwrap().to_owned() + "\n";
    let cases = [
        (answer(404, json, &stream_error(5)), 5, "not found (404): [GetJobSetEvents] no", 1),
        (answer(403, json, &stream_error(7)), 4, "or the permission `watch_all_events`", 1),
        (answer(401, json, &stream_error(16)), 4, "not authenticated", 1),
        (answer(400, json, &stream_error(3)), 6, "the server refused", 1),
        (answer(404, &[], "Not Found"), 7, "does not implement this call", 1),
        (answer(503, json, &stream_error(14)), 7, "not available (503)", 4),
        (answer(200, &["Content-Type: text/html"], "<html>"), 7, "a web page", 1),
        (chunked(&[&stream_error(5)], true), 5, "not found: [GetJobSetEvents]", 1),
        (chunked(&[&stream_error(7)], true), 4, "not permitted", 1),
        (chunked(&["{\"result\":{}}\n"], true), 7, "a line of the stream is broken", 1),
        (chunked(&["<html>\n"], true), 7, "a line of the stream is broken", 1),
        // A server that never sends a whole event.
        (chunked(&["{\"result\""], true), 7, "cut off within a line", 6),
    ];
    at_once(cases, |(script, code, part, requests)| {
        let fake = Fake::new(vec![script]);
        let sandbox = Sandbox::new();
        let line = format!("{NIGHT} --no-follow --record r.jsonl");
        let run = sandbox.run(&url(&fake, &line)).exits(code);
        assert!(run.stderr.contains(part), "{part}: {run}");
        assert!(!run.stderr.contains('\u{1b}'), "{run}");
        assert_eq!(fake.requests().len(), requests, "{run}");
        assert!(!sandbox.path().join("r.jsonl").exists(), "a record without an event is removed");
        assert!(!run.stderr.contains("goes on"), "{run}");
    });
    let fake = Fake::new(vec![chunked(&[&event, &stream_error(5)], true)]);
    let sandbox = Sandbox::new();
    let run = sandbox.run(&url(&fake, &format!("{NIGHT} --record r.jsonl"))).exits(5);
    assert!(run.stderr.contains("`--resume` goes on"), "{run}");
    assert_eq!(record(&sandbox), event);
    let closed = Sandbox::new().run(&format!("{NIGHT} --armada-rest-url http://127.0.0.1:1"));
    assert!(closed.exits(7).stderr.contains("refused the connection"));
    for (line, part) in [
        ("watch q a/b", "invalid job set name `a/b`"),
        ("watch q a:b", "cannot contain `:`"),
        ("watch a/b s", "invalid queue name"),
        ("watch q s --resume", "--record"),
        ("watch q", "JOBSET"),
        ("watch q s -o yaml", "`watch` cannot print `yaml`"),
    ] {
        let run = Sandbox::new().run(line).exits(2);
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
}

#[test]
fn a_record_is_never_overwritten_or_mixed() {
    let fake = cutting(stream(1), 1, None);
    let other = stream(2);
    for (content, line, code, part) in [
        ("", "--record r.jsonl", 3, "`r.jsonl` exists"),
        ("", "--record r.jsonl.gz", 2, "a record of `watch` is not compressed"),
        ("", "--record r.jsonl.zst --resume", 2, "a record of `watch` is not compressed"),
        (
            &other,
            "--record r.jsonl --resume",
            3,
            "of the job set `night-2` of the queue `batch`, not",
        ),
        ("{}\n", "--record r.jsonl --resume", 3, "the last line of `r.jsonl` is not an event"),
        ("{}", "--record r.jsonl --resume", 3, "the last line of `r.jsonl` is not an event"),
        ("text", "--record r.jsonl --resume", 3, "the last line of `r.jsonl` is not an event"),
        ("", "--record -", 2, "a record is a file"),
        ("", "--record missing/r.jsonl", 3, "cannot write `missing/r.jsonl`"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.file("r.jsonl", content);
        let run = sandbox.run(&url(&fake, &format!("{NIGHT} {line}"))).exits(code);
        assert!(run.stderr.contains(part), "{part}: {run}");
        assert_eq!(record(&sandbox), content);
    }
    assert_eq!(fake.requests().len(), 0);
}

#[test]
fn one_process_writes_a_record_of_events() {
    let fake = Fake::routed(|request| open(&behind(&stream(1), request, 0)));
    let sandbox = Sandbox::new();
    let mut child = follow(&sandbox, &fake, "-o json", stream(1).len());
    let second = sandbox.run(&url(&fake, &format!("{NIGHT} --record r.jsonl --resume"))).exits(3);
    assert!(second.stderr.contains("another process writes `r.jsonl`"), "{second}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_line_for_each_event() {
    let fake = cutting(stream(2), 0, None);
    let run = watch(&fake, "watch batch night-2 --no-follow");
    insta::assert_snapshot!("watch_events", run.exits(0).stdout);
    let fake = cutting(stream(1), 0, None);
    let plain = watch(&fake, &format!("{NIGHT} --no-follow --no-headers")).exits(0).stdout;
    let coloured = watch(&fake, &format!("{NIGHT} --no-follow --color always")).exits(0).stdout;
    let retried = plain.lines().filter(|line| line.contains("retried")).count();
    let failed = plain.lines().filter(|line| line.contains("  failed  ")).count() - retried;
    assert_eq!(coloured.matches("\u{1b}[33m").count(), retried);
    assert_eq!(coloured.matches("\u{1b}[31m").count(), failed);
    assert!(retried > 0 && failed > 0, "{retried} {failed}");
}
