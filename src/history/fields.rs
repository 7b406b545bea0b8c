//! From a checked tree to a run record, and the rules that one record alone can break.

use super::clock::Clock;
use super::faults::ends_before_it_starts;
use super::record::{Container, Gang, Job, Outcome, Resources, RunRecord};
use crate::diag::{Code, Diagnostic, Findings};
use crate::document::{Document, Node};
use crate::units::{GoDuration, Quantity, Time};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a record says of its job; absent fields say nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct JobFields<S = String> {
    pub(crate) queue: Option<S>,
    pub(crate) job_set: Option<S>,
    pub(crate) annotations: Option<BTreeMap<S, S>>,
    pub(crate) resources: Option<Resources>,
    pub(crate) gang: Option<Gang<S>>,
}

/// A run, and whether its index was written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunFields<S = String> {
    pub(crate) run: RunRecord<S>,
    pub(crate) index: Option<u32>,
}

impl<S> Default for RunFields<S> {
    fn default() -> Self {
        Self { run: RunRecord::new(Outcome::Failed), index: None }
    }
}

impl<S> Default for JobFields<S> {
    fn default() -> Self {
        Self { queue: None, job_set: None, annotations: None, resources: None, gang: None }
    }
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
    pub(crate) fn differences(&self, later: &Self) -> impl Iterator<Item = &'static str> + use<> {
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

    /// The same where borrowed texts are asked for.
    pub(super) fn into_cow(self) -> JobFields<Cow<'static, str>> {
        let pairs = |all: BTreeMap<String, String>| {
            all.into_iter().map(|(key, value)| (Cow::Owned(key), Cow::Owned(value))).collect()
        };
        JobFields {
            queue: self.queue.map(Cow::Owned),
            job_set: self.job_set.map(Cow::Owned),
            annotations: self.annotations.map(pairs),
            resources: self.resources,
            gang: self
                .gang
                .map(|gang| Gang { id: Cow::Owned(gang.id), cardinality: gang.cardinality }),
        }
    }

    /// A job of which this is said, without runs.
    pub(crate) fn job(&self, id: &str) -> Job {
        Job {
            id: id.to_owned(),
            queue: self.queue.clone().unwrap_or_default(),
            job_set: self.job_set.clone().unwrap_or_default(),
            annotations: self.annotations.clone().unwrap_or_default(),
            resources: self.resources.unwrap_or_default(),
            gang: self.gang.clone(),
            runs: Vec::new(),
        }
    }
}

impl<S: AsRef<str>> JobFields<S> {
    /// The same with texts of its own.
    pub(crate) fn to_owned(&self) -> JobFields {
        let text = |text: &Option<S>| text.as_ref().map(|text| text.as_ref().to_owned());
        let pair = |(key, value): (&S, &S)| (key.as_ref().to_owned(), value.as_ref().to_owned());
        JobFields {
            queue: text(&self.queue),
            job_set: text(&self.job_set),
            annotations: self.annotations.as_ref().map(|all| all.iter().map(pair).collect()),
            resources: self.resources,
            gang: self.gang.as_ref().map(|gang| Gang {
                id: gang.id.as_ref().to_owned(),
                cardinality: gang.cardinality,
            }),
        }
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
    let mut time = |key: &str| time(document, node, key, clock, findings);
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

/// The time under a key, if there is one; a finding if the clock does not take it.
pub(super) fn time(
    document: &Document,
    node: &Node,
    key: &str,
    clock: &mut Clock,
    findings: &mut Findings,
) -> Option<Time> {
    let at = node.get(key)?;
    match clock.read(at.some_text()?) {
        Ok(time) => Some(time),
        Err(message) => {
            let finding = Diagnostic::error(Code::BadTime, document.place(at.span), message);
            findings.push(finding.help(clock.help));
            None
        }
    }
}

/// The rules that one record alone can break.
fn alone(document: &Document, node: &Node, run: &RunRecord, findings: &mut Findings) {
    if let Some((key, message)) = ends_before_it_starts(run.started_at, run.finished_at) {
        let span = node.get(key).map_or(node.span, |node| node.span);
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
