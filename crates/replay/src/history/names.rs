//! Interns names that many records share: queues, nodes, clusters.

use hashbrown::HashSet;
use std::sync::Arc;

/// How many names are held at a time.
// Where every record has a name of its own interning saves nothing, and the table must not grow with the stream.
const MAX_NAMES: usize = 1 << 16;

/// Interned names.
#[derive(Debug, Default)]
pub(crate) struct Names {
    known: HashSet<Arc<str>>,
}

impl Names {
    /// The name, sharing its memory with earlier equal ones.
    pub(crate) fn intern(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.known.get(name) {
            return Arc::clone(known);
        }
        if self.known.len() == MAX_NAMES {
            self.known.clear();
        }
        let name: Arc<str> = name.into();
        self.known.insert(Arc::clone(&name));
        name
    }
}
