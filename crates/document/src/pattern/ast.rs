//! The tree of a parsed pattern.
//!
//! Owns the form of the tree, which is independent of the text and of the trees that it is converted to. The
//! nodes are in one vector, children before their parents, so that copies, drops and passes need no recursion
//! at any depth of nesting.

use super::names::Property;

/// A node's index in [`Ast::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(pub(super) u32);

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A code point. Unlike `char` it may be a surrogate: Go accepts them in patterns, although no text can
/// contain one.
pub(super) type Rune = u32;

/// A half-open range of indices into one of the tree's vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Slice {
    pub(super) fn of<T>(self, items: &[T]) -> &[T] {
        &items[self.start as usize..self.end as usize]
    }

    pub(super) fn len(self) -> u32 {
        self.end - self.start
    }
}

/// Whether letters also match their other case (flag `i`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Sensitive,
    Folded,
}

/// The children of a concatenation or an alternation: a list linked through [`Ast::next`], so that two lists
/// join in constant time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Children {
    pub(super) first: NodeId,
    pub(super) last: NodeId,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Removed from the tree: its content was moved to another node.
    Vacant,
    Empty,
    /// Characters of [`Ast::runes`], in order.
    Literal {
        runes: Slice,
        case: Case,
    },
    AnyChar,
    AnyCharButNewline,
    Class(Class),
    Assertion(Assertion),
    /// `(a)`: a node of its own, as Go counts it as a level of nesting.
    Capture(NodeId),
    Repeat {
        child: NodeId,
        min: u32,
        /// `None` without a maximum.
        max: Option<u32>,
    },
    Concat(Children),
    Alternate(Children),
}

/// A condition on a position; it consumes no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assertion {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    WordBoundary,
    NotWordBoundary,
}

/// A set of characters: `[^a-z\d]`, or a class without brackets, such as `\d`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    /// Members, from [`Ast::items`].
    pub(super) items: Slice,
    pub(super) negated: bool,
    pub(super) case: Case,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum ClassItem {
    Range { low: Rune, high: Rune },
    Group { group: Group, negated: bool },
    Property { property: Property, negated: bool },
}

/// The named ASCII classes: Perl's `\d`, POSIX's `[:alpha:]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Alnum,
    Alpha,
    Ascii,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    /// `\s`, which lacks the vertical tab of `[:space:]`.
    PerlSpace,
    Print,
    Punct,
    Space,
    Upper,
    Word,
    Xdigit,
}

impl Group {
    /// The letter after the backslash, lower case.
    pub(super) fn perl(letter: u8) -> Option<Self> {
        match letter {
            b'd' => Some(Self::Digit),
            b's' => Some(Self::PerlSpace),
            b'w' => Some(Self::Word),
            _ => None,
        }
    }

    /// The name between `[:` and `:]`, without `^`.
    pub(super) fn posix(name: &str) -> Option<Self> {
        Some(match name {
            "alnum" => Self::Alnum,
            "alpha" => Self::Alpha,
            "ascii" => Self::Ascii,
            "blank" => Self::Blank,
            "cntrl" => Self::Cntrl,
            "digit" => Self::Digit,
            "graph" => Self::Graph,
            "lower" => Self::Lower,
            "print" => Self::Print,
            "punct" => Self::Punct,
            "space" => Self::Space,
            "upper" => Self::Upper,
            "word" => Self::Word,
            "xdigit" => Self::Xdigit,
            _ => return None,
        })
    }

    /// The members of the class, as inclusive ranges.
    pub(super) fn ranges(self) -> &'static [(char, char)] {
        match self {
            Self::Alnum => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
            Self::Alpha => &[('A', 'Z'), ('a', 'z')],
            Self::Ascii => &[('\0', '\x7f')],
            Self::Blank => &[('\t', '\t'), (' ', ' ')],
            Self::Cntrl => &[('\0', '\x1f'), ('\x7f', '\x7f')],
            Self::Digit => &[('0', '9')],
            Self::Graph => &[('!', '~')],
            Self::Lower => &[('a', 'z')],
            Self::PerlSpace => &[('\t', '\n'), ('\x0c', '\r'), (' ', ' ')],
            Self::Print => &[(' ', '~')],
            Self::Punct => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
            Self::Space => &[('\t', '\r'), (' ', ' ')],
            Self::Upper => &[('A', 'Z')],
            Self::Word => &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
            Self::Xdigit => &[('0', '9'), ('A', 'F'), ('a', 'f')],
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Ast {
    /// All nodes, children before parents.
    pub(super) nodes: Vec<Node>,
    /// The next sibling of each node in its parent's list; a node without one has its own id here.
    pub(super) next: Vec<NodeId>,
    pub(super) runes: Vec<Rune>,
    pub(super) items: Vec<ClassItem>,
    pub(super) root: NodeId,
    /// Levels of nesting, at most 1000.
    pub(super) height: u32,
}

impl Ast {
    pub(super) fn children(&self, list: Children) -> impl Iterator<Item = NodeId> {
        let mut upcoming = Some(list.first);
        std::iter::from_fn(move || {
            let current = upcoming?;
            upcoming = (current != list.last).then(|| self.next[current.index()]);
            Some(current)
        })
    }
}
