//! Jobs alone and in gangs, with the times of their runs.

use serde_json::{Map, Value, json};

use super::super::time::{Nanos, SECOND};
use super::clock::Clock;
use super::draw::Draw;
use super::runs::{self, Shape};

/// The queues jobs are in.
pub const QUEUES: [&str; 2] = ["ml", "batch"];

/// How many runs of a hundred begin before the one before them has ended.
const OVERLAPPING: usize = 4;
/// How many jobs of a hundred have their own fields on their first run.
const LENT: usize = 4;

const GAPS: [Nanos; 9] = [
    0,
    SECOND / 2,
    SECOND,
    2 * SECOND,
    5 * SECOND,
    20 * SECOND,
    60 * SECOND,
    600 * SECOND,
    1_200 * SECOND,
];
const LENGTHS: [Nanos; 5] = [0, SECOND, 10 * SECOND, 1_250_000_001, 3_600 * SECOND];

/// Draws the jobs of one history and remembers when their runs were.
pub struct Jobs<'a> {
    clock: &'a Clock,
    referred: &'a [&'a str],
    /// How many units of a hundred are gangs.
    gangs: usize,
    /// The time of every run that has one.
    pub instants: Vec<Nanos>,
    made: usize,
}

/// What a generation of a gang looks like.
#[derive(Clone, Copy)]
enum Theme {
    AllSucceed,
    OneCancelled,
    SomeFail,
}

impl<'a> Jobs<'a> {
    /// Nothing drawn yet. `referred` are names for the annotation `retry-policy`.
    pub fn new(clock: &'a Clock, referred: &'a [&'a str], gangs: usize) -> Self {
        Self {
            clock,
            referred,
            gangs,
            instants: Vec::new(),
            made: 0,
        }
    }

    /// A few units, their jobs in any order.
    pub fn draw(&mut self, draw: &mut Draw) -> Vec<Value> {
        let units = 1 + draw.below(3);
        let mut jobs = Vec::new();
        for _ in 0..units {
            if draw.chance(self.gangs) {
                jobs.extend(self.gang(draw));
            } else {
                jobs.push(self.single(draw));
            }
        }
        draw.shuffled(jobs)
    }

    fn single(&mut self, draw: &mut Draw) -> Value {
        let mut shape = Shape::draw(draw);
        let count = 1 + draw.below(7);
        let mut cursor = self.clock.origin;
        let mut runs = Vec::new();
        for position in 0..count {
            let outcome = single_outcome(draw, position + 1 == count);
            let mut run = shape.run(draw, position, outcome);
            cursor = self.time(draw, &mut shape, &mut run, cursor);
            runs.push(run);
        }
        let mut job = self.job(draw);
        if draw.chance(6) {
            job.insert("gang".into(), json!({"id": "alone", "cardinality": 1}));
        }
        finish(draw, job, runs)
    }

    /// Members whose runs come generation by generation; some stop being recorded before the others.
    fn gang(&mut self, draw: &mut Draw) -> Vec<Value> {
        let count = 1 + draw.pick(&[0, 1, 1, 1, 2, 2]);
        let mut shapes: Vec<Shape> = (0..count).map(|_| Shape::draw(draw)).collect();
        let mut runs: Vec<Vec<Map<String, Value>>> = vec![Vec::new(); count];
        let mut recorded = vec![true; count];
        let generations = 1 + draw.below(5);
        let mut cursor = self.clock.origin;
        for generation in 0..generations {
            let present: Vec<usize> = (0..count).filter(|&member| recorded[member]).collect();
            let outcomes = generation_outcomes(draw, present.len(), generation + 1 == generations);
            let mut end = cursor;
            for (&member, outcome) in present.iter().zip(outcomes) {
                let mut run = shapes[member].run(draw, generation, outcome);
                end = end.max(self.time(draw, &mut shapes[member], &mut run, cursor));
                runs[member].push(run);
                recorded[member] = draw.chance(92);
            }
            cursor = end;
        }
        self.members(draw, runs)
    }

    fn members(&mut self, draw: &mut Draw, runs: Vec<Vec<Map<String, Value>>>) -> Vec<Value> {
        let cardinality = runs.len().max(2) + usize::from(draw.chance(10));
        let id = draw.pick(&["g", "h"]);
        let queue = draw.pick(&QUEUES);
        let set = draw.pick(&[None, Some(""), Some("set-a"), Some("set-b")]);
        let mut members = Vec::new();
        for runs in runs {
            let mut job = self.job(draw);
            job.insert("queue".into(), json!(queue));
            job.remove("jobSet");
            if let Some(set) = set {
                job.insert("jobSet".into(), json!(set));
            }
            if draw.chance(50) {
                job.insert("gang".into(), json!({"id": id, "cardinality": cardinality}));
            } else {
                let notes = job.entry("annotations").or_insert_with(|| json!({}));
                notes["armadaproject.io/gangId"] = json!(id);
                notes["armadaproject.io/gangCardinality"] = json!(cardinality.to_string());
            }
            members.push(finish(draw, job, runs));
        }
        members
    }

    /// Everything of a job but its runs.
    fn job(&mut self, draw: &mut Draw) -> Map<String, Value> {
        let mut job = Map::new();
        job.insert("jobId".into(), json!(format!("j{}", self.made)));
        self.made += 1;
        job.insert("queue".into(), json!(draw.pick(&QUEUES)));
        if draw.chance(40) {
            job.insert("jobSet".into(), json!(draw.pick(&["set-a", "set-b", ""])));
        }
        let mut notes = Map::new();
        if draw.chance(8) {
            let value = draw.pick(&["true", "true", "true", "false", "True"]);
            notes.insert("armadaproject.io/failFast".into(), json!(value));
        }
        if draw.chance(35) {
            notes.insert(
                "armadaproject.io/retry-policy".into(),
                json!(self.more_policies(draw)),
            );
        }
        if !notes.is_empty() || draw.chance(5) {
            job.insert("annotations".into(), Value::Object(notes));
        }
        if draw.chance(75) {
            job.insert("resources".into(), resources(draw));
        }
        job
    }

    /// Names with blanks, empty pieces and repeats between them.
    fn more_policies(&self, draw: &mut Draw) -> String {
        let count = draw.below(4);
        let mut pieces: Vec<String> = Vec::new();
        for _ in 0..count {
            let name = draw.pick(self.referred);
            pieces.push(draw.pick(&[name.to_owned(), format!(" {name} "), format!("{name},")]));
        }
        if draw.chance(15) {
            pieces.push(" ".to_owned());
        }
        pieces.join(",")
    }

    /// Puts times on a run; the time before which no later run may end.
    fn time(
        &mut self,
        draw: &mut Draw,
        shape: &mut Shape,
        run: &mut Map<String, Value>,
        cursor: Nanos,
    ) -> Nanos {
        let (has_start, has_finish) = shape.times(draw);
        let early =
            has_finish && cursor > self.clock.origin + 10 * SECOND && draw.chance(OVERLAPPING);
        let gap = if early { -3 * SECOND } else { draw.pick(&GAPS) };
        let started = cursor + gap;
        let finished = (started + draw.pick(&LENGTHS)).max(cursor);
        if has_start {
            run.insert("startedAt".into(), json!(self.clock.write(draw, started)));
        }
        if has_finish {
            run.insert("finishedAt".into(), json!(self.clock.write(draw, finished)));
            let confirmed =
                finished + draw.pick(&[-SECOND, 0, SECOND, 3 * SECOND, 45 * SECOND, 200 * SECOND]);
            if draw.chance(45) {
                let confirmed = confirmed.max(self.clock.origin);
                run.insert(
                    "terminationConfirmedAt".into(),
                    json!(self.clock.write(draw, confirmed)),
                );
            }
        }
        match (has_start, has_finish) {
            (_, true) => self.instants.push(finished),
            (true, false) => self.instants.push(started),
            (false, false) => {}
        }
        finished
    }
}

fn single_outcome(draw: &mut Draw, last: bool) -> &'static str {
    let ends = if last { 35 } else { 4 };
    if draw.chance(ends) {
        return draw.pick(&["Succeeded", "Succeeded", "Succeeded", "Cancelled"]);
    }
    runs::failed_outcome(draw)
}

fn generation_outcomes(draw: &mut Draw, present: usize, last: bool) -> Vec<&'static str> {
    let usual = if last { 30 } else { 4 };
    let theme = match draw.below(100) {
        roll if roll < usual => Theme::AllSucceed,
        roll if roll >= 94 => Theme::OneCancelled,
        _ => Theme::SomeFail,
    };
    let victim = draw.below(present.max(1));
    let outcome = |draw: &mut Draw, member: usize| match theme {
        Theme::AllSucceed => "Succeeded",
        Theme::OneCancelled if member == victim => "Cancelled",
        Theme::SomeFail if member == victim && draw.chance(96) => runs::failed_outcome(draw),
        _ => match draw.below(10) {
            0..4 => runs::failed_outcome(draw),
            4..7 => "Stopped",
            _ => "Succeeded",
        },
    };
    (0..present).map(|member| outcome(draw, member)).collect()
}

fn resources(draw: &mut Draw) -> Value {
    let memory = draw.pick(&["1Gi", "512Mi", "1500M", "1.5Gi", "1001", "7", "3k"]);
    draw.pick(&[
        json!({"memory": memory, "cpu": "2"}),
        json!({"memory": memory, "nvidia.com/gpu": "1"}),
        json!({"memory": memory}),
        json!({"memory": memory}),
        json!({"cpu": "500m"}),
    ])
}

/// Joins a job and its runs; now and then the job's fields stand on its first run.
fn finish(
    draw: &mut Draw,
    mut job: Map<String, Value>,
    mut runs: Vec<Map<String, Value>>,
) -> Value {
    if draw.chance(LENT) {
        for key in ["queue", "jobSet", "annotations", "resources", "gang"] {
            if let Some(value) = job.remove(key) {
                runs[0].insert(key.into(), value);
            }
        }
    }
    job.insert("runs".into(), runs.into_iter().map(Value::Object).collect());
    Value::Object(job)
}
