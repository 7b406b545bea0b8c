//! What one run's record says besides its times.

use serde_json::{Map, Value, json};

use super::draw::Draw;
use super::policies::{CATEGORIES, CODES, CONTAINERS, SUBCATEGORIES};

const NAMED: [&str; 7] = [
    "OOMKilled",
    "Evicted",
    "Preempted",
    "DeadlineExceeded",
    "Unschedulable",
    "DiskPressure",
    "preempted",
];
const MESSAGES: [&str; 8] = [
    "TRANSIENT network",
    "exit 7",
    "CUDA ERROR: device 3",
    "fatal",
    "exit \u{667}",
    "device 9",
    "nothing",
    "exit 12\nmore",
];

/// An outcome that somebody has to decide about.
pub fn failed_outcome(draw: &mut Draw) -> &'static str {
    match draw.below(20) {
        0..13 => "Failed",
        13..15 => "Preempted",
        15..17 => "LeaseReturned",
        _ => "LeaseExpired",
    }
}

/// How a job's records are written: the same failure tends to come again.
pub struct Shape {
    again: usize,
    first_index: usize,
    index_step: usize,
    writes_index: bool,
    timed: (usize, usize),
    last: Option<Map<String, Value>>,
}

impl Shape {
    /// A job's own habits.
    pub fn draw(draw: &mut Draw) -> Self {
        let strange = draw.chance(20);
        Self {
            again: draw.pick(&[0, 50, 85]),
            first_index: if strange { draw.below(4) } else { 0 },
            index_step: if strange { 1 + draw.below(3) } else { 1 },
            writes_index: strange || draw.chance(30),
            timed: draw.pick(&[(97, 97), (97, 97), (97, 97), (60, 60), (90, 30), (0, 90), (0, 0)]),
            last: None,
        }
    }

    /// Whether the next run's record has its start and its end.
    pub fn times(&self, draw: &mut Draw) -> (bool, bool) {
        (draw.chance(self.timed.0), draw.chance(self.timed.1))
    }

    /// One record, without times.
    pub fn run(&mut self, draw: &mut Draw, position: usize, outcome: &str) -> Map<String, Value> {
        let again = draw.chance(self.again);
        let mut run = match self.last.take() {
            Some(last) if again => last,
            _ => failure(draw),
        };
        self.last = Some(run.clone());
        run.insert("outcome".into(), json!(outcome));
        if self.writes_index {
            run.insert("runIndex".into(), json!(self.first_index + position * self.index_step));
        }
        if draw.chance(80) {
            run.insert("node".into(), json!(draw.pick(&["node-a", "node-a", "node-b", "node-c"])));
        }
        if draw.chance(15) {
            run.insert("cluster".into(), json!("c1"));
        }
        for key in
            ["node", "cluster", "category", "startedAt", "finishedAt", "terminationConfirmedAt"]
        {
            if !run.contains_key(key) && draw.chance(4) {
                run.insert(key.into(), draw.pick(&[json!(""), Value::Null]));
            }
        }
        run
    }
}

/// What went wrong: any mixture, since a matcher must find its own part of it.
fn failure(draw: &mut Draw) -> Map<String, Value> {
    let mut run = Map::new();
    if draw.chance(30) {
        let conditions = draw.some(&NAMED, 25);
        run.insert("conditions".into(), json!(conditions));
    }
    if draw.chance(85) {
        let names = draw.some(&CONTAINERS, 75);
        let names = draw.shuffled(names);
        run.insert("containers".into(), names.iter().map(|name| container(draw, name)).collect());
    }
    if draw.chance(65) {
        run.insert("category".into(), json!(draw.pick(&CATEGORIES)));
    }
    if draw.chance(50) {
        run.insert("subcategory".into(), json!(draw.pick(&SUBCATEGORIES)));
    }
    if draw.chance(50) {
        run.insert("terminationGracePeriodSeconds".into(), json!(draw.pick(&[0, 2, 5, 30, 90])));
    }
    run
}

fn container(draw: &mut Draw, name: &str) -> Value {
    let mut container = Map::new();
    container.insert("name".into(), json!(name));
    if name == "setup" {
        container.insert("init".into(), json!(true));
    } else if draw.chance(10) {
        container.insert("init".into(), json!(false));
    }
    let code = match draw.below(12) {
        0..6 => Some(json!(draw.pick(&CODES))),
        6..9 => Some(json!(0)),
        9 => Some(json!(-1)),
        10 => Some(Value::Null),
        _ => None,
    };
    container.extend(code.map(|code| ("exitCode".to_owned(), code)));
    let reasons = [
        json!("OOMKilled"),
        json!("Error"),
        json!("Completed"),
        json!("Completed"),
        json!(""),
        Value::Null,
    ];
    if draw.chance(70) {
        container.insert("reason".into(), draw.pick(&reasons));
    }
    if draw.chance(45) {
        container.insert("message".into(), json!(draw.pick(&MESSAGES)));
    } else if draw.chance(10) {
        container.insert("message".into(), draw.pick(&[json!(""), Value::Null]));
    }
    Value::Object(container)
}
