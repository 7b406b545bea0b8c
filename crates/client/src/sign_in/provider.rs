//! Requests to an OpenID Connect provider.

use super::token::{Token, TokenAnswer};
use crate::config::{BaseUrl, Connection, InsecureAuth, OpenIdAuth};
use crate::request_context::{Peer, Protocol, RequestContext};
use crate::text::clean;
use crate::{ClientError, ClientErrorKind, Method, Request, backoff, connection_error, http};
use jiff::Timestamp;
use reqwest::Url;
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
    block: &'static str,
    ca_file: Option<PathBuf>,
    insecure: InsecureAuth,
    pub timeout: Duration,
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

/// The fields of forms and answers whose values are never printed, even if a provider repeats them in an error.
const SECRET_FIELDS: [&str; 7] = [
    "password",
    "client_secret",
    "refresh_token",
    "code",
    "code_verifier",
    "device_code",
    "client_assertion",
];

/// The reason that a provider gave no answer of the expected form.
#[derive(Debug)]
pub(super) enum ProviderError {
    /// The provider refused, with a code of RFC 6749, 5.2, or RFC 8628, 3.5.
    Refused {
        /// The code.
        code: String,
        /// The error that it becomes.
        error: ClientError,
    },
    /// Anything else.
    Failed(ClientError),
}

impl ProviderError {
    /// The code of a refusal; empty for anything else.
    pub fn code(&self) -> &str {
        match self {
            Self::Refused { code, .. } => code,
            Self::Failed(_) => "",
        }
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
            block: auth.grant.block(),
            ca_file: connection.ca_file.clone(),
            insecure: connection.insecure_auth,
            timeout: connection.timeout,
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
                .help(format!("check `providerUrl` of the context's `{}`", self.block))
        };
        if status != 200 {
            return Err(wrong(&format!(
                "{url} answered {status}; it is no OpenID Connect provider"
            )));
        }
        let endpoints: Endpoints = serde_json::from_slice(&body)
            .map_err(|_| wrong(&format!("the answer of {url} is not that of a provider")))?;
        // Another issuer could collect the credentials of this one (OpenID Connect Discovery 1.0, 4.3).
        let issuer = clean(&endpoints.issuer);
        if issuer.trim_end_matches('/') != self.base.to_string() {
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
        secret: Option<&SecretString>,
        old: Option<&SecretString>,
    ) -> Result<Token, ProviderError> {
        let endpoints = self.endpoints().await?;
        let url = self.endpoint(&endpoints.token_endpoint)?;
        self.token_at(url, form, secret, old).await
    }

    /// Asks a token endpoint at an address. `secret` authenticates the client.
    pub async fn token_at(
        &self,
        url: Url,
        mut form: Form<'_>,
        secret: Option<&SecretString>,
        old: Option<&SecretString>,
    ) -> Result<Token, ProviderError> {
        let methods = self.endpoints.get().map(|it| &it.token_endpoint_auth_methods_supported);
        // `client_secret_basic` is the default of OpenID Connect Discovery 1.0, 3.
        let in_form = methods.is_some_and(|methods| {
            !methods.is_empty() && methods.iter().all(|method| method != "client_secret_basic")
        });
        let basic = secret.filter(|_| !in_form);
        if basic.is_none() {
            form.push(("client_id", &self.client));
        }
        if let Some(secret) = secret.filter(|_| in_form) {
            form.push(("client_secret", secret.expose_secret()));
        }
        let sent = Timestamp::now();
        let body = self.post(url, &form, basic).await?;
        let answer: TokenAnswer =
            serde_json::from_value(body).map_err(|_| self.unreadable("its answer has no token"))?;
        Ok(answer.token(sent, old).map_err(|why| self.unreadable(why))?)
    }

    /// Sends a form and returns the JSON object of the answer.
    pub async fn post(
        &self,
        url: Url,
        form: &Form<'_>,
        basic: Option<&SecretString>,
    ) -> Result<Value, ProviderError> {
        let request = Request::to_provider(Method::Post, format!("sign in at {}", self.base));
        let body = encode(form);
        let build = || {
            let form = "application/x-www-form-urlencoded";
            let built = self.http.post(url.clone()).header("Content-Type", form);
            let built = built.header("Accept", "application/json").body(body.clone());
            match basic {
                // Both are encoded before they are joined (RFC 6749, 2.3.1).
                Some(secret) => built.basic_auth(
                    encode_text(&self.client),
                    Some(encode_text(secret.expose_secret())),
                ),
                None => built,
            }
        };
        let mut shown = url.clone();
        shown.set_query(None);
        let (status, answer) = self.send(&request, build, shown.as_str()).await?;
        let answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
        if (200..300).contains(&status) {
            return Ok(answer);
        }
        let secrets = form.iter().filter(|(key, _)| SECRET_FIELDS.contains(key));
        let secrets = secrets.map(|(_, value)| *value);
        let secrets: Vec<&str> = secrets.chain(basic.map(ExposeSecret::expose_secret)).collect();
        Err(self.refusal(status, &answer, &secrets))
    }

    /// The error of an answer that is not a success, without the secrets that were sent.
    fn refusal(&self, status: u16, answer: &Value, secrets: &[&str]) -> ProviderError {
        let text = |key: &str| {
            let mut text = answer.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
                text = text.replace(secret, "REDACTED");
            }
            clean(&text)
        };
        let (code, description) = (text("error"), text("error_description"));
        if code.is_empty() {
            let why = format!("cannot sign in: {} answered {status}", self.base);
            return ClientError::new(ClientErrorKind::Server, why).help("try again later").into();
        }
        let description =
            if description.is_empty() { description } else { format!(": {description}") };
        let message = format!("cannot sign in: {} refused ({code}){description}", self.base);
        let kind = if status < 500 { ClientErrorKind::Denied } else { ClientErrorKind::Server };
        let error = ClientError::new(kind, message).help(self.help(&code));
        ProviderError::Refused { code, error }
    }

    /// The help for a refusal.
    fn help(&self, code: &str) -> String {
        let block = self.block;
        match code {
            "invalid_client" => {
                format!("check `clientId` and the secret of the context's `{block}`")
            }
            "invalid_scope" => format!("check `scopes` of the context's `{block}`"),
            "invalid_grant" => format!("check the credentials of the context's `{block}`"),
            "unauthorized_client" | "unsupported_grant_type" => format!(
                "the provider does not allow `{block}` to the client `{}`: ask its administrator",
                self.client
            ),
            "access_denied" => "the sign-in was refused in the browser".to_owned(),
            "server_error" | "temporarily_unavailable" => "try again later".to_owned(),
            "expired_token" => "the code has expired: run `armadactl login` again".to_owned(),
            _ => "ask the administrator of the provider".to_owned(),
        }
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
        ClientError::new(ClientErrorKind::Server, message)
            .help(format!("check `providerUrl` of the context's `{}`", self.block))
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
            self.log_line(|| format!("> {} {shown} ({})", request.method.as_str(), self.block));
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
        let response = request.timeout(self.timeout).send().await?;
        Ok((response.status().as_u16(), http::read(response).await?))
    }

    fn explain(&self, error: reqwest::Error, request: &Request) -> ClientError {
        let base = self.base.to_string();
        let context = RequestContext {
            base: &base,
            auth: Some(self.block),
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

/// A form in its encoding.
fn encode(form: &Form<'_>) -> String {
    form.iter()
        .map(|(key, value)| format!("{key}={}", encode_text(value)))
        .collect::<Vec<_>>()
        .join("&")
}

/// A text in the encoding of a form's value.
pub(super) fn encode_text(text: &str) -> String {
    crate::name::segment(text)
}
