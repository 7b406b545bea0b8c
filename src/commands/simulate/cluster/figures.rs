//! The figures of the report that `--assert` compares: checks their paths before a simulation, and compares them
//! after it.

use super::assertion::{Assertion, Bound};
use super::inputs::Inputs;
use super::variants::Variant;
use crate::cli::Refusal;
use crate::cluster::events::LoopOptions;
use crate::cluster::report::{
    AssertionReport, ClusterReport, ClusterVariant, Collector, Figure, Figures, RetryFigures,
    WITHOUT_DECISION,
};
use crate::cluster::retry::RunDecision;
use crate::cluster::spec::Nanoseconds;
use crate::diag::did_you_mean;
use crate::engine::DecisionCode;
use anyhow::Result;
use serde_json::Value;

/// Refuses a path or a variant that no report of these inputs has.
pub(super) fn check(all: &[Assertion], inputs: &Inputs, until: Nanoseconds) -> Result<()> {
    let Some(first) = inputs.variants.first().filter(|_| !all.is_empty()) else { return Ok(()) };
    let options = LoopOptions { seed: 0, until, is_fast_forward: true };
    let workload = &first.workload;
    let simulation = first.simulation(options);
    let rules = inputs.variants.iter().flat_map(Variant::rule_names).collect();
    let figures = Collector::new(workload, &simulation).with_rules(rules).outline(
        &first.scheduling.settings().resources,
        workload,
        &simulation,
    );
    let tree = tree(&figures);
    let names: Vec<&str> = inputs.variants.iter().map(|variant| variant.name.as_str()).collect();
    for assertion in all {
        let (variant, path) = assertion.split(&names);
        if let Some(variant) = variant.filter(|name| !names.contains(name)) {
            let refusal =
                Refusal::usage(format!("--assert: the variant `{variant}` is not defined"));
            return Err(refusal.help(nearest(variant, names.iter().copied())).into());
        }
        if let Err(unknown) = look_up(&tree, path) {
            let message =
                format!("--assert: the report has no figure `{path}`: {}", unknown.message);
            return Err(Refusal::usage(message).help(unknown.help).into());
        }
    }
    Ok(())
}

/// Compares the figures of a report.
pub(super) fn evaluate(all: &[Assertion], report: &ClusterReport) -> Vec<AssertionReport> {
    let names: Vec<&str> = report.variants.iter().map(|variant| variant.name.as_str()).collect();
    let each = all.iter().map(|assertion| {
        let (name, path) = assertion.split(&names);
        let variant = report.variants.iter().find(|one| name.is_none_or(|name| one.name == name));
        let value = variant.and_then(|variant| figure(variant, path));
        let bound = match assertion.bound {
            Bound::Number(number) => Some(number),
            Bound::Base(factor) => {
                let base = report.variants.first().and_then(|first| figure(first, path));
                base.map(|base| base * factor)
            }
        };
        let holds =
            value.zip(bound).is_some_and(|(value, bound)| assertion.operator.1(value, bound));
        AssertionReport {
            assertion: assertion.text.clone(),
            value: value.map(Figure),
            bound: bound.map(Figure),
            holds,
        }
    });
    each.collect()
}

/// The figures as JSON. Text keys and finite numbers cannot fail to be written.
fn tree(figures: &Figures) -> Value {
    serde_json::to_value(figures).unwrap_or_default()
}

fn figure(variant: &ClusterVariant, path: &str) -> Option<f64> {
    look_up(&tree(&variant.figures), path).ok().and_then(|value| value.as_f64())
}

/// Why a path has no value.
struct BadPath {
    message: String,
    help: String,
}

/// The words that paths may begin with, and their keys in the report.
const ROOTS: [(&str, &str); 11] = [
    ("total", "total"),
    ("queue", "queues"),
    ("queues", "queues"),
    ("template", "templates"),
    ("templates", "templates"),
    ("cause", "causes"),
    ("causes", "causes"),
    ("rule", "rules"),
    ("rules", "rules"),
    ("pool", "pools"),
    ("pools", "pools"),
];

/// The value at a path; null for a reason for which nothing was refused, and for figures without a value.
fn look_up(tree: &Value, path: &str) -> Result<Value, BadPath> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let none = Value::Object(serde_json::Map::new());
    let beginning = ROOTS.iter().find(|(word, _)| *word == first);
    let (root, rest) = match beginning {
        // A report has no empty groups.
        Some((_, key)) => (tree.get(key).unwrap_or(&none), rest),
        None => (&tree["total"], path),
    };
    let found = descend(root, rest)?;
    match found {
        Value::Number(_) | Value::Null => Ok(found),
        Value::Object(map) => Err(BadPath {
            message: "it is a group of figures".to_owned(),
            help: nearest("", map.keys().map(String::as_str)),
        }),
        _ => Err(BadPath { message: "it is not a number".to_owned(), help: String::new() }),
    }
}

fn descend(value: &Value, path: &str) -> Result<Value, BadPath> {
    let Value::Object(map) = value else {
        return match (value, path) {
            (_, "") | (Value::Null, _) => Ok(value.clone()),
            _ => Err(BadPath {
                message: format!("a number has no part `{path}`"),
                help: String::new(),
            }),
        };
    };
    if path.is_empty() {
        return Ok(value.clone());
    }
    // Names contain dots: the longest key that the path begins with.
    let after = |key: &String| {
        let rest = path.strip_prefix(key.as_str())?;
        if rest.is_empty() { Some("") } else { rest.strip_prefix('.') }
    };
    let known =
        map.keys().filter_map(|key| Some((key, after(key)?))).max_by_key(|(key, _)| key.len());
    if let Some((key, rest)) = known {
        // A group of figures by name has only names that occurred: any other is 0.
        if SPARSE.contains(&key.as_str()) && !rest.is_empty() && !has_key_of(&map[key], rest) {
            return zero(key, rest);
        }
        return descend(&map[key], rest);
    }
    let word = path.split('.').next().unwrap_or(path);
    Err(BadPath {
        message: format!("unknown name `{word}`"),
        help: nearest(word, map.keys().map(String::as_str)),
    })
}

/// The groups of figures that have only what occurred: reasons of refusals, codes of decisions, numbers of retries.
const SPARSE: [&str; 3] = ["refusals", "failedBy", "retries"];

/// Returns the figure of what has not occurred, if it could.
fn zero(group: &str, path: &str) -> Result<Value, BadPath> {
    match group {
        "failedBy" => {
            let codes = DecisionCode::ALL.map(DecisionCode::as_str).into_iter();
            let codes = codes.chain([RunDecision::UNSCHEDULABLE.code, WITHOUT_DECISION]);
            if codes.clone().all(|code| code != path) {
                let message = format!("unknown decision `{path}`");
                return Err(BadPath { message, help: nearest(path, codes) });
            }
        }
        "retries" => {
            let (number, figure) = path.split_once('.').unwrap_or((path, ""));
            if !number.parse::<u32>().is_ok_and(|number| number > 0) {
                let message = format!("`{number}` is not the number of a retry");
                return Err(BadPath { message, help: "write 1 or more".to_owned() });
            }
            let none = serde_json::to_value(RetryFigures::default()).unwrap_or_default();
            return descend(&none, figure);
        }
        _ => {}
    }
    Ok(Value::from(0))
}

/// Whether a group has the key that a path begins with.
fn has_key_of(group: &Value, path: &str) -> bool {
    let first = path.split('.').next().unwrap_or(path);
    group.get(path).is_some() || group.get(first).is_some()
}

/// The nearest name, or all of them.
fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str> + Clone) -> String {
    match did_you_mean(word, names.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if names.clone().next().is_none() => "the report has none".to_owned(),
        None => format!("write one of {}", names.collect::<Vec<_>>().join(", ")),
    }
}
