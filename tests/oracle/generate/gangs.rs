//! Gangs: members whose runs come generation by generation.

use serde_json::{Map, Value, json};

use super::draw::Draw;
use super::jobs::{Jobs, QUEUES, finish};
use super::runs::{self, Shape};

/// What a generation of a gang looks like.
#[derive(Clone, Copy)]
enum Theme {
    AllSucceed,
    OneCancelled,
    SomeFail,
}

impl Jobs<'_> {
    /// Members whose runs come generation by generation; some stop being recorded before the others.
    pub fn gang(&mut self, draw: &mut Draw) -> Vec<Value> {
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
                end = end.max(self.put_times(draw, &shapes[member], &mut run, cursor));
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
