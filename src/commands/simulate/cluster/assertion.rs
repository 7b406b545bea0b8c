//! `--assert`: comparisons of figures of the report.

use super::inputs::Inputs;
use crate::cli::Refusal;
use crate::cluster::events::{LoopOptions, Simulation};
use crate::cluster::report::{
    AssertionReport, ClusterReport, ClusterVariant, Collector, Figure, Figures,
};
use crate::cluster::spec::Nanoseconds;
use crate::diag::did_you_mean;
use crate::units::GoDuration;
use anyhow::Result;
use serde_json::Value;
use std::str::FromStr;

/// The value of `--assert`.
#[derive(Debug, Clone)]
pub(super) struct Assertion {
    /// The expression as it was written.
    text: String,
    /// The variant and the path, in one: a path may contain colons.
    path: String,
    operator: Operator,
    bound: Bound,
}

/// An operator; the longer ones are looked for first.
#[derive(Debug, Clone, Copy)]
struct Operator(&'static str, fn(f64, f64) -> bool);

#[expect(clippy::float_cmp, reason = "counts are whole")]
const OPERATORS: [Operator; 6] = [
    Operator("<=", |a, b| a <= b),
    Operator(">=", |a, b| a >= b),
    Operator("==", |a, b| a == b),
    Operator("!=", |a, b| a != b),
    Operator("<", |a, b| a < b),
    Operator(">", |a, b| a > b),
];

/// What a figure is compared with.
#[derive(Debug, Clone, Copy)]
enum Bound {
    Number(f64),
    /// The figure of the first variant, times this.
    Base(f64),
}

impl FromStr for Assertion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || "write PATH OP VALUE, such as `queue.b.wait.p95 < 10m`".to_owned();
        let operator = |operator: &Operator| Some((text.find(operator.0)?, *operator));
        let found = OPERATORS.iter().filter_map(operator).min_by_key(|(at, _)| *at);
        let (at, operator) = found.ok_or_else(form)?;
        let (path, value) = (text[..at].trim(), text[at + operator.0.len()..].trim());
        if path.is_empty() || value.is_empty() {
            return Err(form());
        }
        let bound = value.parse()?;
        Ok(Self { text: text.trim().to_owned(), path: path.to_owned(), operator, bound })
    }
}

impl FromStr for Bound {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        if let Some(factor) = text.strip_prefix("BASE") {
            let factor = factor.trim();
            let factor = if factor.is_empty() {
                Some(1.0)
            } else {
                factor.strip_prefix('*').and_then(number)
            };
            return factor.map(Self::Base).ok_or_else(|| "write BASE or BASE*1.01".to_owned());
        }
        let share = || text.strip_suffix('%').and_then(number).map(|share| share / 100.0);
        let duration = || GoDuration::parse(text).ok().map(GoDuration::as_secs_f64);
        let value = number(text).or_else(share).or_else(duration);
        value.map(Self::Number).ok_or_else(|| {
            format!("`{text}` is not a number, a duration such as 10m, a share such as 10%, or BASE*1.01")
        })
    }
}

/// Refuses a path or a variant that no report of these inputs has.
pub(super) fn check(all: &[Assertion], inputs: &Inputs, until: Nanoseconds) -> Result<()> {
    let Some(first) = inputs.variants.first().filter(|_| !all.is_empty()) else { return Ok(()) };
    let options = LoopOptions { seed: 0, until, is_fast_forward: true };
    let workload = &first.workload;
    let simulation = Simulation::new(&first.scheduling, &first.clusters, workload, options);
    let figures = Collector::new(workload, &simulation).outline(
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

impl Assertion {
    /// The variant, if one is named, and the path.
    fn split<'a>(&'a self, names: &[&str]) -> (Option<&'a str>, &'a str) {
        match self.path.split_once(':') {
            // A colon of a queue's name is in the second half of a path with dots.
            Some((name, path)) if names.contains(&name) || !name.contains('.') => {
                (Some(name.trim()), path.trim())
            }
            _ => (None, &self.path),
        }
    }
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
const ROOTS: [(&str, &str); 7] = [
    ("total", "total"),
    ("queue", "queues"),
    ("queues", "queues"),
    ("template", "templates"),
    ("templates", "templates"),
    ("pool", "pools"),
    ("pools", "pools"),
];

/// The value at a path; null for a reason for which nothing was refused, and for figures without a value.
fn look_up(tree: &Value, path: &str) -> Result<Value, BadPath> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let beginning = ROOTS.iter().find(|(word, _)| *word == first);
    let (root, rest) = match beginning {
        Some((_, key)) => (&tree[*key], rest),
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
        // No job was refused for a reason that is not there.
        if key == "refusals" && !rest.is_empty() && map[key].get(rest).is_none() {
            return Ok(Value::from(0));
        }
        return descend(&map[key], rest);
    }
    let word = path.split('.').next().unwrap_or(path);
    Err(BadPath {
        message: format!("unknown name `{word}`"),
        help: nearest(word, map.keys().map(String::as_str)),
    })
}

/// The nearest name, or all of them.
fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str> + Clone) -> String {
    match did_you_mean(word, names.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("write one of {}", names.collect::<Vec<_>>().join(", ")),
    }
}
