//! Reads the nodes of a state file, or uses those of a cluster file.

use super::super::located::{items, labels, quantities, taints, text};
use super::{StateFile, StateReader};
use crate::nodes::{NodeSpec, Nodes};
use crate::spec::ClusterSpec;
use document::Node;
use document::diag::{Code, did_you_mean};
use std::collections::HashMap;

impl StateReader<'_, '_> {
    /// Returns the name of the pool, and its nodes.
    pub(super) fn pool_nodes(
        &mut self,
        file: &StateFile,
        clusters: Option<&ClusterSpec>,
    ) -> Option<(String, Vec<NodeSpec>)> {
        let root = &self.reader.document.root;
        if file.has_nodes() {
            return Some((file.pool().unwrap_or_default().to_owned(), self.nodes(root)));
        }
        let Some(clusters) = clusters else {
            let message = "the state has no `nodes`".to_owned();
            let help = "add `nodes`, or a cluster file with `--cluster FILE`".to_owned();
            self.reader.error(Code::MissingField, root.span, message, help);
            return None;
        };
        let pools: Vec<&str> = clusters.pools().into_iter().collect();
        let pool = match (file.pool(), pools.as_slice()) {
            (Some(pool), _) => pool,
            (None, [only]) => only,
            (None, _) => {
                let message = "the state has no `pool`, and the cluster file has several";
                let help = format!("add `pool`: {}", pools.join(", "));
                self.reader.error(Code::MissingField, root.span, message.to_owned(), help);
                return None;
            }
        };
        if !pools.contains(&pool) {
            let span = root.get("pool").map_or(root.span, |node| node.span);
            let message = format!("the cluster file has no pool `{pool}`");
            let help = did_you_mean(pool, pools.iter().copied()).map_or_else(
                || format!("its pools are {}", pools.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            self.reader.error(Code::UndefinedName, span, message, help);
        }
        Some((pool.to_owned(), clusters.nodes_of_pool(pool)))
    }

    fn nodes(&mut self, root: &Node) -> Vec<NodeSpec> {
        let mut ids = HashMap::new();
        let mut specs = Vec::new();
        for node in items(root, "nodes") {
            let id = text(node, "id");
            if let Some(at) = node.get("id").filter(|_| !id.is_empty()) {
                self.reader.register_name(&mut ids, ("node", id), at.span);
            }
            let amounts = node.get("resources");
            if let Some(amounts) = amounts {
                self.check_amounts(amounts);
            }
            let resources = &self.settings.resources;
            specs.push(NodeSpec {
                id: id.to_owned(),
                total: resources.of_node(amounts.into_iter().flat_map(quantities)),
                labels: labels(node, "labels").into(),
                taints: taints(node).into(),
                is_unschedulable: node.get("unschedulable").and_then(Node::boolean) == Some(true),
            });
        }
        specs
    }

    /// Sets the free amounts that nodes have by priority.
    pub(super) fn set_free(&mut self, root: &Node, nodes: &mut Nodes) {
        for (position, node) in items(root, "nodes").iter().enumerate() {
            for entry in node.get("allocatable").map(Node::entries).unwrap_or_default() {
                let Ok(priority) = entry.key.parse::<i32>() else {
                    let message = format!("`{}` is not a priority", entry.key);
                    let help = "write the priority of a class, such as `1000`".to_owned();
                    self.reader.error(Code::OutOfRange, entry.key_span, message, help);
                    continue;
                };
                let free = self.settings.resources.of_node(quantities(&entry.value));
                nodes.set_free(position, priority, free);
            }
        }
    }
}
