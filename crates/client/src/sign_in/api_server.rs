//! An API server of Kubernetes, as a pod or a kubeconfig names it.

use crate::config::{BaseUrl, SmallFile};
use crate::{ClientError, ClientErrorKind};
use secrecy::SecretString;
use std::path::Path;

/// The maximum size of a file of a pod or of a kubeconfig.
const MAX_BYTES: usize = 1 << 20;

/// An API server of Kubernetes, and the credentials for it.
#[derive(Debug)]
pub(super) struct ApiServer {
    pub address: BaseUrl,
    /// The certificates of the cluster, which Armada's server looks its API server up by.
    pub certificates: String,
    pub token: SecretString,
    /// The namespace of the pod or of the kubeconfig's context.
    pub namespace: Option<String>,
}

/// The text of a file of a pod or of a kubeconfig.
pub(super) fn read(path: &Path) -> Result<String, ClientError> {
    SmallFile::read(path, MAX_BYTES).and_then(SmallFile::text).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", path.display());
        ClientError::new(ClientErrorKind::Input, message)
    })
}
