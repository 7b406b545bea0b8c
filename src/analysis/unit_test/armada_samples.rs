//! Failures that Armada's policies decide by each rule and by the default.

use crate::engine::Evaluator;
use crate::policy::{Action, AntiAffinity, Condition, ExitCodes, Operator, RetryPolicy, Rule};
use crate::systems::Sample;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The most alternatives of a sample: enough for a rule after ten others of the same kind.
const MAX_ALTERNATIVES: usize = 400;

/// The container that has no name in a test.
const MAIN: &str = "main";

/// A sample for each rule of the policies that apply to a job, then one for the default.
pub fn armada_samples(evaluator: &Evaluator, route: &[usize]) -> Vec<Sample> {
    let policies: Vec<&RetryPolicy> =
        route.iter().filter_map(|number| Some(&**evaluator.policies().get(*number)?)).collect();
    let mentioned = Mentioned::of(&policies);
    let mut samples = Vec::new();
    for policy in &policies {
        for rule in &policy.rules {
            let of_job = of_job(policy, Some(rule));
            let failures = mentioned.failures_of(rule).into_iter().map(|it| with(it, &of_job));
            samples.push(Sample::of(failures.take(MAX_ALTERNATIVES)));
        }
    }
    let of_job = policies.first().map(|first| of_job(first, None)).unwrap_or_default();
    let failures = mentioned.other_failures().into_iter().map(|it| with(it, &of_job));
    samples.push(Sample::of(failures));
    samples
}

/// The fields of the job and its node that the effects of a rule, or of the default, depend on.
fn of_job(policy: &RetryPolicy, rule: Option<&Rule>) -> Map<String, Value> {
    let mut fields = Map::new();
    let action = rule.map_or(policy.default_action(), |rule| rule.action);
    if action == Action::Fail {
        return fields;
    }
    let mode = rule.and_then(|rule| rule.anti_affinity).or(policy.anti_affinity);
    if mode == Some(AntiAffinity::Node) || rule.is_some_and(|rule| rule.avoid_same_node) {
        fields.insert("node".to_owned(), json!("node-1"));
    }
    if rule.is_some_and(|rule| rule.memory.is_some()) {
        fields.insert("resources".to_owned(), json!({"memory": "1Gi"}));
    }
    fields
}

fn with(mut failure: Map<String, Value>, more: &Map<String, Value>) -> Value {
    failure.extend(more.clone());
    Value::Object(failure)
}

/// The values that rules mention, so that others can be chosen.
struct Mentioned {
    codes: BTreeSet<i64>,
    /// Names that no rule has.
    free: String,
    containers: BTreeSet<String>,
}

impl Mentioned {
    fn of(policies: &[&RetryPolicy]) -> Self {
        let rules = || policies.iter().flat_map(|policy| &policy.rules);
        let codes = rules().filter_map(|rule| rule.exit_codes.as_ref());
        let codes = codes.flat_map(|codes| &codes.values).map(|code| i64::from(*code)).collect();
        let named = |name: &str| {
            rules().any(|rule| {
                rule.categories.iter().chain(&rule.subcategories).any(|other| other == name)
            })
        };
        let mut free = "other".to_owned();
        while named(&free) {
            free.push('x');
        }
        let containers = rules().filter_map(|rule| rule.container.clone()).collect();
        Self { codes, free, containers }
    }

    /// Exit codes that no rule mentions, the usual ones first.
    fn other_codes(&self) -> impl Iterator<Item = i64> + '_ {
        [1, 2, 255].into_iter().chain(3..255).filter(|code| !self.codes.contains(code)).take(3)
    }

    /// Failures that a rule matches. Earlier rules may match some of them too.
    fn failures_of(&self, rule: &Rule) -> Vec<Map<String, Value>> {
        let mut parts = vec![Parts::default()];
        parts = combined(&parts, &self.containers_of(rule), |it, name| it.container = Some(name));
        parts = combined(&parts, &conditions(rule), Parts::set_condition);
        parts = combined(&parts, &self.codes_of(rule), Parts::set_code);
        parts = combined(&parts, &messages(rule), |it, text| it.message = text);
        parts = combined(&parts, &self.names(&rule.categories), |it, name| it.category = name);
        parts =
            combined(&parts, &self.names(&rule.subcategories), |it, name| it.subcategory = name);
        parts.into_iter().map(Parts::failure).collect()
    }

    fn containers_of(&self, rule: &Rule) -> Vec<String> {
        if let Some(name) = &rule.container {
            return vec![name.clone()];
        }
        let mut names = vec![MAIN.to_owned()];
        if self.containers.contains(MAIN) {
            names.push(
                if self.containers.contains("sidecar") { "other" } else { "sidecar" }.to_owned(),
            );
        }
        names
    }

    fn codes_of(&self, rule: &Rule) -> Vec<Option<i64>> {
        let Some(ExitCodes { operator, values }) = &rule.exit_codes else {
            return [None].into_iter().chain(self.other_codes().map(Some)).collect();
        };
        let values: Vec<i64> = values.iter().map(|value| i64::from(*value)).collect();
        match operator {
            Operator::In => values.into_iter().map(Some).collect(),
            Operator::NotIn => {
                let mentioned = self.codes.iter().copied();
                let others = self.other_codes().chain(mentioned);
                others.filter(|code| !values.contains(code)).map(Some).collect()
            }
        }
    }

    /// The names that a matcher lists; without one, none or a name that no rule has.
    fn names(&self, listed: &[String]) -> Vec<Option<String>> {
        if listed.is_empty() {
            return vec![None, Some(self.free.clone())];
        }
        listed.iter().cloned().map(Some).collect()
    }

    /// Failures that probably no rule matches.
    fn other_failures(&self) -> Vec<Map<String, Value>> {
        let codes: Vec<Option<i64>> = self.other_codes().map(Some).chain([None]).collect();
        let mut parts = vec![Parts { container: Some(MAIN.to_owned()), ..Parts::default() }];
        parts = combined(&parts, &codes, Parts::set_code);
        parts = combined(&parts, &self.names(&[]), |it, name| it.category = name);
        parts.into_iter().map(Parts::failure).collect()
    }
}

/// Each of the parts with each of the values.
fn combined<V: Clone>(parts: &[Parts], values: &[V], set: impl Fn(&mut Parts, V)) -> Vec<Parts> {
    let mut all = Vec::new();
    for value in values {
        for part in parts {
            if all.len() < MAX_ALTERNATIVES {
                let mut part = part.clone();
                set(&mut part, value.clone());
                all.push(part);
            }
        }
    }
    all
}

fn conditions(rule: &Rule) -> Vec<Option<Condition>> {
    if rule.conditions.is_empty() {
        vec![None]
    } else {
        rule.conditions.iter().copied().map(Some).collect()
    }
}

fn messages(rule: &Rule) -> Vec<Option<String>> {
    match &rule.message {
        None => vec![None],
        Some(pattern) => {
            let example = pattern.example().filter(|text| !text.is_empty());
            // A pattern that matches an empty text matches any; an empty message never matches.
            vec![Some(example.unwrap_or_else(|| "failed".to_owned()))]
        }
    }
}

/// The parts of a failure.
#[derive(Debug, Clone, Default)]
struct Parts {
    container: Option<String>,
    code: Option<i64>,
    reason: Option<&'static str>,
    message: Option<String>,
    condition: Option<Condition>,
    category: Option<String>,
    subcategory: Option<String>,
}

impl Parts {
    fn set_condition(&mut self, condition: Option<Condition>) {
        match condition {
            // The kernel's signal, as Kubernetes reports it.
            Some(Condition::OomKilled) => (self.reason, self.code) = (Some("OOMKilled"), Some(137)),
            condition => self.condition = condition,
        }
    }

    fn set_code(&mut self, code: Option<i64>) {
        self.code = code.or(self.code);
    }

    fn failure(self) -> Map<String, Value> {
        let mut failure = Map::new();
        let mut container = Map::new();
        let fields = [
            ("exitCode", self.code.map(Value::from)),
            ("reason", self.reason.map(Value::from)),
            ("message", self.message.map(Value::from)),
        ];
        container.extend(fields.into_iter().filter_map(|(key, it)| Some((key.to_owned(), it?))));
        let name = self.container.unwrap_or_default();
        if container.is_empty() || name == MAIN {
            failure.extend(container);
        } else {
            container.insert("name".to_owned(), name.into());
            failure.insert("containers".to_owned(), json!([container]));
        }
        if let Some(condition) = self.condition {
            failure.insert("conditions".to_owned(), json!([condition.as_str()]));
        }
        let names = [("category", self.category), ("subcategory", self.subcategory)];
        failure
            .extend(names.into_iter().filter_map(|(key, it)| Some((key.to_owned(), it?.into()))));
        failure
    }
}
