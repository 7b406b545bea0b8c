//! Findings about a task's retry policy: what its release lacks, what its constructors refuse, and rules
//! without effect.

use crate::airflow::manifest::AirflowPolicy;
use crate::airflow::manifest::policy::{MAX_DELAY_SECONDS, is_too_long};
use crate::airflow::manifest::profile::Profile;
use crate::airflow::manifest::retry_policy::{
    CHAIN, ExceptionRetryPolicy, FIELD, RetryAction, TaskRetryPolicy, classes,
};
use document::diag::{Code, Diagnostic, Findings, Span};
use document::{Document, Node};

/// Reports what a release lacks of a checked `retry_policy`, and what Airflow's constructors refuse.
pub(super) fn check(document: &Document, task: &Node, profile: Profile, findings: &mut Findings) {
    let Some(entry) = task.entry(FIELD).filter(|entry| !entry.value.is_null()) else { return };
    let mut check = Check { document, profile, findings };
    if !profile.has_retry_policies() {
        let message = format!("Airflow {} has no retry policies", profile.as_str());
        let help = "take `profile: \"3.3\"`, which has them, or leave it out";
        return check.refuse(entry.key_span, Code::ProfileLacks, FIELD, &message, help);
    }
    let node = &entry.value;
    check.check_form(node, entry.key_span);
    match node.entry("policies") {
        Some(policies) if !profile.has_chains() => {
            let message = format!("Airflow {} has no chains of policies", profile.as_str());
            let field = format!("{FIELD}.policies");
            check.refuse(policies.key_span, Code::ProfileLacks, &field, &message, NEWER);
        }
        Some(policies) => {
            for (number, policy) in policies.value.items().iter().enumerate() {
                check.check_rules(policy, &format!("{FIELD}.policies[{number}]"));
            }
        }
        None => check.check_rules(node, FIELD),
    }
}

const NEWER: &str = "take `profile: \"3.4\"`, which has them";

struct Check<'a> {
    document: &'a Document,
    profile: Profile,
    findings: &'a mut Findings,
}

impl Check<'_> {
    fn refuse(&mut self, span: Span, code: Code, field: &str, message: &str, help: &str) {
        let place = self.document.place(span.first_line(self.document.source.text()));
        let message = format!("`{field}`: {message}");
        self.findings.push(Diagnostic::error(code, place, message).help(help));
    }

    /// Checks that the fields are those of one class.
    fn check_form(&mut self, node: &Node, span: Span) {
        let (rules, policies) = (node.get("rules").is_some(), node.get("policies").is_some());
        let class = node.get("__type").and_then(Node::text);
        // `__type` is how Airflow serializes the class; without it the fields tell.
        let is_chain = class.map_or(policies, |class| class == CHAIN);
        let wanted = if is_chain { "policies" } else { "rules" };
        if !(if is_chain { policies } else { rules }) {
            let (message, help) = match class {
                Some(class) => (format!("a {class} needs `{wanted}`"), format!("write `{wanted}`")),
                None => (
                    "it has neither `rules` nor `policies`".to_owned(),
                    "write `rules`, or the `policies` of a chain".to_owned(),
                ),
            };
            self.refuse(span, Code::MissingField, FIELD, &message, &help);
        }
        let others: &[&str] = if is_chain { &["rules", "default"] } else { &["policies"] };
        for other in others {
            let Some(entry) = node.entry(other).filter(|entry| !entry.value.is_null()) else {
                continue;
            };
            let message = format!("it does not belong to a policy with `{wanted}`");
            let help = "leave it out, or write it as a policy of a chain";
            let field = format!("{FIELD}.{other}");
            self.refuse(entry.key_span, Code::OtherForm, &field, &message, help);
        }
    }

    fn check_rules(&mut self, policy: &Node, path: &str) {
        let rules = policy.get("rules").map(Node::items).unwrap_or_default();
        for (number, rule) in rules.iter().enumerate() {
            let path = format!("{path}.rules[{number}]");
            self.check_exceptions(rule, &path);
            self.check_reschedule(rule, &path);
            for field in ["retry_delay", "reschedule_timeout"] {
                let Some(node) = rule.get(field).filter(|node| is_too_long(node)) else { continue };
                let text = node.scalar().map_or("", |scalar| scalar.text.as_str());
                let message = format!("it is {text}, more than {MAX_DELAY_SECONDS} seconds");
                let (field, help) = (format!("{path}.{field}"), "write a number of seconds");
                self.refuse(node.span, Code::OutOfRange, &field, &message, help);
            }
        }
    }

    /// Checks the classes of a rule: `RetryRule` refuses a text without a dot.
    fn check_exceptions(&mut self, rule: &Node, path: &str) {
        let Some(entry) = rule.entry("exception") else { return };
        let field = format!("{path}.exception");
        let classes = classes(&entry.value);
        if classes.is_empty() {
            let help = "write at least one exception, or leave out the rule";
            self.refuse(entry.key_span, Code::EmptyList, &field, "it matches nothing", help);
        }
        for class in classes {
            let Some(name) = class.text() else {
                let message = format!("expected an import path, found {}", class.describe());
                let help = "write the path as text, such as `builtins.ConnectionError`";
                self.refuse(class.span, Code::WrongType, &field, &message, help);
                continue;
            };
            if !name.contains('.') {
                let message = format!("`{name}` is not a dotted import path");
                let help = format!("write the module too, such as `builtins.{name}`");
                self.refuse(class.span, Code::BadName, &field, &message, &help);
            }
        }
    }

    /// Checks that a reschedule has bounds, and that nothing else has (`_validate_reschedule_bounds`).
    fn check_reschedule(&mut self, rule: &Node, path: &str) {
        let action = rule.entry("action").filter(|entry| !entry.value.is_null());
        let reschedule =
            action.filter(|entry| entry.value.text() == Some(RetryAction::Reschedule.as_str()));
        let bounds = ["max_reschedules", "reschedule_timeout"]
            .map(|field| rule.entry(field).filter(|entry| !entry.value.is_null()));
        let present = reschedule.into_iter().chain(bounds.into_iter().flatten());
        if !self.profile.has_chains() {
            for entry in present {
                let message = format!("Airflow {} has no reschedules", self.profile.as_str());
                let field = format!("{path}.{}", entry.key);
                self.refuse(entry.key_span, Code::ProfileLacks, &field, &message, NEWER);
            }
            return;
        }
        match reschedule {
            Some(entry) if bounds.iter().all(Option::is_none) => {
                let message = "a reschedule needs a bound";
                let help = "write `max_reschedules`, `reschedule_timeout`, or both";
                let field = format!("{path}.action");
                self.refuse(entry.key_span, Code::MissingField, &field, message, help);
            }
            Some(_) => {}
            None => {
                for entry in bounds.into_iter().flatten() {
                    let field = format!("{path}.{}", entry.key);
                    let message = "it applies only to a reschedule";
                    let help = "write `action: reschedule`, or leave it out";
                    self.refuse(entry.key_span, Code::OtherForm, &field, message, help);
                }
            }
        }
    }
}

/// Warns of what a valid retry policy does not do.
pub(super) fn warn(
    document: &Document,
    task: &Node,
    policy: &AirflowPolicy,
    findings: &mut Findings,
) {
    let (Some(entry), Some(own)) = (task.entry(FIELD), &policy.retry_policy) else { return };
    let mut warn = |span: Span, field: &str, message: &str, help: &str| {
        let place = document.place(span.first_line(document.source.text()));
        let message = format!("`{field}`: {message}");
        findings.push(Diagnostic::warning(Code::Misleading, place, message).help(help));
    };
    // Without retries nothing is promised, so that there is nothing to warn of.
    if policy.retries > 0 || own.reschedules() {
        let message = "it is not consulted if the process or its worker dies (OOM kill, preemption, drain): no \
                       exception is raised, and `retries` and the task's delay alone decide";
        let help = "set `retries` and `retry_delay_seconds` for such ends too";
        warn(entry.key_span, FIELD, message, help);
    }
    for (number, exceptions) in own.policies.iter().enumerate() {
        let path = own.policy_path(number);
        let node = entry.value.get("policies").and_then(|policies| policies.items().get(number));
        let node = node.unwrap_or(&entry.value);
        if let Some(before) = never_asked(own, number) {
            let message = format!("it is never consulted: policy {before} always decides");
            let help = format!("leave out its `default`, or put policy {before} last");
            // Its rules are not checked, since none of them is ever asked.
            warn(node.span, &path, &message, &help);
            continue;
        }
        let rules = node.get("rules").map(Node::items).unwrap_or_default();
        for (index, (rule, node)) in exceptions.rules.iter().zip(rules).enumerate() {
            let path = format!("{path}.rules[{index}]");
            let ignored = matches!(rule.action, RetryAction::Fail | RetryAction::Default);
            if let Some(delay) =
                node.entry("retry_delay").filter(|_| ignored && rule.retry_delay.is_some())
            {
                let message = format!("it has no effect: the action is {}", rule.action.as_str());
                let help = "leave it out, or write `action: retry`";
                warn(delay.key_span, &format!("{path}.retry_delay"), &message, help);
            }
        }
    }
}

/// Returns the number of the policy of a chain that decides before another in any case.
pub(in crate::airflow) fn never_asked(chain: &TaskRetryPolicy, number: usize) -> Option<usize> {
    let is_final = |policy: &ExceptionRetryPolicy| {
        let leaves = policy.rules.iter().any(|rule| rule.action == RetryAction::Default);
        policy.default != RetryAction::Default && !leaves
    };
    chain.policies.iter().take(number).position(is_final)
}
