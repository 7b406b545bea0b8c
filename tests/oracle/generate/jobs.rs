//! Jobs: those alone, and what every job says besides its runs.

use serde_json::{Map, Value, json};

use super::super::time::Nanos;
use super::clock::Clock;
use super::draw::Draw;
use super::runs::{self, Shape};

/// The queues jobs are in.
pub const QUEUES: [&str; 2] = ["ml", "batch"];

/// How many jobs of a hundred have their own fields on their first run.
const LENT: usize = 4;

/// Draws the jobs of one history and remembers when their runs were.
pub struct Jobs<'a> {
    pub clock: &'a Clock,
    referred: &'a [&'a str],
    /// How many units of a hundred are gangs.
    gangs: usize,
    /// The time of every run that has one.
    pub instants: Vec<Nanos>,
    made: usize,
}

impl<'a> Jobs<'a> {
    /// Nothing drawn yet. `referred` are names for the annotation `retry-policy`.
    pub fn new(clock: &'a Clock, referred: &'a [&'a str], gangs: usize) -> Self {
        Self { clock, referred, gangs, instants: Vec::new(), made: 0 }
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
            cursor = self.put_times(draw, &shape, &mut run, cursor);
            runs.push(run);
        }
        let mut job = self.job(draw);
        if draw.chance(6) {
            job.insert("gang".into(), json!({"id": "alone", "cardinality": 1}));
        }
        finish(draw, job, runs)
    }

    /// Everything of a job but its runs.
    pub fn job(&mut self, draw: &mut Draw) -> Map<String, Value> {
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
            notes.insert("armadaproject.io/retry-policy".into(), json!(self.more_policies(draw)));
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
}

fn single_outcome(draw: &mut Draw, last: bool) -> &'static str {
    let ends = if last { 35 } else { 4 };
    if draw.chance(ends) {
        return draw.pick(&["Succeeded", "Succeeded", "Succeeded", "Cancelled"]);
    }
    runs::failed_outcome(draw)
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
pub fn finish(
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
