//! Reading of a checked `v1` document into a policy.

use crate::policy::PolicyName;
use crate::policy::model::{
    Action, AntiAffinity, Backoff, Condition, ExitCodes, Form, MemoryBump, Operator, RetryPolicy,
    Rule,
};
use document::diag::{Code, Diagnostic, Findings};
use document::pattern::{OverBudget, Pattern, PatternBudget};
use document::units::{GoDuration, Quantity};
use document::{Document, Node};

/// Reads the policy of a checked document; `None` if a value is invalid.
pub(in crate::policy) fn read(
    document: &Document,
    budget: &mut PatternBudget,
    findings: &mut Findings,
) -> Option<RetryPolicy> {
    let spec = document.root.get("spec")?;
    let rules = spec.get("rules").map(Node::items).unwrap_or_default();
    // All rules are read before the first failure is returned, so that every bad pattern is reported.
    let rules: Vec<Option<Rule>> =
        rules.iter().map(|node| read_rule(document, node, budget, findings)).collect();
    let backoff = backoff(document, spec, findings);
    Some(RetryPolicy {
        name: PolicyName::new(document.root.at(&["metadata", "name"])?.text()?)?,
        form: Form::V1,
        retry_limit: limit(spec),
        default_action: spec.get("defaultAction").and_then(action),
        backoff,
        anti_affinity: anti_affinity(spec),
        rules: rules.into_iter().collect::<Option<Vec<_>>>()?,
    })
}

fn read_rule(
    document: &Document,
    node: &Node,
    budget: &mut PatternBudget,
    findings: &mut Findings,
) -> Option<Rule> {
    let written = node.at(&["onTerminationMessage", "pattern"]);
    let message = written.and_then(|node| read_pattern(document, node, budget, findings));
    let backoff = backoff(document, node, findings);
    Some(Rule {
        retry_limit: limit(node),
        container: node.get("containerName").and_then(Node::text).map(str::to_owned),
        include_init_containers: node.get("includeInitContainers").and_then(Node::boolean)
            == Some(true),
        exit_codes: node.get("onExitCodes").and_then(exit_codes),
        conditions: choices(node.get("onConditions"), Condition::from_name),
        message,
        categories: choices(node.get("onFailureCategory"), |text| Some(text.to_owned())),
        subcategories: choices(node.get("onFailureSubcategory"), |text| Some(text.to_owned())),
        backoff,
        anti_affinity: anti_affinity(node),
        memory: memory(node),
        memory_text: memory_text(node),
        ..Rule::new(action(node.get("action")?)?)
    })
}

/// Reads a pattern, or reports the place inside it that Go refuses.
fn read_pattern(
    document: &Document,
    node: &Node,
    budget: &mut PatternBudget,
    findings: &mut Findings,
) -> Option<Pattern> {
    let scalar = node.scalar()?;
    let text = document.source.text();
    let pattern = match Pattern::parse(node.text()?) {
        Ok(pattern) => pattern,
        Err(error) => {
            let span = scalar.locate(text, node.span, error.span.clone()).first_line(text);
            let message = format!("Go refuses the pattern: {error}");
            findings.push(
                Diagnostic::error(Code::BadPattern, document.place(span), message)
                    .help(error.kind.help()),
            );
            return None;
        }
    };
    if let Err(over) = budget.take(&pattern) {
        let place = document.place(node.span.first_line(text));
        let help = match over {
            OverBudget::Alone => "repeat less, or split it into several rules",
            OverBudget::Together => "repeat less, or match several messages by one rule",
        };
        findings.push(Diagnostic::error(Code::TooMuch, place, over.to_string()).help(help));
        return None;
    }
    Some(pattern)
}

pub(in crate::policy) fn limit(node: &Node) -> Option<u32> {
    node.get("retryLimit").and_then(Node::integer).and_then(|limit| u32::try_from(limit).ok())
}

fn action(node: &Node) -> Option<Action> {
    match node.text()? {
        "Retry" => Some(Action::Retry),
        "Fail" => Some(Action::Fail),
        _ => None,
    }
}

fn exit_codes(node: &Node) -> Option<ExitCodes> {
    let operator =
        if node.get("operator")?.text()? == "In" { Operator::In } else { Operator::NotIn };
    let values = node.get("values")?.items().iter();
    let values = values.filter_map(|code| i32::try_from(code.integer()?).ok()).collect();
    Some(ExitCodes { operator, values })
}

fn choices<T>(node: Option<&Node>, of: impl Fn(&str) -> Option<T>) -> Vec<T> {
    let items = node.map(Node::items).unwrap_or_default();
    items.iter().filter_map(|item| of(item.text()?)).collect()
}

fn anti_affinity(node: &Node) -> Option<AntiAffinity> {
    match node.at(&["antiAffinity", "mode"])?.text()? {
        "node" => Some(AntiAffinity::Node),
        "none" => Some(AntiAffinity::None),
        _ => None,
    }
}

/// Reads the backoff under `node`, and reports a maximum below the first wait.
pub(in crate::policy) fn backoff(
    document: &Document,
    node: &Node,
    findings: &mut Findings,
) -> Backoff {
    let Some(block) = node.get("backoff").or_else(|| node.get("defaultBackoff")) else {
        return Backoff::default();
    };
    let duration =
        |key| block.get(key).and_then(Node::text).and_then(|t| GoDuration::parse(t).ok());
    let backoff = Backoff {
        initial_delay: duration("initialDelay"),
        max_delay: duration("maxDelay"),
        multiplier: block.get("multiplier").and_then(Node::number),
    };
    if let (Some(initial), Some(most)) = (backoff.initial_delay, backoff.max_delay)
        && most < initial
        && let (Some(at), Some(other)) = (block.get("maxDelay"), block.get("initialDelay"))
    {
        findings.push(
            Diagnostic::error(
                Code::BadBackoff,
                document.place(at.span),
                format!("`maxDelay` ({most}) is less than `initialDelay` ({initial})"),
            )
            .labelled("the longest wait")
            .also(document.place(other.span), "the first wait")
            .help("raise `maxDelay` or lower `initialDelay`"),
        );
    }
    backoff
}

/// The memory bump of a rule, in either form.
pub(in crate::policy) fn memory(rule: &Node) -> Option<MemoryBump> {
    let memory = rule.at(&["mutate", "resources", "memory"])?;
    if let Some(factor) = memory.get("factor").and_then(Node::number) {
        return Some(MemoryBump::Factor(factor));
    }
    let amount = &memory.get("static")?.scalar()?.text;
    Quantity::parse(amount).ok().map(MemoryBump::Static)
}

/// The static amount of a rule's memory bump, in the document's notation.
pub(in crate::policy) fn memory_text(rule: &Node) -> Option<String> {
    let amount = rule.at(&["mutate", "resources", "memory", "static"])?;
    Some(amount.scalar()?.text.clone())
}
