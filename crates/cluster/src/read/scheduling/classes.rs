//! Reads priority classes and the nodes that their jobs may use away.

use super::super::super::requirements::Taint;
use super::super::super::resources::ResourceTypes;
use super::super::super::settings::{AwayCondition, AwayEntry, AwayNodeType, PriorityClass};
use super::super::Scheduling;
use super::super::located::{Reader, items, quantity, taints, text};
use super::defaults::DEFAULT_CLASS;
use super::resources::fractions;
use document::diag::{Code, did_you_mean};
use document::{Entry, Node};
use std::cmp::Ordering;
use std::collections::HashMap;

/// The taints of well-known node types, by name.
type NodeTypes<'n> = HashMap<&'n str, Vec<Taint>>;

impl Scheduling {
    pub(super) fn read_classes(&mut self, reader: &mut Reader<'_>) {
        let root = &reader.document.root;
        let types = node_types(reader, root);
        if let Some(classes) = root.get("priorityClasses") {
            let mut entries: Vec<&Entry> = classes.entries().iter().collect();
            // By name, so that the order of the file decides nothing.
            entries.sort_by(|a, b| a.key.cmp(&b.key));
            // A duplicate key has been reported.
            entries.dedup_by(|a, b| a.key == b.key);
            self.settings.classes.clear();
            for entry in entries {
                let position = self.settings.classes.len();
                let resources = &self.settings.resources;
                let class = class(reader, resources, &types, entry);
                let by_pool = entry.value.get("maximumResourceFractionPerQueueByPool");
                for pool in by_pool.map(Node::entries).unwrap_or_default() {
                    let own = self.pools.entry(pool.key.clone()).or_default();
                    own.queue_fractions.insert(position, fractions(resources, Some(&pool.value)));
                }
                self.settings.classes.push(class);
            }
        }
        self.read_default_class(reader, root);
    }

    fn read_default_class(&mut self, reader: &mut Reader<'_>, root: &Node) {
        let classes = &self.settings.classes;
        let configured = root.get("defaultPriorityClassName").filter(|it| it.some_text().is_some());
        let name = configured.and_then(Node::text).unwrap_or(DEFAULT_CLASS);
        if let Some(position) = classes.iter().position(|class| class.name == name) {
            self.settings.default_class = position;
            return;
        }
        let Some(node) = configured.or_else(|| root.get("priorityClasses")) else { return };
        let names = classes.iter().map(|class| class.name.as_str());
        let (code, message, help) = match (configured, did_you_mean(name, names)) {
            (None, _) => (
                Code::MissingField,
                format!("there is no `defaultPriorityClassName` and no class `{DEFAULT_CLASS}`"),
                "add `defaultPriorityClassName` with one of the classes".to_owned(),
            ),
            (Some(_), near) => (
                Code::UndefinedName,
                format!("the default class `{name}` is not defined"),
                near.map_or_else(
                    || "add it to `priorityClasses`, or write one of those".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                ),
            ),
        };
        reader.error(code, node.span, message, help);
    }
}

fn node_types<'d>(reader: &mut Reader<'d>, root: &'d Node) -> NodeTypes<'d> {
    let mut names = HashMap::new();
    let mut types = NodeTypes::new();
    for node in items(root, "wellKnownNodeTypes") {
        let name = text(node, "name");
        if let Some(at) = node.get("name") {
            reader.register_name(&mut names, ("node type", name), at.span);
        }
        types.insert(name, taints(node));
    }
    types
}

fn class(
    reader: &mut Reader<'_>,
    resources: &ResourceTypes,
    types: &NodeTypes<'_>,
    entry: &Entry,
) -> PriorityClass {
    let node = &entry.value;
    let away = items(node, "awayNodeTypes").iter();
    PriorityClass {
        name: entry.key.clone(),
        priority: priority(node),
        is_preemptible: node.get("preemptible").and_then(Node::boolean).unwrap_or_default(),
        queue_fractions: fractions(resources, node.get("maximumResourceFractionPerQueue")),
        away: away.map(|away| away_node_type(reader, resources, types, away)).collect(),
    }
}

fn priority(node: &Node) -> i32 {
    let number = node.get("priority").and_then(Node::integer);
    number.and_then(|number| i32::try_from(number).ok()).unwrap_or_default()
}

fn away_node_type(
    reader: &mut Reader<'_>,
    resources: &ResourceTypes,
    types: &NodeTypes<'_>,
    node: &Node,
) -> AwayNodeType {
    let mut entries = Vec::new();
    if let Some(name) = node.get("wellKnownNodeTypeName").filter(|it| it.some_text().is_some()) {
        entries.push(AwayEntry { taints: taints_of_type(reader, types, name), condition: None });
    }
    for entry in items(node, "nodeTypes") {
        let taints =
            entry.get("name").map(|name| taints_of_type(reader, types, name)).unwrap_or_default();
        let conditions = items(entry, "conditions");
        if let Some(second) = conditions.get(1) {
            let message = "the condition has no effect: Armada tests only the first".to_owned();
            let help = "remove it, or write it first".to_owned();
            reader.warning(Code::Misleading, second.span, message, help);
        }
        let condition = conditions.first().map(|first| condition(resources, first));
        entries.push(AwayEntry { taints, condition });
    }
    if entries.is_empty() {
        let message = "the away node type names no node type".to_owned();
        let help = "add `nodeTypes: [{name: ..}]`".to_owned();
        reader.error(Code::MissingField, node.span, message, help);
    }
    AwayNodeType { priority: priority(node), entries }
}

/// Returns the taints of a well-known node type.
fn taints_of_type(reader: &mut Reader<'_>, types: &NodeTypes<'_>, name: &Node) -> Vec<Taint> {
    let Some(text) = name.some_text() else { return Vec::new() };
    if let Some(taints) = types.get(text) {
        return taints.clone();
    }
    let mut names: Vec<&str> = types.keys().copied().collect();
    names.sort_unstable();
    let help = did_you_mean(text, names).map_or_else(
        || "add it to `wellKnownNodeTypes`".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    let message = format!("the node type `{text}` is not defined");
    reader.error(Code::UndefinedName, name.span, message, help);
    Vec::new()
}

fn condition(resources: &ResourceTypes, node: &Node) -> AwayCondition {
    let value = node.get("value").and_then(quantity).unwrap_or_default().ceil();
    AwayCondition {
        position: resources.position(text(node, "resource")),
        ordering: match text(node, "operator") {
            ">" => Ordering::Greater,
            "<" => Ordering::Less,
            _ => Ordering::Equal,
        },
        value: i64::try_from(value).unwrap_or(i64::MAX),
    }
}
