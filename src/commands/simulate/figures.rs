//! The figures of the report of a replay that `--assert` compares: checks their paths before the replay, and compares
//! them after it.

use super::SimulateArgs;
use super::assertion::{Assertion, Unit};
use super::figure_path::{Absent, BadPath, figure_at, first_word, longest_name, nearest};
use super::variant_args::{FIRST_VARIANT, LIVE_VARIANT};
use crate::engine::DecisionCode;
use crate::simulate::{AssertionReport, RetryReport, SimulationReport, VariantReport};
use crate::systems::description_of_engine;
use anyhow::Result;
use schemars::schema_for;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The parts of a report in which paths may begin. Other paths begin in the summary.
const ROOTS: [&str; 3] = ["verdict", "summary", "changes"];

/// Refuses a variant and a path that no report has. Names of queues, rules and the like are not checked.
pub(super) fn check(all: &[Assertion], names: &[&str]) -> Result<()> {
    let schema = Schema::new();
    for assertion in all {
        let (variant, path) = assertion.of_variant(names)?;
        let unit = schema.unit_at(path).and_then(|unit| {
            if variant == 0 && first_word(path) == "changes" {
                return Err(BadPath::new("nothing differs from itself", "name another variant"));
            }
            Ok(unit)
        });
        unit.and_then(|unit| assertion.check_unit(unit)).map_err(|bad| bad.refuse(path))?;
    }
    Ok(())
}

/// Compares the figures of a report; an error for a queue, a rule or another name that it does not have.
pub(super) fn evaluate(
    args: &SimulateArgs,
    report: &SimulationReport,
) -> Result<Vec<AssertionReport>> {
    let variants = report.variants.as_deref().unwrap_or_default();
    let names: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
    let only = if args.live { LIVE_VARIANT } else { FIRST_VARIANT };
    let names = if names.is_empty() { vec![only] } else { names };
    let schema = Schema::new();
    let is_armada = description_of_engine(&report.engine).is_armada();
    let first = tree(&json!({"verdict": json(&report.verdict), "summary": json(&report.summary)}));
    let others = variants.iter().skip(1);
    let trees: Vec<Value> = [first].into_iter().chain(others.map(of_variant)).collect();
    let absent = |group: &str, path: &str| absent(is_armada, group, path);
    let mut reports = Vec::with_capacity(args.assertions.len());
    for assertion in &args.assertions {
        let (variant, path) = assertion.of_variant(&names)?;
        let figure = |tree: &Value| look_up(tree, path, &absent).map(|figure| figure.as_f64());
        let value = trees.get(variant).map_or(Ok(None), figure);
        let value = value.map_err(|bad| bad.refuse(path))?;
        // The first variant may lack a rule or a queue.
        let base = trees.first().and_then(|first| figure(first).ok().flatten());
        let unit = schema.unit_at(path).map_err(|bad| bad.refuse(path))?;
        reports.push(assertion.compare(value, base, unit));
    }
    Ok(reports)
}

fn of_variant(variant: &VariantReport) -> Value {
    tree(&json!({
        "verdict": json(&variant.verdict),
        "summary": json(&variant.summary),
        "changes": json(&variant.changes),
    }))
}

/// A part of a report as JSON. Text keys and finite numbers cannot fail to be written.
fn json(part: &impl Serialize) -> Value {
    serde_json::to_value(part).unwrap_or_default()
}

/// The part of a tree in which a path begins, and the path in it.
fn root(path: &str) -> (&str, &str) {
    let root = ROOTS.into_iter().find_map(|root| longest_name(path, [root].into_iter()));
    root.unwrap_or(("summary", path))
}

fn look_up(tree: &Value, path: &str, absent: Absent<'_>) -> Result<Value, BadPath> {
    let (root, rest) = root(path);
    figure_at(&tree[root], rest, absent)
}

/// A report with names instead of positions: the elements of its lists are by the names that tables show.
fn tree(value: &Value) -> Value {
    match value {
        Value::Array(items) => {
            let named = |(at, item): (usize, &Value)| {
                (name_of(item).unwrap_or_else(|| format!("[{at}]")), tree(item))
            };
            Value::Object(items.iter().enumerate().map(named).collect())
        }
        Value::Object(map) => {
            let mut named: Map<String, Value> =
                map.iter().map(|(key, value)| (key.clone(), tree(value))).collect();
            if map.contains_key("byNoRule") || map.contains_key("byRule") {
                add_absent(&mut named);
            }
            Value::Object(named)
        }
        other => other.clone(),
    }
}

/// Adds the figures that a summary lacks where they are 0.
fn add_absent(summary: &mut Map<String, Value>) {
    for key in ["guessedWaits", "missingFacts", "cutOff"] {
        summary.entry(key).or_insert_with(|| Value::from(0));
    }
    summary.entry("byNoRule").or_insert_with(|| tree(&json(&RetryReport::default())));
}

/// The name of an element of a list: that of its queue, category, day, node, policy or rule, decision or pair of them,
/// or the number of the retry.
fn name_of(item: &Value) -> Option<String> {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    if let (Some(from), Some(to)) = (text("from"), text("to")) {
        return Some(format!("{from}.{to}"));
    }
    let rule = text("policy").map(|policy| match item.get("ruleIndex") {
        None => policy.to_owned(),
        Some(Value::Null) => format!("{policy}.defaultAction"),
        Some(index) => format!("{policy}.rules[{index}]"),
    });
    if let Some(decision) = text("decision") {
        return Some(rule.map_or(decision.to_owned(), |rule| format!("{decision}.{rule}")));
    }
    if rule.is_some() {
        return rule;
    }
    if let Some(retry) = item.get("retry") {
        return Some(retry.as_u64().map_or("none".to_owned(), |retry| retry.to_string()));
    }
    // The groups of uncaught failures have a category too, and differ in more.
    if item.get("failures").is_some() && item.get("exitCode").is_none() {
        match item.get("category") {
            Some(Value::String(category)) => return Some(category.clone()),
            Some(Value::Null) => return Some("none".to_owned()),
            _ => {}
        }
    }
    ["queue", "day", "node"].into_iter().find_map(text).map(str::to_owned)
}

/// The figure of an outcome, a decision or a retry that has not occurred, if it could.
fn absent(is_armada: bool, group: &str, path: &str) -> Option<Result<Value, BadPath>> {
    let zero = |path: &str, names: &[&str]| {
        if longest_name(path, names.iter().copied()).is_some() {
            return Ok(Value::from(0));
        }
        Err(BadPath::unknown(first_word(path), names.iter().copied()))
    };
    match group {
        "outcomes" => Some(zero(path, &["Succeeded", "Failed", "Unresolved", "Cancelled"])),
        "byDecision" | "failedBy" if is_armada => {
            Some(zero(path, &DecisionCode::ALL.map(DecisionCode::as_str)))
        }
        "byRetry" => {
            let number = first_word(path);
            let is_number = number.parse::<u32>().is_ok_and(|number| number > 0);
            is_number.then(|| Ok(Value::from(0)))
        }
        _ => None,
    }
}

/// The JSON Schema of the report on a variant, in which paths are looked up before there is a report.
struct Schema(Value);

impl Schema {
    fn new() -> Self {
        Self(Value::from(schema_for!(VariantReport)))
    }

    /// The unit of the figure at a path.
    fn unit_at(&self, path: &str) -> Result<Unit, BadPath> {
        let (root, rest) = root(path);
        self.descend(&self.0["properties"][root], root, rest)
    }

    /// The schema without references and without null.
    fn resolve<'s>(&'s self, mut schema: &'s Value) -> &'s Value {
        loop {
            if let Some(reference) = schema["$ref"].as_str() {
                schema = self.0.pointer(reference.trim_start_matches('#')).unwrap_or(&Value::Null);
            } else if let Some(some) = schema["anyOf"].as_array().and_then(|any| any.first()) {
                schema = some;
            } else {
                return schema;
            }
        }
    }

    /// The unit of the figure at a path in the part of a report with this schema, the name of which is `key`.
    fn descend(&self, schema: &Value, key: &str, path: &str) -> Result<Unit, BadPath> {
        let schema = self.resolve(schema);
        if let Some(properties) = schema["properties"].as_object() {
            let names = || properties.keys().map(String::as_str);
            if path.is_empty() {
                return Err(BadPath::new("it is a group of figures", nearest("", names())));
            }
            let found = longest_name(path, names());
            let Some((name, rest)) = found else {
                return Err(BadPath::unknown(first_word(path), names()));
            };
            return self.descend(&properties[name], name, rest);
        }
        let elements = [&schema["items"], &schema["additionalProperties"]];
        if let Some(element) = elements.into_iter().find(|element| element.is_object()) {
            return self.descend_into_list(element, key, path);
        }
        let types = [&schema["type"], &schema["type"][0]];
        match types.iter().find_map(|of| of.as_str()) {
            Some("integer" | "number") if path.is_empty() => Ok(unit_of(key)),
            Some("integer" | "number") => {
                Err(BadPath::new(format!("a number has no part `{path}`"), ""))
            }
            _ => Err(BadPath::new("it is not a number", "")),
        }
    }

    /// The unit of a figure of a named element of a list. The name may contain dots, and ends where a figure follows.
    fn descend_into_list(&self, element: &Value, key: &str, path: &str) -> Result<Unit, BadPath> {
        if path.is_empty() {
            return Err(BadPath::new("it is a group of figures", format!("write `{key}.NAME`")));
        }
        let is_leaf = self.resolve(element)["properties"].is_null();
        if is_leaf {
            return self.descend(element, key, "");
        }
        let ends = path.match_indices('.').map(|(at, _)| &path[at + 1..]);
        let mut last =
            Err(BadPath::new("it is a group of figures", format!("write `{path}.FIGURE`")));
        for rest in ends {
            last = self.descend(element, key, rest);
            if last.is_ok() {
                break;
            }
        }
        last
    }
}

/// The unit of a figure with this name.
fn unit_of(key: &str) -> Unit {
    match key {
        "share" | "low" | "high" | "grantedShare" => Unit::Share,
        "hours" => Unit::Hours,
        key if key.ends_with("Hours") => Unit::Hours,
        key if key.ends_with("Seconds") => Unit::Seconds,
        _ => Unit::Count,
    }
}
