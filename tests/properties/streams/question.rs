//! Random streams with random policies: the jobs of several cases of the oracle's generator among
//! one another, in one stream or two.

use super::spoil;
use crate::histories;
use crate::oracle::{self, Draw, Engine, Input};
use armada_retry::engine::{Bindings, Evaluator, MissingPolicy, V1, V1BETA1};
use armada_retry::policy::{self, SchedulerSettings};
use document::diag::Source;
use replay::history::{ArmadaRun, GraceBounds, History, OnBadRecord};
use replay::simulate::{Assume, read_history};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;
use systems::armada::Armada;

/// What is asked of both ways.
pub struct Question {
    /// Names and bytes.
    pub streams: Vec<(String, Vec<u8>)>,
    pub engines: Vec<Armada>,
    pub bounds: GraceBounds,
    pub on_bad: OnBadRecord,
    /// The only job that is reported on, if there is such a job.
    pub only: Option<String>,
    pub assume: Option<Assume>,
    policies: String,
}

impl Question {
    /// The question of a seed.
    pub fn draw(draw: &mut Draw, seed: u64) -> Self {
        let base = oracle::case(seed);
        let settings = histories::settings(&base);
        let bounds = GraceBounds::from(&settings);
        let known = known(&base, bounds);
        let (mut engines, mut policies) = (Vec::new(), String::new());
        for number in 0..=draw.below(3) {
            let case = if number == 0 { base.clone() } else { oracle::case(some_seed(draw)) };
            let mut settings = settings.clone();
            if number > 0 && draw.chance(50) {
                settings.global_max_retries = u32::try_from(draw.below(5)).ok();
            }
            policies += &format!("{:?} {:?}\n", case.engine, case.queue_policies);
            policies.extend(case.policies.iter().map(|policy| format!("{policy}\n")));
            engines.push(engine(&case, settings, &known));
        }
        let streams: Vec<_> = (0..=usize::from(draw.chance(30)))
            .map(|number| (format!("s{number}"), stream(draw)))
            .collect();
        let only = draw.maybe(15, |draw| format!("{}j0", draw.below(3)));
        Self {
            streams,
            engines,
            bounds,
            on_bad: draw.pick(&[OnBadRecord::Error, OnBadRecord::Skip]),
            only,
            assume: draw.pick(&[None, None, Some(Assume::Succeed), Some(Assume::Observed)]),
            policies,
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}, {:?}, only {:?}", self.on_bad, self.bounds, self.only)?;
        f.write_str(&self.policies)?;
        for (name, bytes) in &self.streams {
            writeln!(f, "{name}:\n{}", String::from_utf8_lossy(bytes))?;
        }
        Ok(())
    }
}

fn some_seed(draw: &mut Draw) -> u64 {
    u64::try_from(draw.below(100_000)).expect("a number")
}

/// The queues and reloads of a case's history, without its jobs.
fn known(case: &Input, bounds: GraceBounds) -> History<ArmadaRun> {
    let mut history = case.history.clone();
    history["spec"]["jobs"] = Value::Array(Vec::new());
    let source = Source::new("known.json", history.to_string());
    read_history::<Armada>(Some(bounds), OnBadRecord::Error, |stream| stream.text(&source)).0
}

fn engine(case: &Input, settings: SchedulerSettings, known: &History<ArmadaRun>) -> Armada {
    let texts = case.policies.iter().enumerate();
    let sources: Vec<_> =
        texts.map(|(n, policy)| Source::new(format!("{n}.json"), policy.to_string())).collect();
    let (documents, _) = policy::read(&sources);
    let policies = documents.policies.iter().map(|found| Arc::clone(&found.policy)).collect();
    let profile = if case.engine == Engine::V1 { &V1 } else { &V1BETA1 };
    let queues = known.queues.iter();
    let bindings = Bindings {
        forced: case.queue_policies.clone(),
        queues: queues.map(|queue| (queue.name.clone(), queue.retry_policies.clone())).collect(),
        missing: MissingPolicy::Skip,
        is_complete: false,
    };
    Armada::new(Evaluator::new(profile, policies, settings, &known.reloads), bindings)
}

/// One stream: dates or offsets, as the first case has them.
fn stream(draw: &mut Draw) -> Vec<u8> {
    let dates = draw.chance(50);
    let mut lines: Vec<Map<String, Value>> = Vec::new();
    for number in 0..draw.pick(&[1, 2, 4, 8, 24]) {
        let history = loop {
            let history = histories::as_lines_have_it(&oracle::case(some_seed(draw)).history);
            if !histories::mixes_notations(&history) && has_dates(&history) == dates {
                break history;
            }
        };
        let mut more = histories::lines(&history, draw.chance(50));
        for line in &mut more {
            // Streams have jobs in common, and ids are no plain letters now and then.
            let id = format!("{number}{}", line["jobId"].as_str().expect("an id"));
            line.insert("jobId".to_owned(), Value::from(id));
        }
        lines.extend(more);
    }
    let shuffle = some_seed(draw);
    spoil::written(draw, histories::shuffled(lines, shuffle))
}

fn has_dates(history: &Value) -> bool {
    let lines = histories::lines(history, false);
    let texts = lines.iter().flat_map(|line| {
        ["startedAt", "finishedAt", "terminationConfirmedAt"].map(|key| line.get(key))
    });
    texts.flatten().filter_map(Value::as_str).any(|time| time.contains('T'))
}
