//! The admission webhook's checks of a JobSet that concern its failure policy (`jobset_webhook.go`,
//! `validateFailurePolicy` and what precedes it).

pub(super) mod jobs;

use super::manifest::nodes::rule_name;
use super::manifest::{Action, FeatureGates, RestartStrategy, SuccessOperator};
use document::diag::{Code, Diagnostic, Findings, did_you_mean};
use document::{Document, Node};
use std::collections::HashMap;

/// The reasons of a Job's failure (`batch/v1`). A rule may list only these.
pub const REASONS: [&str; 5] = [
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
    "PodFailurePolicy",
];

/// The maximum number of replicas of any replicated Job if single Jobs may be restarted.
const MAX_REPLICAS: i128 = 1024;

/// The maximum length of a rule's name, in bytes.
const MAX_NAME: usize = 128;

/// A fault in the name of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameFault {
    /// The name is empty or has more than 128 bytes.
    Length,
    /// The name has an invalid character.
    Form,
}

/// Returns the faults in the name of a rule after defaulting. An empty name, which defaulting never leaves,
/// has both.
pub fn name_faults(name: &str) -> Vec<NameFault> {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = name.as_bytes();
    let formed = bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.last().is_some_and(|&byte| inner(byte))
        && bytes.iter().all(|&byte| inner(byte) || matches!(byte, b',' | b':'));
    let length = (name.is_empty() || name.len() > MAX_NAME).then_some(NameFault::Length);
    let form = (!formed).then_some(NameFault::Form);
    length.into_iter().chain(form).collect()
}

/// Reports what the webhook refuses. A document without findings of its shape fits the shape.
pub(super) fn check(document: &Document, gates: FeatureGates, findings: &mut Findings) {
    let Some(spec) = document.root.get("spec") else { return };
    let jobs = spec.get("replicatedJobs").map(Node::items).unwrap_or_default();
    let webhook = Webhook { document, gates, jobs };
    if let Some(policy) = spec.get("successPolicy") {
        webhook.operator(policy, findings);
        webhook.targets(policy, findings);
    }
    let Some(policy) = spec.get("failurePolicy") else { return };
    if let Some(strategy) = policy.get("restartStrategy")
        && strategy.text().and_then(RestartStrategy::from_name)
            == Some(RestartStrategy::InPlaceRestart)
    {
        if gates.in_place_restart {
            jobs::check_in_place(document, jobs, findings);
        } else {
            findings.push(webhook.gate(strategy, "the restart strategy", "InPlaceRestart"));
        }
    }
    let rules = policy.get("rules").map(Node::items).unwrap_or_default();
    webhook.single_restarts(rules, findings);
    webhook.names(rules, findings);
    for rule in rules {
        webhook.reasons(rule, findings);
        webhook.targets(rule, findings);
    }
}

struct Webhook<'d> {
    document: &'d Document,
    gates: FeatureGates,
    jobs: &'d [Node],
}

impl Webhook<'_> {
    fn error(&self, code: Code, node: &Node, message: String) -> Diagnostic {
        let span = node.span.first_line(self.document.source.text());
        Diagnostic::error(code, self.document.place(span), message)
    }

    fn gate(&self, node: &Node, what: &str, gate: &str) -> Diagnostic {
        let name = node.text().unwrap_or_default();
        let message = format!("{what} `{name}` needs the feature gate {gate}, which is off");
        let help = format!("if the controller runs with it, pass `--feature-gates {gate}=true`");
        self.error(Code::GateDisabled, node, message).help(help)
    }

    /// Checks rules that restart single Jobs. The webhook stops at a policy that may not have such rules;
    /// here all errors are reported at once.
    fn single_restarts(&self, rules: &[Node], findings: &mut Findings) {
        let is_single = |action: &&Node| {
            action.text().and_then(Action::from_name).is_some_and(Action::restarts_one_job)
        };
        let actions = || rules.iter().filter_map(|rule| rule.get("action")).filter(is_single);
        if !self.gates.restart_job {
            findings.extend(actions().map(|node| self.gate(node, "the action", "RestartJob")));
            return;
        }
        if let Some(action) = actions().next() {
            for replicas in self.jobs.iter().filter_map(|job| job.get("replicas")) {
                if replicas.integer().is_some_and(|replicas| replicas > MAX_REPLICAS) {
                    let action = action.text().unwrap_or_default();
                    let message = format!("more than {MAX_REPLICAS} replicas beside `{action}`");
                    let help = "use fewer replicas, or restart the whole set: `RestartJobSet`";
                    findings.push(self.error(Code::OutOfRange, replicas, message).help(help));
                }
            }
        }
    }

    fn names(&self, rules: &[Node], findings: &mut Findings) {
        let mut first: HashMap<String, &Node> = HashMap::new();
        for (index, rule) in rules.iter().enumerate() {
            let name = rule_name(index, rule);
            let node = rule.get("name").unwrap_or(rule);
            for fault in name_faults(&name) {
                let (message, help) = name_fault_text(fault, &name);
                findings.push(self.error(Code::BadName, node, message).help(help));
            }
            let Some(other) = first.get(&name) else {
                first.insert(name, node);
                continue;
            };
            let message = format!("two rules are named `{name}`");
            let other = other.span.first_line(self.document.source.text());
            let finding = self.error(Code::BadName, node, message).labelled("again");
            findings.push(
                finding
                    .also(self.document.place(other), "first")
                    .help("rename one; a rule without a name is `failurePolicyRule` and its index"),
            );
        }
    }

    fn reasons(&self, rule: &Node, findings: &mut Findings) {
        let items = rule.get("onJobFailureReasons").map(Node::items).unwrap_or_default();
        for (node, text) in items.iter().filter_map(|node| Some((node, node.text()?))) {
            if REASONS.contains(&text) {
                continue;
            }
            let message = format!("`onJobFailureReasons`: a Job never fails for `{text}`");
            let help = match did_you_mean(text, REASONS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the reasons are {}", REASONS.join(", ")),
            };
            findings.push(self.error(Code::NotAChoice, node, message).help(help));
        }
    }

    fn operator(&self, policy: &Node, findings: &mut Findings) {
        let Some(node) = policy.get("operator") else { return };
        let Some(text) = node.some_text() else { return };
        if SuccessOperator::from_name(text).is_none() {
            let message = format!("`operator`: `{text}` is neither All nor Any");
            let help = "write `All` or `Any`";
            findings.push(self.error(Code::NotAChoice, node, message).help(help));
        }
    }

    fn targets(&self, rule: &Node, findings: &mut Findings) {
        let items = rule.get("targetReplicatedJobs").map(Node::items).unwrap_or_default();
        let names = || self.jobs.iter().filter_map(|job| job.get("name")?.text());
        for (node, text) in items.iter().filter_map(|node| Some((node, node.text()?))) {
            if names().any(|name| name == text) {
                continue;
            }
            let message =
                format!("`targetReplicatedJobs`: the replicatedJob `{text}` does not exist");
            let help = match did_you_mean(text, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if self.jobs.is_empty() => "the set has no replicatedJobs".to_owned(),
                None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
            };
            findings.push(self.error(Code::UnknownName, node, message).help(help));
        }
    }
}

fn name_fault_text(fault: NameFault, name: &str) -> (String, &'static str) {
    match fault {
        NameFault::Length => (
            format!("the name of a rule has {} bytes", name.len()),
            "write a name of 1 to 128 bytes",
        ),
        NameFault::Form => (
            format!("invalid name `{name}` of a rule"),
            "begin with a letter; then letters, digits, `_`, `,` and `:`, but no `,` or `:` at the end",
        ),
    }
}

/// The unreleased actions, and their replacements.
const UNRELEASED_ACTIONS: [(&str, &str); 3] = [
    (
        "RestartReplicatedJob",
        "write `RestartJob` (the failed Job alone, feature gate RestartJob) or `RestartJobSet`",
    ),
    ("FailJob", "write `FailJobSet`; no action fails one Job and keeps the others running"),
    (
        "RecreateJob",
        "write `RestartJob` (the failed Job alone, feature gate RestartJob) or `RestartJobSet`",
    ),
];

/// Replaces the shape's findings about such actions by one that names the replacement.
pub(crate) fn replace_unreleased(
    document: &Document,
    rules: &[Node],
    findings: Findings,
) -> Findings {
    let mut out = Findings::new();
    for finding in findings {
        let action = rules.iter().filter_map(|rule| rule.get("action")).find(|action| {
            let at = finding.place.as_ref().map(|place| place.span);
            finding.code == Code::NotAChoice && at == Some(action.span)
        });
        let known = action
            .and_then(Node::text)
            .and_then(|text| UNRELEASED_ACTIONS.iter().find(|(name, _)| *name == text));
        match (action, known) {
            (Some(node), Some((name, instead))) => {
                let message = format!("no release of JobSet has the action `{name}`");
                let place = document.place(node.span);
                out.push(Diagnostic::error(Code::NeverReleased, place, message).help(*instead));
            }
            _ => out.push(finding),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_held_to_the_webhooks_form() {
        for good in ["a", "Z", "a_", "rule1", "a,b:c_", &"a".repeat(128)] {
            assert!(name_faults(good).is_empty(), "{good}");
        }
        for bad in ["1rule", "_a", "rule,", "rule:", "ru-le", "r.ule", "é", "a b"] {
            assert_eq!(name_faults(bad), [NameFault::Form], "{bad}");
        }
        assert_eq!(name_faults(&"a".repeat(129)), [NameFault::Length]);
        assert_eq!(name_faults(""), [NameFault::Length, NameFault::Form]);
    }
}
