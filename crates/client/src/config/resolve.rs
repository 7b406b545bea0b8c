//! The precedence: flag, then environment, then context, then default.

use super::address::redact_address;
use super::file::eq_folded;
use super::{Auth, BaseUrl, ConfigError, ConfigFile, ConfigLocations, Context};
use document::units::GoDuration;
use std::path::PathBuf;
use std::time::Duration;

/// The values of flags and the environment. An empty text counts as absent.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `--context`, else `ARMADACTL_CONTEXT`.
    pub context: Option<String>,
    /// Armada's `CURRENTCONTEXT`.
    pub armadas_context: Option<String>,
    /// Addresses of the server.
    pub addresses: AddressOverrides,
    /// `--request-timeout`, else `ARMADACTL_REQUEST_TIMEOUT`: a Go duration.
    pub request_timeout: Option<String>,
    /// `--ca-file`, else `ARMADACTL_CA_FILE`.
    pub ca_file: Option<PathBuf>,
    /// `--allow-insecure-auth`, else `ARMADACTL_ALLOW_INSECURE_AUTH`.
    pub insecure_auth: InsecureAuth,
    /// The user's cache directory for this program.
    pub cache_directory: Option<PathBuf>,
}

/// The addresses of flags and the environment, in the order in which they count.
#[derive(Debug, Clone, Default)]
pub struct AddressOverrides {
    /// `--armada-rest-url`.
    pub rest_flag: Option<String>,
    /// `--armadaUrl`.
    pub armada_flag: Option<String>,
    /// `ARMADACTL_ARMADA_REST_URL`.
    pub rest_variable: Option<String>,
    /// `ARMADACTL_ARMADAURL`.
    pub armada_variable: Option<String>,
    /// Armada's `ARMADAURL`.
    pub armadas_variable: Option<String>,
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

/// Whether tokens that have expired are renewed or asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Renewal {
    /// They are.
    #[default]
    Allowed,
    /// Only tokens that are valid already are used, and no program is run: this process may end at any time, and a
    /// refresh token that is used up would be lost.
    Never,
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
    /// The directory for tokens; `None` if they are kept in memory only.
    pub cache_directory: Option<PathBuf>,
    /// Whether tokens are renewed.
    pub renewal: Renewal,
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
            // A file of the old form has no contexts and needs none, but has an address.
            file.legacy_context()
                .filter(|old| old.armada_rest_url().or(old.armada_url()).is_some())
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
    if let Some(file) = &file
        && candidates(&overrides.addresses, context.as_ref()).is_empty()
    {
        file.refuse_without_settings()?;
    }
    let base = base(&overrides.addresses, context.as_ref())?;
    if let Some(file) = file.as_ref().filter(|file| chosen.is_none() && !file.contexts().is_empty())
    {
        warnings.push(format!(
            "warning: no context is selected in `{}`; using {base} without credentials",
            file.path().display()
        ));
    }
    let unread = context.iter().flat_map(|context| Auth::unread(context.node));
    warnings.extend(unread.map(|what| format!("warning: not read: {what}")));
    Ok(Connection {
        base,
        auth: context.map_or(Ok(Auth::Anonymous), |context| context.auth())?,
        context: context.and_then(|context| context.name().map(str::to_owned)),
        timeout: timeout(overrides)?,
        ca_file: overrides.ca_file.clone().filter(|path| !path.as_os_str().is_empty()),
        insecure_auth: overrides.insecure_auth,
        cache_directory: overrides.cache_directory.clone(),
        renewal: Renewal::Allowed,
        warnings,
    })
}

/// The flag or variable that chose the context `name`; `None` if neither did.
fn override_named<'o>(overrides: &'o Overrides, name: &str) -> Option<&'o str> {
    let override_name =
        non_empty(overrides.context.as_ref()).or(non_empty(overrides.armadas_context.as_ref()));
    override_name.filter(|override_name| eq_folded(override_name, name))
}

/// An address from one source.
struct Candidate {
    address: String,
    /// Its source, for messages.
    origin: String,
    api: Api,
}

/// The API that an address is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Api {
    Rest,
    /// Armada's gRPC API (`armadaUrl`); the address is that of the REST API only if it has the scheme of one.
    Grpc,
}

/// All addresses, the one that counts first.
fn candidates(overrides: &AddressOverrides, context: Option<&Context<'_>>) -> Vec<Candidate> {
    let of_context = |key: &str| match context.and_then(Context::name) {
        Some(name) => format!("the `{key}` of the context `{name}`"),
        None => format!("the `{key}` of the config file"),
    };
    let source = |name: &str, value: &Option<String>, api| {
        (non_empty(value.as_ref()).map(str::to_owned), format!("given as `{name}`"), api)
    };
    let sources = [
        source("--armada-rest-url", &overrides.rest_flag, Api::Rest),
        source("--armadaUrl", &overrides.armada_flag, Api::Grpc),
        source("ARMADACTL_ARMADA_REST_URL", &overrides.rest_variable, Api::Rest),
        source("ARMADACTL_ARMADAURL", &overrides.armada_variable, Api::Grpc),
        source("ARMADAURL", &overrides.armadas_variable, Api::Grpc),
        (context.and_then(Context::armada_rest_url), of_context("armadaRestUrl"), Api::Rest),
        (context.and_then(Context::armada_url), of_context("armadaUrl"), Api::Grpc),
    ];
    let candidate = |(address, origin, api): (Option<String>, String, Api)| {
        Some(Candidate { address: address?, origin, api })
    };
    sources.into_iter().filter_map(candidate).collect()
}

/// The REST address: that of the first source that has one; without a context, by default a server on this
/// machine.
///
/// A gRPC address is an error and never gives way to a later source: the request would go to another server
/// than the user named. Only the context's own is passed over, since users of Armada's own tool keep it in
/// `ARMADAURL`.
fn base(
    overrides: &AddressOverrides,
    context: Option<&Context<'_>>,
) -> Result<BaseUrl, ConfigError> {
    let own = context.and_then(Context::armada_url);
    let is_own = |address: &str| own.as_deref().map(str::trim) == Some(address.trim());
    let is_usable = |c: &Candidate| c.api == Api::Rest || BaseUrl::has_scheme(&c.address);
    let all = candidates(overrides, context);
    let mut rest = all.iter().filter(|c| is_usable(c) || !is_own(&c.address));
    match (rest.next(), all.last(), context.and_then(Context::name)) {
        (Some(first), ..) if is_usable(first) => BaseUrl::parse(&first.address, &first.origin),
        (Some(first), ..) => {
            let next = rest.find(|c| is_usable(c)).map(|c| c.origin.clone());
            Err(no_rest_address(first, next))
        }
        (None, Some(own), _) => Err(no_rest_address(own, None)),
        (None, None, Some(name)) => Err(ConfigError::NoAddress { name: name.to_owned() }),
        (None, None, None) => BaseUrl::parse(DEFAULT_BASE, "the default"),
    }
}

fn no_rest_address(grpc: &Candidate, next: Option<String>) -> ConfigError {
    let (address, origin) = (redact_address(&grpc.address), grpc.origin.clone());
    ConfigError::NoRestAddress { address, origin, next }
}

fn timeout(overrides: &Overrides) -> Result<Duration, ConfigError> {
    let Some(text) = non_empty(overrides.request_timeout.as_ref()) else {
        return Ok(DEFAULT_TIMEOUT);
    };
    let duration = GoDuration::parse(text).map_err(ConfigError::BadTimeout)?;
    if duration <= GoDuration::ZERO { Err(ConfigError::NoTime) } else { Ok(duration.to_std()) }
}
