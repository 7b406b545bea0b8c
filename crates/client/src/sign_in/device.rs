//! The sign-in with a code on any other device (RFC 8628).

use super::prompt::Prompt;
use super::provider::{Form, Provider, ProviderError};
use super::token::Token;
use crate::config::OpenIdAuth;
use crate::{ClientError, ClientErrorKind};
use serde::Deserialize;
use serde_json::Value;
use std::time::{Duration, Instant};

const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// The pause between two questions, unless the provider has another (RFC 8628, 3.2).
const DEFAULT_INTERVAL: Duration = Duration::from_secs(5);
/// The additional pause after each `slow_down` (RFC 8628, 3.5).
const SLOW_DOWN: Duration = Duration::from_secs(5);
/// The longest pause: a provider that does not answer is asked less often.
const MAX_INTERVAL: Duration = Duration::from_mins(1);
/// The longest lifetime of a code that is waited for.
const MAX_LIFETIME: Duration = Duration::from_hours(1);

/// The answer of the device authorization endpoint (RFC 8628, 3.2).
#[derive(Deserialize)]
struct Codes {
    device_code: String,
    user_code: String,
    // Google's name has an L.
    #[serde(alias = "verification_url")]
    verification_uri: String,
    verification_uri_complete: Option<String>,
    #[serde(default)]
    expires_in: Option<u64>,
    #[serde(default)]
    interval: Option<u64>,
}

/// Shows a code, and asks the provider until a person has entered it.
pub(super) async fn sign_in(
    provider: &Provider,
    auth: &OpenIdAuth,
    show: &dyn Fn(Prompt<'_>),
) -> Result<Token, ClientError> {
    let endpoints = provider.endpoints().await?;
    let Some(address) = &endpoints.device_authorization_endpoint else {
        return Err(provider.not_offered("sign-in by device code"));
    };
    let scopes = auth.scopes_with_openid();
    let form: Form<'_> = vec![("client_id", provider.client()), ("scope", &scopes)];
    let answer: Value = provider.post(provider.endpoint(address)?, &form, None).await?;
    let codes: Codes = serde_json::from_value(answer)
        .map_err(|_| provider.unreadable("its answer has no code for a person"))?;
    let address = web_address(provider, &codes.verification_uri)?;
    let complete = codes.verification_uri_complete.as_deref();
    let complete = complete.map(|text| web_address(provider, text)).transpose()?;
    let code = crate::text::clean(&codes.user_code);
    show(Prompt::Device { address: &address, code: &code, complete: complete.as_deref() });
    poll(provider, &codes).await
}

/// An address for a browser. A provider that names a program or a file of this machine is refused.
fn web_address(provider: &Provider, text: &str) -> Result<String, ClientError> {
    let url = reqwest::Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let invalid = || provider.unreadable("the address for a person is invalid");
    url.map(String::from).ok_or_else(invalid)
}

async fn poll(provider: &Provider, codes: &Codes) -> Result<Token, ClientError> {
    let mut interval = codes.interval.map_or(DEFAULT_INTERVAL, Duration::from_secs);
    let lifetime = codes.expires_in.map_or(MAX_LIFETIME, Duration::from_secs).min(MAX_LIFETIME);
    let begun = Instant::now();
    while begun.elapsed() < lifetime {
        tokio::time::sleep(interval.min(MAX_INTERVAL)).await;
        let form: Form<'_> = vec![("grant_type", GRANT), ("device_code", &codes.device_code)];
        match provider.token(form, None, None).await {
            Ok(token) => return Ok(token),
            Err(error) if error.code() == "authorization_pending" => {}
            Err(error) if error.code() == "slow_down" => interval += SLOW_DOWN,
            // The connection may come back while the person signs in (RFC 8628, 3.5).
            Err(ProviderError::Failed(error)) if is_transient(&error) => interval *= 2,
            Err(error) => return Err(error.into()),
        }
    }
    let message = format!("the code for {} has expired", provider.base());
    Err(ClientError::new(ClientErrorKind::Denied, message).help("run `armadactl login` again"))
}

fn is_transient(error: &ClientError) -> bool {
    matches!(error.kind, ClientErrorKind::Unreachable | ClientErrorKind::TimedOut)
}
