//! Reads cluster files.

use super::super::resources::GPU;
use super::super::scheduling::Scheduling;
use super::super::settings::Settings;
use super::super::spec::{Cluster, ClusterSpec, NodeTemplate};
use super::cluster_shape::{CLUSTER_FILE, MAX_NODES};
use super::located::{Reader, items, labels, near_resource, quantities, taints, text, whole};
use super::{CLUSTER_LABEL, only_document};
use document::diag::{Code, Findings, Source, Span};
use document::{Entry, KeyCase, Node, check};
use std::collections::HashMap;
use std::sync::Arc;

/// Reads a cluster file, with amounts in the units of a configuration. Without one, the default
/// units are used, and the resources are not looked up.
pub fn read_cluster(
    source: &Arc<Source>,
    config: Option<&Scheduling>,
) -> (Option<ClusterSpec>, Findings) {
    let (document, mut findings) = only_document(source, CLUSTER_FILE.name);
    let Some(document) = document else { return (None, findings) };
    check(source, &document.root, &CLUSTER_FILE, KeyCase::Exact, &mut findings);
    let defaults = Scheduling::default();
    let mut reader = Reader::new(&document, findings);
    let spec = ClusterReader {
        settings: config.unwrap_or(&defaults).settings(),
        is_config_known: config.is_some(),
        reader: &mut reader,
    }
    .read(&document.root);
    ((!reader.findings.has_errors()).then_some(spec), reader.findings)
}

struct ClusterReader<'a, 'd> {
    settings: &'a Settings,
    is_config_known: bool,
    reader: &'a mut Reader<'d>,
}

impl ClusterReader<'_, '_> {
    fn read(mut self, root: &Node) -> ClusterSpec {
        let mut names = HashMap::new();
        let mut nodes = 0;
        let mut clusters = Vec::new();
        for node in items(root, "clusters") {
            if let Some(name) = node.get("name").filter(|name| name.some_text().is_some()) {
                let pair = ("cluster", name.text().unwrap_or_default());
                self.reader.register_name(&mut names, pair, name.span);
            }
            clusters.push(self.cluster(node));
            let numbers = items(node, "nodeTemplates").iter().filter_map(|it| whole(it, "number"));
            let before = nodes;
            nodes += numbers.map(u64::from).sum::<u64>();
            // Reported once, at the cluster that exceeds the limit.
            if before <= MAX_NODES && nodes > MAX_NODES {
                let message = format!("there are {nodes} nodes; at most {MAX_NODES} are simulated");
                let help = "lower `number`".to_owned();
                self.reader.error(Code::TooMuch, node.span, message, help);
            }
        }
        ClusterSpec {
            clusters,
            pending_delay: self.reader.distribution(root, "pendingDelayDistribution"),
            resubmission_delay: self.reader.distribution(root, "workflowManagerDelayDistribution"),
        }
    }

    fn cluster(&mut self, node: &Node) -> Cluster {
        let name = text(node, "name");
        let templates = items(node, "nodeTemplates").iter();
        Cluster {
            name: name.to_owned(),
            pool: text(node, "pool").to_owned(),
            node_templates: templates.map(|template| self.template(template, name)).collect(),
        }
    }

    fn template(&mut self, node: &Node, cluster: &str) -> NodeTemplate {
        let resources = node.at(&["totalResources", "resources"]);
        if let Some(resources) = resources.filter(|_| self.is_config_known) {
            warn_of_unsupported(self.reader, self.settings, resources);
        }
        let labels = labels(node, "labels");
        if let Some(label) = labels.get(CLUSTER_LABEL).filter(|label| *label != cluster) {
            let message = format!("`{CLUSTER_LABEL}: {label}` has no effect");
            let help = format!("remove it; the label's value is the cluster's name, `{cluster}`");
            let span = node.at(&["labels", CLUSTER_LABEL]).map_or(Span::default(), |it| it.span);
            self.reader.warning(Code::Misleading, span, message, help);
        }
        let types = &self.settings.resources;
        let total = types.of_node(resources.into_iter().flat_map(quantities));
        let gpus = types.position(GPU).and_then(|position| total.as_slice().get(position)).copied();
        NodeTemplate {
            number: whole(node, "number").unwrap_or(0),
            failure: self.reader.node_failures(node, gpus > Some(0)),
            total,
            labels,
            taints: taints(node),
        }
    }
}

/// Warns of resources that the scheduler does not count.
pub(super) fn warn_of_unsupported(reader: &mut Reader<'_>, settings: &Settings, resources: &Node) {
    for entry in resources.entries() {
        if settings.resources.position(&entry.key).is_none() {
            unsupported(reader, settings, entry);
        }
    }
}

/// Warns of a resource that the scheduler does not count.
pub(super) fn unsupported(reader: &mut Reader<'_>, settings: &Settings, entry: &Entry) {
    let message = format!("`{}` is not counted: it is not a supported resource", entry.key);
    let near = near_resource(&entry.key, settings.resources.names());
    let help = near.map_or_else(
        || "add it to `supportedResourceTypes`, or remove it".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    reader.warning(Code::Misleading, entry.key_span, message, help);
}
