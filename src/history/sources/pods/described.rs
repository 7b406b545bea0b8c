//! Pods with the events about them, from a small file: what `kubectl get pod,event -o yaml` prints, or one pod.

use super::object::{Event, Pod};
use super::run::run_of_pod;
use super::status::kube_pod;
use crate::diag::{Code, Diagnostic, Findings, Source, json_message};
use crate::document::{Document, Limits, Node, json_of_any, parse};
use crate::history::armada::ArmadaRun;
use crate::history::kube_pod::{KubePod, PodEvent};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A pod, and the events about it in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DescribedPod {
    /// The pod.
    pub pod: KubePod,
    /// The events about it.
    pub events: Vec<PodEvent>,
    /// Its run as a record, if it has ended.
    pub run: Option<ArmadaRun>,
}

/// Reads the pods of a text in JSON or YAML: pods and events, one after another or in lists. An event belongs to the
/// pod that its `involvedObject` names; events about other objects are skipped.
pub fn described_pods(source: &Arc<Source>) -> (Vec<DescribedPod>, Findings) {
    let (documents, mut findings) = parse(source, Limits::HISTORY);
    let (mut pods, mut events) = (Vec::new(), Vec::new());
    for document in &documents {
        let root = &document.root;
        let objects = root.get("items").map_or(std::slice::from_ref(root), Node::items);
        for node in objects {
            let read = match node.get("kind").and_then(Node::text) {
                Some("Event") => object(document, node)
                    .map(|event: Event| events.push((event.object_name(), event.into_pod_event()))),
                _ => pod(document, node).map(|pod| pods.push(pod)),
            };
            findings.extend(read.err());
        }
    }
    for (name, event) in events {
        let found = pods.iter_mut().find(|it: &&mut DescribedPod| it.pod.qualified_name() == name);
        if let Some(described) = found {
            described.events.push(event);
        }
    }
    (pods, findings)
}

fn pod(document: &Document, node: &Node) -> Result<DescribedPod, Diagnostic> {
    let bad = |message: String| {
        let span = node.span.first_line(document.source.text());
        Diagnostic::error(Code::BadRecord, document.place(span), message)
    };
    if node.get("status").is_none() {
        let message = "this is not a pod: it has no `status`".to_owned();
        return Err(bad(message).help("give what `kubectl get pod NAME -o yaml` prints"));
    }
    let pod: Pod = object(document, node)?;
    let described = kube_pod(&pod).map_err(bad)?;
    let end = run_of_pod(pod).map_err(|(_, message)| bad(message))?;
    Ok(DescribedPod { pod: described, events: Vec::new(), run: end.map(|end| end.run.own) })
}

fn object<T: DeserializeOwned>(document: &Document, node: &Node) -> Result<T, Diagnostic> {
    serde_json::from_str(&json_of_any(node)).map_err(|error| {
        let message = error.to_string();
        let message = json_message(message.split(" at line ").next().unwrap_or_default());
        let span = node.span.first_line(document.source.text());
        let message = format!("invalid record: {message}");
        Diagnostic::error(Code::BadRecord, document.place(span), message)
    })
}
