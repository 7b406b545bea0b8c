//! What the server holds, as it came.

use super::Fields;

/// One thing as the server holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    /// Its fields, unknown ones included.
    pub fields: Fields,
    /// Its version (`ETag`), where the server offers one.
    pub etag: Option<String>,
}

/// A queue of a batch that the server did not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedQueue {
    /// Its name.
    pub name: String,
    /// Why, in the server's words, fit to be shown.
    pub error: String,
}
