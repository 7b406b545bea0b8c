//! The output of `whoami` as JSON and YAML. Fields may be added, but are never renamed.

use super::documents::API_VERSION;
use client::{Client, Identity};
use schemars::JsonSchema;
use serde::Serialize;

/// The user of a context.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhoAmI {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `WhoAmI`.
    kind: &'static str,
    /// The address of the server, which accepts the credentials.
    server: String,
    /// The context of the config file; null for none.
    context: Option<String>,
    /// The block of the context that authenticates; null for anonymous requests.
    pub auth: Option<&'static str>,
    /// The user; null if the credentials do not tell.
    user: Option<String>,
    /// The time at which the token expires (RFC 3339); null if it does not, or if that is unknown.
    expires: Option<String>,
    /// Whether another token follows without a person when this one expires.
    renewable: bool,
}

impl WhoAmI {
    /// The user of a server's client.
    pub fn new(client: &Client, context: Option<&str>, identity: &Identity) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "WhoAmI",
            server: client.base().to_string(),
            context: context.map(str::to_owned),
            auth: client.auth(),
            user: identity.user.clone(),
            expires: identity.expires.map(|time| time.to_string()),
            renewable: identity.is_renewable,
        }
    }
}
