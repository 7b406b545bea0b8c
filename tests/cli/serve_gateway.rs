//! `serve` beside a recording of Armada's gateway: each answer is the same, or `docs/serve.md` has it
//! in its table of differences.
//!
//! Holds cli.md Commands.

use super::http::{Answer, Serving};
use super::sandbox::{Sandbox, root};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// A request and the gateway's answer (`testdata/server/README.md`).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    method: String,
    path: String,
    #[serde(default)]
    body: String,
    hex: Option<String>,
    #[serde(default)]
    rebuilt: bool,
    status: u16,
    #[serde(default)]
    answer: String,
    begins: Option<String>,
    code: Option<u32>,
    message: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

/// The headers that the recording has where the gateway sends them.
const HEADERS: [&str; 4] =
    ["content-type", "grpc-metadata-content-type", "location", "x-content-type-options"];

/// What differs, by its row in the table of `docs/serve.md`: the requests, counted from 1.
const ACCEPTED: &[(&str, &[usize])] = &[("`null` in a list of objects", &[48, 111, 112, 149])];

impl Recorded {
    fn bytes(&self) -> Vec<u8> {
        let Some(hex) = &self.hex else { return self.body.clone().into_bytes() };
        let pairs = (0..hex.len()).step_by(2);
        pairs.map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    /// In what an answer differs.
    fn differences(&self, answer: &Answer) -> Vec<String> {
        let mut all = Vec::new();
        if answer.status != self.status {
            all.push(format!("status {}, recorded {}", answer.status, self.status));
        }
        let is_same = match (&self.begins, &self.message) {
            (Some(begins), _) => answer.body.starts_with(begins),
            (None, Some(message)) => {
                let message = serde_json::to_string(message).unwrap();
                let code = self.code.unwrap();
                answer.body
                    == format!("{{\"error\":{message},\"code\":{code},\"message\":{message}}}")
            }
            (None, None) => answer.body == self.answer,
        };
        if !is_same {
            all.push(format!("body {:?}", answer.body));
        }
        for name in HEADERS {
            let recorded = self.headers.get(name).map_or("", String::as_str);
            if answer.header(name) != recorded {
                all.push(format!("{name} {:?}, recorded {recorded:?}", answer.header(name)));
            }
        }
        all
    }
}

fn recording() -> Vec<Recorded> {
    let text = std::fs::read_to_string(root().join("testdata/server/gateway.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_gateways_answers_are_ours_but_for_a_table() {
    let recording = recording();
    assert_eq!(recording.len(), 182);
    assert_eq!(recording.iter().filter(|request| request.rebuilt).count(), 11);
    assert_eq!(recording.iter().filter(|request| request.begins.is_some()).count(), 4);
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    let mut differing = BTreeSet::new();
    for (number, request) in (1..).zip(&recording) {
        let Recorded { method, path, .. } = request;
        let answer = server.try_call(method, path, &[], request.bytes()).unwrap();
        let differences = request.differences(&answer);
        if !differences.is_empty() {
            let sent = String::from_utf8_lossy(&request.bytes()).into_owned();
            eprintln!("{number} {method} {path} {sent}\n  {}", differences.join("\n  "));
            differing.insert(number);
        }
    }
    let accepted = ACCEPTED.iter().flat_map(|(_, requests)| requests.iter().copied());
    assert_eq!(differing, accepted.collect());
}

/// The rows of the page's table of differences that name requests of the recording.
#[test]
fn the_page_has_the_same_table() {
    let page = std::fs::read_to_string(root().join("docs/serve.md")).unwrap();
    let section = page.split("## What differs").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut rows = Vec::new();
    for line in section.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(cells.len(), 4, "{line}");
        let requests: Vec<usize> =
            cells[3].split(", ").filter_map(|number| number.parse().ok()).collect();
        if !requests.is_empty() {
            rows.push((cells[0].to_owned(), requests));
        }
    }
    let accepted = ACCEPTED.iter().map(|(row, requests)| ((*row).to_owned(), requests.to_vec()));
    assert_eq!(rows, accepted.collect::<Vec<_>>());
    let differing: usize = ACCEPTED.iter().map(|(_, requests)| requests.len()).sum();
    let same = format!("{} of its {} answers are the same", 182 - differing, 182);
    assert!(section.contains(&same), "{same}");
}

/// A comparison that finds nothing would accept anything.
#[test]
fn a_difference_is_found() {
    let recording = recording();
    let answer = |status: u16, name: &str, value: &str, body: &str| Answer {
        status,
        headers: vec![(name.to_owned(), value.to_owned())],
        body: body.to_owned(),
    };
    // A policy that is not there.
    let missing = &recording[2];
    let message = "error: could not find retry policy \\\"p\\\"";
    let body = format!(r#"{{"error":"{message}","code":5,"message":"{message}"}}"#);
    let differences = |answer: &Answer| missing.differences(answer).len();
    assert_eq!(differences(&answer(404, "content-type", "application/json", &body)), 0);
    assert_eq!(differences(&answer(400, "content-type", "application/json", &body)), 1);
    assert_eq!(differences(&answer(404, "content-type", "text/plain", &body)), 1);
    assert_eq!(differences(&answer(404, "location", "/", &body)), 2);
    let spaced = body.replace(",\"code\"", ", \"code\"");
    assert_eq!(differences(&answer(404, "content-type", "application/json", &spaced)), 1);
}
