//! Signing in: tokens of OpenID Connect providers and of Kubernetes, their cache and their renewal.
//!
//! Requests and answers are OAuth 2.0's (RFC 6749, 7636, 8252, 8628, 7009), which is written here since the `oauth2`
//! package brings second versions of `base64`, `rand`, `sha2` and `thiserror`, and `chrono` (see `deny.toml`).
//! Signatures of tokens are not verified: the tokens come from the provider over TLS, and are checked by the server
//! that they are sent to.

mod api_server;
mod cache;
mod code;
mod device;
mod kubeconfig;
mod kubernetes;
mod prompt;
mod provider;
pub(super) mod token;

pub(super) use kubernetes::ServiceAccount;
pub use prompt::Prompt;
pub use token::Token;

use super::{ClientError, ClientErrorKind};
use crate::config::{BaseUrl, Connection, Grant, OpenIdAuth};
use cache::{Cache, Locked};
use provider::{Form, Provider, ProviderError};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::Mutex;

/// The tokens of one context: cached, renewed or new.
#[derive(Debug)]
pub struct SignIn {
    auth: OpenIdAuth,
    provider: Provider,
    /// `None` if the user has no cache directory.
    cache: Option<Cache>,
    /// The context's name, for messages.
    context: Option<String>,
    log: Option<fn(&str)>,
    held: Mutex<Option<Token>>,
}

/// The end of a sign-in.
#[derive(Debug)]
pub struct SignedOut {
    /// Whether there was a token.
    pub had_token: bool,
    /// Whether the provider has revoked it; `None` if the provider does not offer that.
    pub revocation: Option<Result<(), ClientError>>,
}

impl SignIn {
    /// Prepares requests to the provider. Nothing is sent and no file is read. `log` receives every request and the
    /// status of its answer, without secrets.
    pub fn new(
        connection: &Connection,
        auth: &OpenIdAuth,
        log: Option<fn(&str)>,
    ) -> Result<Self, ClientError> {
        let cache = connection.cache_directory.as_ref().map(|path| Cache::new(path, auth));
        let provider = Provider::new(connection, auth, log)?;
        let (auth, context) = (auth.clone(), connection.context.clone());
        Ok(Self { auth, provider, cache, context, log, held: Mutex::new(None) })
    }

    /// The address of the provider.
    pub fn provider(&self) -> &BaseUrl {
        self.provider.base()
    }

    /// Whether only a person can sign in.
    pub(super) fn needs_person(&self) -> bool {
        matches!(self.auth.grant, Grant::Code { .. } | Grant::Device)
    }

    /// A token that may be sent now. It is renewed, or asked for, if no person is needed for that.
    pub async fn token(&self) -> Result<Token, ClientError> {
        self.token_except(None).await
    }

    /// Another token than this one, which the server has refused.
    pub(super) async fn replace(&self, refused: &SecretString) -> Result<Token, ClientError> {
        self.token_except(Some(refused)).await
    }

    async fn token_except(&self, refused: Option<&SecretString>) -> Result<Token, ClientError> {
        // The lock is kept while a token is renewed: concurrent requests wait for that one.
        let mut held = self.held.lock().await;
        if let Some(token) = held.as_ref().filter(|token| token.is_usable(refused)) {
            return Ok(token.clone());
        }
        let token = self.cached_or_new(held.as_ref(), refused).await?;
        *held = Some(token.clone());
        Ok(token)
    }

    async fn cached_or_new(
        &self,
        held: Option<&Token>,
        refused: Option<&SecretString>,
    ) -> Result<Token, ClientError> {
        let read = || self.cache.as_ref().and_then(Cache::read);
        if let Some(token) = read().filter(|token| token.is_usable(refused)) {
            return Ok(token);
        }
        let locked = match self.lock().await {
            // A way without a person needs no file: the next command asks for another token.
            Err(error) if error.kind == ClientErrorKind::Input && !self.needs_person() => {
                self.log_line(&error);
                None
            }
            locked => locked?,
        };
        // Another process may have renewed it, and used up the refresh token.
        let cached = read();
        if let Some(token) = cached.clone().filter(|token| token.is_usable(refused)) {
            return Ok(token);
        }
        let token = match self.renew(cached.as_ref().or(held)).await {
            Some(renewed) => renewed?,
            None => self.ask(cached.is_some()).await?,
        };
        if let (Some(cache), Some(locked)) = (&self.cache, &locked)
            && let Err(error) = cache.write(&token, locked)
        {
            if self.needs_person() {
                return Err(error);
            }
            self.log_line(&error);
        }
        Ok(token)
    }

    /// Logs an error of the cache that does not matter.
    fn log_line(&self, error: &ClientError) {
        if let Some(log) = self.log {
            log(&format!("  {}", error.message));
        }
    }

    /// The lock of the cache; `None` without a cache.
    async fn lock(&self) -> Result<Option<Locked>, ClientError> {
        match &self.cache {
            // A process that holds it waits for the provider, at most that long, and then writes.
            Some(cache) => cache.lock(self.provider.timeout * 2).await.map(Some),
            None => Ok(None),
        }
    }

    /// Renews a token; `None` if the provider cannot, or if another one is as easy to get.
    async fn renew(&self, old: Option<&Token>) -> Option<Result<Token, ClientError>> {
        if matches!(self.auth.grant, Grant::ClientCredentials { .. } | Grant::Kubernetes) {
            return None;
        }
        let refresh = old?.refresh.as_ref()?;
        let form: Form<'_> =
            vec![("grant_type", "refresh_token"), ("refresh_token", refresh.expose_secret())];
        match self.provider.token(form, self.secret(), Some(refresh)).await {
            Ok(token) => {
                let user = token.user.clone().or_else(|| old?.user.clone());
                Some(Ok(Token { user, ..token }))
            }
            // It has expired or was revoked.
            Err(error) if error.code() == "invalid_grant" => None,
            Err(error) => Some(Err(error.into())),
        }
    }

    /// The secret with which the client itself is authenticated.
    fn secret(&self) -> Option<&SecretString> {
        match &self.auth.grant {
            Grant::ClientCredentials { secret } => Some(secret),
            _ => None,
        }
    }

    /// Asks for a token without a person. `had_token` is for the message if that is not possible.
    async fn ask(&self, had_token: bool) -> Result<Token, ClientError> {
        let scope = self.auth.scopes.join(" ");
        let mut form: Form<'_> = Vec::new();
        if !scope.is_empty() {
            form.push(("scope", &scope));
        }
        let token = match &self.auth.grant {
            Grant::Code { .. } | Grant::Device => return Err(self.not_signed_in(had_token)),
            Grant::Password { username, password } => {
                form.push(("grant_type", "password"));
                form.push(("username", username));
                form.push(("password", password.expose_secret()));
                self.provider.token(form, None, None).await
            }
            Grant::ClientCredentials { secret } => {
                form.push(("grant_type", "client_credentials"));
                self.provider.token(form, Some(secret), None).await
            }
            Grant::Kubernetes => {
                let assertion = kubernetes::pod_token()?;
                form.push(("grant_type", "kubernetes"));
                form.push(("client_assertion", assertion.expose_secret()));
                // Armada's own tool has this path, and reads no others from the provider.
                let url = self.provider.endpoint(&self.provider.base().join("/connect/token"))?;
                self.provider.token_at(url, form, None, None).await
            }
        };
        token.map_err(ProviderError::into)
    }

    fn not_signed_in(&self, had_token: bool) -> ClientError {
        let base = self.provider.base();
        let message = if had_token {
            format!("the sign-in at {base} has expired")
        } else {
            format!("not signed in at {base}")
        };
        let context = self.context.as_ref().map(|name| format!(" --context {name}"));
        let help = format!("run `armadactl login{}`", context.unwrap_or_default());
        ClientError::new(ClientErrorKind::Denied, message).help(help)
    }

    /// Signs in anew, and keeps the token in the cache. `show` tells a person what to do.
    pub async fn sign_in(&self, show: &dyn Fn(Prompt<'_>)) -> Result<Token, ClientError> {
        // A token that cannot be kept is useless, and a person should not sign in for it.
        if self.cache.is_none() {
            let why =
                "there is no directory for the token: neither `XDG_CACHE_HOME` nor `HOME` is set";
            return Err(ClientError::new(ClientErrorKind::Input, why));
        }
        drop(self.lock().await?);
        let token = match &self.auth.grant {
            Grant::Code { port } => code::sign_in(&self.provider, &self.auth, *port, show).await?,
            Grant::Device => device::sign_in(&self.provider, &self.auth, show).await?,
            _ => self.ask(false).await?,
        };
        if let (Some(cache), Some(locked)) = (&self.cache, self.lock().await?) {
            cache.write(&token, &locked)?;
        }
        Ok(token)
    }

    /// Removes the token from the cache, and asks the provider to revoke it.
    pub async fn sign_out(&self) -> Result<SignedOut, ClientError> {
        let (Some(cache), Some(locked)) = (&self.cache, self.lock().await?) else {
            return Ok(SignedOut { had_token: false, revocation: None });
        };
        let token = cache.read();
        let had_token = cache.remove(&locked)?;
        let revocation = match token {
            Some(token) => self.revoke(&token).await.transpose(),
            None => None,
        };
        Ok(SignedOut { had_token, revocation })
    }

    /// Asks the provider to revoke a token (RFC 7009); `None` if it does not offer that.
    async fn revoke(&self, token: &Token) -> Result<Option<()>, ClientError> {
        // With a refresh token, the tokens that it has renewed are revoked too.
        let (hint, secret) = match &token.refresh {
            Some(refresh) => ("refresh_token", refresh),
            None => ("access_token", &token.access),
        };
        if matches!(self.auth.grant, Grant::Kubernetes) {
            return Ok(None);
        }
        let endpoints = self.provider.endpoints().await?;
        let Some(address) = &endpoints.revocation_endpoint else { return Ok(None) };
        let url = self.provider.endpoint(address)?;
        let mut form: Form<'_> = vec![("token", secret.expose_secret()), ("token_type_hint", hint)];
        if self.secret().is_none() {
            form.push(("client_id", self.provider.client()));
        }
        self.provider.post(url, &form, self.secret()).await?;
        Ok(Some(()))
    }
}
