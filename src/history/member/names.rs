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
    /// Whether nobody asks where runs were.
    anywhere: bool,
}

impl Names {
    /// Names for those who do not ask where runs were.
    pub(crate) fn without_places() -> Self {
        Self { anywhere: true, ..Self::default() }
    }

    /// The name of a node or of a cluster, kept if anybody asks.
    pub(super) fn place(&mut self, name: &str) -> Option<Arc<str>> {
        (!self.anywhere).then(|| self.kept(name))
    }

    /// The name, kept; it shares its room with those before that read the same.
    pub(super) fn kept(&mut self, name: &str) -> Arc<str> {
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
