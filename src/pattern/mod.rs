//! Patterns: Go's `regexp` dialect, which is what Armada matches messages with.
//!
//! Owns the syntax ([`Pattern::parse`], with the place of every
//! mistake) and the semantics (a translation to `regex-syntax`'s tree, and from
//! there to an automaton). Independent of where a pattern is used and what a match
//! causes; opens no file and prints nothing.
//!
//! Rust's own dialect is similar but differs: there `\d`, `\w`,
//! `\s` and `\b` are Unicode, `[a&&b]` is an intersection, `\Q` and octal
//! escapes are errors, and so is a `{` that opens no repeat. Unicode tables are
//! those of Go 1.26, version 15.0: later characters have no category, script or
//! case.
//!
//! The engine only tests whether a text contains a match. So groups
//! capture nothing, and greediness (`*?`, flag `U`) is parsed and ignored: both
//! determine which match is found, not whether there is one.

mod ast;
mod budget;
mod build;
mod class;
mod compile;
mod error;
mod escape;
mod group;
mod help;
mod hir;
mod limits;
mod names;
mod parse;
mod repeat;
mod required_literals;
mod sets;

use std::sync::Arc;

pub use budget::{OverBudget, PatternBudget};
pub use compile::PatternTooLarge;
pub use error::{PatternError, PatternErrorKind};
pub use required_literals::fold;

/// A pattern that Go would accept.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: Arc<str>,
    ast: Arc<ast::Ast>,
}

impl Pattern {
    /// Reads a pattern, accepting what Go's `regexp.Compile` accepts.
    ///
    /// Takes time proportional to the text's length: nothing is compiled, no
    /// class looked up.
    ///
    /// # Errors
    ///
    /// The first mistake, reading from the left, as Go reports it.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let ast = Arc::new(parse::parse(text)?);
        let text = text.into();
        Ok(Self { text, ast })
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Two patterns are equal when they are written alike.
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
