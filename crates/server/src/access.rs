//! Access control: callers with the token, or programs of this machine, but no web pages in a browser.
//!
//! A page of another host can call a loopback address in two ways. It calls the address itself; then the
//! browser adds the page's `Origin`. Or its host's name resolves to the address (DNS rebinding); then the
//! browser sends that name as `Host`. So both headers must name this machine.

use super::head::Head;
use super::wire::{Code, Status};
use document::diag::go_quote;
use std::fmt;
use std::net::IpAddr;

/// The callers that are admitted.
#[derive(Debug)]
pub enum Access {
    /// Programs of this machine, if they call one of these host names.
    Local(Hosts),
    /// Callers with this token, by any host name: a page of another host does not have the token.
    Token(Token),
}

/// Names and addresses of this machine: `localhost`, names below it, loopback addresses, and names that the
/// user allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts(Vec<String>);

impl Hosts {
    /// The names of this machine and `names`, which may have a port.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let without_port = |name: String| match name.parse::<IpAddr>() {
            Ok(_) => canonical(&name),
            Err(_) => canonical(host(&name)),
        };
        Self(names.into_iter().map(without_port).collect())
    }

    /// Whether the host of an authority (`HOST`, `HOST:PORT`) is one of them.
    fn contains(&self, authority: &str) -> bool {
        let host = canonical(host(authority));
        let is_address = host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        let is_name = host == "localhost" || host.ends_with(".localhost");
        is_address || is_name || self.0.contains(&host)
    }
}

/// The host of an authority, without the brackets of an IPv6 address.
fn host(authority: &str) -> &str {
    match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(host, _)| host),
        None => authority.split(':').next().unwrap_or_default(),
    }
}

/// The form of a host for comparison: in lower case, without the final dot of a full name.
fn canonical(host: &str) -> String {
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

/// A secret that calls must send.
pub struct Token(String);

/// The error that a text is not a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a token is one line of at most 4096 visible ASCII characters without blanks")]
pub struct InvalidToken;

/// The maximum length of a token: a longer text is more likely another file.
const MAX_TOKEN_BYTES: usize = 4096;

impl Token {
    /// Parses the content of a token file; surrounding white space is ignored.
    pub fn new(text: &str) -> Result<Self, InvalidToken> {
        let text = text.trim();
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        // A byte that no header can have would make a token that no client can send.
        if text.is_empty() || text.len() > MAX_TOKEN_BYTES || !visible {
            return Err(InvalidToken);
        }
        Ok(Self(text.to_owned()))
    }

    /// Whether both are equal, in constant time: the duration reveals only the length.
    fn equals(&self, other: &[u8]) -> bool {
        let own = self.0.as_bytes();
        let pairs = own.iter().zip(other);
        let differing = pairs.fold(0u8, |all, (a, b)| std::hint::black_box(all | (a ^ b)));
        own.len() == other.len() && differing == 0
    }
}

/// Does not print the token.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

impl Access {
    /// The name of the caller, as Armada would report it.
    pub fn caller(&self) -> &'static str {
        match self {
            Self::Local(_) => "anonymous",
            Self::Token(_) => "token",
        }
    }

    /// Refuses a call that is not admitted.
    pub fn admit(&self, head: &Head) -> Result<(), Status> {
        match self {
            Self::Local(hosts) => check_local(hosts, head),
            Self::Token(token) => check_token(token, head.authorization.as_deref()),
        }
    }

    /// Refuses a call of `/health` by a page of another host. The call needs no token, so that probes without
    /// one work.
    pub fn admit_probe(&self, head: &Head) -> Result<(), Status> {
        match self {
            Self::Local(hosts) => check_local(hosts, head),
            Self::Token(_) => Ok(()),
        }
    }
}

/// Refuses a page of another host. A program that sends neither header is not a browser.
fn check_local(hosts: &Hosts, head: &Head) -> Result<(), Status> {
    let refused = |message: String| Err(Status::new(Code::PermissionDenied, message));
    if let Some(other) = head.hosts.iter().find(|host| !hosts.contains(host)) {
        let other = go_quote(other);
        return refused(format!(
            "the header Host is {other}, which is not a name of this machine: use localhost, or start the \
             server with --allowed-host"
        ));
    }
    match &head.origin {
        Some(origin) if !is_local(hosts, origin) => {
            refused("pages of other hosts may not call this server (header Origin)".to_owned())
        }
        _ => Ok(()),
    }
}

/// Refuses a call without the token.
fn check_token(token: &Token, authorization: Option<&[u8]>) -> Result<(), Status> {
    let refused = |message: &str| Err(Status::new(Code::Unauthenticated, message));
    match authorization.map(bearer) {
        Some(Some(token_text)) if token.equals(token_text) => Ok(()),
        Some(_) => refused("Invalid credentials presented: the token is another one"),
        None => {
            refused("Request could not be authenticated: it has no `Authorization: Bearer TOKEN`")
        }
    }
}

/// The token of a header `Authorization`; the scheme may have any case.
fn bearer(header: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = header.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}

/// Whether a page comes from this machine.
fn is_local(hosts: &Hosts, origin: &str) -> bool {
    origin.split_once("://").is_some_and(|(_, authority)| hosts.contains(authority))
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
        let check_local = Access::Local(Hosts::default());
        let admitted = |origin| check_local.admit(&head(None, Some(origin))).is_ok();
        for own in ["http://localhost:3000", "http://127.0.0.1", "https://[::1]:8443"] {
            assert!(admitted(own), "{own}");
        }
        for other in ["null", "http://example.com", "http://localhost.example.com:80", "http://"] {
            assert!(!admitted(other), "{other}");
        }
        assert!(check_local.admit(&head(None, None)).is_ok());
    }

    #[test]
    fn a_host_is_a_name_of_this_machine() {
        let check_local = Access::Local(Hosts::new(
            ["Build.example.", "fd00::1", "[fd00::2]:1"].map(str::to_owned),
        ));
        let admitted = |hosts: &[&str]| {
            let hosts = hosts.iter().map(|&host| host.to_owned()).collect();
            check_local.admit(&Head { hosts, ..Head::new("GET", "/") }).is_ok()
        };
        for own in [
            "localhost",
            "LocalHost:8080",
            "localhost.",
            "a.localhost:1",
            "127.0.0.1:8080",
            "127.9.9.9",
            "[::1]",
            "[::1]:8080",
            "build.example:80",
            "[fd00::1]:1",
            "[fd00::2]",
        ] {
            assert!(admitted(&[own]), "{own}");
        }
        for other in [
            "",
            "example.com",
            "example.com:8080",
            "localhost.example.com",
            "127.0.0.1.example.com",
            "xlocalhost",
            "10.0.0.1",
            "0.0.0.0",
            "[::]",
            "[::1",
            "127.0.0.1@example.com",
            "example.com:127.0.0.1",
        ] {
            assert!(!admitted(&[other]), "{other}");
        }
        assert!(admitted(&[]), "no browser sends a request without it");
        assert!(!admitted(&["localhost", "example.com"]));
        let token = Access::Token(Token::new("secret").unwrap());
        let hosts = vec!["example.com".to_owned()];
        assert!(token.admit(&Head { hosts, ..head(Some("Bearer secret"), None) }).is_ok());
    }
}
