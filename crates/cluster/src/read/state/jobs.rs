//! Reads the jobs of a state file, and their gangs.

use super::super::located::{items, quantities, text, whole};
use super::super::requirements::requirements;
use super::StateReader;
use crate::job::{Gang, Job, JobIndex, Run, Shape};
use crate::nodes::{NodeSpec, Nodes};
use crate::settings::Settings;
use document::Node;
use document::diag::{Code, did_you_mean};
use std::collections::{BTreeMap, HashMap};

/// The jobs of a state, in the order of their ids.
#[derive(Default)]
pub(super) struct Jobs {
    pub(super) all: Vec<Job>,
    pub(super) ids: Vec<String>,
    pub(super) unlisted_queues: BTreeMap<JobIndex, String>,
    pub(super) shapes: Vec<Shape>,
    pub(super) gangs: Vec<Gang>,
    pub(super) gang_ids: Vec<String>,
}

/// Lookup tables for reading jobs.
struct Known<'n> {
    queues: HashMap<&'n str, usize>,
    nodes: HashMap<&'n str, usize>,
    shapes: HashMap<Shape, usize>,
    /// The position of each gang and the node of its first member, by queue and id.
    gangs: HashMap<(&'n str, &'n str), (usize, &'n Node)>,
}

impl Jobs {
    pub(super) fn read<'n>(
        reader: &mut StateReader<'_, '_>,
        root: &'n Node,
        queues: &BTreeMap<&'n str, &'n Node>,
        nodes: &'n [NodeSpec],
    ) -> Self {
        let mut ids = HashMap::new();
        for node in items(root, "jobs") {
            // A job without an id has a finding of its own.
            if let Some(at) = node.get("id").filter(|id| id.some_text().is_some()) {
                reader.reader.register_name(&mut ids, ("job", text(node, "id")), at.span);
            }
        }
        // By id, so that the order of the file decides nothing.
        let mut sorted: Vec<&Node> = items(root, "jobs").iter().collect();
        sorted.sort_by(|a, b| text(a, "id").cmp(text(b, "id")));
        let mut known = Known {
            queues: queues.keys().enumerate().map(|(at, name)| (*name, at)).collect(),
            nodes: nodes.iter().enumerate().map(|(at, node)| (node.id.as_str(), at)).collect(),
            shapes: HashMap::new(),
            gangs: HashMap::new(),
        };
        let mut jobs = Self::default();
        for (index, node) in (0..).zip(sorted) {
            jobs.add(reader, index, node, &mut known);
        }
        jobs.check_gangs(reader, &known);
        jobs.check_nodes(reader, root, nodes);
        jobs
    }

    fn add<'n>(
        &mut self,
        reader: &mut StateReader<'_, '_>,
        index: JobIndex,
        node: &'n Node,
        known: &mut Known<'n>,
    ) {
        let queue = text(node, "queue");
        let position = known.queues.get(queue).copied();
        if position.is_none() {
            warn_of_queue(reader, node, known);
            self.unlisted_queues.insert(index, queue.to_owned());
        }
        let shape = shape(reader, node);
        let class = shape.class;
        let shape = *known.shapes.entry(shape).or_insert_with_key(|shape| {
            self.shapes.push(shape.clone());
            self.shapes.len() - 1
        });
        let gang = self.gang(reader, index, node, known);
        self.ids.push(text(node, "id").to_owned());
        self.all.push(Job {
            queue: position,
            shape,
            priority: whole(node, "prio").unwrap_or_default(),
            submitted: order(node, "submit"),
            gang,
            run: run(reader, node, class, known),
        });
    }

    /// Returns the gang of a job, and adds the job to it.
    fn gang<'n>(
        &mut self,
        reader: &mut StateReader<'_, '_>,
        index: JobIndex,
        node: &'n Node,
        known: &mut Known<'n>,
    ) -> Option<usize> {
        let gang = node.get("gang")?;
        let cardinality = whole(gang, "card").unwrap_or_default();
        // A gang of one job is none (semantics.md, section 9).
        if cardinality < 2 {
            return None;
        }
        let label = text(gang, "label");
        let key = (text(node, "queue"), text(gang, "id"));
        let (position, first) = *known.gangs.entry(key).or_insert_with(|| {
            self.gangs.push(Gang {
                cardinality: cardinality as usize,
                uniformity_label: Some(label.into()).filter(|_| !label.is_empty()),
                members: Vec::new(),
            });
            self.gang_ids.push(key.1.to_owned());
            (self.gangs.len() - 1, gang)
        });
        for field in ["card", "label"] {
            if text_of(first, field) != text_of(gang, field)
                && reader.is_reported("members of one gang that differ")
            {
                let message =
                    format!("`{field}` differs from that of another member of `{}`", key.1);
                let help = "write the same for all members, or another gang id".to_owned();
                let span = gang.get(field).map_or(gang.span, |node| node.span);
                reader.reader.error(Code::OtherForm, span, message, help);
            }
        }
        self.gangs[position].members.push(index);
        Some(position)
    }

    /// Warns of queued gangs that are not complete, and of gangs with too many members.
    fn check_gangs(&self, reader: &mut StateReader<'_, '_>, known: &Known<'_>) {
        // In the order of the jobs: a hash map has another order each time.
        let mut gangs: Vec<_> = known.gangs.values().collect();
        gangs.sort_by_key(|(position, _)| *position);
        for (position, node) in gangs {
            let (gang, id) = (&self.gangs[*position], &self.gang_ids[*position]);
            let is_queued = |job: &JobIndex| self.all[*job as usize].run.is_none();
            let queued = gang.members.iter().copied().filter(is_queued).count();
            let (message, help) = if queued > 0 && queued < gang.cardinality {
                let all = gang.cardinality;
                (
                    format!(
                        "{queued} of {all} members of the gang `{id}` are queued: it does not start"
                    ),
                    "list all of its members, or change `card`".to_owned(),
                )
            } else if gang.members.len() > gang.cardinality {
                let (all, card) = (gang.members.len(), gang.cardinality);
                (
                    format!("the gang `{id}` has {all} members, more than its `card` {card}"),
                    format!("change `card` to {all}, or write another gang id for some of them"),
                )
            } else {
                continue;
            };
            if reader.is_reported("gangs of another size") {
                reader.reader.warning(Code::Misleading, node.span, message, help);
            }
        }
    }

    /// Warns of nodes whose running jobs request more than their capacity.
    fn check_nodes(&self, reader: &mut StateReader<'_, '_>, root: &Node, nodes: &[NodeSpec]) {
        let mut used = vec![reader.settings.resources.zero(); nodes.len()];
        for job in &self.all {
            if let Some(run) = job.run.filter(|run| run.is_bound) {
                used[run.node].add(&self.shapes[job.shape].request);
            }
        }
        for (position, (used, node)) in used.iter().zip(nodes).enumerate() {
            let amounts = used.as_slice().iter().zip(node.total.as_slice());
            let Some(lacking) = amounts.into_iter().position(|(used, total)| used > total) else {
                continue;
            };
            if reader.is_reported("overcommitted nodes") {
                let resources = &reader.settings.resources;
                let message = format!(
                    "the running jobs of node `{}` request {} {}, and it has {}",
                    node.id,
                    resources.text(used, lacking),
                    resources.names()[lacking],
                    resources.text(&node.total, lacking),
                );
                let span = items(root, "nodes").get(position).map_or(root.span, |node| node.span);
                let help = "check the `node` of these jobs: the round may evict those that are preemptible";
                reader.reader.warning(Code::Misleading, span, message, help.to_owned());
            }
        }
    }

    /// Binds the running jobs to their nodes.
    pub(super) fn bind(&self, settings: &Settings, nodes: &mut Nodes) {
        for (index, job) in (0..).zip(&self.all) {
            let Some(run) = job.run.filter(|run| run.is_bound) else { continue };
            let shape = &self.shapes[job.shape];
            let cutoff = nodes.cutoff(settings, shape.class, run.priority);
            nodes.bind(run.node, index, &shape.request, cutoff);
        }
    }
}

fn shape(reader: &mut StateReader<'_, '_>, node: &Node) -> Shape {
    let request = node.get("req");
    if let Some(request) = request {
        reader.check_amounts(request);
    }
    let span = node.get("pc").map_or(node.span, |class| class.span);
    Shape {
        class: reader.class(text(node, "pc"), span),
        request: reader.settings.resources.of_job(request.into_iter().flat_map(quantities)),
        requirements: requirements(reader.reader, node, "selector"),
    }
}

/// Returns the run of a job that has a node.
fn run(
    reader: &mut StateReader<'_, '_>,
    node: &Node,
    class: usize,
    known: &Known<'_>,
) -> Option<Run> {
    let Some(of_run) = node.get("node") else {
        for key in ["at", "started", "unbound"] {
            if let Some(value) = node.get(key)
                && reader.is_reported("queued jobs with fields of a run")
            {
                let message = format!("`{key}` has no effect on a queued job");
                let help = "remove it, or add `node`".to_owned();
                reader.reader.warning(Code::Misleading, value.span, message, help);
            }
        }
        return None;
    };
    let id = of_run.text().unwrap_or_default();
    let Some(position) = known.nodes.get(id).copied() else {
        if reader.is_reported("unknown nodes") {
            let message = format!("the node `{id}` of job `{}` is not listed", text(node, "id"));
            let help = did_you_mean(id, known.nodes.keys().copied()).map_or_else(
                || "add it to the nodes, or remove the job's `node`".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            reader.reader.error(Code::UndefinedName, of_run.span, message, help);
        }
        return None;
    };
    let at = node.get("at").and_then(Node::integer).and_then(|at| i32::try_from(at).ok());
    Some(Run {
        node: position,
        priority: at.unwrap_or(reader.settings.classes[class].priority),
        started: order(node, "started"),
        is_bound: node.get("unbound").and_then(Node::boolean) != Some(true),
    })
}

fn warn_of_queue(reader: &mut StateReader<'_, '_>, node: &Node, known: &Known<'_>) {
    let queue = text(node, "queue");
    if reader.is_reported("queues that are not listed") {
        let message = format!("the queue `{queue}` is not listed: the job is not considered");
        let help = did_you_mean(queue, known.queues.keys().copied()).map_or_else(
            || "add it to `queues`".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        let span = node.get("queue").map_or(node.span, |queue| queue.span);
        reader.reader.warning(Code::Misleading, span, message, help);
    }
}

/// Returns the text of the scalar under a key.
fn text_of<'n>(node: &'n Node, key: &str) -> &'n str {
    node.get(key).and_then(Node::scalar).map_or("", |scalar| scalar.text.as_str())
}

/// Reads a number of which only the order matters.
fn order(node: &Node, key: &str) -> i64 {
    let number = node.get(key).and_then(Node::integer);
    number.and_then(|number| i64::try_from(number).ok()).unwrap_or_default()
}
