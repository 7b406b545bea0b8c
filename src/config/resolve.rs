//! The precedence: flag, then environment, then context, then default.

use super::address::redact_address;
use super::file::eq_folded;
use super::{Auth, BaseUrl, ConfigError, ConfigFile, ConfigLocations, Context};
use crate::units::GoDuration;
use std::path::PathBuf;
use std::time::Duration;

/// The values of flags and the environment. An empty text counts as absent.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `--context`, else `ARMADACTL_CONTEXT`.
    pub context: Option<String>,
    /// Armada's `CURRENTCONTEXT`.
    pub armadas_context: Option<String>,
    /// `--armada-rest-url`, else `ARMADACTL_ARMADA_REST_URL`.
    pub rest_url: Option<String>,
    /// `--armadaUrl`, else `ARMADACTL_ARMADAURL`.
    pub armada_url: Option<String>,
    /// Armada's `ARMADAURL`.
    pub armadas_url: Option<String>,
    /// `--request-timeout`, else `ARMADACTL_REQUEST_TIMEOUT`: a Go duration.
    pub request_timeout: Option<String>,
    /// `--ca-file`, else `ARMADACTL_CA_FILE`.
    pub ca_file: Option<PathBuf>,
    /// `--allow-insecure-auth`, else `ARMADACTL_ALLOW_INSECURE_AUTH`.
    pub insecure_auth: InsecureAuth,
}

/// Whether credentials may be sent over an unencrypted connection to another machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InsecureAuth {
    /// Credentials are not sent.
    #[default]
    Refused,
    /// Credentials may be sent: the user has allowed it.
    Allowed,
}

/// Everything that a client needs to connect to a server.
#[derive(Debug)]
pub struct Connection {
    /// The address.
    pub base: BaseUrl,
    /// The authentication.
    pub auth: Auth,
    /// The context in use, in the file's spelling.
    pub context: Option<String>,
    /// The timeout of one request.
    pub timeout: Duration,
    /// A certificate file that is trusted in addition to the system's.
    pub ca_file: Option<PathBuf>,
    /// Whether credentials may be sent unencrypted.
    pub insecure_auth: InsecureAuth,
    /// Warnings for the user, one line each.
    pub warnings: Vec<String>,
}

/// The address without any setting: a server on this machine.
const DEFAULT_BASE: &str = "http://localhost:8080";
/// The timeout of a request without a setting.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// The value, unless it is empty.
fn non_empty(value: Option<&String>) -> Option<&str> {
    value.map(String::as_str).filter(|text| !text.is_empty())
}

/// The name of the context in use: flag, environment, file.
pub fn current_context(overrides: &Overrides, file: Option<&ConfigFile>) -> Option<String> {
    non_empty(overrides.context.as_ref())
        .or(non_empty(overrides.armadas_context.as_ref()))
        .map(str::to_owned)
        .or_else(|| file.and_then(ConfigFile::current))
}

/// Reads the config file and combines it with flags and environment.
pub fn resolve(overrides: &Overrides, places: &ConfigLocations) -> Result<Connection, ConfigError> {
    let file = ConfigFile::load(places)?;
    let chosen = current_context(overrides, file.as_ref());
    let context = match (&chosen, &file) {
        (Some(name), Some(file)) => Some(file.context(name).or_else(|unknown| {
            // A file of the old form has no contexts and needs none.
            file.legacy_context()
                .filter(|_| override_named(overrides, name).is_none())
                .ok_or(unknown)
        })?),
        (Some(name), None) => {
            return Err(ConfigError::UnknownContext {
                name: name.clone(),
                place: "a config file: there is none".to_owned(),
                near: None,
                known: Vec::new(),
            });
        }
        (None, Some(file)) => file.legacy_context(),
        (None, None) => None,
    };
    let mut warnings: Vec<String> = file.iter().filter_map(ConfigFile::warning).collect();
    let base = base(overrides, context.as_ref())?;
    if let Some(file) = file.as_ref().filter(|file| chosen.is_none() && !file.contexts().is_empty())
    {
        warnings.push(format!(
            "warning: no context is selected in `{}`; using {base} without credentials",
            file.path().display()
        ));
    }
    Ok(Connection {
        base,
        auth: context.map_or(Ok(Auth::Anonymous), |context| context.auth())?,
        context: context.and_then(|context| context.name().map(str::to_owned)),
        timeout: timeout(overrides)?,
        ca_file: overrides.ca_file.clone().filter(|path| !path.as_os_str().is_empty()),
        insecure_auth: overrides.insecure_auth,
        warnings,
    })
}

/// The flag or variable that chose the context `name`; `None` if neither did.
fn override_named<'o>(overrides: &'o Overrides, name: &str) -> Option<&'o str> {
    let override_name =
        non_empty(overrides.context.as_ref()).or(non_empty(overrides.armadas_context.as_ref()));
    override_name.filter(|override_name| eq_folded(override_name, name))
}

/// The REST address from any source; otherwise Armada's address if it is an HTTP one; otherwise, without a
/// context, the default of a server on this machine.
fn base(overrides: &Overrides, context: Option<&Context<'_>>) -> Result<BaseUrl, ConfigError> {
    let of_context = || match context.and_then(Context::name) {
        Some(name) => format!("of the context `{name}`"),
        None => "of the config file".to_owned(),
    };
    if let Some(url) = non_empty(overrides.rest_url.as_ref()) {
        return BaseUrl::parse(url, "given as `--armada-rest-url`");
    }
    if let Some(url) = context.and_then(Context::armada_rest_url) {
        return BaseUrl::parse(&url, &format!("the `armadaRestUrl` {}", of_context()));
    }
    let grpc = non_empty(overrides.armada_url.as_ref())
        .map(|url| (url.to_owned(), "given as `--armadaUrl`".to_owned()))
        .or_else(|| {
            let url = non_empty(overrides.armadas_url.as_ref())?;
            Some((url.to_owned(), "given as `ARMADAURL`".to_owned()))
        })
        .or_else(|| {
            let url = context.and_then(Context::armada_url)?;
            Some((url, format!("the `armadaUrl` {}", of_context())))
        });
    match (grpc, context.and_then(Context::name)) {
        (Some((address, origin)), _) if BaseUrl::has_scheme(&address) => {
            BaseUrl::parse(&address, &origin)
        }
        (Some((address, origin)), _) => {
            Err(ConfigError::NoRestAddress { address: redact_address(&address), origin })
        }
        (None, Some(name)) => Err(ConfigError::NoAddress { name: name.to_owned() }),
        (None, None) => BaseUrl::parse(DEFAULT_BASE, "the default"),
    }
}

fn timeout(overrides: &Overrides) -> Result<Duration, ConfigError> {
    let Some(text) = non_empty(overrides.request_timeout.as_ref()) else {
        return Ok(DEFAULT_TIMEOUT);
    };
    let duration = GoDuration::parse(text).map_err(ConfigError::BadTimeout)?;
    if duration <= GoDuration::ZERO { Err(ConfigError::NoTime) } else { Ok(duration.to_std()) }
}
