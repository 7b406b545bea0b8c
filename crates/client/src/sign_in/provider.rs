//! Requests to an OpenID Connect provider.

use super::token::{Token, TokenAnswer};
use crate::config::{BaseUrl, Connection, Grant, InsecureAuth, OpenIdAuth};
use crate::name::segment;
use crate::redact::redact;
use crate::request_context::{Peer, Protocol, RequestContext};
use crate::text::clean;
use crate::{ClientError, ClientErrorKind, Method, Request, backoff, connection_error, http};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use reqwest::Url;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::OnceCell;

/// A provider, as one client of it sees it.
#[derive(Debug)]
pub(super) struct Provider {
    http: reqwest::Client,
    base: BaseUrl,
    client: String,
    /// The secret with which the client itself is authenticated.
    secret: Option<SecretString>,
    grant: Grant,
    ca_file: Option<PathBuf>,
    insecure: InsecureAuth,
    log: Option<fn(&str)>,
    endpoints: OnceCell<Endpoints>,
}

/// The addresses of a provider (OpenID Connect Discovery 1.0, 3; RFC 8414, 2).
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Endpoints {
    issuer: String,
    pub token_endpoint: String,
    pub authorization_endpoint: Option<String>,
    pub device_authorization_endpoint: Option<String>,
    pub revocation_endpoint: Option<String>,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
}

/// The fields of a request's form. Values of some are secret.
pub(super) type Form<'a> = Vec<(&'static str, &'a str)>;

/// The fields of forms that are no secrets.
// The values of all others are never printed, even if a provider repeats them in an error.
const PUBLIC_FIELDS: [&str; 6] =
    ["grant_type", "client_id", "scope", "username", "redirect_uri", "token_type_hint"];

/// The reason that a provider gave no answer of the expected form.
#[derive(Debug)]
pub(super) enum ProviderError {
    /// The provider refused, with a code of RFC 6749, 5.2, or RFC 8628, 3.5.
    Refused {
        code: String,
        /// The error that it becomes.
        error: ClientError,
    },
    /// Anything else.
    Failed(ClientError),
}

impl ProviderError {
    /// The code of a refusal.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Refused { code, .. } => Some(code),
            Self::Failed(_) => None,
        }
    }

    /// Whether the provider may answer otherwise in some seconds.
    pub fn is_transient(&self) -> bool {
        use ClientErrorKind::{Busy, TimedOut, Unreachable};
        matches!(self, Self::Failed(error) if matches!(error.kind, Busy | TimedOut | Unreachable))
    }
}

impl From<ProviderError> for ClientError {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::Refused { error, .. } | ProviderError::Failed(error) => error,
        }
    }
}

impl From<ClientError> for ProviderError {
    fn from(error: ClientError) -> Self {
        Self::Failed(error)
    }
}

impl Provider {
    /// The timeout of a request. It is not `--request-timeout`: an answer that is not waited for may have used up the
    /// refresh token.
    pub const TIMEOUT: Duration = Duration::from_secs(30);

    /// Prepares requests to the provider of a context. Nothing is sent.
    pub fn new(
        connection: &Connection,
        auth: &OpenIdAuth,
        log: Option<fn(&str)>,
    ) -> Result<Self, ClientError> {
        let provider = Self {
            http: http::client(connection, &auth.provider)?,
            base: auth.provider.clone(),
            client: auth.client.clone(),
            secret: match &auth.grant {
                Grant::ClientCredentials { secret } => Some(secret.clone()),
                _ => None,
            },
            grant: auth.grant.clone(),
            ca_file: connection.ca_file.clone(),
            insecure: connection.insecure_auth,
            log,
            endpoints: OnceCell::new(),
        };
        provider.check_encrypted(&provider.base)?;
        Ok(provider)
    }

    /// The address of the provider.
    pub fn base(&self) -> &BaseUrl {
        &self.base
    }

    /// The id of the client.
    pub fn client(&self) -> &str {
        &self.client
    }

    /// Refuses addresses to which tokens and passwords would go unencrypted.
    fn check_encrypted(&self, address: &BaseUrl) -> Result<(), ClientError> {
        http::check_encrypted(address, self.insecure)
    }

    /// The addresses that the provider publishes. They are read once.
    pub async fn endpoints(&self) -> Result<&Endpoints, ClientError> {
        self.endpoints.get_or_try_init(|| self.discover()).await
    }

    async fn discover(&self) -> Result<Endpoints, ClientError> {
        let url = self.base.join("/.well-known/openid-configuration");
        let request = Request::to_provider(Method::Get, format!("sign in at {}", self.base));
        let (status, body) = self.send(&request, || self.http.get(&url), &url).await?;
        let wrong = |why: &str| {
            ClientError::while_doing(ClientErrorKind::Server, &request.doing, why)
                .help(self.address_help())
        };
        if status != 200 {
            return Err(self.status_error(status));
        }
        let endpoints: Endpoints = serde_json::from_slice(&body)
            .map_err(|_| wrong(&format!("the answer of {url} is not that of a provider")))?;
        // Another issuer could collect the credentials of this one (OpenID Connect Discovery 1.0, 4.3).
        if BaseUrl::parse(&endpoints.issuer, "published").ok().as_ref() != Some(&self.base) {
            let issuer = clean(&endpoints.issuer);
            return Err(wrong(&format!("the provider is `{issuer}`, not {}", self.base)));
        }
        Ok(endpoints)
    }

    /// Checks an address that the provider publishes.
    pub fn endpoint(&self, address: &str) -> Result<Url, ClientError> {
        let invalid = || {
            let why = format!("{} has an invalid address `{}`", self.base, clean(address));
            ClientError::new(ClientErrorKind::Server, why)
        };
        let url = Url::parse(address).map_err(|_| invalid())?;
        let mut bare = url.clone();
        bare.set_query(None);
        self.check_encrypted(&BaseUrl::parse(bare.as_str(), "published").map_err(|_| invalid())?)?;
        Ok(url)
    }

    /// Asks the token endpoint. `old` is the refresh token in the form, if it has one.
    pub async fn token(
        &self,
        form: Form<'_>,
        old: Option<&SecretString>,
    ) -> Result<Token, ProviderError> {
        let endpoints = self.endpoints().await?;
        let url = self.endpoint(&endpoints.token_endpoint)?;
        self.token_at(url, form, old).await
    }

    /// Asks a token endpoint at an address.
    pub async fn token_at(
        &self,
        url: Url,
        form: Form<'_>,
        old: Option<&SecretString>,
    ) -> Result<Token, ProviderError> {
        let sent = Timestamp::now();
        let body = self.post(url, form).await?;
        let answer: TokenAnswer =
            serde_json::from_value(body).map_err(|_| self.unreadable("its answer has no token"))?;
        Ok(answer.token(sent, old).map_err(|why| self.unreadable(why))?)
    }

    /// Whether the client is authenticated by a header, which is the default of OpenID Connect Discovery 1.0, 3.
    fn uses_basic(&self) -> bool {
        let methods = self.endpoints.get().map(|it| &it.token_endpoint_auth_methods_supported);
        methods.is_none_or(|methods| {
            methods.is_empty() || methods.iter().any(|method| method == "client_secret_basic")
        })
    }

    /// Sends a form with the client's id or credentials, and returns the JSON object of the answer.
    pub async fn post(&self, url: Url, mut form: Form<'_>) -> Result<Value, ProviderError> {
        // Both are encoded before they are joined (RFC 6749, 2.3.1).
        let basic = self.secret.as_ref().filter(|_| self.uses_basic()).map(|secret| {
            STANDARD.encode(format!(
                "{}:{}",
                segment(&self.client),
                segment(secret.expose_secret())
            ))
        });
        if basic.is_none() {
            form.push(("client_id", &self.client));
            form.extend(self.secret.iter().map(|it| ("client_secret", it.expose_secret())));
        }
        let pairs = form.iter().map(|(key, value)| format!("{key}={}", segment(value)));
        let body = pairs.collect::<Vec<_>>().join("&");
        let build = || {
            let form = "application/x-www-form-urlencoded";
            let built = self.http.post(url.clone()).header(CONTENT_TYPE, form);
            let built = built.header(ACCEPT, "application/json").body(body.clone());
            match &basic {
                Some(pair) => built.header(AUTHORIZATION, format!("Basic {pair}")),
                None => built,
            }
        };
        // A query may have a secret, and the address is logged.
        let mut shown = url.clone();
        shown.set_query(None);
        let request = Request::to_provider(Method::Post, format!("sign in at {}", self.base));
        let (status, answer) = self.send(&request, build, shown.as_str()).await?;
        let answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
        if (200..300).contains(&status) {
            return Ok(answer);
        }
        let secrets = form.iter().filter(|(key, _)| !PUBLIC_FIELDS.contains(key));
        let secrets = secrets.map(|(_, value)| *value).chain(basic.as_deref());
        let secrets: Vec<&str> =
            secrets.chain(self.secret.as_ref().map(ExposeSecret::expose_secret)).collect();
        let text = |key: &str| {
            let text = answer.get(key).and_then(Value::as_str).unwrap_or_default();
            clean(&redact(text, secrets.iter().copied()))
        };
        let (code, description) = (text("error"), text("error_description"));
        // With a status of 500 or more, the provider has not decided about the request, even if it sends a code.
        if code.is_empty() || status >= 500 {
            return Err(self.status_error(status).into());
        }
        let error = self.refused(&code, &description);
        Err(ProviderError::Refused { code, error })
    }

    /// The error of a refusal, with a code of RFC 6749 or RFC 8628.
    pub fn refused(&self, code: &str, description: &str) -> ClientError {
        let colon = if description.is_empty() { "" } else { ": " };
        let base = &self.base;
        let message = format!("cannot sign in: {base} refused ({code}){colon}{description}");
        ClientError::new(ClientErrorKind::Denied, message).help(self.help(code))
    }

    /// The help for a refusal.
    fn help(&self, code: &str) -> String {
        let block = self.grant.block();
        match code {
            "invalid_client" => {
                format!("check `clientId` and the secret of the context's `{block}`")
            }
            "invalid_scope" => format!("check `scopes` of the context's `{block}`"),
            "access_denied" => "the sign-in was refused in the browser".to_owned(),
            "invalid_grant" | "expired_token" if self.grant.needs_person() => {
                "the code is not valid any more: run `armadactl login` again".to_owned()
            }
            "invalid_grant" => format!("check the credentials of the context's `{block}`"),
            "unauthorized_client" | "unsupported_grant_type" | "unsupported_response_type" => {
                format!(
                    "the provider does not allow `{block}` to the client `{}`: ask its administrator",
                    self.client
                )
            }
            _ => "ask the administrator of the provider".to_owned(),
        }
    }

    /// The error of an answer without a code.
    fn status_error(&self, status: u16) -> ClientError {
        let is_away = status == 429 || status >= 500;
        let kind = if is_away { ClientErrorKind::Busy } else { ClientErrorKind::Server };
        let error =
            ClientError::new(kind, format!("cannot sign in: {} answered {status}", self.base));
        if is_away { error.help("try again later") } else { error.help(self.address_help()) }
    }

    fn address_help(&self) -> String {
        format!("check `providerUrl` of the context's `{}`", self.grant.block())
    }

    /// The error of a provider that does not offer a way to sign in.
    pub fn not_offered(&self, way: &str) -> ClientError {
        let message = format!("cannot sign in: {} offers no {way}", self.base);
        ClientError::new(ClientErrorKind::Unsupported, message)
            .help("use another block in the context, such as `openIdAuth` or `openIdDeviceAuth`")
    }

    /// The error of an answer that is not understood.
    pub fn unreadable(&self, why: &str) -> ClientError {
        let message =
            format!("cannot sign in: the provider {} is not understood: {why}", self.base);
        ClientError::new(ClientErrorKind::Server, message).help(self.address_help())
    }

    /// Sends a request, again if it was not received, and returns the status and the body. `shown` is its address
    /// for the log.
    async fn send(
        &self,
        request: &Request,
        build: impl Fn() -> reqwest::RequestBuilder,
        shown: &str,
    ) -> Result<(u16, Vec<u8>), ClientError> {
        let mut attempt = 1;
        loop {
            self.log_line(|| {
                format!("> {} {shown} ({})", request.method.as_str(), self.grant.block())
            });
            let outcome = self.send_once(build()).await;
            self.log_line(|| match &outcome {
                Ok((status, _)) => format!("< {status}"),
                Err(_) => "< no answer".to_owned(),
            });
            let error = match outcome {
                Ok((status, Some(body))) => return Ok((status, body)),
                Ok(_) => return Err(self.unreadable("its answer is larger than 1 MiB")),
                Err(error) => error,
            };
            // Only a request that never arrived may be sent again: a code or a refresh token is good for one use.
            let failure = error.is_connect().then_some(backoff::Failure::Connecting);
            let wait = failure.and_then(|it| backoff::wait(it, attempt, http::draw()));
            let Some(wait) = wait else { return Err(self.explain(error, request)) };
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    /// Sends a request. The body is `None` if it is too large.
    async fn send_once(
        &self,
        request: reqwest::RequestBuilder,
    ) -> reqwest::Result<(u16, Option<Vec<u8>>)> {
        let response = request.timeout(Self::TIMEOUT).send().await?;
        Ok((response.status().as_u16(), http::read(response).await?))
    }

    fn explain(&self, error: reqwest::Error, request: &Request) -> ClientError {
        let base = self.base.to_string();
        let context = RequestContext {
            base: &base,
            auth: Some(self.grant.block()),
            ca_file: self.ca_file.as_deref(),
            protocol: Protocol::Unknown,
            peer: Peer::Provider,
        };
        connection_error::explain(error, request, &context)
    }

    fn log_line(&self, line: impl FnOnce() -> String) {
        if let Some(log) = self.log {
            log(&line());
        }
    }
}
