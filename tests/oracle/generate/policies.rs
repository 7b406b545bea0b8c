//! RetryPolicy documents of either form, their matchers drawn from the same few words as the runs'.

use serde_json::{Map, Value, json};

use super::draw::Draw;

/// Which form, and how much of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    V1,
    /// The `v1` form with nothing that `v1beta1` lacks.
    V1ByCategory,
    V1beta1,
}

/// Exit codes that rules and runs share.
pub const CODES: [i64; 4] = [1, 2, 137, 2_147_483_647];
/// Failure categories that rules and runs share.
pub const CATEGORIES: [&str; 3] = ["gpu", "net", "internal"];
/// Failure subcategories that rules and runs share.
pub const SUBCATEGORIES: [&str; 3] = ["transient", "ecc", "lease-expired"];
/// Container names that rules and runs share.
pub const CONTAINERS: [&str; 3] = ["main", "sidecar", "setup"];

const CONDITIONS: [&str; 6] =
    ["OOMKilled", "OOMKilled", "Evicted", "Preempted", "DeadlineExceeded", "Unschedulable"];
const PATTERNS: [&str; 7] = [
    "TRANSIENT",
    ".*TRANSIENT.*",
    "(?i)cuda error",
    r"^exit \d+$",
    "exit|fatal",
    r"device [0-7]\b",
    ".*",
];
const DELAYS: [&str; 7] = ["0s", "1s", "2s", "500ms", "10s", "1m30s", "15m"];
const CAPS: [&str; 6] = ["0s", "1s", "5s", "40s", "10m", "2h"];

/// One valid document.
pub fn policy(draw: &mut Draw, form: Form, name: &str) -> Value {
    let mut fields = Map::new();
    let growth = growth(draw);
    let (limited, default) = match form {
        Form::V1beta1 => (88, 100),
        _ => (55, 75),
    };
    put(draw, &mut fields, "retryLimit", limited, |draw| json!(draw.pick(&[0, 1, 2, 2, 3, 4])));
    put(draw, &mut fields, "defaultAction", default, action);
    if form == Form::V1 {
        put(draw, &mut fields, "backoff", 50, backoff);
        put(draw, &mut fields, "antiAffinity", 40, anti_affinity);
    }
    let count = draw.pick(&[0, 1, 2, 3, 3, 4, 5]);
    if count > 0 || draw.chance(50) {
        let rules = (0..count).map(|_| rule(draw, form, &growth)).collect();
        fields.insert("rules".into(), Value::Array(rules));
    }
    if form == Form::V1beta1 {
        let mut flat = Map::new();
        flat.insert("apiVersion".into(), json!("armadaproject.io/v1beta1"));
        flat.insert("kind".into(), json!("RetryPolicy"));
        flat.insert("name".into(), json!(name));
        flat.extend(fields);
        return Value::Object(flat);
    }
    json!({
        "apiVersion": "armadaproject.io/v1",
        "kind": "RetryPolicy",
        "metadata": {"name": name},
        "spec": fields,
    })
}

fn put(
    draw: &mut Draw,
    fields: &mut Map<String, Value>,
    key: &str,
    percent: usize,
    make: impl FnOnce(&mut Draw) -> Value,
) {
    if let Some(value) = draw.maybe(percent, make) {
        fields.insert(key.into(), value);
    }
}

fn action(draw: &mut Draw) -> Value {
    json!(if draw.chance(78) { "Retry" } else { "Fail" })
}

/// Multipliers whose powers are exact in binary, so that no rounding is in question.
pub fn backoff(draw: &mut Draw) -> Value {
    let mut block = Map::new();
    put(draw, &mut block, "initialDelay", 75, |draw| json!(draw.pick(&DELAYS)));
    put(draw, &mut block, "maxDelay", 45, |draw| json!(draw.pick(&CAPS)));
    put(draw, &mut block, "multiplier", 50, |draw| {
        draw.pick(&[json!(1), json!(1.5), json!(2.0), json!(3)])
    });
    Value::Object(block)
}

fn anti_affinity(draw: &mut Draw) -> Value {
    json!({"mode": draw.pick(&["node", "node", "none"])})
}

/// The one kind of memory bump a document's rules share.
fn growth(draw: &mut Draw) -> Vec<Value> {
    if draw.chance(60) {
        vec![json!({"factor": 1.5}), json!({"factor": 2}), json!({"factor": 1.25})]
    } else {
        vec![json!({"static": "256Mi"}), json!({"static": "100M"}), json!({"static": "5"})]
    }
}

fn rule(draw: &mut Draw, form: Form, growth: &[Value]) -> Value {
    let mut rule = Map::new();
    rule.insert("action".into(), json!(if draw.chance(85) { "Retry" } else { "Fail" }));
    match form {
        Form::V1 => matchers(draw, &mut rule),
        Form::V1ByCategory => {
            rule.insert("onFailureCategory".into(), json!([draw.pick(&CATEGORIES)]));
            put(draw, &mut rule, "onFailureSubcategory", 35, |draw| {
                json!([draw.pick(&SUBCATEGORIES)])
            });
        }
        Form::V1beta1 => flat_matchers(draw, &mut rule),
    }
    let mut mutate = Map::new();
    put(draw, &mut mutate, "resources", 35, |draw| json!({"memory": draw.pick(growth)}));
    if form == Form::V1beta1 {
        put(draw, &mut mutate, "affinity", 45, |draw| json!({"avoidSameNode": draw.chance(80)}));
    }
    if !mutate.is_empty() {
        rule.insert("mutate".into(), Value::Object(mutate));
    }
    Value::Object(rule)
}

fn flat_matchers(draw: &mut Draw, rule: &mut Map<String, Value>) {
    rule.insert("onCategory".into(), json!(draw.pick(&CATEGORIES)));
    put(draw, rule, "onSubcategory", 40, |draw| match draw.below(4) {
        0 => json!(""),
        _ => json!(draw.pick(&SUBCATEGORIES)),
    });
}

/// One matcher, often two, with everything that scopes and overrides.
fn matchers(draw: &mut Draw, rule: &mut Map<String, Value>) {
    let first = draw.below(4);
    let second = draw.maybe(25, |draw| draw.below(4));
    for which in [Some(first), second].into_iter().flatten() {
        matcher(draw, rule, which);
    }
    put(draw, rule, "containerName", 30, |draw| json!(draw.pick(&CONTAINERS)));
    put(draw, rule, "includeInitContainers", 40, |draw| json!(draw.chance(80)));
    put(draw, rule, "retryLimit", 45, |draw| json!(draw.pick(&[0, 1, 1, 2, 2, 3])));
    put(draw, rule, "backoff", 35, backoff);
    put(draw, rule, "antiAffinity", 35, anti_affinity);
}

fn matcher(draw: &mut Draw, rule: &mut Map<String, Value>, which: usize) {
    match which {
        0 => {
            let operator = draw.pick(&["In", "In", "NotIn"]);
            let mut values = one_at_least(draw, &CODES);
            if draw.chance(5) {
                values.push(values[0]);
            }
            rule.insert("onExitCodes".into(), json!({"operator": operator, "values": values}));
        }
        1 => {
            rule.insert("onConditions".into(), json!(one_at_least(draw, &CONDITIONS)));
        }
        2 => {
            rule.insert("onTerminationMessage".into(), json!({"pattern": draw.pick(&PATTERNS)}));
        }
        _ => {
            rule.insert("onFailureCategory".into(), json!(one_at_least(draw, &CATEGORIES)));
            put(draw, rule, "onFailureSubcategory", 35, |draw| {
                json!(one_at_least(draw, &SUBCATEGORIES))
            });
        }
    }
}

/// A list that is never empty, in any order, nothing twice.
fn one_at_least<T: Clone + PartialEq>(draw: &mut Draw, from: &[T]) -> Vec<T> {
    let mut chosen = draw.some(from, 35);
    if chosen.is_empty() {
        chosen.push(draw.pick(from));
    }
    chosen.dedup();
    draw.shuffled(chosen)
}
