//! One context of a config file: where its server is, and who asks.

use super::{Auth, ConfigError, auth};
use crate::document::{Document, Node};

/// One context; also what stands at the top level of a file of the old form.
#[derive(Clone, Copy)]
pub struct Context<'f> {
    pub(super) document: &'f Document,
    pub(super) node: &'f Node,
    name: Option<&'f str>,
}

impl<'f> Context<'f> {
    pub(super) fn new(document: &'f Document, node: &'f Node, name: Option<&'f str>) -> Self {
        Self { document, node, name }
    }

    /// Its name as it is written; none for the old form.
    pub fn name(&self) -> Option<&'f str> {
        self.name
    }

    /// Armada's gRPC address.
    pub fn armada_url(&self) -> Option<String> {
        auth::text(self.node, "armadaUrl").filter(|url| !url.is_empty())
    }

    /// The REST address.
    pub fn armada_rest_url(&self) -> Option<String> {
        auth::text(self.node, "armadaRestUrl").filter(|url| !url.is_empty())
    }

    /// How it authenticates.
    pub fn auth(&self) -> Result<Auth, ConfigError> {
        Auth::read(self.document, self.node)
    }
}
