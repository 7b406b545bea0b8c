//! The output of the `config` commands as JSON and YAML. Fields may be added, but are never renamed.

use super::documents::API_VERSION;
use client::{Client, Identity};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The contexts of a config file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextList {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `ContextList`.
    kind: &'static str,
    /// The contexts, in the order of the file.
    items: Vec<ContextItem>,
}

/// A context.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextItem {
    /// Its name.
    pub name: String,
    /// Whether it is in use.
    pub current: bool,
    /// Its REST address, else Armada's gRPC address.
    pub address: Option<String>,
    /// The block it authenticates with; null for none.
    pub auth: Option<&'static str>,
}

impl ContextList {
    /// A list of contexts.
    pub fn new(items: Vec<ContextItem>) -> Self {
        Self { api_version: API_VERSION, kind: "ContextList", items }
    }
}

/// The context in use.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CurrentContext {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `CurrentContext`.
    kind: &'static str,
    /// Its name.
    name: String,
}

impl CurrentContext {
    /// A context in use.
    pub fn new(name: String) -> Self {
        Self { api_version: API_VERSION, kind: "CurrentContext", name }
    }
}

/// A config file without its secrets.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigView {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `ConfigView`.
    kind: &'static str,
    /// The file.
    file: String,
    /// Its content; what is secret reads `REDACTED`.
    config: Value,
}

impl ConfigView {
    /// The view of a file whose content is redacted already.
    pub fn new(file: &str, config: Value) -> Self {
        let file = file.to_owned();
        Self { api_version: API_VERSION, kind: "ConfigView", file, config }
    }
}

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
