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
use crate::config::{BaseUrl, Connection, Grant, OpenIdAuth, Renewal};
use cache::{Cache, Locked};
use provider::{Form, Provider, ProviderError};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::Mutex;

/// The tokens of one context: cached, renewed or new.
#[derive(Debug)]
pub struct SignIn {
    auth: OpenIdAuth,
    provider: Provider,
    /// `None` if tokens are kept in memory only: the user has no cache directory, or the token is a pod's.
    cache: Option<Cache>,
    renewal: Renewal,
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
    /// Whether the provider revokes tokens, and has revoked this one.
    pub is_revoked: Result<bool, ClientError>,
}

impl SignIn {
    /// Prepares requests to the provider. Nothing is sent and no file is read. `log` receives every request and the
    /// status of its answer, without secrets.
    pub fn new(
        connection: &Connection,
        auth: &OpenIdAuth,
        log: Option<fn(&str)>,
    ) -> Result<Self, ClientError> {
        // Pods with other rights may share a directory.
        let directory = connection.cache_directory.as_ref();
        let directory = directory.filter(|_| !matches!(auth.grant, Grant::Kubernetes));
        Ok(Self {
            auth: auth.clone(),
            provider: Provider::new(connection, auth, log)?,
            cache: directory.map(|path| Cache::new(path, auth)),
            renewal: connection.renewal,
            context: connection.context.clone(),
            log,
            held: Mutex::new(None),
        })
    }

    /// The address of the provider.
    pub fn provider(&self) -> &BaseUrl {
        self.provider.base()
    }

    /// Whether another token follows this one without a person.
    pub fn is_renewable(&self, token: &Token) -> bool {
        let is_kept = token.refresh.is_some() && self.auth.keeps_refresh_token;
        is_kept || !self.auth.grant.needs_person()
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
        // Read without the lock first: most commands find a token that is still good.
        let cached = read();
        if let Some(token) = cached.clone().filter(|token| token.is_usable(refused)) {
            return Ok(token);
        }
        if self.renewal == Renewal::Never || (cached.is_none() && self.auth.grant.needs_person()) {
            return Err(self.not_signed_in(cached.is_some()));
        }
        let locked = self.lock_to_renew().await?;
        // Another process may have renewed it, and used up the refresh token.
        let cached = read();
        if let Some(token) = cached.clone().filter(|token| token.is_usable(refused)) {
            return Ok(token);
        }
        // One that could not be written is newer than the file's, whose refresh token is used up.
        let latest = cached.as_ref().into_iter().chain(held).max_by_key(|token| token.expires);
        let token = match self.renew(latest).await? {
            Some(renewed) => renewed,
            None if self.auth.grant.needs_person() => return Err(self.not_signed_in(true)),
            None => self.ask().await?,
        };
        if let (Some(cache), Some(locked)) = (&self.cache, locked)
            && let Err(error) = cache.write(&token, locked)
        {
            // This command can still use the token.
            self.log_error(&error);
        }
        Ok(token)
    }

    /// The lock of the cache. A way without a person goes on without it: the next command asks for another token.
    async fn lock_to_renew(&self) -> Result<Option<Locked>, ClientError> {
        match self.lock().await {
            Err(error) if !self.auth.grant.needs_person() => {
                self.log_error(&error);
                Ok(None)
            }
            locked => locked,
        }
    }

    /// The lock of the cache; `None` without a cache.
    async fn lock(&self) -> Result<Option<Locked>, ClientError> {
        match &self.cache {
            Some(cache) => cache.lock(Provider::TIMEOUT).await.map(Some),
            None => Ok(None),
        }
    }

    /// Logs an error of the cache that does not matter.
    fn log_error(&self, error: &ClientError) {
        if let Some(log) = self.log {
            log(&format!("  {}", error.message));
        }
    }

    /// Renews a token; `None` if the provider does not, or if another one is as easy to get.
    async fn renew(&self, old: Option<&Token>) -> Result<Option<Token>, ClientError> {
        if matches!(self.auth.grant, Grant::ClientCredentials { .. } | Grant::Kubernetes) {
            return Ok(None);
        }
        let Some((old, refresh)) = old.and_then(|old| Some((old, old.refresh.as_ref()?))) else {
            return Ok(None);
        };
        let form: Form<'_> =
            vec![("grant_type", "refresh_token"), ("refresh_token", refresh.expose_secret())];
        match self.provider.token(form, Some(refresh)).await {
            Ok(token) => {
                // An answer to a refresh token need not name the user again.
                let user = token.user.clone().or_else(|| old.user.clone());
                Ok(Some(Token { user, ..token }))
            }
            // It has expired or was revoked.
            Err(error) if error.code() == Some("invalid_grant") => Ok(None),
            // Without a person, the credentials themselves may still be good.
            Err(ProviderError::Refused { .. }) if !self.auth.grant.needs_person() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Asks for a token without a person.
    async fn ask(&self) -> Result<Token, ClientError> {
        let scope = self.auth.scopes.join(" ");
        let mut form: Form<'_> = Vec::new();
        if !scope.is_empty() {
            form.push(("scope", &scope));
        }
        let token = match &self.auth.grant {
            Grant::Code { .. } | Grant::Device => return Err(self.not_signed_in(false)),
            Grant::Password { username, password } => {
                form.push(("grant_type", "password"));
                form.push(("username", username));
                form.push(("password", password.expose_secret()));
                self.provider.token(form, None).await
            }
            Grant::ClientCredentials { .. } => {
                form.push(("grant_type", "client_credentials"));
                self.provider.token(form, None).await
            }
            Grant::Kubernetes => {
                let assertion = kubernetes::pod_token()?;
                form.push(("grant_type", "kubernetes"));
                form.push(("client_assertion", assertion.expose_secret()));
                // Armada's own tool has this path, and reads no others from the provider.
                let url = self.provider.endpoint(&self.provider.base().join("/connect/token"))?;
                self.provider.token_at(url, form, None).await
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
        let Some(cache) = &self.cache else {
            let why = "the token cannot be kept: neither `XDG_CACHE_HOME` nor `HOME` is set";
            return Err(ClientError::new(ClientErrorKind::Input, why));
        };
        drop(cache.lock(Provider::TIMEOUT).await?);
        let keep = async |token: &Token| cache.write(token, cache.lock(Provider::TIMEOUT).await?);
        match &self.auth.grant {
            Grant::Code { port } => {
                code::sign_in(&self.provider, &self.auth, *port, show, keep).await
            }
            Grant::Device => {
                let token = device::sign_in(&self.provider, &self.auth, show).await?;
                keep(&token).await.map(|()| token)
            }
            _ => {
                let token = self.ask().await?;
                keep(&token).await.map(|()| token)
            }
        }
    }

    /// Removes the tokens of this provider and client from the cache, and asks the provider to revoke them.
    pub async fn sign_out(&self) -> Result<SignedOut, ClientError> {
        let removed = match &self.cache {
            // Without the lock, a process that renews a token could write it again.
            Some(cache) if !cache.is_new() => {
                cache.remove_all(&cache.lock(Provider::TIMEOUT).await?)?
            }
            _ => Vec::new(),
        };
        let mut is_revoked = Ok(true);
        for token in &removed {
            match (self.revoke(token).await, &is_revoked) {
                (Ok(true), _) | (_, Err(_)) => {}
                (other, _) => is_revoked = other,
            }
        }
        Ok(SignedOut { had_token: !removed.is_empty(), is_revoked })
    }

    /// Asks the provider to revoke a token (RFC 7009). Returns whether it offers that.
    async fn revoke(&self, token: &Token) -> Result<bool, ClientError> {
        // With a refresh token, the tokens that it has renewed are revoked too.
        let (hint, secret) = match &token.refresh {
            Some(refresh) => ("refresh_token", refresh),
            None => ("access_token", &token.access),
        };
        let endpoints = self.provider.endpoints().await?;
        let Some(address) = &endpoints.revocation_endpoint else { return Ok(false) };
        let url = self.provider.endpoint(address)?;
        let form: Form<'_> = vec![("token", secret.expose_secret()), ("token_type_hint", hint)];
        self.provider.post(url, form).await?;
        Ok(true)
    }
}
