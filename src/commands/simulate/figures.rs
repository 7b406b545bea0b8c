//! The figures of the report of a replay that `--assert` compares: checks their paths before the replay, and compares
//! them after it.

use super::SimulateArgs;
use super::assertion::Unit;
use super::figure_path::{
    Absent, BadPath, figure_at, first_word, longest_name, name_of as path_of_name, nearest,
};
use super::variant_args::LIVE_VARIANT;
use anyhow::Result;
use document::diag::did_you_mean;
use replay::simulate::{AssertionReport, RetryReport, SimulationReport, VariantReport};
use schemars::schema_for;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use systems::description_of_engine;

/// The parts of a report in which paths may begin. Other paths begin in the summary.
const ROOTS: [&str; 3] = ["verdict", "summary", "changes"];

/// Refuses a variant and a path that no report has. Names of queues, rules and the like are not checked.
pub(super) fn check(args: &SimulateArgs, names: &[&str]) -> Result<()> {
    let schema = Schema::new();
    let has_no_changes = args.samples == Some(0) && args.changes.is_none();
    for assertion in &args.assertions {
        let (variant, path) = assertion.split_variant(names)?;
        let unit = schema.unit_at(path).and_then(|unit| match first_word(path) {
            "changes" if variant == 0 => {
                Err(BadPath::new("nothing differs from itself", "name another variant"))
            }
            "changes" if has_no_changes => {
                Err(BadPath::new("--samples 0 leaves out the changes", "leave out --samples 0"))
            }
            _ => Ok(unit),
        });
        assertion.check_unit(unit.map_err(|bad| bad.refuse(path))?)?;
    }
    Ok(())
}

/// The figures of a column.
struct Column {
    tree: Value,
    /// The names of the rules and defaults.
    rules: Vec<String>,
}

/// The comparison of each assertion whose figure the report has, and the refusal of the others.
pub(super) fn evaluate(
    args: &SimulateArgs,
    report: &SimulationReport,
) -> (Vec<AssertionReport>, Result<()>) {
    if args.assertions.is_empty() {
        // The trees of a report with many queues take more memory than all else.
        return (Vec::new(), Ok(()));
    }
    let variants = report.variants.as_deref().unwrap_or_default();
    let names: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
    let only = if args.live { LIVE_VARIANT } else { args.first_variant().0 };
    let names = if names.is_empty() { vec![only] } else { names };
    let schema = Schema::new();
    let codes = description_of_engine(&report.engine).words.decisions;
    let first = json!({"verdict": json(&report.verdict), "summary": json(&report.summary)});
    let trees = [tree(&first)].into_iter().chain(variants.iter().skip(1).map(variant_figures));
    let columns: Vec<Column> = trees.map(|tree| Column::new(tree, &schema)).collect();
    let (mut reports, mut refused) = (Vec::with_capacity(args.assertions.len()), Ok(()));
    for assertion in &args.assertions {
        let compared = assertion.split_variant(&names).and_then(|(variant, path)| {
            let note = RefCell::new(None);
            let figure = |column: &Column| {
                let absent =
                    Absences { codes, root: root(path).0, rules: &column.rules, note: &note };
                let absent = |key: &str, group: &Value, path: &str| absent.figure(key, group, path);
                look_up(&column.tree, path, &absent).map(|figure| figure.as_f64())
            };
            let base = columns.first().and_then(|first| figure(first).ok().flatten());
            note.take();
            let value = columns.get(variant).map_or(Ok(None), figure);
            let value = value.map_err(|bad| bad.refuse(path))?;
            let unit = schema.unit_at(path).map_err(|bad| bad.refuse(path))?;
            Ok(assertion.compare(value, base, unit, note.into_inner()))
        });
        match compared {
            Ok(report) => reports.push(report),
            Err(error) => refused = refused.and(Err(error)),
        }
    }
    (reports, refused)
}

impl Column {
    fn new(mut tree: Value, schema: &Schema) -> Self {
        if let Some(summary) = tree["summary"].as_object_mut() {
            schema.add_absent(summary);
        }
        let rules = tree["summary"]["byRule"].as_object().into_iter().flatten();
        let rules = rules.map(|(name, _)| name.clone()).collect();
        Self { tree, rules }
    }
}

fn variant_figures(variant: &VariantReport) -> Value {
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
            Value::Object(map.iter().map(|(key, value)| (key.clone(), tree(value))).collect())
        }
        other => other.clone(),
    }
}

/// The name of failures without a category, and of runs without the number of a retry.
const NONE: &str = "(none)";

/// The name of an element of a list: that of its queue, category, day, node, policy or rule, decision or pair of them,
/// or the number of the retry.
fn name_of(item: &Value) -> Option<String> {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    if let (Some(from), Some(to)) = (text("from"), text("to")) {
        return Some(format!("{from}.{to}"));
    }
    if let (Some(from), Some(to)) = (item.get("from"), item.get("to")) {
        return Some(format!("{}.{}", decider_name(from), decider_name(to)));
    }
    let rule = rule_name(item);
    if let Some(decision) = text("decision") {
        return Some(rule.map_or(decision.to_owned(), |rule| format!("{decision}.{rule}")));
    }
    if rule.is_some() {
        return rule;
    }
    if let Some(retry) = item.get("retry") {
        return Some(retry.as_u64().map_or(NONE.to_owned(), |retry| retry.to_string()));
    }
    // The groups of uncaught failures have a category too, and differ in more.
    if item.get("failures").is_some() && item.get("exitCode").is_none() {
        match item.get("category") {
            Some(Value::String(category)) => return Some(category.clone()),
            Some(Value::Null) => return Some(NONE.to_owned()),
            _ => {}
        }
    }
    ["queue", "day", "node"].into_iter().find_map(text).map(str::to_owned)
}

/// `infra.rules[0]`, `infra.defaultAction`, or the policy alone where rules are not distinguished.
fn rule_name(item: &Value) -> Option<String> {
    let policy = item.get("policy").and_then(Value::as_str)?;
    Some(match item.get("ruleIndex") {
        None => policy.to_owned(),
        Some(Value::Null) => format!("{policy}.defaultAction"),
        Some(index) => format!("{policy}.rules[{index}]"),
    })
}

/// Returns the name of a decision's origin: a rule, or why there is none.
fn decider_name(decider: &Value) -> String {
    match decider {
        Value::Null => "no_decision".to_owned(),
        decider => rule_name(decider).unwrap_or_else(|| "no_policy".to_owned()),
    }
}

const OUTCOMES: [&str; 4] = ["Succeeded", "Failed", "Unresolved", "Cancelled"];
/// Why a run has no decision under one of two sets of policies.
const UNDECIDED: [&str; 3] = ["not_reached", "cut_off", "no_decision"];
/// The number of the row for all later retries.
const LAST_RETRY: u32 = 21;

/// The figures of what has not occurred, if it could.
struct Absences<'a> {
    /// The codes of the system's decisions.
    codes: &'static [&'static str],
    /// The part of the report.
    root: &'a str,
    /// The names of the rules of the policies.
    rules: &'a [String],
    /// Why a figure is 0, if that is assumed.
    note: &'a RefCell<Option<String>>,
}

impl Absences<'_> {
    fn figure(&self, key: &str, group: &Value, path: &str) -> Option<Result<Value, BadPath>> {
        let codes = self.codes;
        let sides: Vec<&str> = codes.iter().copied().chain(UNDECIDED).collect();
        match (self.root, key) {
            ("changes", "byOutcome") => Some(zero_of_pair(path, &OUTCOMES)),
            ("changes", "byDecision") => Some(zero_of_pair(path, &sides)),
            (_, "outcomes") => Some(zero(path, &OUTCOMES)),
            (_, "byDecision") => Some(zero(path, codes)),
            (_, "failedBy") => Some(self.failed_by(group, path)),
            (_, "byRetry") => Some(zero_of_retry(path)),
            (_, "byDay") if parse_day(path_of_name(path)).is_none() => Some(Err(BadPath::new(
                format!("`{}` is not a day", path_of_name(path)),
                "write a day such as 2026-10-01",
            ))),
            (_, "byQueue" | "byCategory" | "byDay") => self.other_name(key, group, path),
            _ => None,
        }
    }

    /// The jobs that decisions of a code ended, whatever the rule, or 0 for a rule that ended none.
    fn failed_by(&self, group: &Value, path: &str) -> Result<Value, BadPath> {
        let name = path_of_name(path);
        let (code, rule) = name.split_once('.').unwrap_or((name, ""));
        if rule.is_empty() {
            let rows = group.as_object().into_iter().flatten();
            let rows = rows.filter(|(name, _)| longest_name(name, [code].into_iter()).is_some());
            let jobs: u64 = rows.filter_map(|(_, row)| row["jobs"].as_u64()).sum();
            return zero(code, self.codes).map(|_| Value::from(jobs));
        }
        let rules = self.rules.iter().map(String::as_str);
        if rules.clone().all(|known| known != rule) {
            return Err(BadPath::new(format!("unknown rule `{rule}`"), nearest(rule, rules)));
        }
        zero(code, self.codes)
    }

    /// The figure of a queue, a category or a day without failures: 0 unless the name is close to another one.
    fn other_name(&self, key: &str, group: &Value, path: &str) -> Option<Result<Value, BadPath>> {
        let name = path_of_name(path);
        let known = group.as_object().into_iter().flatten().map(|(name, _)| name.as_str());
        // A day near another one is not a misspelling.
        if key != "byDay" && did_you_mean(name, known).is_some() {
            return None;
        }
        let noun = key.trim_start_matches("by").to_lowercase();
        self.note.replace(Some(format!("the report has no {noun} `{name}`")));
        Some(Ok(Value::from(0)))
    }
}

fn zero(path: &str, names: &[&str]) -> Result<Value, BadPath> {
    if names.contains(&path) {
        return Ok(Value::from(0));
    }
    Err(BadPath::new(format!("unknown name `{path}`"), nearest(path, names.iter().copied())))
}

/// The figure of a pair that did not occur, such as `retry.fail_rule`.
fn zero_of_pair(path: &str, names: &[&str]) -> Result<Value, BadPath> {
    let (from, to) = path_of_name(path).split_once('.').unwrap_or((path, ""));
    zero(from, names).and_then(|_| zero(to, names))
}

fn zero_of_retry(path: &str) -> Result<Value, BadPath> {
    let word = first_word(path);
    match word.parse::<u32>().ok().filter(|number| number.to_string() == word) {
        // A share of no runs has no value.
        Some(1..=LAST_RETRY) if path.contains(".successRate.") => Ok(Value::Null),
        Some(1..=LAST_RETRY) => Ok(Value::from(0)),
        _ => Err(BadPath::new(
            format!("no row is of retry {word} alone"),
            format!("write a number from 1 to {LAST_RETRY}, which is for all later ones"),
        )),
    }
}

fn parse_day(name: &str) -> Option<jiff::civil::Date> {
    name.parse().ok().filter(|day: &jiff::civil::Date| day.to_string() == name)
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
        let unit = self.descend(&self.0["properties"][root], (root, path), rest);
        // A path into a known group has the names of that group as help.
        let group = &self.resolve(&self.0["properties"][root])["properties"][first_word(rest)];
        unit.map_err(|bad| if group.is_null() { bad.or_leaf(path, &self.leaves()) } else { bad })
    }

    /// Adds the counts and lists that a summary lacks where they are 0 or empty.
    fn add_absent(&self, summary: &mut Map<String, Value>) {
        let schema = self.resolve(&self.0["properties"]["summary"]);
        for (key, schema) in schema["properties"].as_object().into_iter().flatten() {
            let of = [&schema["type"], &schema["type"][0]].into_iter().find_map(Value::as_str);
            match of {
                Some("integer") => _ = summary.entry(key).or_insert_with(|| Value::from(0)),
                Some("array") => _ = summary.entry(key).or_insert_with(|| json!({})),
                _ => {}
            }
        }
        summary.entry("byNoRule").or_insert_with(|| tree(&json(&RetryReport::default())));
    }

    /// The paths of the figures that every report has, and those of outcomes.
    fn leaves(&self) -> Vec<String> {
        let properties = &self.0["properties"];
        let mut leaves = self.leaves_below(&properties["summary"]);
        leaves.extend(OUTCOMES.map(|outcome| format!("outcomes.{outcome}")));
        let verdict = self.leaves_below(&properties["verdict"]);
        leaves.extend(verdict.iter().map(|leaf| format!("verdict.{leaf}")));
        leaves
    }

    fn leaves_below(&self, schema: &Value) -> Vec<String> {
        let schema = self.resolve(schema);
        let properties = schema["properties"].as_object().into_iter().flatten();
        let below = |(key, schema): (&String, &Value)| {
            let schema = self.resolve(schema);
            if schema["properties"].is_object() {
                let leaves = self.leaves_below(schema);
                return leaves.iter().map(|leaf| format!("{key}.{leaf}")).collect();
            }
            let types = [&schema["type"], &schema["type"][0]];
            let is_number =
                types.iter().any(|of| matches!(of.as_str(), Some("integer" | "number")));
            if is_number { vec![key.clone()] } else { Vec::new() }
        };
        properties.flat_map(below).collect()
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

    /// The unit of the figure at a path in the part of a report with this schema. `key` is the name of the part, and
    /// `whole` the path from the report on.
    fn descend(
        &self,
        schema: &Value,
        (key, whole): (&str, &str),
        path: &str,
    ) -> Result<Unit, BadPath> {
        let schema = self.resolve(schema);
        if let Some(properties) = schema["properties"].as_object() {
            let names = || properties.keys().map(String::as_str);
            if path.is_empty() {
                return Err(BadPath::new("it is a group of figures", nearest("", names())));
            }
            let found = longest_name(path, names());
            let Some((name, rest)) = found else {
                return Err(BadPath::new(
                    format!("unknown name `{}`", first_word(path)),
                    nearest(first_word(path), names()),
                ));
            };
            return self.descend(&properties[name], (name, whole), rest);
        }
        let elements = [&schema["items"], &schema["additionalProperties"]];
        if let Some(element) = elements.into_iter().find(|element| element.is_object()) {
            return self.descend_into_list(element, (key, whole), path);
        }
        let types = [&schema["type"], &schema["type"][0]];
        match types.iter().find_map(|of| of.as_str()) {
            Some("integer" | "number") if path.is_empty() => Ok(unit_of(key)),
            Some("integer" | "number") => Err(BadPath::no_part(path)),
            _ => Err(BadPath::text()),
        }
    }

    /// The unit of a figure of a named element of a list. The name may contain dots, and ends where a figure follows.
    fn descend_into_list(
        &self,
        element: &Value,
        (key, whole): (&str, &str),
        path: &str,
    ) -> Result<Unit, BadPath> {
        let mut figures = self.leaves_below(element);
        // The figures of groups within are listed once such a group is named.
        figures.retain(|figure| !figure.contains('.') && figure != "ruleIndex");
        let figures = figures.join(", ");
        if path.is_empty() {
            let whole = whole.trim_end_matches('.');
            let help = match figures.as_str() {
                "" => format!("write `{whole}.NAME`"),
                figures => format!("write `{whole}.NAME.FIGURE`; figures are {figures}"),
            };
            return Err(BadPath::new("it is a group of figures", help));
        }
        let is_leaf = self.resolve(element)["properties"].is_null();
        if is_leaf {
            return self.descend(element, (key, whole), "");
        }
        let ends = path.match_indices('.').map(|(at, _)| &path[at + 1..]);
        let mut last = Err(BadPath::new(
            "it is a group of figures",
            format!("write `{whole}.FIGURE`; figures are {figures}"),
        ));
        for rest in ends {
            last = self.descend(element, (key, whole), rest);
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
