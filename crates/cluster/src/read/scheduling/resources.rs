//! Reads the supported resources, the indexes of nodes by resources, and the costs of resources.

use super::super::super::resources::{Amounts, ResourceTypes};
use super::super::super::settings::{IndexedResource, Settings};
use super::super::located::{Reader, items, near_resource, quantity, text, texts};
use super::defaults::{default_indexes, default_multipliers};
use document::Node;
use document::diag::{Code, Place};
use document::units::Quantity;
use std::collections::{BTreeMap, HashMap};

const FLOATING: &str = "floatingResources";
const COSTS: &str = "dominantResourceFairnessResourcesToConsider";
const WEIGHTED_COSTS: &str = "experimentalDominantResourceFairnessResourcesToConsider";

impl Settings {
    /// Reads the settings that depend on the supported resources alone.
    pub(super) fn read_resources(&mut self, reader: &mut Reader<'_>) {
        let root = &reader.document.root;
        let is_supported_set = root.get("supportedResourceTypes").is_some();
        if is_supported_set || root.get(FLOATING).is_some() {
            let mut names = HashMap::new();
            if is_supported_set {
                self.resources = supported(reader, root, &mut names);
            }
            add_floating(reader, root, &mut names, &mut self.resources);
            let count = self.resources.names().len();
            self.round_fractions = vec![1.0; count];
            for class in &mut self.classes {
                class.queue_fractions = vec![f64::INFINITY; count];
            }
        }
        self.indexed_resources = if root.get("indexedResources").is_some() {
            indexed(reader, root, &self.resources)
        } else {
            default_indexes(&self.resources)
        };
        self.multipliers = multipliers(reader, root, &self.resources);
    }
}

/// Returns the fraction of each resource; infinite if it is absent.
pub(super) fn fractions(resources: &ResourceTypes, node: Option<&Node>) -> Vec<f64> {
    let of = |name: &String| node?.get(name)?.number();
    resources.names().iter().map(|name| of(name).unwrap_or(f64::INFINITY)).collect()
}

/// The first place of each name of a resource.
type Names = HashMap<String, Place>;

fn supported(reader: &mut Reader<'_>, root: &Node, names: &mut Names) -> ResourceTypes {
    let mut types = Vec::new();
    for node in items(root, "supportedResourceTypes") {
        let name = text(node, "name");
        let span = node.get("name").map_or(node.span, |name| name.span);
        if reader.register_name(names, ("resource", name), span) {
            types.push((name, resolution(node)));
        }
    }
    ResourceTypes::new(types)
}

/// Adds the floating resources, whose names differ from those of supported resources.
fn add_floating(
    reader: &mut Reader<'_>,
    root: &Node,
    names: &mut Names,
    types: &mut ResourceTypes,
) {
    for node in items(root, FLOATING) {
        let name = text(node, "name");
        let span = node.get("name").map_or(node.span, |name| name.span);
        if !reader.register_name(names, ("resource", name), span) {
            continue;
        }
        if types.position(name).is_some() {
            let message = format!("`{name}` is supported by default");
            let help = "rename it, or write `supportedResourceTypes` without it".to_owned();
            reader.error(Code::DuplicateDocument, span, message, help);
            continue;
        }
        types.add_floating(name, resolution(node));
    }
}

/// Returns what each pool has of the floating resources.
pub(super) fn floating_by_pool(
    reader: &mut Reader<'_>,
    types: &ResourceTypes,
) -> BTreeMap<String, Amounts> {
    let root = &reader.document.root;
    let mut all: BTreeMap<String, Amounts> = BTreeMap::new();
    for node in items(root, FLOATING) {
        let mut names = HashMap::new();
        for pool in items(node, "pools") {
            let name = text(pool, "name");
            let span = pool.get("name").map_or(pool.span, |name| name.span);
            let amount = pool.get("quantity").and_then(quantity).unwrap_or_default();
            if reader.register_name(&mut names, ("pool", name), span) {
                let amounts = all.entry(name.to_owned()).or_insert_with(|| types.zero());
                amounts.add(&types.of_pool([(text(node, "name"), amount)]));
            }
        }
    }
    all
}

fn resolution(node: &Node) -> Quantity {
    node.get("resolution").and_then(quantity).unwrap_or_default()
}

fn indexed(
    reader: &mut Reader<'_>,
    root: &Node,
    resources: &ResourceTypes,
) -> Vec<IndexedResource> {
    let mut names = HashMap::new();
    let mut all = Vec::new();
    for node in items(root, "indexedResources") {
        let Some(name) = node.get("name") else { continue };
        let Some(text) = name.some_text() else { continue };
        if !reader.register_name(&mut names, ("indexed resource", text), name.span) {
            continue;
        }
        let Some(position) = resources.position(text) else {
            let message = format!("indexed resource `{text}` is not supported");
            let near = near_resource(text, resources.names());
            let help = near.map_or_else(
                || "add it to `supportedResourceTypes`, or remove it".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            reader.error(Code::UndefinedName, name.span, message, help);
            continue;
        };
        if resources.is_floating(position) {
            let message = format!("`{text}` is a floating resource: no node has an amount of it");
            // Only a warning, as Armada's scheduler starts with it.
            reader.warning(Code::Misleading, name.span, message, "remove it".to_owned());
            continue;
        }
        let resolution = resources.scaled(position, resolution(node)).max(1);
        all.push(IndexedResource { position, resolution });
    }
    all
}

fn multipliers(reader: &mut Reader<'_>, root: &Node, resources: &ResourceTypes) -> Vec<f64> {
    let mut all = vec![0.0; resources.names().len()];
    match (root.entry(COSTS).filter(|it| !it.value.is_null()), root.get(WEIGHTED_COSTS)) {
        (None, None) => return default_multipliers(resources),
        (Some(entry), Some(_)) => {
            let message = format!("`{COSTS}` is set beside `{WEIGHTED_COSTS}`");
            let help = "remove one of them: Armada's scheduler does not start with both";
            reader.error(Code::OtherForm, entry.key_span, message, help.to_owned());
        }
        _ => {}
    }
    for (name, node) in texts(root, COSTS) {
        match resources.position(name) {
            Some(at) => all[at] = 1.0,
            None => warn_of_unsupported(reader, name, node),
        }
    }
    for node in items(root, WEIGHTED_COSTS) {
        let (name, at) = (text(node, "name"), node.get("name").unwrap_or(node));
        let multiplier = node.get("multiplier").and_then(Node::number);
        match resources.position(name) {
            Some(at) => all[at] = multiplier.filter(|number| *number > 0.0).unwrap_or(1.0),
            None => warn_of_unsupported(reader, name, at),
        }
    }
    all
}

fn warn_of_unsupported(reader: &mut Reader<'_>, name: &str, node: &Node) {
    let message = format!("`{name}` is left out of costs: it is not a supported resource");
    let help = "add it to `supportedResourceTypes`, or remove it".to_owned();
    reader.warning(Code::Misleading, node.span, message, help);
}
