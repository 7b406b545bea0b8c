//! The properties of a connection that messages mention.

use std::path::Path;

/// The properties of the connection that messages mention.
#[derive(Debug, Clone, Default)]
pub(super) struct RequestContext<'a> {
    /// The base address.
    pub base: &'a str,
    /// The block of credentials that was used, if any.
    pub auth: Option<&'a str>,
    /// The file of certificates that are trusted, if any.
    pub ca_file: Option<&'a Path>,
    /// Whether the address is known to speak HTTP.
    pub protocol: Protocol,
}

/// Whether an address is known to speak HTTP with its scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Protocol {
    /// No request has been answered.
    #[default]
    Unknown,
    /// A request has been answered.
    Known,
}
