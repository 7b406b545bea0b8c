//! Which nodes a job may use at all.

use super::model::{Expression, Job, Node, Taint, Toleration, fits};

/// The label and value that all members of a gang must find.
pub type Uniform = Option<(String, String)>;

/// Whether a node's taints, labels and total amounts allow a job with these tolerations beside its own.
pub fn is_allowed(node: &Node, job: &Job, extra: &[Toleration], uniform: &Uniform) -> bool {
    for taint in &node.taints {
        if !job.tolerations.iter().chain(extra).any(|toleration| tolerates(toleration, taint)) {
            return false;
        }
    }
    for (label, value) in uniform.iter().map(|(label, value)| (label, value)).chain(&job.selector) {
        if node.labels.get(label) != Some(value) {
            return false;
        }
    }
    if let Some(terms) = &job.affinity
        && !terms.iter().any(|term| !term.is_empty() && term.iter().all(|one| holds(one, node)))
    {
        return false;
    }
    fits(&job.on_node, &node.total)
}

fn tolerates(toleration: &Toleration, taint: &Taint) -> bool {
    if !toleration.effect.is_empty() && toleration.effect != taint.effect {
        return false;
    }
    if !toleration.key.is_empty() && toleration.key != taint.key {
        return false;
    }
    match toleration.operator.as_str() {
        "" | "Equal" => toleration.value == taint.value,
        "Exists" => true,
        _ => false,
    }
}

fn holds(expression: &Expression, node: &Node) -> bool {
    let value = node.labels.get(&expression.key);
    let number = |text: &String| text.parse::<i64>().ok();
    let pair = || Some((number(value?)?, number(expression.values.first()?)?));
    match expression.operator.as_str() {
        "In" => value.is_some_and(|value| expression.values.contains(value)),
        "NotIn" => !value.is_some_and(|value| expression.values.contains(value)),
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        "Gt" => pair().is_some_and(|(value, bound)| value > bound),
        "Lt" => pair().is_some_and(|(value, bound)| value < bound),
        operator => panic!("an operator that the cases do not have: {operator}"),
    }
}
