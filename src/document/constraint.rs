//! What must hold between the fields of one mapping.

use super::check::Checker;
use super::{Constraint, Node, Shape};
use crate::diag::Span;

/// Reports the constraints of `shape` that `node` breaks; `head` is where the mapping as a whole
/// is pointed at.
pub(super) fn constraints(checker: &mut Checker<'_>, node: &Node, shape: &Shape, head: Span) {
    // A misspelt or misplaced field has been reported as such; that it is missing is no news.
    let strange = node
        .entries()
        .iter()
        .any(|entry| shape.fields.iter().all(|field| !field.name.eq_ignore_ascii_case(&entry.key)));
    for constraint in shape.constraints {
        match constraint {
            Constraint::AtLeastOne { fields, code, message, help } => {
                if !strange && fields.iter().all(|field| checker.is_absent(node, field)) {
                    let finding = checker.error(*code, head, *message).help(*help);
                    checker.push(finding);
                }
            }
            Constraint::ExactlyOne { fields, code, none, several, help } => {
                let given = fields.iter().filter(|field| !checker.is_absent(node, field));
                let message = match given.count() {
                    1 => continue,
                    0 if strange => continue,
                    0 => none,
                    _ => several,
                };
                let finding = checker.error(*code, head, *message).help(*help);
                checker.push(finding);
            }
            Constraint::Needs { field, needs, code, message, help } => {
                if !strange && !checker.is_absent(node, field) && checker.is_absent(node, needs) {
                    let span = checker.written(node, field).map_or(head, |entry| entry.key_span);
                    let finding = checker.error(*code, span, *message).help(*help);
                    checker.push(finding);
                }
            }
        }
    }
}
