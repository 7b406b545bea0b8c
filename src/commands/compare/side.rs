//! A version of policies and queues, and the engines over it.

use crate::cli::Refusal;
use crate::report::{ComparedRule, RulePair};
use anyhow::Result;
use armada_retry::engine::compare::Side;
use armada_retry::engine::{Bindings, Evaluator, JobFields, Profile, Reload, RuleId};
use armada_retry::policy::{
    Documents, Form, OtherDocument, PolicyDocument, Queue, RetryPolicy, SchedulerSettings,
};
use document::Node;
use document::diag::{Place, Source, Span};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use systems::SystemName;
use systems::armada::Armada;

/// The policies and queues of one version, under a scheduler's settings.
pub(in crate::commands) struct Version {
    documents: Documents,
    settings: SchedulerSettings,
}

impl Version {
    pub(in crate::commands) fn new(documents: Documents, settings: SchedulerSettings) -> Self {
        Self { documents, settings }
    }

    pub(super) fn documents(&self) -> &Documents {
        &self.documents
    }

    /// The scheduler's settings.
    pub(super) fn settings(&self) -> &SchedulerSettings {
        &self.settings
    }

    /// The names of the policies.
    pub(super) fn policy_names(&self) -> Vec<&str> {
        self.documents.policies.iter().map(|found| found.policy.name.as_str()).collect()
    }

    /// The names of the queues.
    pub(super) fn queue_names(&self) -> impl Iterator<Item = &str> {
        self.documents.queues.iter().map(|found| found.queue.name.as_str())
    }

    /// The engine of one policy, which applies to all jobs.
    pub(in crate::commands) fn policy_engine(&self, name: &str) -> Armada {
        self.engine_of_policy(name, &[])
    }

    /// The engine of all policies, each queue with its list.
    pub(super) fn engine(&self) -> Armada {
        let bindings = Bindings { queues: self.lists(), is_complete: true, ..Bindings::default() };
        self.armada(self.policies(), bindings, &[])
    }

    /// The engine for the jobs of a history: of one policy, or of all with the lists of its queues that no document has.
    pub(super) fn engine_of_history(
        &self,
        policy: Option<&str>,
        queues: &[Queue],
        reloads: &[Reload],
    ) -> Armada {
        if let Some(name) = policy {
            return self.engine_of_policy(name, reloads);
        }
        let mut lists = self.lists();
        for queue in queues {
            lists.entry(queue.name.clone()).or_insert_with(|| queue.retry_policies.clone());
        }
        self.armada(self.policies(), Bindings { queues: lists, ..Bindings::default() }, reloads)
    }

    fn engine_of_policy(&self, name: &str, reloads: &[Reload]) -> Armada {
        let policies = self.policies().into_iter().filter(|policy| policy.name.as_str() == name);
        let bindings = Bindings { forced: Some(vec![name.to_owned()]), ..Bindings::default() };
        self.armada(policies.collect(), bindings, reloads)
    }

    fn policies(&self) -> Vec<Arc<RetryPolicy>> {
        self.documents.policies.iter().map(|found| Arc::clone(&found.policy)).collect()
    }

    /// The lists of the queues, by their names.
    fn lists(&self) -> HashMap<String, Vec<String>> {
        let queues = self.documents.queues.iter();
        queues.map(|found| (found.queue.name.clone(), found.queue.retry_policies.clone())).collect()
    }

    /// Policies of both forms are evaluated by the engine of `v1`.
    fn armada(
        &self,
        policies: Vec<Arc<RetryPolicy>>,
        bindings: Bindings,
        reloads: &[Reload],
    ) -> Armada {
        let is_v1 = policies.iter().any(|policy| policy.form == Form::V1);
        let profile = Profile::of(if is_v1 { Form::V1 } else { Form::V1beta1 });
        Armada::new(Evaluator::new(profile, policies, self.settings.clone(), reloads), bindings)
    }

    /// The names of the files with policies and queues, each once.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        let names: BTreeSet<&str> = self.sources().map(|source| source.name()).collect();
        names.into_iter()
    }

    /// The line of a place `file:line:column` from the column on.
    pub(super) fn place_at(&self, text: &str) -> Option<Place> {
        // From behind, since the name of a file may have colons.
        let mut parts = text.rsplitn(3, ':');
        let (column, line) =
            (parts.next()?.parse::<usize>().ok()?, parts.next()?.parse::<usize>().ok()?);
        let file = parts.next()?;
        let source = self.sources().find(|source| source.name() == file)?;
        let mut lines = source.text().split_inclusive('\n');
        let before: usize = lines.by_ref().take(line.checked_sub(1)?).map(str::len).sum();
        let own = lines.next()?;
        let start = own.char_indices().nth(column.checked_sub(1)?).map_or(own.len(), |(at, _)| at);
        Some(Place::new(source, Span::new(before + start, before + own.trim_end().len())))
    }

    fn sources(&self) -> impl Iterator<Item = &Arc<Source>> {
        let Documents { policies, queues, others, .. } = &self.documents;
        let policies = policies.iter().map(|found| &found.document.source);
        let queues = queues.iter().map(|found| &found.document.source);
        policies.chain(queues).chain(others.iter().map(|found| &found.document.source))
    }

    /// The place of the name of a queue.
    pub(super) fn place_of_queue(&self, name: &str) -> Option<Place> {
        let found = self.documents.queues.iter().find(|found| found.queue.name == name)?;
        let root = &found.document.root;
        let node = root.at(&["metadata", "name"]).or_else(|| root.get("name"));
        Some(found.document.place(node.unwrap_or(root).span))
    }

    /// The place of the name of a manifest of another system, whose name may follow its namespace.
    pub(super) fn place_of_manifest(&self, kind: &str, name: &str) -> Option<Place> {
        let place = |other: &OtherDocument| {
            let system = SystemName::from_document(other)?.description();
            let node = system.name_node(&other.document)?;
            let namespace = other.document.root.at(&["metadata", "namespace"]).and_then(Node::text);
            let own = node.text()?;
            let is_own = match namespace {
                Some(namespace) => name.strip_prefix(namespace)?.strip_prefix('/')? == own,
                None => name == own,
            };
            (is_own && system.manifest == kind).then(|| other.document.place(node.span))
        };
        self.documents.others.iter().find_map(place)
    }

    /// The place of a rule, or of the default action.
    pub(super) fn place(&self, policy: &str, index: Option<usize>) -> Option<Place> {
        let named = |found: &&PolicyDocument| found.policy.name.as_str() == policy;
        let PolicyDocument { document, .. } = self.documents.policies.iter().find(named)?;
        let root = &document.root;
        let spec = root.get("spec").unwrap_or(root);
        let node = match index {
            Some(index) => spec.get("rules").and_then(|rules| rules.items().get(index)),
            None => spec.get("defaultAction").or_else(|| root.at(&["metadata", "name"])),
        };
        let span = node.map(|node: &Node| node.span.first_line(document.source.text()))?;
        Some(document.place(span))
    }
}

/// The names of both versions in pairs: the same names, or the only one of each.
pub(super) fn pairs_by_name([old, new]: [Vec<&str>; 2]) -> Vec<[Option<&str>; 2]> {
    if let ([old], [new]) = (old.as_slice(), new.as_slice()) {
        return vec![[Some(old), Some(new)]];
    }
    let all: BTreeSet<&str> = old.iter().chain(&new).copied().collect();
    let pair = |name| [&old, &new].map(|names| names.contains(&name).then_some(name));
    all.into_iter().map(pair).collect()
}

/// The policies that apply to the jobs of a queue without annotations.
///
/// # Errors
///
/// If the list of the queue, or the scheduler's default, names a policy that does not exist.
pub(super) fn side<'e>(engine: &'e Armada, queue: &str) -> Result<Side<'e>> {
    let evaluator = engine.evaluator();
    let effective = engine.bindings().effective(evaluator, queue, &JobFields::default());
    if let Some(name) = effective.missing.first() {
        let message = format!("queue `{queue}`: the policy `{name}` does not exist");
        return Err(Refusal::input(message).help("give the file with it too").into());
    }
    Ok(Side { evaluator, route: evaluator.route(&effective.policies) })
}

/// The rules of a pair, with their places.
pub(super) fn rules(
    versions: &[&Version; 2],
    sides: &[Side<'_>; 2],
    ids: [Option<RuleId>; 2],
) -> RulePair {
    let [old, new] = [0, 1].map(|number| {
        let Some(id) = ids[number] else { return ComparedRule::default() };
        let evaluator = sides[number].evaluator;
        let name = evaluator.rule(id);
        let policy = evaluator.policies().iter().find(|policy| policy.name.as_str() == name.policy);
        let place = versions[number].place(name.policy, name.index);
        ComparedRule {
            policy: Some(name.policy.to_owned()),
            rule_index: name.index,
            description: policy.map(|policy| policy.description(name.index)),
            place: place.map(|place| place.to_string()),
        }
    });
    RulePair { old, new }
}
