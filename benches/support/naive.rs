//! The baseline: what one writes first. Rules are tried in order, each matcher in turn and the
//! pattern last; patterns are compiled once, features are numbers already. Around that loop stand
//! the same steps as in the engine, and they make the same [`Decision`].

use armada_retry::engine::{Container, Outcome};
use armada_retry::engine::{Decision, DecisionCode, Evaluator, Grant, LimitSource, RuleId, Use};
use armada_retry::policy::{Action, Condition, Operator, RetryPolicy};
use document::units::{GoDuration, Time};
use regex_automata::meta::Regex;
use replay::history::RunRecord;

/// The only global limit there is.
pub const GLOBAL: u32 = 20;

/// A policy with its patterns compiled.
pub struct Naive {
    rules: Vec<NaiveRule>,
    default: Then,
    enabled: bool,
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
    id: RuleId,
    action: Action,
    limit: u32,
    source: LimitSource,
    initial: f64,
    most: f64,
    multiplier: f64,
}

/// A run with its features as numbers; making it is not timed.
pub struct Features<'r> {
    run: &'r RunRecord,
    outcome: Outcome,
    run_index: u32,
    containers: &'r [Container],
    conditions: u8,
    category: Option<u32>,
    exit_code: Option<i64>,
}

/// What is remembered of a job.
#[derive(Clone)]
pub struct NaiveState {
    fail_fast: bool,
    attempts: u32,
    failures: i32,
    total: u32,
    counts: Vec<(RuleId, u32)>,
}

impl NaiveState {
    /// Before the first run. Room for the counts is asked for here, not while deciding.
    pub fn new() -> Self {
        let counts = Vec::with_capacity(8);
        Self { fail_fast: false, attempts: 0, failures: 0, total: 0, counts }
    }
}

impl Naive {
    /// Compiles every pattern of the only policy of an evaluator, whose names for rules it uses.
    pub fn new(policy: &RetryPolicy, evaluator: &Evaluator) -> Self {
        let ids: Vec<RuleId> = evaluator.rule_ids().collect();
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
        let then = |number: usize, action, limit: Option<u32>| {
            let own = limit.map(|limit| (limit, LimitSource::Rule));
            let general = || policy.retry_limit.map(|limit| (limit, LimitSource::Policy));
            let (limit, source) = own.or_else(general).unwrap_or((GLOBAL, LimitSource::Global));
            Then {
                id: ids[number],
                action,
                limit,
                source,
                initial: nanos(policy.backoff.initial_delay),
                most: nanos(policy.backoff.max_delay),
                multiplier: policy.backoff.multiplier.expect("set"),
            }
        };
        let rules = policy.rules.iter().enumerate().map(|(place, rule)| NaiveRule {
            container: rule.container.clone(),
            exit_codes: rule.exit_codes.as_ref().map(|codes| {
                (codes.operator, codes.values.iter().copied().map(i64::from).collect())
            }),
            conditions: rule.conditions.iter().map(|condition| bit(*condition)).sum(),
            categories: rule.categories.iter().map(number).collect(),
            message: rule.message.as_ref().map(|pattern| pattern.regex().expect("small")),
            then: then(place, rule.action, rule.retry_limit),
        });
        let rules = rules.collect();
        let default = then(policy.rules.len(), policy.default_action(), None);
        Self { rules, default, enabled: true, categories }
    }

    /// The features of a run.
    pub fn features<'r>(&self, run: &'r RunRecord) -> Features<'r> {
        let containers = if run.own.outcome.is_bare() { &[][..] } else { &run.own.containers };
        let preempted = (run.own.outcome == Outcome::Preempted).then_some(Condition::Preempted);
        let named = run.own.conditions.iter().filter_map(|name| Condition::from_name(name));
        let category = self.categories.iter().position(|known| *known == run.own.category);
        let first_failed = containers.iter().find(|container| container.failed());
        let named = named.chain(preempted).fold(0, |bits, condition| bits | bit(condition));
        Features {
            run,
            outcome: run.own.outcome,
            run_index: run.run_index,
            containers,
            conditions: named | killed(first_failed),
            category: category.map(|number| u32::try_from(number).expect("few")),
            exit_code: first_failed.and_then(|container| container.exit_code),
        }
    }

    /// The first rule that matches.
    fn first_match(&self, features: &Features<'_>) -> Option<usize> {
        self.rules.iter().position(|rule| rule.matches(features))
    }

    /// Decides about a failed run, and charges the job.
    pub fn decide(&self, job: &mut NaiveState, features: &Features<'_>) -> Decision {
        job.attempts += 1;
        job.failures += i32::from(features.outcome != Outcome::LeaseReturned);
        let mut decision = Decision {
            code: DecisionCode::NoError,
            rule: None,
            used: None,
            total_retries: job.total,
            global_max_retries: GLOBAL,
            grant: None,
            memory_bytes: None,
            run_index: features.run_index,
            indexed_pods: true,
            legacy: None,
            unplaced: None,
        };
        if !self.enabled || features.outcome == Outcome::LeaseReturned {
            decision.code = DecisionCode::LegacyFail;
            return decision;
        }
        if job.fail_fast {
            decision.code = DecisionCode::FailFast;
            return decision;
        }
        let matched = self.first_match(features);
        let then = matched.map_or(self.default, |rule| self.rules[rule].then);
        decision.rule = Some(then.id);
        let place = job.counts.iter().position(|(known, _)| *known == then.id);
        let count = place.map_or(0, |place| job.counts[place].1);
        if job.total >= GLOBAL {
            decision.code = DecisionCode::FailGlobalLimit;
            decision.used = Some(Use { count, limit: GLOBAL, source: LimitSource::Global });
        } else if then.action == Action::Fail {
            decision.code = match matched {
                Some(_) => DecisionCode::FailRule,
                None => DecisionCode::FailDefault,
            };
        } else if count >= then.limit {
            decision.code = match then.source {
                LimitSource::Rule => DecisionCode::FailRuleLimit,
                LimitSource::Policy => DecisionCode::FailPolicyLimit,
                LimitSource::Global => DecisionCode::FailGlobalLimit,
            };
            decision.used = Some(Use { count, limit: then.limit, source: then.source });
        } else {
            match place {
                Some(place) => job.counts[place].1 += 1,
                None => job.counts.push((then.id, 1)),
            }
            job.total += 1;
            decision.code = DecisionCode::Retry;
            decision.used = Some(Use { count: count + 1, limit: then.limit, source: then.source });
            decision.total_retries = job.total;
            decision.grant = Some(then.grant(job.failures, features));
        }
        decision
    }
}

impl Then {
    fn grant(&self, failures: i32, features: &Features<'_>) -> Grant {
        let run = features.run;
        let wait = (self.initial * self.multiplier.powi(failures - 1)).min(self.most);
        let preempted = features.conditions & bit(Condition::Preempted) != 0;
        let grace = run.own.termination_grace.filter(|_| preempted).unwrap_or(GoDuration::ZERO);
        let delay = whole(wait).max(grace);
        let retry_after: Option<Time> = run.finished_at.map(|end| end.plus(delay));
        Grant { delay: Some(delay), retry_after, avoids_nodes: false }
    }
}

impl NaiveRule {
    fn matches(&self, features: &Features<'_>) -> bool {
        let named = |name: &String| features.containers.iter().find(|other| other.name == *name);
        if let Some((operator, values)) = &self.exit_codes {
            let code = match &self.container {
                Some(name) => named(name).and_then(|container| container.exit_code),
                None => features.exit_code,
            };
            match code.filter(|code| *code > 0) {
                Some(code) if values.contains(&code) == (*operator == Operator::In) => {}
                _ => return false,
            }
        }
        if self.conditions != 0 {
            let holding = match &self.container {
                Some(name) => killed(named(name)),
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
            mine && !container.message.is_empty() && regex.is_match(&container.message)
        })
    }
}

fn killed(container: Option<&Container>) -> u8 {
    let is_killed = container.is_some_and(|container| container.reason == "OOMKilled");
    if is_killed { bit(Condition::OomKilled) } else { 0 }
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
