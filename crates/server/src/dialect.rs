//! Options of the API: the form of policies, and the strictness.

use super::wire::{Status, Strictness};
use document::diag::go_quote;

/// The form of policies that a server accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireForm {
    /// The form of Armada's current servers.
    Deployed,
    /// The deployed form with the fields of `v1`.
    Full,
}

/// Options of the API.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// The form of policies.
    pub form: WireForm,
    /// How to handle input that Armada ignores.
    pub strictness: Strictness,
}

impl Dialect {
    /// In strict mode, refuses a name in the body that differs from that in the path.
    pub fn check_same_name(self, path: &str, body: &str) -> Result<(), Status> {
        if self.strictness == Strictness::AsArmada || body.is_empty() || path == body {
            return Ok(());
        }
        let (body, path) = (go_quote(body), go_quote(path));
        let message = format!("refused by --strict: the body has {body}, the path {path}");
        Err(Status::invalid(message))
    }
}
