//! HTTP clients, with the timeouts and the certificates of a connection.

use super::{ClientError, ClientErrorKind, connection_error, tls};
use crate::config::{BaseUrl, Connection, InsecureAuth};
use crate::request_context::Peer;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// The timeout for opening a connection. It is shorter than that of a request by default, as a server that is
/// available accepts at once.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum size of an answer of a provider or an API server.
const MAX_BYTES: usize = 1 << 20;

/// A client of a server, or of a provider, at an address.
pub(super) fn client(
    connection: &Connection,
    base: &BaseUrl,
) -> Result<reqwest::Client, ClientError> {
    build_for(connection, base, builder(base, connection.timeout).read_timeout(connection.timeout))
}

/// A client of a server whose answers may be silent for any time.
pub(super) fn client_of_events(
    connection: &Connection,
    base: &BaseUrl,
) -> Result<reqwest::Client, ClientError> {
    build_for(connection, base, builder(base, connection.timeout))
}

fn build_for(
    connection: &Connection,
    base: &BaseUrl,
    builder: reqwest::ClientBuilder,
) -> Result<reqwest::Client, ClientError> {
    let builder = if let Some(path) = &connection.ca_file {
        builder.tls_backend_preconfigured(tls::config_with(path)?)
    } else if base.is_https() {
        builder
    } else {
        // Plain HTTP needs no certificates, and reading the system's takes longer than a request.
        builder.tls_certs_only([])
    };
    build(builder)
}

/// A client of a cluster's API server. Only the cluster's own certificates, in PEM, are trusted; the system's, if it has
/// none.
pub(super) fn client_of_cluster(
    address: &BaseUrl,
    certificates: &str,
    timeout: Duration,
) -> Result<reqwest::Client, ClientError> {
    let builder = builder(address, timeout).read_timeout(timeout);
    if certificates.is_empty() {
        return build(builder);
    }
    let certificates = reqwest::Certificate::from_pem_bundle(certificates.as_bytes());
    let certificates = certificates.map_err(|_| {
        let message = "the certificates of the cluster are not in PEM";
        ClientError::new(ClientErrorKind::Input, message).help(Peer::CLUSTER_HELP)
    })?;
    build(builder.tls_certs_only(certificates))
}

fn builder(base: &BaseUrl, timeout: Duration) -> reqwest::ClientBuilder {
    // This fails only if a provider is installed already, which is sufficient.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .user_agent(concat!("armadactl/", env!("CARGO_PKG_VERSION")))
        // A redirect could send the credentials to another host.
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        // A request with a shorter timeout should not spend longer on the connection alone.
        .connect_timeout(CONNECT_TIMEOUT.min(timeout));
    // A proxy would look for the loopback address on its own machine.
    if base.is_loopback() { builder.no_proxy() } else { builder }
}

fn build(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, ClientError> {
    builder.build().map_err(|error| {
        let why = connection_error::root_cause(&error.without_url());
        let help = "install the system's certificates, or give your own with `--ca-file`";
        ClientError::new(ClientErrorKind::Input, format!("cannot prepare connections: {why}"))
            .help(help)
    })
}

/// Reads an answer of a provider or an API server; `None` if it has more than [`MAX_BYTES`].
pub(super) async fn read(mut response: reqwest::Response) -> reqwest::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        body.extend_from_slice(&piece);
        if body.len() > MAX_BYTES {
            return Ok(None);
        }
    }
    Ok(Some(body))
}

/// Refuses an address to which credentials would go unencrypted.
pub(super) fn check_encrypted(base: &BaseUrl, insecure: InsecureAuth) -> Result<(), ClientError> {
    if base.is_https() || base.is_loopback() || insecure == InsecureAuth::Allowed {
        return Ok(());
    }
    let message = format!("the credentials would go to `{base}` unencrypted");
    let help = "use its https:// address, or allow it with `--allow-insecure-auth`";
    Err(ClientError::new(ClientErrorKind::Insecure, message).help(help))
}

/// A number in 0..1 that differs between processes and between calls.
#[expect(clippy::cast_precision_loss, reason = "chance needs no more than 32 bits")]
pub(super) fn draw() -> f64 {
    // A float has 53 bits of precision; 32 are exact.
    (RandomState::new().hash_one(0) >> 32) as f64 / 2_f64.powi(32)
}
