//! How lines are written, and what may be wrong with some of them.

use crate::oracle::Draw;
use serde_json::{Map, Value, json};

/// Lines as a stream's bytes: some of them spoiled, some twice, with any line ends.
pub fn written(draw: &mut Draw, lines: Vec<Map<String, Value>>) -> Vec<u8> {
    let spoiled = draw.pick(&[0, 2, 10, 30]);
    let disagreeing = draw.pick(&[0, 0, 5, 40]);
    let odd = draw.pick(&[0, 0, 10]);
    let respelled = draw.pick(&[0, 10, 100]);
    let mut bytes = if draw.chance(10) { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
    for mut line in lines {
        if draw.chance(disagreeing) {
            other_job(draw, &mut line);
        }
        let line = if draw.chance(spoiled) {
            spoil(draw, line)
        } else if draw.chance(respelled) {
            respell(draw, &line)
        } else {
            text(&line)
        };
        for _ in 0..=usize::from(draw.chance(spoiled / 4)) {
            if draw.chance(odd) {
                bytes.extend_from_slice(draw.pick(&["\n", " \t\r\n", "  "]).as_bytes());
            }
            bytes.extend_from_slice(&line);
            let end = if draw.chance(odd) { "\r\n" } else { "\n" };
            bytes.extend_from_slice(end.as_bytes());
        }
    }
    if draw.chance(30) {
        bytes.pop();
    }
    bytes
}

fn text(line: &Map<String, Value>) -> Vec<u8> {
    serde_json::to_vec(line).expect("JSON")
}

/// A line as another program may write it: keys in any order, some with escapes, spaces, unknown keys and null.
fn respell(draw: &mut Draw, line: &Map<String, Value>) -> Vec<u8> {
    let mut entries: Vec<(usize, String)> = Vec::new();
    for (key, value) in line {
        let key = if draw.chance(5) {
            format!("\\u{:04x}{}", u32::from(key.as_bytes()[0]), &key[1..])
        } else {
            key.clone()
        };
        entries.push((draw.below(1000), format!("\"{key}\":{value}")));
    }
    for other in
        [r#""zone":{"jobId":["}",1e9]}"#, r#""z\u006fne":"\ud83d\ude00""#, r#""Outcome":null"#]
    {
        if draw.chance(20) {
            entries.push((draw.below(1000), other.to_owned()));
        }
    }
    if !line.contains_key("cluster") && draw.chance(20) {
        entries.push((draw.below(1000), r#""cluster":null"#.to_owned()));
    }
    entries.sort();
    let entries: Vec<String> = entries.into_iter().map(|(_, entry)| entry).collect();
    format!("{{{}}}", entries.join(draw.pick(&[",", ", ", " ,\t"]))).into_bytes()
}

/// A line that says something odd, or is none.
fn spoil(draw: &mut Draw, mut line: Map<String, Value>) -> Vec<u8> {
    match draw.below(7) {
        0 => return cut_off(draw, &text(&line)),
        1 => _ = line.remove(draw.pick(&["jobId", "outcome"])),
        2 => {
            let outcome = draw.pick(&["Nonsense", "Stopped", "Stopped", "Cancelled"]);
            line.insert("outcome".to_owned(), json!(outcome));
        }
        3 => {
            let grace = draw.pick(&[json!(-1), json!(0), json!(1), json!(1_000_000), json!("1")]);
            line.insert("terminationGracePeriodSeconds".to_owned(), grace);
        }
        4 => {
            let index = draw.pick(&[0, 1, 7, 4_294_967_295_i64, 4_294_967_296]);
            line.insert("runIndex".to_owned(), json!(index));
        }
        5 => {
            let key = draw.pick(&["startedAt", "finishedAt", "terminationConfirmedAt"]);
            line.insert(key.to_owned(), time(draw));
        }
        _ => _ = line.insert("containers".to_owned(), json!([{"name": "a"}, {"name": "a"}])),
    }
    text(&line)
}

/// Dates among offsets, times that go backwards, and such as are far away.
fn time(draw: &mut Draw) -> Value {
    draw.pick(&[
        json!("0s"),
        json!("1ns"),
        json!("2562047h"),
        json!("1970-01-01T00:00:00Z"),
        json!("2026-02-13T16:26:41.000000001Z"),
        json!("2300-01-01T00:00:00Z"),
        json!("9999-12-31T23:59:59Z"),
        json!("soon"),
        Value::Null,
    ])
}

/// Something else of the job than other lines say.
fn other_job(draw: &mut Draw, line: &mut Map<String, Value>) {
    let (key, value) = draw.pick(&[
        ("queue", json!("ml")),
        ("queue", json!("batch")),
        ("queue", json!("elsewhere")),
        ("jobSet", json!("set-a")),
        ("annotations", json!({"armadaproject.io/retry-policy": "infra, extra-retry"})),
        ("annotations", json!({"armadaproject.io/retry-policy": "p-3,ml-training"})),
        ("annotations", json!({"armadaproject.io/failFast": "true"})),
        (
            "annotations",
            json!({"armadaproject.io/gangId": "g", "armadaproject.io/gangCardinality": "2"}),
        ),
        ("gang", json!({"id": "h", "cardinality": 2})),
        ("gang", json!({"id": "alone", "cardinality": 1})),
        ("resources", json!({"cpu": "3", "nvidia.com/gpu": 2})),
    ]);
    line.insert(key.to_owned(), value);
}

/// A line of which something is missing, or that is not UTF-8.
fn cut_off(draw: &mut Draw, line: &[u8]) -> Vec<u8> {
    let at = draw.below(line.len());
    match draw.below(3) {
        0 => line[..at].to_vec(),
        1 => line[at..].to_vec(),
        _ => [&line[..at], b"\xff", &line[at..]].concat(),
    }
}
