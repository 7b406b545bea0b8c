//! A whole question: policies, scheduler config, queues, jobs and reloads.

use serde_json::{Map, Value, json};

use super::super::time::{Nanos, SECOND};
use super::super::{Engine, Input};
use super::clock::Clock;
use super::draw::Draw;
use super::jobs::{Jobs, QUEUES};
use super::policies::{self, Form, backoff};

const NAMES: [&str; 4] = ["infra", "ml-training", "extra-retry", "p-3"];

/// One draw; it may be one that a command would refuse.
pub fn input(draw: &mut Draw) -> Input {
    let (form, engine) = match draw.below(100) {
        0..60 => (Form::V1, Engine::V1),
        60..82 => (Form::V1beta1, Engine::V1beta1),
        82..92 => (Form::V1beta1, Engine::V1),
        _ => (Form::V1ByCategory, Engine::V1beta1),
    };
    let count = 1 + draw.below(3);
    let names = draw.shuffled(NAMES.to_vec())[..count].to_vec();
    let skip = draw.chance(15);
    let mut referred = names.clone();
    if skip {
        referred.extend(["gone", "never-was"]);
    }
    Input {
        policies: names.iter().map(|name| policies::policy(draw, form, name)).collect(),
        history: history(draw, &referred, engine),
        scheduler: draw.maybe(60, |draw| scheduler(draw, &referred)),
        engine,
        queue_policies: draw.maybe(15, |draw| list(draw, &referred)),
        missing_policy_skip: skip,
    }
}

/// The flag's list: short, now and then with a name twice.
fn list(draw: &mut Draw, referred: &[&str]) -> Vec<String> {
    let length = 1 + draw.below(3);
    (0..length).map(|_| draw.pick(referred).to_owned()).collect()
}

/// A queue's list, which may be empty.
fn queue_list(draw: &mut Draw, referred: &[&str]) -> Vec<String> {
    if draw.chance(8) {
        return Vec::new();
    }
    list(draw, referred)
}

fn scheduler(draw: &mut Draw, referred: &[&str]) -> Value {
    let mut retry = Map::new();
    if draw.chance(97) {
        retry.insert("enabled".into(), json!(draw.chance(94)));
    }
    if draw.chance(65) {
        let limit = draw.pick(&[0, 1, 2, 3, 3, 4, 5, 6, 8]);
        retry.insert("globalMaxRetries".into(), json!(limit));
    }
    if draw.chance(35) {
        retry.insert("defaultPolicyName".into(), json!(draw.pick(referred)));
    }
    if draw.chance(50) {
        retry.insert("defaultBackoff".into(), backoff(draw));
    }
    let mut scheduling = Map::new();
    scheduling.insert("retryPolicy".into(), Value::Object(retry));
    if draw.chance(45) {
        scheduling.insert("maxRetries".into(), json!(draw.below(5)));
    }
    let mut config = Map::new();
    config.insert("scheduling".into(), Value::Object(scheduling));
    if draw.chance(10) {
        config.insert("executorTimeout".into(), json!("10m"));
    }
    if draw.chance(35) {
        config.insert("submission".into(), submission(draw));
    }
    Value::Object(config)
}

fn submission(draw: &mut Draw) -> Value {
    let minimum = draw.pick(&["500ms", "1s", "2s"]);
    if draw.chance(50) {
        json!({"minTerminationGracePeriod": minimum, "maxTerminationGracePeriod": "1m30s"})
    } else {
        json!({"minTerminationGracePeriod": minimum})
    }
}

fn history(draw: &mut Draw, referred: &[&str], engine: Engine) -> Value {
    let clock = Clock::draw(draw);
    let mut spec = Map::new();
    if let Some(start) = &clock.start {
        spec.insert("start".into(), json!(start));
    }
    if draw.chance(75) {
        let queue = |draw: &mut Draw, name| json!({"name": name, "retryPolicies": queue_list(draw, referred)});
        let known = draw.some(&QUEUES, 85);
        spec.insert("queues".into(), known.into_iter().map(|name| queue(draw, name)).collect());
    }
    let gangs = match engine {
        Engine::V1 => 35,
        Engine::V1beta1 => 12,
    };
    let mut jobs = Jobs::new(&clock, referred, gangs);
    spec.insert("jobs".into(), Value::Array(jobs.draw(draw)));
    if draw.chance(40) {
        spec.insert("events".into(), Value::Array(reloads(draw, &clock, &jobs.instants)));
    }
    json!({"apiVersion": "armadaproject.io/v1", "kind": "FailureHistory", "spec": spec})
}

/// Reloads at the instants of runs, and just before and after them.
fn reloads(draw: &mut Draw, clock: &Clock, instants: &[Nanos]) -> Vec<Value> {
    let count = 1 + draw.below(3);
    (0..count).map(|_| reload(draw, clock, instants)).collect()
}

fn reload(draw: &mut Draw, clock: &Clock, instants: &[Nanos]) -> Value {
    let near = if instants.is_empty() { clock.origin } else { draw.pick(instants) };
    let at = near + draw.pick(&[0, 0, 0, 1, -1, SECOND, -SECOND]);
    let mut change = Map::new();
    let limited = draw.chance(75);
    if limited {
        change.insert("globalMaxRetries".into(), json!(draw.below(5)));
    }
    if !limited || draw.chance(15) {
        change.insert("enabled".into(), json!(draw.chance(50)));
    }
    json!({"at": clock.write(draw, at.max(clock.origin)), "reload": change})
}
