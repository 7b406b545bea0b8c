//! Findings about a Job: the API server's checks beyond the shape
//! (`pkg/apis/batch/validation/validation.go`).

use super::manifest::indexes::Indexes;
use super::manifest::read::{Creator, completion_mode, count, restart_policy};
use super::manifest::{CompletionMode, RestartPolicy};
use super::validate_containers::admit_containers;
use document::diag::{Code, Diagnostic, Findings, Span};
use document::{Document, Entry, Node};
use std::collections::HashSet;

/// The maximum number of rules, and of a rule's patterns.
const MOST: usize = 20;
/// The maximum length of the index list of a success policy's rule, in bytes.
const LONGEST_INDEXES: usize = 64 << 10;
/// The maximum number of exit codes in a rule.
const MOST_VALUES: usize = 255;
/// The maximum of `maxFailedIndexes`, and its maximum if there are more than [`MANY_COMPLETIONS`].
const MOST_FAILED_INDEXES: (u32, u32) = (100_000, 10_000);
/// With more completions than this, stricter limits apply to other fields.
const MANY_COMPLETIONS: u32 = 100_000;
/// The maximum `parallelism` of pods with indexes.
const MOST_PARALLEL: u32 = 100_000;

/// Reports what the API server would refuse in the `spec` of a Job that fits its shape.
pub fn admit(document: &Document, spec: &Node, creator: Creator, findings: &mut Findings) {
    let mut admission = Admission { document, spec, creator, findings };
    admission.template();
    admission.indexes();
    admission.pod_failure_policy();
    admission.success_policy();
    admit_containers(document, spec, findings);
}

struct Admission<'a> {
    document: &'a Document,
    spec: &'a Node,
    creator: Creator,
    findings: &'a mut Findings,
}

impl<'a> Admission<'a> {
    fn refuse(&mut self, code: Code, span: Span, message: impl Into<String>, help: &str) {
        let span = span.first_line(self.document.source.text());
        let place = self.document.place(span);
        self.findings.push(Diagnostic::error(code, place, message).help(help));
    }

    /// Returns the entry of a field that is present and not null.
    fn written(&self, field: &str) -> Option<&'a Entry> {
        self.spec.entry(field).filter(|entry| !entry.value.is_null())
    }

    fn not_admitted(&mut self, field: &str, message: &str, help: &str) {
        let span = self.written(field).map_or(self.spec.span, |entry| entry.key_span);
        self.refuse(Code::NotAdmitted, span, message, help);
    }

    /// Checks that the Job sets `restartPolicy`: the default of pods, `Always`, is not allowed.
    fn template(&mut self) {
        let policy = self.spec.at(&["template", "spec", "restartPolicy"]);
        if policy.is_none() && self.creator == Creator::Manifest {
            let at = self.spec.at(&["template", "spec"]).unwrap_or(self.spec).span;
            let message = "the template of a Job has no `restartPolicy`";
            self.refuse(
                Code::NotAdmitted,
                at,
                message,
                "add `restartPolicy: Never` or `OnFailure`",
            );
        }
    }

    fn indexes(&mut self) {
        let indexed = completion_mode(self.spec, self.creator) == CompletionMode::Indexed;
        let completions = count(self.spec, "completions");
        let parallelism = count(self.spec, "parallelism");
        if indexed && completions.is_none() && parallelism.is_some() {
            let message = "completionMode Indexed needs `completions`";
            self.not_admitted("completionMode", message, "set it to the number of indexes");
        }
        if indexed && parallelism.is_some_and(|parallelism| parallelism > MOST_PARALLEL) {
            let message = format!("more than {MOST_PARALLEL} pods at once of an Indexed Job");
            self.not_admitted("parallelism", &message, "lower `parallelism`");
        }
        for field in ["backoffLimitPerIndex", "maxFailedIndexes"] {
            if !indexed && self.written(field).is_some() {
                let message = format!("`{field}` needs completionMode Indexed");
                self.not_admitted(field, &message, "add `completionMode: Indexed`");
            }
        }
        if count(self.spec, "backoffLimitPerIndex").is_none() {
            if self.written("maxFailedIndexes").is_some() {
                let message = "`maxFailedIndexes` needs `backoffLimitPerIndex`";
                self.not_admitted("maxFailedIndexes", message, "add `backoffLimitPerIndex`");
            }
            return;
        }
        self.failed_indexes(completions.unwrap_or(1), parallelism.unwrap_or(1));
    }

    /// Checks the bounds of a Job with a limit per index.
    fn failed_indexes(&mut self, completions: u32, parallelism: u32) {
        let many = completions > MANY_COMPLETIONS;
        let (most, fewer) = MOST_FAILED_INDEXES;
        let bound = if many { fewer } else { most };
        match count(self.spec, "maxFailedIndexes") {
            Some(limit) if limit > completions => {
                let message = "`maxFailedIndexes` is more than there are completions";
                self.not_admitted("maxFailedIndexes", message, "lower it, or leave it out");
            }
            Some(limit) if limit > bound => {
                let message = format!("`maxFailedIndexes` is more than {bound}");
                self.not_admitted("maxFailedIndexes", &message, "lower it");
            }
            None if many => {
                let message =
                    format!("more than {MANY_COMPLETIONS} completions need `maxFailedIndexes`");
                self.not_admitted("completions", &message, "add `maxFailedIndexes`");
            }
            _ => {}
        }
        if many && parallelism > fewer {
            let message = format!("more than {fewer} pods at once of more than {MANY_COMPLETIONS}");
            self.not_admitted("parallelism", &message, "lower `parallelism`");
        }
    }

    fn pod_failure_policy(&mut self) {
        let Some(entry) = self.written("podFailurePolicy") else { return };
        let (head, policy) = (entry.key_span, &entry.value);
        let restarts = restart_policy(self.spec, self.creator);
        if restarts == Some(RestartPolicy::OnFailure) {
            let message = "`podFailurePolicy` needs restartPolicy Never";
            let help = "add `restartPolicy: Never` to the template's spec";
            let written = self.spec.at(&["template", "spec", "restartPolicy"]);
            let span = written.map_or(head, |node| node.span);
            self.refuse(Code::NotAdmitted, span, message, help);
        }
        let replacement = self.spec.get("podReplacementPolicy").and_then(Node::text);
        if replacement.is_some_and(|policy| policy != "Failed") {
            let message = "`podFailurePolicy` needs podReplacementPolicy Failed";
            self.not_admitted("podReplacementPolicy", message, "write `Failed`, or leave it out");
        }
        let rules = policy.get("rules").map(Node::items).unwrap_or_default();
        if rules.len() > MOST {
            let message = format!("{} rules, and at most {MOST} are taken", rules.len());
            self.refuse(Code::NotAdmitted, head, message, "join rules of the same action");
        }
        for rule in rules {
            self.rule(rule);
        }
    }

    fn success_policy(&mut self) {
        let Some(entry) = self.written("successPolicy") else { return };
        if completion_mode(self.spec, self.creator) != CompletionMode::Indexed {
            let message = "`successPolicy` needs completionMode Indexed";
            self.not_admitted("successPolicy", message, "add `completionMode: Indexed`");
            return;
        }
        let Some(rules) = entry.value.get("rules").map(Node::items) else { return };
        if rules.is_empty() {
            let message = "`successPolicy` has no rules";
            self.not_admitted("successPolicy", message, "add one, or leave the policy out");
        }
        if rules.len() > MOST {
            let message = format!("{} rules, and at most {MOST} are taken", rules.len());
            self.not_admitted("successPolicy", &message, "join rules");
        }
        for rule in rules {
            self.success_rule(rule);
        }
    }

    fn success_rule(&mut self, rule: &Node) {
        let completions = count(self.spec, "completions").unwrap_or(1);
        let (indexes, least) = (rule.get("succeededIndexes"), rule.get("succeededCount"));
        if indexes.is_none() && least.is_none() {
            let help = "write `succeededIndexes`, `succeededCount` or both";
            self.refuse(Code::NotAdmitted, rule.span, "the rule requires nothing", help);
        }
        let listed = indexes.map(|node| {
            let text = node.text().unwrap_or_default();
            if text.len() > LONGEST_INDEXES {
                let message = format!("`succeededIndexes` is longer than {LONGEST_INDEXES} bytes");
                self.refuse(Code::NotAdmitted, node.span, message, "use ranges such as `0-9`");
            }
            let indexes = text.parse::<Indexes>().unwrap_or_else(|error| {
                let help = "write numbers and ranges in ascending order";
                self.refuse(Code::NotAdmitted, node.span, format!("`{text}`: {error}"), help);
                Indexes::default()
            });
            if let Some(last) = indexes.last().filter(|last| *last >= completions) {
                let message = format!("index {last} is not below `completions`, {completions}");
                self.refuse(Code::NotAdmitted, node.span, message, "indexes count from 0");
            }
            indexes.len()
        });
        let most = listed.unwrap_or(u64::MAX).min(completions.into());
        if let Some((node, least)) = least.zip(count(rule, "succeededCount"))
            && u64::from(least) > most
        {
            let of =
                if listed.is_some_and(|listed| listed == most) { "indexes" } else { "completions" };
            let message = format!("`succeededCount` {least} is more than there are {of}, {most}");
            self.refuse(Code::NotAdmitted, node.span, message, "lower it");
        }
    }

    fn rule(&mut self, rule: &Node) {
        let action = rule.get("action");
        if let Some(action) = action.filter(|action| action.text() == Some("FailIndex"))
            && count(self.spec, "backoffLimitPerIndex").is_none()
        {
            let message = "the action FailIndex needs `backoffLimitPerIndex`";
            self.refuse(Code::NotAdmitted, action.span, message, "add it, or write `FailJob`");
        }
        let head = action.map_or(rule.span, |action| action.span);
        let patterns = rule.get("onPodConditions").map(Node::items).unwrap_or_default();
        let codes = rule.get("onExitCodes");
        let help =
            "write one of `onExitCodes` and `onPodConditions`; a second rule takes the other";
        match (codes, patterns) {
            (None, []) => {
                self.refuse(Code::NotAdmitted, head, "the rule has no requirement", help);
            }
            (Some(_), [_, ..]) => {
                let message = "the rule has requirements on both exit codes and conditions";
                self.refuse(Code::NotAdmitted, head, message, help);
            }
            _ => {}
        }
        if let Some(codes) = codes {
            self.exit_codes(codes);
        }
        self.conditions(head, patterns);
    }

    fn exit_codes(&mut self, codes: &Node) {
        if let Some(name) = codes.get("containerName")
            && !self.has_container(name.text())
        {
            let named = name.text().filter(|name| !name.is_empty());
            let named = named.map_or_else(|| name.describe(), |name| format!("`{name}`"));
            let message = format!("the template has no container {named}");
            let help = "name one of its containers or init containers, or leave the field out";
            self.refuse(Code::NotAdmitted, name.span, message, help);
        }
        let Some(list) = codes.get("values") else { return };
        let values = list.items();
        if values.len() > MOST_VALUES {
            let message =
                format!("{} exit codes, and at most {MOST_VALUES} are taken", values.len());
            self.refuse(Code::NotAdmitted, list.span, message, "use NotIn, or a second rule");
        }
        let within = codes.get("operator").and_then(Node::text) == Some("In");
        let numbers: Vec<(&Node, i128)> =
            values.iter().filter_map(|node| Some((node, node.integer()?))).collect();
        let mut seen = HashSet::with_capacity(numbers.len());
        for (node, number) in &numbers {
            // `NotIn` may list 0, which changes nothing: containers that ended with 0 have not failed.
            if *number == 0 && within {
                let message = "exit code 0 is success: `In` never matches it";
                self.refuse(Code::BadExitCode, node.span, message, "leave it out");
            }
            if !seen.insert(*number) {
                let message = format!("duplicate exit code {number}");
                self.refuse(Code::NotAdmitted, node.span, message, "keep one of them");
            }
        }
        if !numbers.is_sorted_by_key(|(_, number)| *number) {
            let message = "the exit codes are not in ascending order";
            self.refuse(Code::NotAdmitted, list.span, message, "sort them");
        }
    }

    /// Returns whether the template has a container with this name. A template without containers counts as
    /// having it.
    fn has_container(&self, name: Option<&str>) -> bool {
        let lists = ["containers", "initContainers"];
        let lists = lists.map(|list| self.spec.at(&["template", "spec", list]).map(Node::items));
        let mut all = lists.into_iter().flatten().flatten().peekable();
        all.peek().is_none()
            || all.any(|container| container.get("name").and_then(Node::text) == name)
    }

    fn conditions(&mut self, head: Span, patterns: &[Node]) {
        if patterns.len() > MOST {
            let message = format!("{} conditions, and at most {MOST} are taken", patterns.len());
            self.refuse(Code::NotAdmitted, head, message, "use a second rule");
        }
        for kind in patterns.iter().filter_map(|pattern| pattern.get("type")) {
            if let Some(text) = kind.some_text().filter(|text| !is_qualified_name(text)) {
                let message = format!("invalid condition type `{text}`");
                let help = "write a name of letters, digits, `-`, `_` and `.`, perhaps behind a domain and `/`";
                self.refuse(Code::BadName, kind.span, message, help);
            }
        }
    }
}

/// Returns whether a text is one of Kubernetes' qualified names: a name of up to 63 characters, optionally
/// after a domain of up to 253 and a slash.
fn is_qualified_name(text: &str) -> bool {
    let (domain, name) = match text.split_once('/') {
        Some((domain, name)) => (Some(domain), name),
        None => (None, text),
    };
    let edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = name.as_bytes();
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let label = |label: &str| {
        let bytes = label.as_bytes();
        let inner = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        edge(bytes.first()) && edge(bytes.last()) && bytes.iter().all(inner)
    };
    bytes.len() <= 63
        && edge(bytes.first())
        && edge(bytes.last())
        && bytes.iter().all(inner)
        && domain.is_none_or(|domain| domain.len() <= 253 && domain.split('.').all(label))
}
