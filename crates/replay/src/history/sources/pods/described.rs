//! Pods with the events about them, from a small file: what `kubectl get pod,event -o yaml` prints, or one pod.

use super::element::Element as _;
use super::object::{Event, Pod};
use super::run::run_of_pod;
use super::status::kube_pod;
use super::yaml::Object;
use crate::disruption::Disruptions;
use crate::history::armada::ArmadaRun;
use crate::history::kube_pod::{KubePod, PodEvent};
use crate::history::sources::sink::Fault;
use document::diag::{Findings, Source};
use document::{Limits, Node, parse};
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
        let nodes = root.get("items").map_or(std::slice::from_ref(root), Node::items);
        for node in nodes {
            let object = Object { document, node };
            let read = match node.get("kind").and_then(Node::text) {
                Some("Event") => object
                    .read()
                    .map(|event: Event| events.push((event.object_name(), event.into_pod_event()))),
                _ => pod(&object).map(|pod| pods.push(pod)),
            };
            findings.extend(read.err().map(|fault| *fault));
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

fn pod(object: &Object<'_>) -> Result<DescribedPod, Fault> {
    let bad = |message: String| Fault::from(object.fault(message));
    if object.node.get("status").is_none() {
        let fault = object.fault("this is not a pod: it has no `status`".to_owned());
        return Err(fault.help("give what `kubectl get pod NAME -o yaml` prints").into());
    }
    let pod: Pod = object.read()?;
    let described = kube_pod(&pod).map_err(bad)?;
    let end = run_of_pod(pod, &Disruptions::default()).map_err(|(_, message)| bad(message))?;
    Ok(DescribedPod { pod: described, events: Vec::new(), run: end.map(|end| end.run.own) })
}
