//! The sign-in with a code on any other device (RFC 8628).

use super::prompt::Prompt;
use super::provider::{Form, Provider, ProviderError};
use super::token::{Token, seconds};
use crate::config::OpenIdAuth;
use crate::{ClientError, ClientErrorKind};
use serde_json::Value;
use std::time::{Duration, Instant};

const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// The pause between two questions, unless the provider has another (RFC 8628, 3.2).
const DEFAULT_INTERVAL: Duration = Duration::from_secs(5);
/// The additional pause after each `slow_down` (RFC 8628, 3.5).
const SLOW_DOWN: Duration = Duration::from_secs(5);
/// The longest pause.
const MAX_INTERVAL: Duration = Duration::from_mins(1);
/// The longest lifetime of a code that is waited for.
const MAX_LIFETIME: Duration = Duration::from_hours(1);

/// The answer of the device authorization endpoint (RFC 8628, 3.2).
struct Codes {
    device_code: String,
    user_code: String,
    address: String,
    /// The address with the code in it.
    complete: Option<String>,
    lifetime: Duration,
    interval: Duration,
}

impl Codes {
    /// Reads an answer; `None` if it lacks a code or an address.
    fn read(answer: &Value) -> Option<Self> {
        let text = |key: &str| answer.get(key).and_then(Value::as_str).map(str::to_owned);
        let time = |key: &str| {
            let seconds = seconds(&answer[key])?;
            u64::try_from(seconds).ok().filter(|seconds| *seconds > 0).map(Duration::from_secs)
        };
        Some(Self {
            device_code: text("device_code")?,
            user_code: crate::text::clean(&text("user_code")?),
            // Google's name has an L.
            address: web_address(&text("verification_uri").or_else(|| text("verification_url"))?)?,
            complete: text("verification_uri_complete").and_then(|text| web_address(&text)),
            // A provider that names no lifetime breaks RFC 8628 (3.2); the limit stands in.
            lifetime: time("expires_in").unwrap_or(MAX_LIFETIME).min(MAX_LIFETIME),
            interval: time("interval").unwrap_or(DEFAULT_INTERVAL).min(MAX_INTERVAL),
        })
    }
}

/// An address for a browser; `None` for one that names a program or a file of this machine.
fn web_address(text: &str) -> Option<String> {
    let url = reqwest::Url::parse(text).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.into())
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
    let answer = provider.post(provider.endpoint(address)?, vec![("scope", &scopes)]).await?;
    let codes = Codes::read(&answer)
        .ok_or_else(|| provider.unreadable("its answer has no code or address for a person"))?;
    show(Prompt::Device {
        address: &codes.address,
        code: &codes.user_code,
        complete: codes.complete.as_deref(),
    });
    poll(provider, &codes).await
}

async fn poll(provider: &Provider, codes: &Codes) -> Result<Token, ClientError> {
    let mut interval = codes.interval;
    let begun = Instant::now();
    while begun.elapsed() < codes.lifetime {
        // Before the first question too, since nobody has entered the code yet.
        tokio::time::sleep(interval).await;
        let form: Form<'_> = vec![("grant_type", GRANT), ("device_code", &codes.device_code)];
        match provider.token(form, None).await {
            Ok(token) => return Ok(token),
            Err(error) => interval = next_interval(interval, error)?,
        }
    }
    let message = format!("the code for {} has expired", provider.base());
    Err(ClientError::new(ClientErrorKind::Denied, message).help("run `armadactl login` again"))
}

/// The pause before the next question; the error if there is none.
fn next_interval(interval: Duration, error: ProviderError) -> Result<Duration, ClientError> {
    let next = match error.code() {
        Some("authorization_pending") => interval,
        Some("slow_down") => interval + SLOW_DOWN,
        // The provider may come back while the person signs in (RFC 8628, 3.5).
        None if error.is_transient() => interval * 2,
        _ => return Err(error.into()),
    };
    Ok(next.min(MAX_INTERVAL))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(more: &Value) -> Option<Codes> {
        let mut answer = json!({
            "device_code": "d", "user_code": "A\u{1b}B", "verification_uri": "https://idp/enter",
        });
        answer.as_object_mut().unwrap().append(&mut more.as_object().unwrap().clone());
        Codes::read(&answer)
    }

    #[test]
    fn intervals_of_providers_are_read_and_kept_sane() {
        let interval = |value: Value| read(&json!({"interval": value})).unwrap().interval.as_secs();
        assert_eq!(interval(json!(2)), 2);
        assert_eq!(interval(json!("7")), 7);
        for (value, expected) in [(json!(0), 5), (json!(null), 5), (json!(-1), 5)] {
            assert_eq!(interval(value), expected);
        }
        assert_eq!(interval(json!(u64::MAX)), 60);
        assert_eq!(read(&json!({"expires_in": "900"})).unwrap().lifetime.as_secs(), 900);
        assert_eq!(read(&json!({"expires_in": 1e300})).unwrap().lifetime, MAX_LIFETIME);
    }

    #[test]
    fn addresses_are_those_of_the_web() {
        let both = json!({"verification_url": "https://other"});
        assert_eq!(read(&both).unwrap().address, "https://idp/enter");
        assert_eq!(read(&json!({})).unwrap().user_code, "AB");
        assert!(read(&json!({"verification_uri": "file:///etc/passwd"})).is_none());
        let complete = json!({"verification_uri_complete": "javascript:x"});
        assert_eq!(read(&complete).unwrap().complete, None);
    }

    #[test]
    fn the_pause_grows_up_to_a_minute() {
        let error = |code: &str| ProviderError::Refused {
            code: code.to_owned(),
            error: ClientError::new(ClientErrorKind::Denied, "x"),
        };
        let next = |seconds, error| {
            next_interval(Duration::from_secs(seconds), error).map(|it| it.as_secs())
        };
        assert_eq!(next(5, error("authorization_pending")).unwrap(), 5);
        assert_eq!(next(5, error("slow_down")).unwrap(), 10);
        assert_eq!(next(58, error("slow_down")).unwrap(), 60);
        let away = || ProviderError::Failed(ClientError::new(ClientErrorKind::Unreachable, "x"));
        assert_eq!((next(5, away()).unwrap(), next(60, away()).unwrap()), (10, 60));
        assert!(next(5, error("access_denied")).is_err());
    }
}
