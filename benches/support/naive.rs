//! The baseline: what one writes first. Rules are tried in order, each matcher in turn and the
//! pattern last; patterns are compiled once, features are numbers already, limits and backoff are
//! those of the engine.

use armadactl::history::{Container, Outcome, RunRecord};
use armadactl::policy::{Action, Condition, Operator, RetryPolicy};
use armadactl::units::{GoDuration, Time};
use regex_automata::meta::Regex;

/// The only global limit there is.
pub const GLOBAL: u32 = 20;

/// A policy with its patterns compiled.
pub struct Naive {
    rules: Vec<NaiveRule>,
    default: Then,
    /// Their places are their numbers.
    categories: Vec<String>,
}

struct NaiveRule {
    container: Option<String>,
    exit_codes: Option<(Operator, Vec<i64>)>,
    conditions: u8,
    categories: Vec<u32>,
    message: Option<Regex>,
    then: Then,
}

#[derive(Clone, Copy)]
struct Then {
    action: Action,
    limit: u32,
    initial: f64,
    most: f64,
    multiplier: f64,
}

/// A run with its features as numbers; making it is not timed.
pub struct Features<'r> {
    containers: &'r [Container],
    first_failed: Option<&'r Container>,
    conditions: u8,
    category: Option<u32>,
    grace: GoDuration,
    finished_at: Option<Time>,
}

/// What is remembered of a job.
#[derive(Clone)]
pub struct NaiveState {
    failures: i32,
    total: u32,
    counts: Vec<(usize, u32)>,
}

/// What was decided.
#[derive(Debug, PartialEq)]
pub struct NaiveDecision {
    /// `None` for the default.
    pub rule: Option<usize>,
    /// Whether the job runs again.
    pub retry: bool,
    /// How long it waits.
    pub delay: Option<GoDuration>,
    /// When the wait is over.
    pub retry_after: Option<Time>,
}

impl NaiveState {
    /// Before the first run. Room for the counts is asked for here, not while deciding.
    pub fn new() -> Self {
        Self { failures: 0, total: 0, counts: Vec::with_capacity(8) }
    }
}

impl Naive {
    /// Compiles every pattern.
    pub fn new(policy: &RetryPolicy) -> Self {
        let mut categories: Vec<String> = Vec::new();
        for name in policy.rules.iter().flat_map(|rule| &rule.categories) {
            if !categories.contains(name) {
                categories.push(name.clone());
            }
        }
        let number = |name: &String| {
            let place = categories.iter().position(|known| known == name);
            u32::try_from(place.expect("listed")).expect("few")
        };
        let then = |action, limit: Option<u32>| Then {
            action,
            limit: limit.or(policy.retry_limit).unwrap_or(GLOBAL),
            initial: nanos(policy.backoff.initial_delay),
            most: nanos(policy.backoff.max_delay),
            multiplier: policy.backoff.multiplier.expect("set"),
        };
        let rules = policy.rules.iter().map(|rule| NaiveRule {
            container: rule.container.clone(),
            exit_codes: rule.exit_codes.as_ref().map(|codes| {
                (codes.operator, codes.values.iter().copied().map(i64::from).collect())
            }),
            conditions: rule.conditions.iter().map(|condition| bit(*condition)).sum(),
            categories: rule.categories.iter().map(number).collect(),
            message: rule.message.as_ref().map(|pattern| pattern.regex().expect("small")),
            then: then(rule.action, rule.retry_limit),
        });
        let rules = rules.collect();
        Self { rules, default: then(policy.default_action(), None), categories }
    }

    /// The features of a run.
    pub fn features<'r>(&self, run: &'r RunRecord) -> Features<'r> {
        let containers = if run.outcome.is_bare() { &[][..] } else { &run.containers };
        let preempted = (run.outcome == Outcome::Preempted).then_some(Condition::Preempted);
        let named = run.conditions.iter().filter_map(|name| Condition::from_name(name));
        let category = run.category.as_ref();
        let category =
            category.and_then(|name| self.categories.iter().position(|known| known == name));
        let first_failed = containers.iter().find(|container| container.failed());
        let named = named.chain(preempted).fold(0, |bits, condition| bits | bit(condition));
        Features {
            containers,
            first_failed,
            conditions: named | killed(first_failed),
            category: category.map(|number| u32::try_from(number).expect("few")),
            grace: preempted.and(run.termination_grace).unwrap_or(GoDuration::ZERO),
            finished_at: run.finished_at,
        }
    }

    /// The first rule that matches.
    fn first_match(&self, features: &Features<'_>) -> Option<usize> {
        self.rules.iter().position(|rule| rule.matches(features))
    }

    /// Decides about a failed run, and charges the job.
    pub fn decide(&self, job: &mut NaiveState, features: &Features<'_>) -> NaiveDecision {
        job.failures += 1;
        let rule = self.first_match(features);
        let then = rule.map_or(self.default, |rule| self.rules[rule].then);
        let key = rule.unwrap_or(usize::MAX);
        let place = job.counts.iter().position(|(known, _)| *known == key);
        let count = place.map_or(0, |place| job.counts[place].1);
        if job.total >= GLOBAL || then.action == Action::Fail || count >= then.limit {
            return NaiveDecision { rule, retry: false, delay: None, retry_after: None };
        }
        match place {
            Some(place) => job.counts[place].1 += 1,
            None => job.counts.push((key, 1)),
        }
        job.total += 1;
        let wait = (then.initial * then.multiplier.powi(job.failures - 1)).min(then.most);
        let delay = whole(wait).max(features.grace);
        let retry_after = features.finished_at.map(|end| end.plus(delay));
        NaiveDecision { rule, retry: true, delay: Some(delay), retry_after }
    }
}

impl NaiveRule {
    fn matches(&self, features: &Features<'_>) -> bool {
        let chosen = match &self.container {
            Some(name) => features.containers.iter().find(|container| container.name == *name),
            None => features.first_failed,
        };
        if let Some((operator, values)) = &self.exit_codes {
            match chosen.and_then(|container| container.exit_code).filter(|code| *code > 0) {
                Some(code) if values.contains(&code) == (*operator == Operator::In) => {}
                _ => return false,
            }
        }
        if self.conditions != 0 {
            let holding = match &self.container {
                Some(_) => killed(chosen),
                None => features.conditions,
            };
            if self.conditions & holding == 0 {
                return false;
            }
        }
        if !self.categories.is_empty()
            && !features.category.is_some_and(|category| self.categories.contains(&category))
        {
            return false;
        }
        let Some(regex) = &self.message else { return true };
        let mut containers = features.containers.iter();
        containers.any(|container| {
            let mine = self.container.as_ref().is_none_or(|name| container.name == *name);
            mine && container.message.as_ref().is_some_and(|text| regex.is_match(text))
        })
    }
}

fn killed(container: Option<&Container>) -> u8 {
    let reason = container.and_then(|container| container.reason.as_deref());
    if reason == Some("OOMKilled") { bit(Condition::OomKilled) } else { 0 }
}

fn bit(condition: Condition) -> u8 {
    1 << condition as u8
}

#[expect(clippy::cast_possible_truncation, reason = "at most ten minutes")]
fn whole(nanos: f64) -> GoDuration {
    GoDuration::from_nanos(nanos as i64)
}

#[expect(clippy::cast_precision_loss, reason = "whole seconds, which a float holds exactly")]
fn nanos(duration: Option<GoDuration>) -> f64 {
    duration.map_or(0.0, |duration| duration.as_nanos() as f64)
}
