//! Tokens: their expiry, and what an answer of a provider says of them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::Value;

/// A token, with its expiry and the user that it names. `Debug` prints neither it nor its refresh token.
#[derive(Debug, Clone)]
pub struct Token {
    /// The token in the form in which it is sent.
    pub(crate) access: SecretString,
    /// The token with which the provider renews it.
    pub(super) refresh: Option<SecretString>,
    /// The time from which the server refuses it.
    pub expires: Timestamp,
    /// The user: the claim `sub`, which is Armada's name of a user. `None` if the token has no such claim.
    pub user: Option<String>,
}

/// The time before its expiry from which a token is not sent any more: a request takes time, and clocks differ. Go's
/// `oauth2`, with which Armada's own tool signs in, has the same.
const MARGIN: SignedDuration = SignedDuration::from_secs(10);

/// The assumed lifetime of a token that does not tell its own.
const UNKNOWN_LIFETIME: SignedDuration = SignedDuration::from_mins(5);

/// The longest lifetime that is believed: ten years.
// It keeps sums of times within their type.
const MAX_LIFETIME: SignedDuration = SignedDuration::from_hours(10 * 365 * 24);

impl Token {
    /// Whether it may be sent now. `refused` is a token that the server has refused.
    pub(super) fn is_usable(&self, refused: Option<&SecretString>) -> bool {
        let is_refused =
            refused.is_some_and(|token| token.expose_secret() == self.access.expose_secret());
        self.is_current(Timestamp::now()) && !is_refused
    }

    /// Whether it may be sent at this time.
    fn is_current(&self, now: Timestamp) -> bool {
        self.expires.duration_since(now) > MARGIN
    }
}

/// A successful answer of a token endpoint (RFC 6749, 5.1).
#[derive(Deserialize)]
pub(super) struct TokenAnswer {
    access_token: String,
    #[serde(default)]
    token_type: Option<String>,
    #[serde(default)]
    expires_in: Value,
    #[serde(default)]
    refresh_token: Option<String>,
    #[serde(default)]
    id_token: Option<String>,
}

impl TokenAnswer {
    /// The token of an answer to a request that was sent at a time. `old` is the refresh token that was sent, which
    /// stays valid if the answer has none.
    pub fn token(self, sent: Timestamp, old: Option<&SecretString>) -> Result<Token, &'static str> {
        // An absent type is that of nearly all providers, although RFC 6749 (5.1) requires it.
        if !self.token_type.as_deref().unwrap_or("Bearer").eq_ignore_ascii_case("bearer") {
            return Err("its token is not of the type Bearer");
        }
        let access = check_access_token(&self.access_token)?;
        let claims = claims(&self.access_token);
        // Some providers write 0 for a time that they do not know, as Go's `oauth2` reads it.
        let lifetime = seconds(&self.expires_in).filter(|seconds| *seconds > 0);
        let lifetime = lifetime.map(SignedDuration::from_secs);
        let expires = match (lifetime, claims.get("exp").and_then(seconds)) {
            // From the time of the request, which is before the token was made: it is never taken for valid for too
            // long.
            (Some(lifetime), _) => sent.checked_add(lifetime.min(MAX_LIFETIME)).ok(),
            (None, Some(at)) => Timestamp::from_second(at).ok(),
            (None, None) => None,
        };
        let user = subject(&claims).or_else(|| subject(&claims_of(self.id_token.as_deref())));
        Ok(Token {
            access,
            refresh: self.refresh_token.map(SecretString::from).or_else(|| old.cloned()),
            // Too short rather than too long: a token is then renewed early, not refused.
            expires: expires.unwrap_or_else(|| sent + UNKNOWN_LIFETIME),
            user,
        })
    }
}

/// A token that fits into a header.
pub(super) fn check_access_token(token: &str) -> Result<SecretString, &'static str> {
    let fits = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    if fits { Ok(token.into()) } else { Err("its token has characters that a header cannot have") }
}

/// A number of seconds, which some providers write as a text.
pub(crate) fn seconds(value: &Value) -> Option<i64> {
    let number = match value {
        Value::String(text) => text.parse().ok()?,
        value => value.as_f64()?,
    };
    #[expect(clippy::cast_possible_truncation, reason = "a larger one becomes the largest")]
    (number >= 0.0).then_some(number as i64)
}

fn claims_of(token: Option<&str>) -> Value {
    token.map_or(Value::Null, claims)
}

/// The claims of a JWT, for display only: its signature is not verified, which is the server's part. `Null` for a
/// token of another form.
pub(crate) fn claims(token: &str) -> Value {
    let payload = token.split('.').nth(1).unwrap_or_default();
    // Some issuers keep the padding, which RFC 7515 (2) removes.
    let bytes = URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// The user in the claims of a token.
pub(crate) fn subject(claims: &Value) -> Option<String> {
    Some(crate::text::clean(claims.get("sub")?.as_str()?)).filter(|user| !user.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Result<Token, &'static str> {
        let sent = Timestamp::from_second(1_000).unwrap();
        serde_json::from_str::<TokenAnswer>(text).unwrap().token(sent, Some(&"old".into()))
    }

    fn jwt(claims: &str) -> String {
        format!("e30.{}.sig", URL_SAFE_NO_PAD.encode(claims))
    }

    #[test]
    fn an_answer_tells_the_expiry_or_the_token_does() {
        let expires = |fields: &str, claims: &str| {
            let text = format!(r#"{{"access_token":"{}"{fields}}}"#, jwt(claims));
            answer(&text).unwrap().expires.as_second() - 1_000
        };
        assert_eq!(expires(r#","expires_in":60"#, r#"{"exp":5000}"#), 60);
        assert_eq!(expires(r#","expires_in":"60""#, "{}"), 60);
        assert_eq!(expires("", r#"{"exp":5000}"#), 4_000);
        assert_eq!(expires("", "{}"), 300);
        assert_eq!(expires(r#","expires_in":-1"#, "{}"), 300);
        assert_eq!(expires(r#","expires_in":0"#, r#"{"exp":5000}"#), 4_000);
        assert_eq!(expires(r#","expires_in":1e300"#, "{}"), 10 * 365 * 24 * 3_600);
        assert_eq!(expires("", r#"{"exp":1e300}"#), 300);
    }

    #[test]
    fn a_token_is_not_sent_shortly_before_its_expiry() {
        let token = answer(r#"{"access_token":"t","expires_in":60}"#).unwrap();
        let at = |second| Timestamp::from_second(second).unwrap();
        assert!(token.is_current(at(1_049)));
        assert!(!token.is_current(at(1_050)));
        assert!(!token.is_current(at(2_000)));
    }

    #[test]
    fn a_refresh_token_stays_until_there_is_another() {
        let refresh =
            |text: &str| answer(text).unwrap().refresh.unwrap().expose_secret().to_owned();
        assert_eq!(refresh(r#"{"access_token":"t"}"#), "old");
        assert_eq!(refresh(r#"{"access_token":"t","refresh_token":"new"}"#), "new");
    }

    #[test]
    fn the_user_is_the_subject_of_either_token() {
        let user = |access: &str, id: &str| {
            let text = format!(r#"{{"access_token":"{access}","id_token":"{id}"}}"#);
            answer(&text).unwrap().user
        };
        let (a, b) = (jwt(r#"{"sub":"alice"}"#), jwt(r#"{"sub":"b\u001b[31mob"}"#));
        assert_eq!(user(&a, &b).as_deref(), Some("alice"));
        assert_eq!(user("opaque", &b).as_deref(), Some("b[31mob"));
        assert_eq!(user("a.b.c", "x"), None);
    }

    #[test]
    fn a_token_that_no_header_takes_is_refused() {
        for text in [
            r#"{"access_token":""}"#,
            r#"{"access_token":"a\nb"}"#,
            r#"{"access_token":"a b"}"#,
            r#"{"access_token":"t","token_type":"mac"}"#,
        ] {
            assert!(answer(text).is_err(), "{text}");
        }
    }
}
