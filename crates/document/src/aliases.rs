//! Aliases and merge keys: resolved by copying nodes, within [`Limits::copied_nodes`](super::Limits).

use super::node::MERGE_KEY;
use super::parse::{Abandoned, Read, Reader};
use super::{Entry, Node, NodeKind};
use crate::diag::{Code, Findings, Span};
use std::collections::HashSet;

impl Reader<'_> {
    /// Applies YAML's merge keys: the mapping's own entries win over merged ones, earlier merged mappings
    /// over later ones.
    pub(super) fn merge(
        &mut self,
        entries: &mut Vec<Entry>,
        merges: Vec<Node>,
        findings: &mut Findings,
    ) -> Read<()> {
        if merges.is_empty() {
            return Ok(());
        }
        // A set, as a search of the list for each merged key would take quadratic time.
        let mut keys: HashSet<String> = entries.iter().map(|entry| entry.key.clone()).collect();
        for node in merges {
            let span = node.span;
            if node.is_broken_alias(self.source.text()) {
                // The entry stays, so that the check does not report fields that the merge would
                // have added.
                let key = MERGE_KEY.to_owned();
                entries.push(Entry { key, key_span: span, value: node });
                continue;
            }
            let sources = match node.kind {
                NodeKind::Map(_) => vec![node],
                NodeKind::List(items)
                    if items.iter().all(|item| matches!(item.kind, NodeKind::Map(_))) =>
                {
                    items
                }
                _ => {
                    let message = "only a mapping or a list of mappings can be merged";
                    let help = "write `<<: *name`, with the anchor of a mapping";
                    findings.push(self.error(Code::UnknownAlias, span, message).help(help));
                    continue;
                }
            };
            for source in sources {
                self.charge(source.weight(), span, findings)?;
                for entry in source.entries() {
                    if keys.insert(entry.key.clone()) {
                        entries.push(entry.clone());
                    }
                }
            }
        }
        Ok(())
    }

    /// Copies the anchored node. The copy keeps the spans of the original, so findings point at the
    /// anchor.
    pub(super) fn copy_anchored(
        &mut self,
        id: usize,
        span: Span,
        findings: &mut Findings,
    ) -> Read<Node> {
        let Some(node) = self.anchors.get(&id) else {
            let message = "an alias inside the value that it refers to";
            let help = "write the value out instead";
            findings.push(self.error(Code::UnknownAlias, span, message).help(help));
            return Err(Abandoned);
        };
        let copy = node.clone();
        self.charge(copy.weight(), span, findings)?;
        Ok(copy)
    }

    pub(super) fn charge(&mut self, nodes: usize, span: Span, findings: &mut Findings) -> Read<()> {
        self.copied_nodes += nodes;
        if self.copied_nodes <= self.limits.copied_nodes {
            return Ok(());
        }
        let message =
            format!("aliases and merges copy more than {} values", self.limits.copied_nodes);
        let help = "write the values out where they are used";
        findings.push(self.error(Code::TooMuch, span, message).help(help));
        Err(Abandoned)
    }
}
