//! Names that many records have in common, kept once.

use hashbrown::HashSet;
use std::sync::Arc;

/// So many names are known at a time. Where every record has one of its own there is nothing to
/// keep, and what is known must not grow with the stream.
const MOST: usize = 1 << 16;

/// The names of queues, nodes and clusters that were met.
#[derive(Debug, Default)]
pub(crate) struct Names {
    known: HashSet<Arc<str>>,
}

impl Names {
    /// The name, kept; it shares its room with those before that read the same.
    pub(crate) fn kept(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.known.get(name) {
            return Arc::clone(known);
        }
        if self.known.len() == MOST {
            self.known.clear();
        }
        let name: Arc<str> = name.into();
        self.known.insert(Arc::clone(&name));
        name
    }
}
