//! Slips among fields that are passed over.
//!
//! Owns the warning about a key that nobody reads and that was probably meant to be one that is
//! read. Such a key is no error: the document is somebody else's, and may have fields of which
//! nothing is known here.

use super::check::{Checker, no_field};
use super::{Entry, Node, Shape};
use crate::diag::{Code, slip_of};

impl Checker<'_> {
    /// Warns of a key that is a slip of a field which is not there. `name` is what the mapping is
    /// called in messages.
    pub(super) fn slip(&mut self, entry: &Entry, node: &Node, shape: &'static Shape, name: &str) {
        let names = shape.fields.iter().map(|field| field.name);
        let Some(meant) = slip_of(&entry.key, names) else { return };
        if self.is_absent(node, meant) {
            let message = no_field(shape, name, &entry.key);
            let finding = self.warning(Code::UnknownField, entry.key_span, message);
            self.push(finding.help(format!("did you mean `{meant}`? as it is, it is not read")));
        }
    }
}
