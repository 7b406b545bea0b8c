//! The figures of the report that `--assert` compares: checks their paths before a simulation, and compares them
//! after it.

use super::inputs::Inputs;
use super::variants::Variant;
use crate::commands::simulate::assertion::{Assertion, Unit};
use crate::commands::simulate::figure_path::{BadPath, figure_at, first_word, leaves, nearest};
use anyhow::Result;
use armada_retry::engine::DecisionCode;
use cluster::events::LoopOptions;
use cluster::report::{
    ClusterReport, ClusterVariant, Collector, Figures, RetryFigures, WITHOUT_DECISION,
};
use cluster::retry::RunDecision;
use cluster::round::Refusal;
use cluster::spec::Nanoseconds;
use replay::simulate::AssertionReport;
use serde_json::Value;

/// Refuses a path or a variant that no report of these inputs has.
pub(super) fn check(all: &[Assertion], inputs: &Inputs, until: Nanoseconds) -> Result<()> {
    let Some(first) = inputs.variants.first().filter(|_| !all.is_empty()) else { return Ok(()) };
    let options = LoopOptions { seed: 0, until, is_fast_forward: true };
    let workload = &first.workload;
    let simulation = first.simulation(options);
    let rules = inputs.variants.iter().flat_map(Variant::rule_names).collect();
    let resources = &first.scheduling.settings().resources;
    let collector = Collector::new(resources, workload, &simulation).with_rules(rules);
    let figures = collector.outline(resources, workload, &simulation);
    let tree = tree(&figures);
    let names: Vec<&str> = inputs.variants.iter().map(|variant| variant.name.as_str()).collect();
    for assertion in all {
        let (_, path) = assertion.split_variant(&names)?;
        let is_group = ROOTS.iter().any(|(word, _)| *word == first_word(path));
        look_up(&tree, path).map_err(|bad| {
            let bad = if is_group { bad } else { bad.or_leaf(path, &leaves(&tree["total"])) };
            bad.refuse(path)
        })?;
        assertion.check_unit(Unit::for_cluster(path))?;
    }
    Ok(())
}

/// Compares the figures of a report.
pub(super) fn evaluate(all: &[Assertion], report: &ClusterReport) -> Result<Vec<AssertionReport>> {
    let names: Vec<&str> = report.variants.iter().map(|variant| variant.name.as_str()).collect();
    let each = all.iter().map(|assertion| {
        let (variant, path) = assertion.split_variant(&names)?;
        let figure_of = |number: usize| figure(report.variants.get(number)?, path);
        let unit = Unit::for_cluster(path);
        Ok(assertion.compare(figure_of(variant), figure_of(0), unit, None))
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

/// The figure at a path.
fn look_up(tree: &Value, path: &str) -> Result<Value, BadPath> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let none = Value::Object(serde_json::Map::new());
    let beginning = ROOTS.iter().find(|(word, _)| *word == first);
    let (root, rest) = match beginning {
        // A report has no empty groups.
        Some((_, key)) => (tree.get(key).unwrap_or(&none), rest),
        None => (&tree["total"], path),
    };
    figure_at(root, rest, &absent)
}

/// The groups of figures that have only what occurred: reasons of refusals, codes of decisions, numbers of retries.
const SPARSE: [&str; 3] = ["refusals", "failedBy", "retries"];

/// Returns the figure of what has not occurred, if it could.
fn absent(group: &str, _: &Value, path: &str) -> Option<Result<Value, BadPath>> {
    SPARSE.contains(&group).then(|| zero(group, path))
}

fn zero(group: &str, path: &str) -> Result<Value, BadPath> {
    match group {
        "failedBy" => {
            let codes = DecisionCode::ALL.map(DecisionCode::as_str).into_iter();
            let codes = codes.chain([RunDecision::UNSCHEDULABLE.code, WITHOUT_DECISION]);
            if codes.clone().all(|code| code != path) {
                let message = format!("unknown decision `{path}`");
                return Err(BadPath::new(message, nearest(path, codes)));
            }
        }
        "retries" => {
            let (number, figure) = path.split_once('.').unwrap_or((path, ""));
            if !number.parse::<u32>().is_ok_and(|number| number > 0) {
                let message = format!("`{number}` is not the number of a retry");
                return Err(BadPath::new(message, "write 1 or more"));
            }
            let none = serde_json::to_value(RetryFigures::default()).unwrap_or_default();
            return figure_at(&none, figure, &|_, _, _| None);
        }
        _ => {
            let reasons = Refusal::samples().map(|reason| reason.to_string());
            if !reasons.iter().any(|reason| is_message(path, reason)) {
                let message = format!("unknown reason `{path}`");
                return Err(BadPath::new(
                    message,
                    nearest(path, reasons.iter().map(String::as_str)),
                ));
            }
        }
    }
    Ok(Value::from(0))
}

/// Whether a text has the form of a message, in which `*` stands for any text.
fn is_message(text: &str, form: &str) -> bool {
    let mut parts = form.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let others: Vec<&str> = parts.collect();
    let Some((last, middle)) = others.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}
