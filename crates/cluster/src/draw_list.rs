//! All draws of a simulation as a list, for `tools/cluster_model`: a model that is written from docs/cluster*.md alone
//! cannot know how this crate computes random numbers.

use super::draw::{DrawPurpose, name_key};
use super::failure::{
    AttemptSubject, FailureCause, NodeFailures, NodeSubject, SpotBatch, Trigger, lemon_rates,
    time_at_rate,
};
use super::spec::{ClusterSpec, JobTemplate, Nanoseconds, Workload};
use serde::Serialize;

/// Which draws are listed.
#[derive(Debug, Clone, Copy)]
pub struct DrawRange {
    /// The seed.
    pub seed: u64,
    /// The number of attempts of each job.
    pub attempts: u32,
    /// The number of periods of each node, and of losses of the spot nodes of a template.
    pub periods: u32,
}

/// A draw: its key and its value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DrawLine {
    /// The name of the draw.
    pub draw: &'static str,
    #[serde(flatten)]
    key: Key,
    #[serde(flatten)]
    value: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
enum Key {
    Job {
        template: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        cause: Option<String>,
        job: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        attempt: Option<u32>,
    },
    Node {
        node: String,
        period: u32,
    },
    Loss {
        node: String,
        loss: u64,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
enum Value {
    Nanoseconds(Nanoseconds),
    Probability(f64),
    Number(f64),
    Factor(f64),
    Exponential(f64),
    Nodes(Vec<String>),
}

/// Lists the draws of a cluster and a workload.
pub fn draws(clusters: &ClusterSpec, workload: &Workload, range: DrawRange) -> Vec<DrawLine> {
    let mut lines = Vec::new();
    for template in &workload.templates {
        for number in 0..template.number {
            OfJob { clusters, template, number, range }.list(&mut lines);
        }
    }
    for cluster in &clusters.clusters {
        for (position, template) in cluster.node_templates.iter().enumerate() {
            if let Some(failures) = &template.failure {
                let ids = (0..template.number).map(|number| cluster.node_id(position, number));
                OfNodes::new(failures, ids.collect(), range).list(&mut lines);
            }
        }
    }
    lines
}

/// A job whose draws are listed.
struct OfJob<'a> {
    clusters: &'a ClusterSpec,
    template: &'a JobTemplate,
    number: u32,
    range: DrawRange,
}

impl OfJob<'_> {
    fn list(&self, lines: &mut Vec<DrawLine>) {
        let failures = &self.template.failures;
        for cause in &failures.causes {
            let of_job = |purpose| self.subject(0).of_job(purpose, name_key(&cause.name));
            match &cause.trigger {
                Trigger::PerAttempt { probability, .. } => {
                    let probability =
                        probability.draw(&mut of_job(DrawPurpose::FailureProbability));
                    let value = Value::Probability(probability);
                    lines.push(self.line("failureProbability", Some(cause), None, value));
                }
                Trigger::Memory { need, .. } => {
                    let value = Value::Factor(need.draw(&mut of_job(DrawPurpose::MemoryNeed)));
                    lines.push(self.line("memoryNeed", Some(cause), None, value));
                }
                Trigger::Hazard { .. } => {}
            }
        }
        for attempt in 0..self.range.attempts {
            self.list_attempt(attempt, lines);
        }
    }

    fn list_attempt(&self, attempt: u32, lines: &mut Vec<DrawLine>) {
        let subject = self.subject(attempt);
        let mut run_time = self.template.run_time;
        if self.template.gang.is_some() {
            run_time.tail_mean = 0;
        }
        let times = [
            ("pending", self.clusters.pending_delay, DrawPurpose::Pending),
            ("runTime", run_time, DrawPurpose::RunTime),
            ("resubmission", self.clusters.resubmission_delay, DrawPurpose::Resubmission),
        ];
        for (name, distribution, purpose) in times {
            let value = Value::Nanoseconds(distribution.at(subject.number(purpose)));
            lines.push(self.line(name, None, Some(attempt), value));
        }
        if let Some(exit) = &self.template.failures.termination.exit {
            let value = Value::Nanoseconds(exit.draw(&mut subject.draws(DrawPurpose::Exit, 0)));
            lines.push(self.line("exit", None, Some(attempt), value));
        }
        let logarithm = subject.draws(DrawPurpose::GpuFailure, 0).positive().ln();
        lines.push(self.line("gpuFailure", None, Some(attempt), Value::Exponential(-logarithm)));
        for cause in &self.template.failures.causes {
            self.list_cause(cause, attempt, lines);
        }
    }

    fn list_cause(&self, cause: &FailureCause, attempt: u32, lines: &mut Vec<DrawLine>) {
        let draws = |purpose| self.subject(attempt).draws(purpose, name_key(&cause.name));
        let mut push = |name, value| lines.push(self.line(name, Some(cause), Some(attempt), value));
        let mut failure_time = draws(DrawPurpose::FailureTime);
        let time = match &cause.trigger {
            Trigger::PerAttempt { at, .. } => {
                push("failure", Value::Number(draws(DrawPurpose::Failure).number()));
                at.draw(&mut failure_time)
            }
            Trigger::Memory { at, .. } => at.draw(&mut failure_time),
            Trigger::Hazard { per_hour } => time_at_rate(&mut failure_time, *per_hour),
        };
        push("failureTime", Value::Nanoseconds(time));
        if let Some(stickiness) = &cause.stickiness {
            push("sticks", Value::Number(draws(DrawPurpose::Stickiness).number()));
            let again = stickiness.again.draw(&mut draws(DrawPurpose::FailureAgain));
            push("failureAgain", Value::Nanoseconds(again));
        }
    }

    fn subject(&self, attempt: u32) -> AttemptSubject {
        let template = name_key(&self.template.id);
        AttemptSubject { seed: self.range.seed, template, number: self.number, attempt }
    }

    fn line(
        &self,
        draw: &'static str,
        cause: Option<&FailureCause>,
        attempt: Option<u32>,
        value: Value,
    ) -> DrawLine {
        let template = self.template.id.clone();
        let cause = cause.map(|cause| cause.name.clone());
        DrawLine { draw, key: Key::Job { template, cause, job: self.number, attempt }, value }
    }
}

/// The nodes of a template, whose draws are listed.
struct OfNodes<'a> {
    failures: &'a NodeFailures,
    ids: Vec<String>,
    keys: Vec<u64>,
    range: DrawRange,
}

impl<'a> OfNodes<'a> {
    fn new(failures: &'a NodeFailures, ids: Vec<String>, range: DrawRange) -> Self {
        let keys = ids.iter().map(|id| name_key(id)).collect();
        Self { failures, ids, keys, range }
    }

    fn list(&self, lines: &mut Vec<DrawLine>) {
        let lemons = self.failures.lifetime.and_then(|lifetime| lifetime.lemons);
        let rates = lemon_rates(self.range.seed, lemons, &self.keys);
        for (position, rate) in rates.into_iter().enumerate() {
            for period in 0..self.range.periods {
                self.list_period(position, rate, period, lines);
            }
        }
        self.list_losses(lines);
    }

    fn list_period(&self, position: usize, rate: f64, period: u32, lines: &mut Vec<DrawLine>) {
        let subject = NodeSubject { seed: self.range.seed, node: self.keys[position], period };
        let lifetime = self.failures.lifetime.as_ref();
        let times = [
            ("nodeUp", lifetime.and_then(|lifetime| subject.up(lifetime, rate))),
            ("nodeRepair", lifetime.map(|lifetime| subject.repair(lifetime))),
            ("replacement", self.failures.spot.as_ref().and_then(|spot| subject.replacement(spot))),
        ];
        for (draw, time) in times {
            let key = Key::Node { node: self.ids[position].clone(), period };
            lines.extend(time.map(|time| DrawLine { draw, key, value: Value::Nanoseconds(time) }));
        }
    }

    fn list_losses(&self, lines: &mut Vec<DrawLine>) {
        let Some(spot) = &self.failures.spot else { return };
        for number in 0..u64::from(self.range.periods) {
            let batch = SpotBatch { seed: self.range.seed, template: self.keys[0], number };
            let gap = Value::Nanoseconds(batch.gap(spot, self.keys.len()));
            let lost = batch.nodes(spot, &self.keys);
            let lost = Value::Nodes(lost.into_iter().map(|at| self.ids[at].clone()).collect());
            for (draw, value) in [("spotGap", gap), ("spotNodes", lost)] {
                let key = Key::Loss { node: self.ids[0].clone(), loss: number };
                lines.push(DrawLine { draw, key, value });
            }
        }
    }
}
