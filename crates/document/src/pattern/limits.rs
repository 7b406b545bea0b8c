//! Go's limits on a pattern: nesting, compiled size, memory.
//!
//! Owns the arithmetic, independent of the grammar. Go checks the compiled size only once a pattern has many
//! nodes and repeats; until then it allows more than its own limit. So this counts nodes as Go allocates
//! them, with reuse of freed ones, and starts its checks where Go does. Go also rewrites alternations
//! (`ab|ac` to `a[bc]`) before it measures them, and this does not: a pattern of thousands of alternatives
//! close to the limit may get a different result.

use super::ast::NodeId;
use super::error::PatternErrorKind as Kind;

/// The maximum of levels of nesting.
pub(super) const MAX_HEIGHT: u32 = 1000;
/// The maximum of instructions of a compiled pattern: 128 MiB of 40 bytes each.
const MAX_SIZE: u64 = (128 << 20) / 40;
/// The maximum of runes in all literals and classes: 128 MiB of 4 bytes each.
const MAX_RUNES: u64 = (128 << 20) / 4;
/// The maximum of a repeat count, and of the product of nested ones.
pub(super) const MAX_REPEAT: u32 = 1000;

/// The measures of a node's subtree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    pub(super) height: u32,
    /// The number of compiled instructions.
    size: u64,
    /// The largest product of repeat counts on a path to a leaf.
    pub(super) product: u32,
}

impl Measure {
    /// The measure of a node without children.
    pub(super) const LEAF: Self = Self { height: 1, size: 1, product: 1 };

    /// The measure of a list of siblings whose parent is removed.
    pub(super) fn dissolved(self) -> Self {
        Self { height: self.height - 1, ..self }
    }

    fn parent(self) -> Self {
        Self { height: self.height + 1, size: self.size.max(1), ..self }
    }

    pub(super) fn capture(self) -> Self {
        Self { size: self.size.saturating_add(2), ..self }.parent()
    }

    pub(super) fn repeat(self, min: u32, max: Option<u32>) -> Self {
        let copies = |n: u32| self.size.saturating_mul(n.into());
        let size = match (min, max) {
            (0, None) => self.size.saturating_add(2),
            (min, None) => copies(min).saturating_add(1),
            (min, Some(max)) => copies(max).saturating_add(max.saturating_sub(min).into()),
        };
        let product = match max {
            // Go does not count the content of a repeat of zero times.
            Some(0) => 1,
            _ => self.product.saturating_mul(max.unwrap_or(min).max(1)),
        };
        Self { size, product, ..self }.parent()
    }
}

/// The sum over siblings that become parts of one node.
#[derive(Debug)]
pub(super) struct Sum {
    total: Measure,
    parts: u64,
    /// Whether the last part is a class, which Go merges with a class after it.
    class: bool,
}

impl Sum {
    pub(super) fn new() -> Self {
        let total = Measure { height: 0, size: 0, product: 1 };
        Self { total, parts: 0, class: false }
    }

    pub(super) fn add(&mut self, part: Measure, class: bool) {
        // Neighbours of one class are a single instruction.
        if class && self.class {
            return;
        }
        self.class = class;
        self.parts += 1;
        self.total = Measure {
            height: self.total.height.max(part.height),
            size: self.total.size.saturating_add(part.size),
            product: self.total.product.max(part.product),
        };
    }

    pub(super) fn concat(self) -> Measure {
        self.total.parent()
    }

    /// The measure as an alternation: one more instruction per bar; a single class stays a class.
    pub(super) fn alternate(self) -> Measure {
        if self.class && self.parts == 1 {
            return Measure::LEAF;
        }
        let bars = self.parts.saturating_sub(1);
        let size = self.total.size.saturating_add(bars);
        Measure { size, ..self.total }.parent()
    }
}

/// The counts during the parsing of a pattern.
#[derive(Debug)]
pub(super) struct Limits {
    measures: Vec<Measure>,
    /// The nodes that Go would have allocated, and those of them that are free for reuse.
    allocated: u64,
    free: u64,
    runes: u64,
    /// The product of all repeat counts so far, nested or not.
    repeats: u64,
    /// Whether sizes are checked: the pattern has reached the counts at which Go starts its checks.
    suspect: bool,
}

impl Limits {
    pub(super) fn new() -> Self {
        Self {
            measures: Vec::with_capacity(8),
            allocated: 0,
            free: 0,
            runes: 0,
            repeats: 1,
            suspect: false,
        }
    }

    /// Stores the measure of the node that was just added to the tree.
    pub(super) fn record(&mut self, measure: Measure) {
        self.measures.push(measure);
    }

    /// Resets a node that is reused for a single character.
    pub(super) fn reset(&mut self, id: NodeId) {
        self.measures[id.index()] = Measure::LEAF;
    }

    pub(super) fn measure(&self, id: NodeId) -> Measure {
        self.measures[id.index()]
    }

    pub(super) fn allocate(&mut self) {
        if self.free > 0 {
            self.free -= 1;
        } else {
            self.allocated += 1;
        }
    }

    pub(super) fn release(&mut self) {
        self.free += 1;
    }

    /// Measures a literal again when it is pushed from a non-capturing group, as Go does.
    pub(super) fn measure_again(&mut self, id: NodeId, runes: u32) {
        self.measures[id.index()].size = u64::from(runes).max(1);
    }

    /// Adds runes to a literal. Once Go checks sizes, it does not update the measure of a literal that it has
    /// measured.
    pub(super) fn lengthen(&mut self, id: NodeId, runes: u32) {
        if !self.suspect {
            self.measures[id.index()].size = runes.into();
        }
    }

    pub(super) fn count_runes(&mut self, runes: u32) -> Result<(), Kind> {
        self.runes += u64::from(runes);
        if self.runes > MAX_RUNES {
            return Err(Kind::TooLarge);
        }
        Ok(())
    }

    /// Checks a node on top of the stack; `repeat` is its count if it is a repeat.
    pub(super) fn check(&mut self, id: NodeId, repeat: Option<u32>) -> Result<(), Kind> {
        if !self.suspect {
            let count = u64::from(repeat.unwrap_or(1).max(1));
            self.repeats = self.repeats.saturating_mul(count).min(MAX_SIZE);
            // As in Go's parser: sizes are computed only when the product of nodes and repeats comes near the limit.
            self.suspect = self.allocated >= MAX_SIZE / self.repeats;
        }
        let measure = self.measure(id);
        if self.suspect && measure.size > MAX_SIZE {
            return Err(Kind::TooLarge);
        }
        if measure.height > MAX_HEIGHT {
            return Err(Kind::NestsTooDeep);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::pattern::{Pattern, PatternErrorKind as Kind};

    fn kind(text: &str) -> Option<Kind> {
        Pattern::parse(text).err().map(|error| error.kind)
    }

    fn nested(open: &str, core: &str, close: &str, times: usize) -> String {
        open.repeat(times) + core + &close.repeat(times)
    }

    #[test]
    fn a_thousand_levels_and_no_more() {
        assert_eq!(kind(&nested("(", "", ")", 999)), None);
        assert_eq!(kind(&nested("(", "", ")", 1000)), Some(Kind::NestsTooDeep));
        assert_eq!(kind(&nested("(?:a", "b", ")*", 500)), None);
        assert_eq!(kind(&nested("(?:a", "b", ")*", 501)), Some(Kind::NestsTooDeep));
        // Non-capturing groups are no level of nesting, nor is a class made of alternatives.
        assert_eq!(kind(&nested("(?:.", "b", ")", 100_000)), None);
        assert_eq!(kind(&nested("(", "a|[b]", ")", 999)), None);
        // The missing end of an open group is reported first.
        assert_eq!(kind(&"(".repeat(5000)), Some(Kind::MissingParen));
    }

    #[test]
    fn size_is_checked_where_go_checks_it() {
        let repeated = |part: &str, times| format!("(?:{}){{1000}}", part.repeat(times));
        assert_eq!(kind(&repeated("[ab]", 3355)), None);
        assert_eq!(kind(&repeated("[ab]", 3356)), Some(Kind::TooLarge));
        assert_eq!(kind(&"a".repeat(3_400_000)), None);
        assert_eq!(kind(&repeated("a", 3400)), Some(Kind::TooLarge));
        assert_eq!(kind(&"x{1000}".repeat(3400)), Some(Kind::TooLarge));
        assert_eq!(kind(&"\\pL".repeat(27_000)), Some(Kind::TooLarge));
        // A literal in a group is measured as a whole when the group ends.
        let group = format!("(?:{}){{1000}}", "x".repeat(500));
        assert_eq!(kind(&group.repeat(6)), None);
        assert_eq!(kind(&group.repeat(7)), Some(Kind::TooLarge));
    }
}
