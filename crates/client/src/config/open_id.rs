//! The blocks of OpenID Connect in a context.

use super::fields::{invalid_block, is_true_text, scalar, text};
use super::{BaseUrl, ConfigError};
use document::{Document, Entry, Node, NodeKind};
use secrecy::SecretString;

/// The way to a token of an OpenID Connect provider.
#[derive(Debug, Clone)]
pub struct OpenIdAuth {
    /// The address of the provider, which is its issuer too.
    pub provider: BaseUrl,
    /// The id under which the provider knows this tool.
    pub client: String,
    /// The scopes to ask for.
    pub scopes: Vec<String>,
    /// The way in which the provider is asked.
    pub grant: Grant,
    /// Whether a refresh token is kept in the cache, so that no person has to sign in again when the token has expired.
    pub keeps_refresh_token: bool,
}

/// The ways in which a provider is asked for a token. Each has a block.
#[derive(Debug, Clone)]
pub enum Grant {
    /// `openIdAuth`: a person signs in with a browser on this machine (RFC 7636, RFC 8252).
    Code {
        /// The port of this machine to which the provider sends the browser back; `None` for any.
        port: Option<u16>,
    },
    /// `openIdDeviceAuth`: a person signs in with a browser on any machine (RFC 8628).
    Device,
    /// `openIdPasswordAuth`: the name and the password are sent to the provider.
    Password {
        /// The user's name.
        username: String,
        /// The password.
        password: SecretString,
    },
    /// `openIdClientCredentialsAuth`: this tool has an account of its own.
    ClientCredentials {
        /// The secret of the client.
        secret: SecretString,
    },
    /// `openIdKubernetesAuth`: the token of a pod's service account is exchanged.
    Kubernetes,
}

pub(super) const CODE: &str = "openIdAuth";
pub(super) const DEVICE: &str = "openIdDeviceAuth";
pub(super) const PASSWORD: &str = "openIdPasswordAuth";
pub(super) const CLIENT_CREDENTIALS: &str = "openIdClientCredentialsAuth";
pub(super) const KUBERNETES: &str = "openIdKubernetesAuth";

impl OpenIdAuth {
    /// The scopes of a sign-in by a person, which is OpenID Connect's: Armada's own tool adds `openid`, too.
    pub fn scopes_with_openid(&self) -> String {
        let mut scopes: Vec<&str> = self.scopes.iter().map(String::as_str).collect();
        if !scopes.contains(&"openid") {
            scopes.push("openid");
        }
        scopes.join(" ")
    }
}

/// A key of a context and of each block.
pub(super) const KEEPS_REFRESH_TOKEN: &str = "cacheRefreshToken";

impl Grant {
    /// The key of the block.
    pub fn block(&self) -> &'static str {
        match self {
            Self::Code { .. } => CODE,
            Self::Device => DEVICE,
            Self::Password { .. } => PASSWORD,
            Self::ClientCredentials { .. } => CLIENT_CREDENTIALS,
            Self::Kubernetes => KUBERNETES,
        }
    }

    /// Whether only a person can sign in this way, with a browser.
    pub fn needs_person(&self) -> bool {
        matches!(self, Self::Code { .. } | Self::Device)
    }
}

/// The keys of a block.
pub(super) fn keys(block: &str) -> &'static [&'static str] {
    match block {
        CODE => &["providerUrl", "clientId", "scopes", KEEPS_REFRESH_TOKEN, "localPort"],
        PASSWORD => {
            &["providerUrl", "clientId", "scopes", KEEPS_REFRESH_TOKEN, "username", "password"]
        }
        CLIENT_CREDENTIALS => {
            &["providerUrl", "clientId", "scopes", KEEPS_REFRESH_TOKEN, "clientSecret"]
        }
        _ => &["providerUrl", "clientId", "scopes", KEEPS_REFRESH_TOKEN],
    }
}

/// Reads a block. `default` is `cacheRefreshToken` of the context.
pub(super) fn read(
    document: &Document,
    block: &str,
    entry: &Entry,
    default: Option<&Entry>,
) -> Result<OpenIdAuth, ConfigError> {
    let node = &entry.value;
    let invalid = |problem: &str| invalid_block(document, entry, problem);
    let required = |key: &str| {
        let missing = || invalid(&format!("has no `{key}`"));
        text(node, key).filter(|text| !text.is_empty()).ok_or_else(missing)
    };
    let address = required("providerUrl")?;
    let provider = Some(&address).filter(|address| BaseUrl::has_scheme(address));
    let provider = provider.and_then(|address| BaseUrl::parse(address, block).ok());
    let bad_address = "has a `providerUrl` that is not an address such as `https://HOST`";
    let keeps_refresh_token = node.entry_in_any_case(KEEPS_REFRESH_TOKEN).or(default);
    let keeps_refresh_token = keeps_refresh_token.and_then(|entry| scalar(&entry.value));
    Ok(OpenIdAuth {
        provider: provider.ok_or_else(|| invalid(bad_address))?,
        client: required("clientId")?,
        scopes: scopes(node).map_err(invalid)?,
        grant: match block {
            CODE => Grant::Code { port: port(node).map_err(invalid)? },
            DEVICE => Grant::Device,
            PASSWORD => Grant::Password {
                username: required("username")?,
                password: required("password")?.into(),
            },
            CLIENT_CREDENTIALS => {
                Grant::ClientCredentials { secret: required("clientSecret")?.into() }
            }
            _ => Grant::Kubernetes,
        },
        keeps_refresh_token: keeps_refresh_token.is_none_or(|text| is_true_text(&text)),
    })
}

/// The port of `localPort`. Armada's own tool reads a missing one as 0.
fn port(node: &Node) -> Result<Option<u16>, &'static str> {
    match text(node, "localPort").map(|text| text.parse()) {
        None | Some(Ok(0)) => Ok(None),
        Some(Ok(port)) => Ok(Some(port)),
        Some(Err(_)) => Err("has a `localPort` that is not a port"),
    }
}

/// The scopes: a list, or a text with commas, as Armada's own tool reads it.
fn scopes(node: &Node) -> Result<Vec<String>, &'static str> {
    let Some(entry) = node.entry_in_any_case("scopes") else { return Ok(Vec::new()) };
    let scopes: Vec<String> = match (scalar(&entry.value), &entry.value.kind) {
        (Some(text), _) => text.split(',').map(str::to_owned).collect(),
        (None, NodeKind::List(items)) => items.iter().filter_map(scalar).collect(),
        (None, _) if entry.value.is_null() => Vec::new(),
        (None, _) => return Err("has `scopes` that are not a list"),
    };
    let scopes = scopes.iter().map(|scope| scope.trim().to_owned());
    Ok(scopes.filter(|scope| !scope.is_empty()).collect())
}
