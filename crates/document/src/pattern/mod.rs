//! Patterns in the dialect of Go's `regexp`, with which Armada matches messages (semantics.md, section 4).
//!
//! Owns the syntax ([`Pattern::parse`], with the place of every mistake) and the semantics (a translation to
//! the tree of `regex-syntax`, and from there to an automaton). It does not depend on the use of a pattern or
//! the effect of a match. It opens no file and prints nothing.
//!
//! Rust's own dialect is similar but differs: there `\d`, `\w`, `\s` and `\b` are Unicode, `[a&&b]` is an
//! intersection, and `\Q`, octal escapes and a `{` that opens no repeat are errors. The Unicode tables are
//! those of Go 1.26, version 15.0: later characters have no category, script or case.
//!
//! The engine only tests whether a text contains a match. So groups capture nothing, and greediness (`*?`,
//! flag `U`) is parsed and ignored: both affect which match is found, not whether there is one.

mod ast;
mod automaton;
mod budget;
mod build;
mod class;
mod compile;
mod difference;
mod error;
mod escape;
mod example;
mod group;
mod help;
mod hir;
mod limits;
mod names;
mod parse;
mod repeat;
mod required_literals;
mod searcher;
mod sets;

use std::sync::Arc;

pub use budget::{OverBudget, PatternBudget};
pub use compile::PatternTooLarge;
pub use difference::{Automata, Difference, common_text, difference, separating_text};
pub use error::{PatternError, PatternErrorKind};
pub use example::Matched;
pub use required_literals::fold;
pub use searcher::{SearchMemory, Searcher};

/// A pattern that Go accepts.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: Arc<str>,
    ast: Arc<ast::Ast>,
}

impl Pattern {
    /// Parses a pattern. It accepts what Go's `regexp.Compile` accepts.
    ///
    /// The time is proportional to the length of the text: nothing is compiled, and no class is looked up.
    ///
    /// # Errors
    ///
    /// The first mistake from the left, as Go reports it.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let ast = Arc::new(parse::parse(text)?);
        let text = text.into();
        Ok(Self { text, ast })
    }

    /// The source text of the pattern.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Two patterns are equal if their texts are.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

impl std::hash::Hash for Pattern {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}
