//! Who may call: holders of the token, or whoever can reach a loopback address, but for the pages
//! that a browser shows.

use super::api::Head;
use super::wire::{Code, Status};
use std::fmt;

/// Who may call.
#[derive(Debug)]
pub enum Access {
    /// Programs of this machine.
    Local,
    /// Holders of this token.
    Token(Token),
}

/// A secret that calls have to show.
pub struct Token(String);

/// Why a text is no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a token is one line of at most 4096 visible ASCII characters without blanks")]
pub struct NoToken;

const LONGEST: usize = 4096;

impl Token {
    /// The token that a file holds; white space around it does not count.
    pub fn new(text: &str) -> Result<Self, NoToken> {
        let text = text.trim();
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if text.is_empty() || text.len() > LONGEST || !visible {
            return Err(NoToken);
        }
        Ok(Self(text.to_owned()))
    }

    /// Whether both are the same. How long it takes tells their length at most.
    fn is(&self, other: &[u8]) -> bool {
        let own = self.0.as_bytes();
        let pairs = own.iter().zip(other);
        let differing = pairs.fold(0u8, |all, (a, b)| std::hint::black_box(all | (a ^ b)));
        own.len() == other.len() && differing == 0
    }
}

/// The token itself is not shown.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

impl Access {
    /// The name that Armada would know the caller by.
    pub fn caller(&self) -> &'static str {
        match self {
            Self::Local => "anonymous",
            Self::Token(_) => "token",
        }
    }

    /// Refuses a call by somebody who may not.
    pub fn admit(&self, head: &Head) -> Result<(), Status> {
        match (self, &head.authorization, &head.origin) {
            (Self::Local, _, Some(origin)) if !is_local(origin) => Err(Status::new(
                Code::PermissionDenied,
                "pages of other hosts may not call this server (header Origin)",
            )),
            (Self::Local, ..) => Ok(()),
            (Self::Token(_), None, _) => Err(Status::new(
                Code::Unauthenticated,
                "Request could not be authenticated: it has no `Authorization: Bearer TOKEN`",
            )),
            (Self::Token(token), Some(given), _) => match bearer(given) {
                Some(given) if token.is(given) => Ok(()),
                _ => Err(Status::new(
                    Code::Unauthenticated,
                    "Invalid credentials presented: the token is another one",
                )),
            },
        }
    }
}

/// The token of a header `Authorization`; the scheme's case does not count.
fn bearer(header: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = header.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}

/// Whether a page comes from this machine.
fn is_local(origin: &str) -> bool {
    let Some((_, rest)) = origin.split_once("://") else { return false };
    let host = match rest.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => rest.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(authorization: Option<&str>, origin: Option<&str>) -> Head {
        Head {
            authorization: authorization.map(|text| text.as_bytes().to_vec()),
            origin: origin.map(str::to_owned),
            ..Head::new("GET", "/")
        }
    }

    #[test]
    fn only_the_token_opens() {
        let access = Access::Token(Token::new(" secret\n").unwrap());
        for good in ["Bearer secret", "bearer secret", "BEARER  secret "] {
            assert!(access.admit(&head(Some(good), Some("http://far"))).is_ok(), "{good}");
        }
        for bad in ["", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "Basic secret"] {
            let status = access.admit(&head(Some(bad), None)).unwrap_err();
            assert_eq!(status.code, Code::Unauthenticated, "{bad}");
        }
        assert!(access.admit(&head(None, None)).is_err());
        assert_eq!(format!("{access:?}"), "Token(Token(..))");
        for no_token in ["", " \n", "two words", "é", "a\nb"] {
            assert!(Token::new(no_token).is_err(), "{no_token:?}");
        }
    }

    #[test]
    fn pages_of_other_hosts_may_not_call() {
        let admitted = |origin| Access::Local.admit(&head(None, Some(origin))).is_ok();
        for own in ["http://localhost:3000", "http://127.0.0.1", "https://[::1]:8443"] {
            assert!(admitted(own), "{own}");
        }
        for other in ["null", "http://example.com", "http://localhost.example.com:80", "http://"] {
            assert!(!admitted(other), "{other}");
        }
        assert!(Access::Local.admit(&head(None, None)).is_ok());
    }
}
