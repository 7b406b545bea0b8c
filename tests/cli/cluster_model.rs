//! `--events`: random small clusters against a second implementation (`tools/cluster_model`).
//!
//! Holds cluster.md 3, 5.

use super::sandbox::{Sandbox, root};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::{File, read_to_string};
use std::io::{BufRead, BufReader};

/// The fields of an event that are compared, in the order of the expected lines.
const FIELDS: [&str; 9] =
    ["time", "event", "queue", "template", "jobId", "runIndex", "node", "cause", "decision"];

/// Returns an event as a line of the expected ones.
fn line(event: &Value) -> String {
    let word = |name: &&str| match &event[name] {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    FIELDS.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Simulates a world, and returns its events.
fn events(world: &Value) -> Vec<String> {
    let sandbox = Sandbox::new();
    let mut command =
        "simulate --cluster cluster.yaml --workload workload.yaml --events e.jsonl".to_owned();
    for (name, option) in [
        ("cluster.yaml", ""),
        ("workload.yaml", ""),
        ("config.yaml", " --scheduler-config config.yaml"),
        ("policies.yaml", " -f policies.yaml"),
    ] {
        if let Some(text) = world[name].as_str() {
            sandbox.file(name, text);
            command.push_str(option);
        }
    }
    let flags = world["flags"].as_str().expect("flags").trim();
    sandbox.run(&format!("{command} {flags}")).exits(0);
    let text = read_to_string(sandbox.path().join("e.jsonl")).expect("events");
    let events = text.lines().map(|event| serde_json::from_str(event).expect("an event"));
    // The second implementation has no starts: each follows from a lease and its delay.
    let compared = events.filter(|event: &Value| event["event"] != "Started");
    compared.map(|event| line(&event)).collect()
}

fn sorted(mut events: Vec<String>) -> Vec<String> {
    events.sort();
    events
}

#[test]
fn the_events_are_those_of_the_second_implementation() {
    let file = File::open(root().join("testdata/vectors/scheduler/worlds.jsonl.gz"));
    let lines = BufReader::new(GzDecoder::new(file.expect("worlds"))).lines();
    let mut worlds = 0;
    for world in lines {
        let world: Value = serde_json::from_str(&world.expect("text")).expect("a world");
        let expected = world["events"].as_array().expect("events").iter();
        let expected = expected.map(|event| event.as_str().expect("text").to_owned()).collect();
        // The order of the events of one instant is not compared.
        assert_eq!(sorted(events(&world)), sorted(expected), "{}", world["world"]);
        worlds += 1;
    }
    assert_eq!(worlds, 63);
}
