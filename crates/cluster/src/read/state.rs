//! Reads state files: a pool before a round.

mod jobs;
mod nodes;
mod queues;

use super::super::scheduling::Scheduling;
use super::super::settings::Settings;
use super::super::spec::ClusterSpec;
use super::super::state::PoolState;
use super::Profile;
use super::cluster::unsupported;
use super::located::{Reader, quantity};
use super::only_document_within;
use super::scheduling::scheduling_of;
use super::state_shape::STATE_FILE;
use document::diag::{Code, Findings, Source, Span, did_you_mean};
use document::{Document, KeyCase, Limits, Node, check};
use jobs::Jobs;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// A state file with a checked shape.
#[derive(Debug)]
pub struct StateFile {
    document: Document,
}

impl StateFile {
    /// Parses a state file and checks its shape.
    pub fn parse(source: &Arc<Source>) -> (Option<Self>, Findings) {
        let (document, mut findings) =
            only_document_within(source, STATE_FILE.name, Limits::HISTORY);
        let Some(document) = document else { return (None, findings) };
        check(source, &document.root, &STATE_FILE, KeyCase::Exact, &mut findings);
        ((!findings.has_errors()).then_some(Self { document }), findings)
    }

    /// Returns the name of the pool.
    pub fn pool(&self) -> Option<&str> {
        self.document.root.get("pool").and_then(Node::text)
    }

    /// Returns whether the file has a configuration.
    pub fn has_config(&self) -> bool {
        self.document.root.get("config").is_some()
    }

    /// Returns whether the file has nodes.
    pub fn has_nodes(&self) -> bool {
        self.document.root.get("nodes").is_some()
    }

    /// Returns the configuration, with the defaults of a profile for absent keys.
    pub fn scheduling(&self, profile: Profile) -> (Option<Scheduling>, Findings) {
        match self.document.root.get("config") {
            None => (Some(Scheduling::of_profile(profile)), Findings::new()),
            Some(config) => {
                let source = self.document.source.clone();
                scheduling_of(Document { source, root: config.clone() }, profile, Findings::new())
            }
        }
    }

    /// Reads the pool before the round. `clusters` has its nodes if the file has none.
    pub fn read(
        &self,
        scheduling: &Scheduling,
        clusters: Option<&ClusterSpec>,
    ) -> (Option<PoolState>, Findings) {
        let mut reader = Reader::new(&self.document, Findings::new());
        let settings = scheduling.of_pool(self.pool().unwrap_or_default());
        let state = StateReader::new(settings, &mut reader).read(self, scheduling, clusters);
        (state.filter(|_| !reader.findings.has_errors()), reader.findings)
    }
}

/// The maximum number of reported findings per kind. A state of many jobs may have one for each job.
const MAX_REPEATED: usize = 10;

struct StateReader<'a, 'd> {
    settings: Settings,
    reader: &'a mut Reader<'d>,
    /// Unsupported resources that have been reported.
    unsupported: HashSet<String>,
    /// The number of findings of each kind.
    repeated: BTreeMap<&'static str, usize>,
}

impl<'a, 'd> StateReader<'a, 'd> {
    fn new(settings: Settings, reader: &'a mut Reader<'d>) -> Self {
        Self { settings, reader, unsupported: HashSet::new(), repeated: BTreeMap::new() }
    }

    fn read(
        mut self,
        file: &StateFile,
        scheduling: &Scheduling,
        clusters: Option<&ClusterSpec>,
    ) -> Option<PoolState> {
        let root = &self.reader.document.root;
        let (pool, specs) = self.pool_nodes(file, clusters)?;
        self.settings = scheduling.of_pool(&pool);
        let mut total = self.settings.capacity_without_nodes();
        for node in &specs {
            total.add(&node.total);
        }
        let queue_nodes = self.queue_nodes(root);
        let jobs = Jobs::read(&mut self, root, &queue_nodes, &specs);
        let mut nodes = super::super::nodes::Nodes::new(&self.settings, specs);
        self.set_free(root, &mut nodes);
        jobs.bind(&self.settings, &mut nodes);
        let queues = self.queues(&queue_nodes, &jobs, &total);
        self.report_omitted(root.span);
        Some(PoolState {
            seed: 1,
            pool,
            queues,
            queue_names: queue_nodes.into_keys().map(str::to_owned).collect(),
            tokens: root.get("tokens").and_then(Node::number),
            priorities: std::collections::HashMap::new(),
            avoided: std::collections::HashMap::new(),
            settings: self.settings,
            jobs: jobs.all,
            job_ids: jobs.ids,
            unlisted_queues: jobs.unlisted_queues,
            shapes: jobs.shapes,
            gangs: jobs.gangs,
            gang_ids: jobs.gang_ids,
            nodes,
            total,
        })
    }

    /// Returns whether a finding of this kind is reported: only the first few are.
    fn is_reported(&mut self, kind: &'static str) -> bool {
        let count = self.repeated.entry(kind).or_default();
        *count += 1;
        *count <= MAX_REPEATED
    }

    /// Reports the number of omitted findings of each kind.
    fn report_omitted(&mut self, span: Span) {
        for (kind, count) in &self.repeated {
            if let Some(more) = count.checked_sub(MAX_REPEATED).filter(|more| *more > 0) {
                let message = format!("{more} more findings about {kind} are left out");
                let help = "fix the findings above first".to_owned();
                self.reader.warning(Code::Misleading, span, message, help);
            }
        }
    }

    /// Warns of resources that are not counted, once for each.
    fn warn_of_unsupported(&mut self, amounts: &Node) {
        for entry in amounts.entries() {
            if self.settings.resources.position(&entry.key).is_none()
                && self.unsupported.insert(entry.key.clone())
            {
                unsupported(self.reader, &self.settings, entry);
            }
        }
    }

    /// Warns of amounts that are not counted, or not in full.
    fn check_amounts(&mut self, amounts: &Node) {
        self.warn_of_unsupported(amounts);
        for entry in amounts.entries() {
            let Some(position) = self.settings.resources.position(&entry.key) else { continue };
            let amount = quantity(&entry.value);
            let counted = amount.map(|amount| self.settings.resources.scaled(position, amount));
            if counted == Some(i64::MAX) && self.is_reported("amounts that are too large") {
                let most = self.settings.resources.amount_text(i64::MAX, position);
                let message = format!("`{}` counts as {most}, the largest amount", entry.key);
                let help = "write a smaller amount".to_owned();
                self.reader.warning(Code::Misleading, entry.value.span, message, help);
            }
        }
    }

    /// Returns the class with a name; if there is none, the default class, with a warning.
    fn class(&mut self, name: &str, span: Span) -> usize {
        let classes = &self.settings.classes;
        let position = self.settings.class_position(name);
        let is_known = name.is_empty() || classes.iter().any(|class| class.name == name);
        if !is_known && self.is_reported("unknown priority classes") {
            let classes = &self.settings.classes;
            let message =
                format!("the class `{name}` is not defined; `{}` is used", classes[position].name);
            let names = classes.iter().map(|class| class.name.as_str());
            let help = did_you_mean(name, names).map_or_else(
                || "add it to `priorityClasses`".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            self.reader.warning(Code::Misleading, span, message, help);
        }
        position
    }
}
