//! Adds nodes to the tree and to the parser's stack.
//!
//! Owns the tree's invariants: children come before parents, a node has one parent at most, neighbouring
//! characters are one literal. It reads no text.

use super::ast::{Assertion, Case, Children, Class, ClassItem, Node, NodeId, Rune, Slice};
use super::error::{PatternError, PatternErrorKind};
use super::limits::{Measure, Sum};
use super::parse::{Entry, Parser};

/// How to join neighbouring nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    Concat,
    Alternate,
}

/// Converts a length to the width of indices. A pattern of 4 GiB would saturate it; the limits refuse such a
/// pattern long before.
pub(super) fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl Parser<'_> {
    /// Adds a node to the tree, but not to the stack.
    pub(super) fn add(&mut self, node: Node, measure: Measure) -> NodeId {
        let id = NodeId(index(self.ast.nodes.len()));
        self.ast.nodes.push(node);
        self.ast.next.push(id);
        self.limits.record(measure);
        id
    }

    /// Pushes a node, and checks the limits of the pattern.
    pub(super) fn push(&mut self, id: NodeId) -> Result<(), PatternError> {
        self.merge_literals();
        self.stack.push(Entry::Node(id));
        let runes = match &self.ast.nodes[id.index()] {
            Node::Literal { runes, .. } => {
                self.limits.measure_again(id, runes.len());
                runes.len()
            }
            Node::Class(class) => class.items.of(&self.ast.items).iter().map(runes_of).sum(),
            _ => 0,
        };
        self.limits.count_runes(runes).map_err(|kind| self.whole_pattern_error(kind))?;
        self.check(id)
    }

    pub(super) fn check(&mut self, id: NodeId) -> Result<(), PatternError> {
        let repeat = match self.ast.nodes[id.index()] {
            Node::Repeat { min, max, .. } => Some(max.unwrap_or(min)),
            _ => None,
        };
        self.limits.check(id, repeat).map_err(|kind| self.whole_pattern_error(kind))
    }

    fn whole_pattern_error(&self, kind: PatternErrorKind) -> PatternError {
        PatternError::new(kind, 0..self.text.len())
    }

    pub(super) fn push_new(&mut self, node: Node) -> Result<(), PatternError> {
        self.limits.allocate();
        let id = self.add(node, Measure::LEAF);
        self.push(id)
    }

    pub(super) fn assertion(&mut self, assertion: Assertion) -> Result<(), PatternError> {
        self.push_new(Node::Assertion(assertion))
    }

    /// Pushes a class of the items from `start` on.
    pub(super) fn push_class(&mut self, start: usize, negated: bool) -> Result<(), PatternError> {
        if let [ClassItem::Range { low, high }] = self.ast.items[start..]
            && low == high
            && !negated
            && self.flags.case == Case::Sensitive
        {
            self.ast.items.truncate(start);
            return self.literal(low);
        }
        self.push_new(Node::Class(Class {
            items: Slice { start: index(start), end: index(self.ast.items.len()) },
            negated,
            case: self.flags.case,
        }))
    }

    /// Pushes one character. Its node is not merged until the next push, as a repetition that follows applies
    /// to this character only.
    pub(super) fn literal(&mut self, rune: Rune) -> Result<(), PatternError> {
        self.limits.allocate();
        let spare = self.merge_literals();
        let start = index(self.ast.runes.len());
        self.ast.runes.push(rune);
        let end = index(self.ast.runes.len());
        let node = Node::Literal { runes: Slice { start, end }, case: self.flags.case };
        let id = if let Some(id) = spare {
            self.ast.nodes[id.index()] = node;
            self.limits.reset(id);
            id
        } else {
            self.add(node, Measure::LEAF)
        };
        self.stack.push(Entry::Node(id));
        self.limits.count_runes(1).map_err(|kind| self.whole_pattern_error(kind))?;
        self.limits.check(id, None).map_err(|kind| self.whole_pattern_error(kind))
    }

    /// Merges the two topmost nodes if both are literals of the same case. Returns the node that becomes
    /// unused.
    pub(super) fn merge_literals(&mut self) -> Option<NodeId> {
        let [.., Entry::Node(left), Entry::Node(right)] = *self.stack else {
            return None;
        };
        let Node::Literal { runes, case } = self.ast.nodes[right.index()] else {
            return None;
        };
        let Node::Literal { runes: ref mut merged, case: same } = self.ast.nodes[left.index()]
        else {
            return None;
        };
        // Folded literals match other characters, so that only those of one case are joined.
        if case != same || merged.end != runes.start {
            return None;
        }
        merged.end = runes.end;
        let length = merged.len();
        self.limits.lengthen(left, length);
        self.limits.release();
        self.ast.nodes[right.index()] = Node::Vacant;
        self.stack.pop();
        Some(right)
    }

    /// Joins the nodes on the stack from `start` on. Parts that are themselves joins of the same kind are
    /// flattened: `a(?:bc)` has the tree of `abc`.
    pub(super) fn join(&mut self, join: Join, start: usize) -> NodeId {
        let mut list: Option<Children> = None;
        let mut sum = Sum::new();
        for at in start..self.stack.len() {
            let Entry::Node(id) = self.stack[at] else {
                continue;
            };
            let mut measure = self.limits.measure(id);
            // Go merges neighbouring alternatives of one character each into one class.
            let class = join == Join::Alternate && self.is_one_character(id);
            let part = match (&self.ast.nodes[id.index()], join) {
                (Node::Concat(inner), Join::Concat) | (Node::Alternate(inner), Join::Alternate) => {
                    let inner = *inner;
                    self.ast.nodes[id.index()] = Node::Vacant;
                    self.limits.release();
                    if !class {
                        measure = measure.dissolved();
                    }
                    inner
                }
                _ => Children { first: id, last: id },
            };
            sum.add(measure, class);
            list = Some(match list {
                Some(list) => {
                    self.ast.next[list.last.index()] = part.first;
                    Children { first: list.first, last: part.last }
                }
                None => part,
            });
        }
        let node = match (list, join) {
            (None, _) => Node::Empty,
            (Some(list), Join::Concat) => Node::Concat(list),
            (Some(list), Join::Alternate) => Node::Alternate(list),
        };
        let measure = match join {
            Join::Concat => sum.concat(),
            Join::Alternate => sum.alternate(),
        };
        self.add(node, measure)
    }

    /// Whether Go stores a node as a class, or can convert it to one.
    fn is_one_character(&self, id: NodeId) -> bool {
        match &self.ast.nodes[id.index()] {
            Node::Literal { runes, .. } => runes.len() == 1,
            Node::AnyChar | Node::AnyCharButNewline | Node::Class(_) => true,
            // An alternation of single characters only; any other would be higher.
            Node::Alternate(_) => self.limits.measure(id).height == 1,
            _ => false,
        }
    }
}

/// The number of runes that Go stores for a member of a class before it merges ranges.
fn runes_of(item: &ClassItem) -> u32 {
    match item {
        ClassItem::Range { .. } => 2,
        ClassItem::Group { group, .. } => 2 * index(group.ranges().len()),
        ClassItem::Property { property, .. } => property.runes,
    }
}
