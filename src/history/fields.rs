//! From a checked tree to a run record, and the rules that one record alone can break.

use super::clock::Clock;
use super::record::{Container, Gang, Outcome, Resources, RunRecord};
use crate::diag::{Code, Diagnostic, Findings};
use crate::document::{Document, Node};
use crate::units::{GoDuration, Quantity, Time};
use std::collections::BTreeMap;

/// What a record says of its job; absent fields say nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct JobFields {
    pub(super) queue: Option<String>,
    pub(super) job_set: Option<String>,
    pub(super) annotations: Option<BTreeMap<String, String>>,
    pub(super) resources: Option<Resources>,
    pub(super) gang: Option<Gang>,
}

/// A run, and whether its index was written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunFields {
    pub(super) run: RunRecord,
    pub(super) index: Option<u32>,
}

impl JobFields {
    pub(super) fn of(node: &Node) -> Self {
        let text = |key| node.get(key).and_then(Node::some_text).map(str::to_owned);
        Self {
            queue: text("queue"),
            job_set: text("jobSet"),
            annotations: node.get("annotations").map(annotations),
            resources: node.get("resources").map(resources),
            gang: node.get("gang").and_then(gang),
        }
    }

    /// What `self` says, else what `other` says, field by field.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            queue: self.queue.or(other.queue),
            job_set: self.job_set.or(other.job_set),
            annotations: self.annotations.or(other.annotations),
            resources: self.resources.or(other.resources),
            gang: self.gang.or(other.gang),
        }
    }

    /// The fields of which `later` says something else; what it does not say is no difference.
    pub(super) fn differences(&self, later: &Self) -> impl Iterator<Item = &'static str> {
        fn differs<T: PartialEq>(own: Option<&T>, later: Option<&T>) -> bool {
            later.is_some() && own != later
        }
        [
            ("queue", differs(self.queue.as_ref(), later.queue.as_ref())),
            ("jobSet", differs(self.job_set.as_ref(), later.job_set.as_ref())),
            ("annotations", differs(self.annotations.as_ref(), later.annotations.as_ref())),
            ("resources", differs(self.resources.as_ref(), later.resources.as_ref())),
            ("gang", differs(self.gang.as_ref(), later.gang.as_ref())),
        ]
        .into_iter()
        .filter_map(|(name, differs)| differs.then_some(name))
    }
}

fn annotations(node: &Node) -> BTreeMap<String, String> {
    let entries = node.entries().iter();
    entries.filter_map(|entry| Some((entry.key.clone(), entry.value.text()?.to_owned()))).collect()
}

fn resources(node: &Node) -> Resources {
    let quantity = |key| node.get(key).and_then(|node| Quantity::parse(&node.scalar()?.text).ok());
    Resources { cpu: quantity("cpu"), memory: quantity("memory"), gpu: quantity("nvidia.com/gpu") }
}

fn gang(node: &Node) -> Option<Gang> {
    let cardinality = u32::try_from(node.get("cardinality")?.integer()?).ok()?;
    Some(Gang { id: node.get("id")?.text()?.to_owned(), cardinality })
}

/// The run that a checked node says, unless it breaks a rule; then findings say which.
pub(super) fn run(
    document: &Document,
    node: &Node,
    clock: &mut Clock,
    findings: &mut Findings,
) -> Option<RunFields> {
    let text = |key| node.get(key).and_then(Node::some_text);
    let before = findings.len();
    let mut time = |key: &str| -> Option<Time> {
        let at = node.get(key)?;
        match clock.read(at.some_text()?) {
            Ok(time) => Some(time),
            Err(message) => {
                findings.push(
                    Diagnostic::error(Code::BadTime, document.place(at.span), message)
                        .help(clock.help),
                );
                None
            }
        }
    };
    let run = RunRecord {
        started_at: time("startedAt"),
        finished_at: time("finishedAt"),
        termination_confirmed_at: time("terminationConfirmedAt"),
        node: text("node").map(Into::into),
        cluster: text("cluster").map(str::to_owned),
        conditions: texts(node.get("conditions")),
        containers: node
            .get("containers")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(container)
            .collect(),
        category: text("category").map(str::to_owned),
        subcategory: text("subcategory").map(str::to_owned),
        termination_grace: node.get("terminationGracePeriodSeconds").and_then(seconds),
        ..RunRecord::new(Outcome::from_name(text("outcome")?)?)
    };
    alone(document, node, &run, findings);
    let index =
        node.get("runIndex").and_then(Node::integer).and_then(|index| u32::try_from(index).ok());
    (findings.len() == before).then_some(RunFields { run, index })
}

/// The rules that one record alone can break.
fn alone(document: &Document, node: &Node, run: &RunRecord, findings: &mut Findings) {
    if let (Some(start), Some(end)) = (run.started_at, run.finished_at)
        && end < start
    {
        let span = node.get("finishedAt").map_or(node.span, |node| node.span);
        let message = format!("the run finishes at {end}, before it starts at {start}");
        findings.push(Diagnostic::error(Code::BadRecord, document.place(span), message));
    }
    if let Some(number) = run.repeated_container() {
        let at = node.get("containers").and_then(|list| list.items().get(number));
        let span = at.and_then(|node| node.get("name")).map_or(node.span, |node| node.span);
        let message = format!("two containers are named `{}`", run.containers[number].name);
        findings.push(Diagnostic::error(Code::BadRecord, document.place(span), message));
    }
}

fn texts(node: Option<&Node>) -> Vec<String> {
    let items = node.map(Node::items).unwrap_or_default();
    items.iter().filter_map(|item| item.some_text().map(str::to_owned)).collect()
}

fn container(node: &Node) -> Option<Container> {
    let text = |key| node.get(key).and_then(Node::some_text).map(str::to_owned);
    Some(Container {
        name: text("name")?,
        init: node.get("init").and_then(Node::boolean) == Some(true),
        exit_code: node
            .get("exitCode")
            .and_then(Node::integer)
            .and_then(|code| i64::try_from(code).ok()),
        reason: text("reason"),
        message: text("message"),
    })
}

fn seconds(node: &Node) -> Option<GoDuration> {
    node.integer().and_then(|seconds| i64::try_from(seconds).ok()).map(GoDuration::from_secs)
}
