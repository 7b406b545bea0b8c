//! The form of a lint.

use super::context::Context;
use document::diag::{Code, Findings};

/// A lint: the code of its findings, and the search for them.
pub(super) struct Lint {
    pub(super) code: Code,
    pub(super) check: fn(&Context<'_>, &mut Findings),
}
