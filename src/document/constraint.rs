//! What must hold between the fields of one mapping.

use super::check::Checker;
use super::{Constraint, Node, Shape};
use crate::diag::Span;

/// Reports the constraints of `shape` that `node` breaks; `head` is where the mapping as a whole
/// is pointed at.
pub(super) fn constraints(checker: &mut Checker<'_>, node: &Node, shape: &Shape, head: Span) {
    for constraint in shape.constraints {
        match constraint {
            Constraint::AtLeastOne { fields, code, message, help } => {
                // A misspelt matcher has been reported as such; that it is missing is no news.
                let strange = node.entries().iter().any(|entry| shape.field(&entry.key).is_none());
                if !strange
                    && fields
                        .iter()
                        .all(|field| node.entry(field).is_none_or(|e| e.value.is_null()))
                {
                    let finding = checker.error(*code, head, *message).help(*help);
                    checker.push(finding);
                }
            }
            Constraint::ExactlyOne { fields, code, none, several, help } => {
                let given: Vec<_> = fields.iter().filter_map(|field| node.get(field)).collect();
                let message = match given.len() {
                    1 => continue,
                    0 => none,
                    _ => several,
                };
                let finding = checker.error(*code, head, *message).help(*help);
                checker.push(finding);
            }
            Constraint::Needs { field, needs, code, message, help } => {
                if node.get(field).is_some() && node.get(needs).is_none() {
                    let span = node.entry(field).map_or(head, |entry| entry.key_span);
                    let finding = checker.error(*code, span, *message).help(*help);
                    checker.push(finding);
                }
            }
        }
    }
}
