//! Workflows of Argo with their status, as `kubectl get workflows -o json` and `argo get -o json` print them. Each attempt
//! of a retry node that has ended is a record, and so is each pod of a template without a retry strategy.
//!
//! The fields are those of `NodeStatus`, and the attempts of a retry node those of `getChildNodeIdsRetried` (argo-workflows
//! v4.0.5, `pkg/apis/workflow/v1alpha1/workflow_types.go` and `workflow/controller/operator.go`). Releases before 3.5 have no
//! `nodeFlag`: there an attempt is a child with the name of the retry node and its number in parentheses.

use super::elements::{Elements, Next, Piece};
use super::json;
use super::record::SystemRecord;
use super::sink::{Fault, SourceSink};
use super::sketch::Sketch;
use crate::history::skipped_entries::SkippedKind;
use crate::history::unit_outcome::UnitOutcome;
use document::diag::Diagnostic;
use document::units::Time;
use serde::Deserialize;
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufRead};
use std::ops::ControlFlow;

/// The beginnings of the messages of nodes that ended because their workflow was stopped or reached its deadline
/// (`processNodeRetries`, `applyExecutionControl`).
const STOPS: [&str; 3] = [
    "Stopped with strategy ",
    "retry exceeded workflow deadline ",
    "workflow shutdown with strategy:",
];

#[derive(Deserialize)]
struct Workflow {
    kind: Option<String>,
    #[serde(default)]
    metadata: Metadata,
    status: Option<Status>,
}

#[derive(Deserialize, Default)]
struct Metadata {
    name: Option<String>,
    namespace: Option<String>,
    uid: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Status {
    nodes: Option<BTreeMap<String, Node>>,
    /// The nodes, where they exceed 1 MiB.
    compressed_nodes: Option<String>,
    /// The version of the nodes in a database, where they exceed 1 MiB compressed.
    offload_node_status_version: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    name: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    template_name: Option<String>,
    template_ref: Option<TemplateRef>,
    phase: Option<String>,
    message: Option<String>,
    started_at: Option<String>,
    finished_at: Option<String>,
    children: Option<Vec<String>>,
    host_node_name: Option<String>,
    outputs: Option<Outputs>,
    #[serde(rename = "nodeFlag")]
    flag: Option<NodeFlag>,
}

#[derive(Deserialize)]
struct TemplateRef {
    template: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outputs {
    exit_code: Option<String>,
}

#[derive(Deserialize)]
struct NodeFlag {
    #[serde(default)]
    retried: bool,
}

/// A retry node, or the pod of a template without a strategy, with its attempts.
struct Unit<'n> {
    node: &'n Node,
    attempts: Vec<&'n Node>,
}

/// The workflows that were read, and how many entries were passed over.
#[derive(Default)]
struct Workflows {
    seen: HashSet<String>,
    repeated: usize,
    without_nodes: usize,
    others: usize,
    ongoing: usize,
    elsewhere: usize,
}

/// Whether an object has the keys of a workflow, or of a list of them.
pub(super) fn has_keys(sketch: &Sketch) -> bool {
    let is_argo = sketch.is_one_of("apiVersion", &["argoproj.io/v1alpha1"]);
    let is_workflow = is_argo && sketch.is_one_of("kind", &["Workflow", "WorkflowList"]);
    is_workflow || sketch.has_kind_in_list("items", "Workflow")
}

/// Reads the attempts of workflows.
pub(super) fn read(
    name: &str,
    bytes: &mut dyn BufRead,
    sink: &mut dyn SourceSink<SystemRecord>,
) -> io::Result<()> {
    let mut elements = Elements::new(name, "items", bytes);
    let mut workflows = Workflows::default();
    loop {
        let flow = match elements.next()? {
            Next::End => break,
            Next::Broken(fault) => sink.bad(None, fault),
            Next::Piece(piece) => match json::read(piece.text, || piece.source()) {
                Ok(workflow) => workflows.take(&piece, workflow, sink),
                Err(fault) => sink.bad(None, fault),
            },
        };
        if flow.is_break() {
            return Ok(());
        }
    }
    workflows.finish(sink);
    Ok(())
}

impl Workflows {
    /// Passes on the attempts of the nodes of a workflow, in the order in which the nodes began.
    fn take(
        &mut self,
        piece: &Piece<'_>,
        workflow: Workflow,
        sink: &mut dyn SourceSink<SystemRecord>,
    ) -> ControlFlow<()> {
        if workflow.kind.as_deref().is_some_and(|kind| kind != "Workflow") {
            self.others += 1;
            return ControlFlow::Continue(());
        }
        let Metadata { name, namespace, uid } = &workflow.metadata;
        let Some(name) = json::non_empty(name.as_ref()) else {
            return sink.bad(None, piece.fault("the workflow has no `metadata.name`").into());
        };
        // Kubernetes' own default.
        let namespace = json::non_empty(namespace.as_ref()).unwrap_or("default");
        let status = workflow.status.unwrap_or_default();
        if let Some(fault) = status.stored_elsewhere(piece, name) {
            return sink.bad(None, fault);
        }
        // A workflow comes twice where the lists of several calls are joined.
        if !self.seen.insert(uid.clone().unwrap_or_else(|| format!("{namespace}/{name}"))) {
            self.repeated += 1;
            return ControlFlow::Continue(());
        }
        let nodes = status.nodes.unwrap_or_default();
        self.without_nodes += usize::from(nodes.is_empty());
        for unit in self.units(&nodes) {
            let Some(name) = unit.node.name.as_deref() else { continue };
            self.unit(piece, &format!("{namespace}/{name}"), &unit, sink)?;
        }
        ControlFlow::Continue(())
    }

    /// Returns the retry nodes and the pods of templates without a strategy, in the order in which they began.
    fn units<'n>(&mut self, nodes: &'n BTreeMap<String, Node>) -> Vec<Unit<'n>> {
        let mut units = Vec::new();
        let mut attempted: HashSet<&str> = HashSet::new();
        for node in nodes.values().filter(|node| node.is_of("Retry")) {
            let children = node.children.iter().flatten().map(String::as_str);
            let children = children.filter_map(|id| Some((id, nodes.get(id)?)));
            let retried: Vec<_> = children.filter(|(_, child)| child.is_attempt_of(node)).collect();
            attempted.extend(retried.iter().map(|(id, _)| *id));
            units.push(Unit {
                node,
                attempts: retried.into_iter().map(|(_, child)| child).collect(),
            });
        }
        let pods =
            nodes.iter().filter(|(id, node)| node.is_of("Pod") && !attempted.contains(id.as_str()));
        for (_, node) in pods {
            // A template of another document has no strategy here that could be replayed.
            if node.template_ref.is_some() || json::non_empty(node.template_name.as_ref()).is_none()
            {
                self.elsewhere += 1;
                continue;
            }
            units.push(Unit { node, attempts: vec![node] });
        }
        // Units are passed on in the order of their begin, as the map is in that of ids.
        units.sort_by(|one, other| one.node.order().cmp(&other.node.order()));
        units
    }

    /// Passes on the attempts of a node that have ended.
    fn unit(
        &mut self,
        piece: &Piece<'_>,
        id: &str,
        unit: &Unit<'_>,
        sink: &mut dyn SourceSink<SystemRecord>,
    ) -> ControlFlow<()> {
        let count = unit.attempts.len();
        let mut has_ended = false;
        for (number, attempt) in unit.attempts.iter().enumerate() {
            let Some(phase) = attempt.final_phase() else {
                self.ongoing += usize::from(attempt.is_open());
                continue;
            };
            has_ended = true;
            // Only the last attempt can be cut off by a stop of its node.
            let is_stopped = attempt.is_stopped() || number + 1 == count && unit.node.is_stopped();
            // A success before the stop stays a success.
            let outcome = if is_stopped && phase != "Succeeded" { "Stopped" } else { phase };
            match attempt.record(id, piece.line, outcome, unit.node) {
                Ok(record) => sink.record(record)?,
                Err(message) => {
                    let fault = piece.fault(format!("node `{id}`: {message}"));
                    sink.bad(Some(id), fault.into())?;
                }
            }
        }
        if has_ended && unit.node.is_open() {
            sink.outcome(id.to_owned(), Some(UnitOutcome::Open));
        }
        ControlFlow::Continue(())
    }

    fn finish(self, sink: &mut dyn SourceSink<SystemRecord>) {
        let words = ["attempt that has not ended", "attempts that have not ended"];
        sink.skipped_entries(SkippedKind::NotEnded, self.ongoing, words);
        let words = ["workflow without nodes", "workflows without nodes"];
        sink.skipped_entries(SkippedKind::NeverRan, self.without_nodes, words);
        let words = [
            "pod of a template without a name or of another document",
            "pods of templates without a name or of other documents",
        ];
        sink.skipped_entries(SkippedKind::Other, self.elsewhere, words);
        let words = ["workflow that is listed again", "workflows that are listed again"];
        sink.skipped_entries(SkippedKind::Other, self.repeated, words);
        let words = ["object that is not a Workflow", "objects that are not Workflows"];
        sink.skipped_entries(SkippedKind::Other, self.others, words);
    }
}

impl Status {
    /// The finding that the nodes are not in the object, or not as JSON (`workflow/packer`, `workflow/hydrator`).
    fn stored_elsewhere(&self, piece: &Piece<'_>, name: &str) -> Option<Fault> {
        let is_compressed = json::non_empty(self.compressed_nodes.as_ref()).is_some();
        let is_offloaded = json::non_empty(self.offload_node_status_version.as_ref()).is_some();
        let state = match () {
            () if self.nodes.as_ref().is_some_and(|nodes| !nodes.is_empty()) => return None,
            () if is_compressed => "compressed",
            () if is_offloaded => "in the database of Argo's server",
            () => return None,
        };
        let fault: Diagnostic = piece.fault(format!("the nodes of workflow `{name}` are {state}"));
        Some(fault.help(format!("run `argo get {name} -o json`, which prints them")).into())
    }
}

impl Node {
    fn is_of(&self, kind: &str) -> bool {
        self.kind.as_deref() == Some(kind)
    }

    /// Whether it is an attempt of a retry node, and not the node of a hook.
    fn is_attempt_of(&self, retry: &Self) -> bool {
        if let Some(flag) = &self.flag {
            return flag.retried;
        }
        // Nodes of older releases have no flag, so that the name alone tells.
        let (Some(own), Some(retry)) = (&self.name, &retry.name) else { return false };
        let number = own.strip_prefix(retry.as_str()).and_then(|rest| rest.strip_prefix('('));
        let number = number.and_then(|rest| rest.strip_suffix(')'));
        number.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// The times and names by which nodes are ordered. Argo writes times in UTC.
    fn order(&self) -> (Option<&str>, Option<&str>) {
        (self.started_at.as_deref(), self.name.as_deref())
    }

    /// The phase with which an attempt has ended.
    fn final_phase(&self) -> Option<&'static str> {
        let phases = ["Succeeded", "Failed", "Error"];
        phases.into_iter().find(|phase| self.phase.as_deref() == Some(phase))
    }

    /// Whether it has not ended. A node that was skipped or omitted has no attempt.
    fn is_open(&self) -> bool {
        matches!(self.phase.as_deref(), None | Some("" | "Pending" | "Running"))
    }

    fn is_stopped(&self) -> bool {
        let message = self.message.as_deref().unwrap_or_default();
        STOPS.iter().any(|stop| message.starts_with(stop))
    }

    /// The record of an attempt of a node.
    ///
    /// # Errors
    ///
    /// The field that has an invalid value.
    fn record(
        &self,
        id: &str,
        line: usize,
        outcome: &str,
        unit: &Self,
    ) -> Result<SystemRecord, String> {
        let exit_code = self.outputs.as_ref().and_then(|outputs| outputs.exit_code.as_deref());
        let exit_code = exit_code.filter(|code| !code.is_empty()).map(|code| {
            code.parse::<i32>()
                .map_err(|_| format!("`outputs.exitCode`: `{code}` is not an exit code"))
        });
        let fields = json!({
            "template": unit.template().or(self.template()),
            "startedAt": time("startedAt", self.started_at.as_ref())?,
            "finishedAt": time("finishedAt", self.finished_at.as_ref())?,
            "node": self.host_node_name,
            "outcome": outcome,
            "exitCode": exit_code.transpose()?,
            "message": self.message,
        });
        Ok(SystemRecord::new(id, line, fields))
    }

    /// The name of its template, which may be one of another document.
    fn template(&self) -> Option<&str> {
        let other = self.template_ref.as_ref().and_then(|it| it.template.as_ref());
        json::non_empty(self.template_name.as_ref()).or(json::non_empty(other))
    }
}

fn time(key: &str, text: Option<&String>) -> Result<Option<String>, String> {
    Ok(json::time(key, text)?.map(|time: Time| time.to_string()))
}
