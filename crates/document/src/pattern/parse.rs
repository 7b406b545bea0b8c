//! Parses a pattern from left to right into its tree.
//!
//! Owns the outermost level of the grammar and the stack of open groups; groups, classes, escapes and repeats
//! have files of their own. It uses no recursion, so that no pattern exhausts the call stack.
//!
//! The stack contains finished nodes, bars and open groups in the order of the text, and is reduced at each
//! `|` and `)` as in Go. This determines the node that a `*` applies to, and when two characters become one
//! literal.

use super::ast::{Assertion, Ast, Case, Node, NodeId};
use super::build::Join;
use super::error::{PatternError, PatternErrorKind as Kind};
use super::limits::Limits;

/// The current flags; `U` is absent, as greediness is ignored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flags {
    /// `i`
    pub(super) case: Case,
    /// `m`: `^` and `$` also match at line ends.
    pub(super) multi_line: bool,
    /// `s`: `.` matches a newline.
    pub(super) dot_newline: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    Node(NodeId),
    Bar,
    Open {
        /// The flags to restore when the group closes.
        flags: Flags,
        captures: bool,
        /// The position of its parenthesis.
        at: usize,
    },
}

pub(super) struct Parser<'p> {
    pub(super) text: &'p str,
    /// The position in the text, in bytes.
    pub(super) at: usize,
    pub(super) flags: Flags,
    pub(super) stack: Vec<Entry>,
    pub(super) ast: Ast,
    pub(super) limits: Limits,
    /// The start of the previous element if it is a repetition.
    pub(super) last_repeat: Option<usize>,
}

pub(super) fn parse(text: &str) -> Result<Ast, PatternError> {
    let mut parser = Parser::new(text);
    while let Some(byte) = parser.peek() {
        // Cleared at each element, so that only a repetition directly before counts for `a**`.
        let previous = parser.last_repeat.take();
        parser.step(byte, previous)?;
    }
    parser.finish()
}

impl<'p> Parser<'p> {
    fn new(text: &'p str) -> Self {
        Self {
            text,
            at: 0,
            flags: Flags { case: Case::Sensitive, multi_line: false, dot_newline: false },
            stack: Vec::with_capacity(8),
            ast: Ast {
                nodes: Vec::with_capacity(8),
                next: Vec::with_capacity(8),
                runes: Vec::with_capacity(text.len()),
                items: Vec::new(),
                root: NodeId(0),
                height: 0,
            },
            limits: Limits::new(),
            last_repeat: None,
        }
    }

    /// Reads one element; `previous` is the start of a repetition directly before it.
    fn step(&mut self, byte: u8, previous: Option<usize>) -> Result<(), PatternError> {
        match byte {
            b'(' => self.open()?,
            b')' => self.close()?,
            b'|' => self.bar()?,
            b'[' => self.bracket()?,
            b'\\' => self.backslash()?,
            b'*' | b'+' | b'?' => self.operator(byte, previous)?,
            b'{' => self.brace(previous)?,
            b'^' => {
                self.at += 1;
                self.assertion(if self.flags.multi_line {
                    Assertion::LineStart
                } else {
                    Assertion::TextStart
                })?;
            }
            b'$' => {
                self.at += 1;
                self.assertion(if self.flags.multi_line {
                    Assertion::LineEnd
                } else {
                    Assertion::TextEnd
                })?;
            }
            b'.' => {
                self.at += 1;
                self.push_new(if self.flags.dot_newline {
                    Node::AnyChar
                } else {
                    Node::AnyCharButNewline
                })?;
            }
            _ => {
                if let Some(literal) = self.take_char() {
                    self.literal(literal.into())?;
                }
            }
        }
        Ok(())
    }

    fn bar(&mut self) -> Result<(), PatternError> {
        self.at += 1;
        self.concat()?;
        if !self.swap_bar() {
            self.limits.allocate();
            self.stack.push(Entry::Bar);
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), PatternError> {
        let at = self.at;
        self.at += 1;
        let inner = self.alternatives()?;
        let Some(Entry::Open { flags, captures, .. }) = self.stack.pop() else {
            return Err(PatternError::new(Kind::UnexpectedParen, at..self.at));
        };
        // Flags that were set within the group end with it.
        self.flags = flags;
        if captures {
            // Go reuses the open group as this node, without an allocation.
            let measure = self.limits.measure(inner).capture();
            let group = self.add(Node::Capture(inner), measure);
            self.push(group)
        } else {
            self.push(inner)
        }
    }

    fn finish(mut self) -> Result<Ast, PatternError> {
        let root = self.alternatives()?;
        // The innermost group that is open.
        if let Some(Entry::Open { at, .. }) = self.stack.pop() {
            return Err(PatternError::new(Kind::MissingParen, at..at + 1));
        }
        self.ast.root = root;
        self.ast.height = self.limits.measure(root).height;
        Ok(self.ast)
    }

    /// Pops all entries above the innermost open group, as one node.
    fn alternatives(&mut self) -> Result<NodeId, PatternError> {
        self.concat()?;
        if self.swap_bar() {
            self.stack.pop();
        }
        let id = self.collapse(Join::Alternate)?;
        self.stack.pop();
        Ok(id)
    }

    /// Reduces all entries above the last bar or open group to one node.
    fn concat(&mut self) -> Result<(), PatternError> {
        self.merge_literals();
        if let Some(Entry::Node(_)) = self.stack.last() {
            self.collapse(Join::Concat)?;
            return Ok(());
        }
        self.push_new(Node::Empty)
    }

    /// Moves a bar from below the top node to above it, so that the nodes on either side of it become
    /// neighbours. Returns `false` if there is no bar there.
    fn swap_bar(&mut self) -> bool {
        if let [.., below @ Entry::Bar, top @ Entry::Node(_)] = self.stack.as_mut_slice() {
            std::mem::swap(below, top);
            return true;
        }
        false
    }

    /// Replaces the nodes above the last bar or open group by their join; pushes a single node again, as Go
    /// does.
    fn collapse(&mut self, join: Join) -> Result<NodeId, PatternError> {
        let below = |entry: &Entry| !matches!(entry, Entry::Node(_));
        let start = self.stack.iter().rposition(below).map_or(0, |at| at + 1);
        let run = self.stack.len() - start;
        let id = if let Some(Entry::Node(only)) = self.stack.get(start)
            && run == 1
        {
            *only
        } else {
            self.limits.allocate();
            self.join(join, start)
        };
        self.stack.truncate(start);
        self.push(id)?;
        Ok(id)
    }
}
