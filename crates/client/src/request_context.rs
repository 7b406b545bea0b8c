//! The properties of a connection that messages mention.

use super::ClientErrorKind;
use std::path::Path;

/// The properties of the connection that messages mention.
#[derive(Debug, Clone, Default)]
pub(super) struct RequestContext<'a> {
    /// The base address.
    pub base: &'a str,
    /// The block of credentials that was used, if any.
    pub auth: Option<&'static str>,
    /// The file of certificates that are trusted, if any.
    pub ca_file: Option<&'a Path>,
    /// Whether the address is known to speak HTTP.
    pub protocol: Protocol,
    /// The server at the address.
    pub peer: Peer,
}

/// The servers that requests go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Peer {
    #[default]
    Armada,
    /// The OpenID Connect provider of a context.
    Provider,
    /// The API server of a Kubernetes cluster.
    Kubernetes,
    Lookout,
}

impl Peer {
    /// The help for a cluster whose certificate is not trusted.
    pub const CLUSTER_HELP: &str =
        "check `certificate-authority` of the kubeconfig's cluster, or the pod's `ca.crt`";

    /// The kind of error of an answer that is too large: of Lookout's, fewer jobs can be asked for.
    pub fn too_large(self) -> ClientErrorKind {
        if self == Self::Lookout { ClientErrorKind::TooLarge } else { ClientErrorKind::Server }
    }

    /// The setting to correct.
    pub fn setting(self) -> &'static str {
        match self {
            Self::Armada => "`armadaRestUrl`",
            other => other.settings(),
        }
    }

    /// The settings that name the address.
    pub fn settings(self) -> &'static str {
        match self {
            Self::Armada => "`armadaRestUrl`, `--armada-rest-url`",
            Self::Provider => "`providerUrl` of the context",
            Self::Lookout => "`--lookout-url`",
            Self::Kubernetes => "`KUBERNETES_SERVICE_HOST`, or `server` of the kubeconfig",
        }
    }
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
