//! How the server speaks: which form it knows, and what it ignores.

use super::wire::{Status, Strictness, quote};

/// Which form of policies a server knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// That of Armada's servers today.
    Today,
    /// That and the fields of the design.
    Full,
}

/// How a server speaks.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// Which form it knows.
    pub form: Form,
    /// What becomes of that which Armada ignores.
    pub strictness: Strictness,
}

impl Dialect {
    /// Strictly, a name in the body is the one in the path.
    pub fn same_name(self, path: &str, body: &str) -> Result<(), Status> {
        if self.strictness == Strictness::AsArmada || body.is_empty() || path == body {
            return Ok(());
        }
        let (body, path) = (quote(body), quote(path));
        let message = format!("refused by --strict: the body says {body}, the path {path}");
        Err(Status::invalid(message))
    }
}
