//! How much of a document is read before it is refused.

/// Bounds on one text, so that no input can make reading it hang or fill the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a text.
    pub bytes: usize,
    /// Collections inside one another.
    pub depth: usize,
    /// Nodes that aliases and merge keys may add to a text, all together.
    pub copied_nodes: usize,
}

impl Limits {
    /// For what people write by hand: policies, queues, configuration, tests.
    pub const POLICY: Self = Self { bytes: 8 << 20, depth: 64, copied_nodes: 100_000 };
    /// For recorded histories in one document. More than this belongs in JSON Lines.
    pub const HISTORY: Self = Self { bytes: 64 << 20, depth: 64, copied_nodes: 1_000_000 };
}
