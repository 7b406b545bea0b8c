//! The input of lints: policies with the coverage of their rules, and the policies of each queue.

use super::input::LintInput;
use armada_retry::engine::Profile;
use armada_retry::policy::{
    Action, Coverage, Form, PolicyDocument, QueueDocument, RetryPolicy, Rule, RuleSet,
};
use document::diag::{Edit, Fix, Place, Source, Span};
use document::{Entry, Layout, Limits, Node};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use systems::correction_in;

/// Everything that is linted.
pub(super) struct Context<'d> {
    pub(super) input: &'d LintInput<'d>,
    pub(super) policies: Vec<Policy<'d>>,
    pub(super) queues: Vec<Queue<'d>>,
    /// The layouts of texts with findings that have a correction, by the address of the text.
    layouts: RefCell<HashMap<*const Source, Option<Rc<Layout>>>>,
}

pub(super) struct Policy<'d> {
    pub(super) found: &'d PolicyDocument,
    pub(super) rules: RuleSet<'d>,
    /// Whether the rules before each rule match all of its failures.
    pub(super) coverage: Vec<Coverage>,
}

/// The policies that are evaluated together for a queue.
pub(super) struct Queue<'d> {
    /// Its document; `None` for every queue.
    pub(super) found: Option<&'d QueueDocument>,
    /// The numbers of its policies in [`Context::policies`], in order.
    pub(super) policies: Vec<usize>,
    /// The names that no policy has, with their places.
    pub(super) missing: Vec<(&'d str, Option<Place>)>,
    /// The rules of its policies, concatenated.
    pub(super) rules: RuleSet<'d>,
    /// The policy and the number in it of each of these rules.
    pub(super) numbers: Vec<RuleNumber>,
}

/// The number of a policy in [`Context::policies`], and that of a rule in it.
pub(super) type RuleNumber = (usize, usize);

impl<'d> Context<'d> {
    pub(super) fn new(input: &'d LintInput<'d>) -> Self {
        let policies: Vec<Policy<'d>> = input.documents.policies.iter().map(Policy::new).collect();
        let queue = |found: &'d QueueDocument| Queue::new(Some(found), listed(found), &policies);
        let queues = if let Some(names) = input.queue_policies {
            let names = names.iter().map(|name| (name.as_str(), None)).collect();
            vec![Queue::new(None, names, &policies)]
        } else {
            input.documents.queues.iter().map(queue).collect()
        };
        Self { input, policies, queues, layouts: RefCell::default() }
    }

    /// A correction of a policy's document; `None` if its layout does not allow the edits, or a comment would be lost.
    pub(super) fn fix(
        &self,
        policy: &Policy<'_>,
        title: impl Into<String>,
        edits: impl FnOnce(&Layout) -> Option<Vec<Edit>>,
    ) -> Option<Fix> {
        let source = &policy.found.document.source;
        let mut layouts = self.layouts.borrow_mut();
        let layout = layouts
            .entry(Arc::as_ptr(source))
            .or_insert_with(|| Layout::of(source, Limits::POLICY).map(Rc::new));
        let layout = layout.as_ref()?;
        correction_in(layout, title, edits)
    }

    /// The policies that are evaluated together: those of each queue, and each that no queue uses.
    pub(super) fn sets(&self) -> Vec<Vec<usize>> {
        let mut sets: Vec<Vec<usize>> = Vec::new();
        for queue in &self.queues {
            if !queue.policies.is_empty() && !sets.contains(&queue.policies) {
                sets.push(queue.policies.clone());
            }
        }
        let unused = (0..self.policies.len()).filter(|at| !self.is_used(*at));
        sets.extend(unused.map(|at| vec![at]).collect::<Vec<_>>());
        sets
    }

    /// The policy of this name.
    pub(super) fn policy(&self, name: &str) -> Option<&Policy<'d>> {
        self.policies.iter().find(|policy| policy.name() == name)
    }

    /// Whether a queue uses a policy.
    pub(super) fn is_used(&self, policy: usize) -> bool {
        self.queues.iter().any(|queue| queue.policies.contains(&policy))
    }

    /// The configured `globalMaxRetries`, or its default if a configuration does not set it; `None` without a
    /// configuration.
    pub(super) fn global_max_retries(&self, form: Form) -> Option<u32> {
        let settings = self.input.scheduler?.settings;
        Some(settings.global_max_retries.unwrap_or(Profile::of(form).global_max_retries))
    }

    /// The configured or assumed `globalMaxRetries`.
    pub(super) fn assumed_max_retries(&self, form: Form) -> u32 {
        self.global_max_retries(form).unwrap_or(Profile::of(form).global_max_retries)
    }
}

/// The names that a Queue document lists, with their places.
fn listed(queue: &QueueDocument) -> Vec<(&str, Option<Place>)> {
    let root = &queue.document.root;
    let list = root.at(&["spec", "retryPolicies"]).or_else(|| root.get("retryPolicies"));
    let items = list.map(Node::items).unwrap_or_default();
    let place = |index: usize| items.get(index).map(|item| queue.document.place(item.span));
    let names = queue.queue.retry_policies.iter().enumerate();
    names.map(|(index, name)| (name.as_str(), place(index))).collect()
}

impl<'d> Queue<'d> {
    /// A queue with these names of policies, and their places. Without a document it is every queue.
    fn new(
        found: Option<&'d QueueDocument>,
        names: Vec<(&'d str, Option<Place>)>,
        all: &[Policy<'d>],
    ) -> Self {
        let (mut policies, mut missing) = (Vec::new(), Vec::new());
        for (name, place) in names {
            match all.iter().position(|policy| policy.name() == name) {
                Some(at) if policies.contains(&at) => {}
                // `v1beta1` evaluates only the policy that is named first (semantics.md, section 1).
                Some(at)
                    if all[at].policy().form == Form::V1beta1
                        && !(policies.is_empty() && missing.is_empty()) => {}
                Some(at) => policies.push(at),
                None => missing.push((name, place)),
            }
        }
        let numbers: Vec<RuleNumber> = policies
            .iter()
            .flat_map(|&at| (0..all[at].policy().rules.len()).map(move |number| (at, number)))
            .collect();
        let rules = RuleSet::new(policies.iter().flat_map(|&at| &all[at].policy().rules));
        Self { found, policies, missing, rules, numbers }
    }

    /// The queue in messages.
    pub(super) fn text(&self) -> String {
        let name = self.found.map(|found| format!("queue `{}`", found.queue.name));
        name.unwrap_or_else(|| "every queue".to_owned())
    }
}

impl<'d> Policy<'d> {
    fn new(found: &'d PolicyDocument) -> Self {
        let rules = RuleSet::new(&found.policy.rules);
        let coverage = rules.coverages();
        Self { found, rules, coverage }
    }

    pub(super) fn policy(&self) -> &'d RetryPolicy {
        &self.found.policy
    }

    pub(super) fn name(&self) -> &'d str {
        self.policy().name.as_str()
    }

    /// The rules, with their numbers and nodes.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (usize, &'d Rule, &'d Node)> {
        let found = self.found;
        let rules = found.policy.rules.iter().enumerate();
        rules.filter_map(|(number, rule)| Some((number, rule, found.rule(number)?)))
    }

    /// The limit of retries by a rule, or by the default for `None`; absent if only the global one applies.
    pub(super) fn limit(&self, rule: Option<&Rule>) -> Option<u32> {
        rule.and_then(|rule| rule.retry_limit).or_else(|| self.policy().limit())
    }

    /// Whether a rule is a Retry that some failure can reach.
    pub(super) fn can_retry(&self, number: usize) -> bool {
        let rule = self.policy().rules.get(number);
        let is_covered = self.coverage.get(number).is_some_and(Coverage::is_covered);
        !is_covered && rule.is_some_and(|rule| rule.action == Action::Retry)
    }

    /// The mapping with the policy's fields.
    pub(super) fn fields(&self) -> &'d Node {
        let root = &self.found.document.root;
        root.get("spec").unwrap_or(root)
    }

    /// A field of the policy.
    pub(super) fn field(&self, key: &str) -> Option<&'d Entry> {
        present(self.fields(), key)
    }

    /// A place in the policy's document.
    pub(super) fn place(&self, span: Span) -> Place {
        self.found.document.place(span)
    }

    /// The place of a rule.
    pub(super) fn rule_place(&self, number: usize) -> Place {
        let span = self.found.rule(number).map_or_else(Span::default, |node| node.span);
        self.place(span)
    }

    /// The place of the policy's name.
    pub(super) fn name_place(&self) -> Place {
        let root = &self.found.document.root;
        let name = root.at(&["metadata", "name"]).or_else(|| root.get("name"));
        self.place(name.unwrap_or(root).span)
    }

    /// The place of the default action, or of the policy's name if it is absent.
    pub(super) fn default_place(&self) -> Place {
        let field = self.field("defaultAction");
        field.map_or_else(|| self.name_place(), |field| self.place(field.value.span))
    }

    /// A rule in messages.
    pub(super) fn rule_name(&self, number: usize) -> String {
        format!("`{}[{number}]`", self.name())
    }
}

/// An entry that is not null.
pub(super) fn present<'n>(node: &'n Node, key: &str) -> Option<&'n Entry> {
    node.entry(key).filter(|entry| !entry.value.is_null())
}

/// The first entry of these keys that is not null.
pub(super) fn first_present<'n>(node: &'n Node, keys: &[&str]) -> Option<&'n Entry> {
    keys.iter().find_map(|key| present(node, key))
}

/// The scalars of a list, or the scalar itself.
pub(super) fn scalars(node: &Node) -> &[Node] {
    match node.items() {
        [] => std::slice::from_ref(node),
        items => items,
    }
}

/// The value of a limit.
pub(super) fn limit(node: &Node) -> Option<u64> {
    node.integer().and_then(|value| u64::try_from(value).ok())
}
