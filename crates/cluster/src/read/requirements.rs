//! Reads a job's requirements on a node's labels and taints.

use super::super::requirements::{Expression, Operator, Requirements, Toleration};
use super::located::{Reader, items, labels, text, texts};
use document::Node;
use document::diag::Code;

/// The prefix of the annotations that form gangs of jobs on a server.
const GANG_ANNOTATIONS: &str = "armadaproject.io/gang";

/// Reads the requirements of a template or a job. `selector` is the key of the labels that a node
/// must have.
pub(super) fn requirements(reader: &mut Reader<'_>, node: &Node, selector: &str) -> Requirements {
    let terms = node.at(&[
        "affinity",
        "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
    ]);
    let mut term = |term: &Node| {
        let expressions = items(term, "matchExpressions").iter();
        expressions.map(|node| expression(reader, node)).collect()
    };
    let affinity = terms.map(|terms| terms.items().iter().map(&mut term).collect());
    let tolerations = items(node, "tolerations").iter();
    let tolerations = tolerations.map(|node| toleration(reader, node)).collect();
    refuse_gang_annotations(reader, node);
    Requirements::new(labels(node, selector), tolerations, affinity)
}

fn toleration(reader: &mut Reader<'_>, node: &Node) -> Toleration {
    let is_any_value = text(node, "operator") == "Exists";
    if let Some(value) = node.get("value").filter(|it| is_any_value && it.some_text().is_some()) {
        let message = "a toleration with `operator: Exists` has no `value`".to_owned();
        let help = "remove `value`, or write `operator: Equal`".to_owned();
        reader.error(Code::OtherForm, value.span, message, help);
    }
    Toleration {
        key: text(node, "key").to_owned(),
        value: (!is_any_value).then(|| text(node, "value").to_owned()),
        effect: text(node, "effect").to_owned(),
    }
}

fn expression(reader: &mut Reader<'_>, node: &Node) -> Expression {
    let name = text(node, "operator");
    // The shape refuses other names, so the default is never used.
    let operator = Operator::from_name(name).unwrap_or(Operator::In);
    let values: Vec<String> = texts(node, "values").map(|(value, _)| value.to_owned()).collect();
    // Kubernetes refuses such expressions, and Armada's scheduler then places the job nowhere.
    let expected = match operator {
        Operator::In | Operator::NotIn if values.is_empty() => Some("at least one value"),
        Operator::Exists | Operator::DoesNotExist if !values.is_empty() => Some("no values"),
        Operator::Gt | Operator::Lt if !is_one_number(&values) => {
            Some("one value, a whole number in quotes")
        }
        _ => None,
    };
    if let Some(expected) = expected.filter(|_| !name.is_empty()) {
        let span = node.get("values").map_or(node.span, |values| values.span);
        let message = format!("`values` does not fit `operator: {name}`");
        reader.error(Code::OutOfRange, span, message, format!("write {expected}"));
    }
    Expression { key: text(node, "key").to_owned(), operator, values }
}

fn is_one_number(values: &[String]) -> bool {
    matches!(values, [value] if value.parse::<i64>().is_ok())
}

/// Refuses annotations that form gangs: the simulation creates the ids of a template's gangs, and
/// annotations would replace them.
fn refuse_gang_annotations(reader: &mut Reader<'_>, node: &Node) {
    for entry in node.get("annotations").map(Node::entries).unwrap_or_default() {
        if entry.key.starts_with(GANG_ANNOTATIONS) {
            let message = format!("the annotation `{}` makes no gang here", entry.key);
            let help = "remove it, and write `gangCardinality` in the job template".to_owned();
            reader.error(Code::OtherForm, entry.key_span, message, help);
        }
    }
}
