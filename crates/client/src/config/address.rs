//! The REST base address: its validation and its properties.

use super::ConfigError;
use reqwest::Url;
use std::fmt;

/// The base address of Armada's REST paths, such as `https://host/api`. It contains no credentials, so it can
/// be printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(Url);

impl BaseUrl {
    /// Parses an address; `origin` is its source, for messages. `http://` is assumed if there is no scheme,
    /// as Armada does for `armadaRestUrl`.
    pub fn parse(text: &str, origin: &str) -> Result<Self, ConfigError> {
        let bad = |why| ConfigError::BadAddress {
            address: redact_address(text),
            origin: origin.to_owned(),
            why,
        };
        let text = text.trim();
        let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let mut url = Url::parse(&whole).map_err(|_| bad("it cannot be read as a URL"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad("it begins with neither http:// nor https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad("credentials belong in the context's `basicAuth`"));
        }
        // It would be printed in messages and logs as part of the address.
        if url.query().is_some() || url.fragment().is_some() {
            return Err(bad("a base address has no `?` and no `#`"));
        }
        // Paths of requests begin with a slash; two in succession are another path to some proxies.
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self(url))
    }

    /// Whether a text has the scheme of an HTTP address.
    pub fn has_scheme(text: &str) -> bool {
        let scheme = text.split_once("://").map(|(scheme, _)| scheme.trim().to_ascii_lowercase());
        matches!(scheme.as_deref(), Some("http" | "https"))
    }

    /// The address of a path below this one. `path` begins with `/` and is percent-encoded.
    pub fn join(&self, path: &str) -> String {
        format!("{self}{path}")
    }

    /// Whether requests are encrypted.
    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether requests stay on this machine.
    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.0)
    }
}

/// Whether a URL's host is this machine: `localhost`, 127.0.0.0/8 or `::1`.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    // `Url` keeps the brackets of an IPv6 address.
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
}

/// The replacement of a value that may be a secret.
pub(super) const REDACTED: &str = "REDACTED";

/// Removes user, password, query and fragment from an address. A text that cannot be split with certainty is
/// replaced as a whole.
pub fn redact_address(text: &str) -> String {
    let text = text.trim();
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), text),
    };
    let parts = split(rest).filter(|_| scheme.chars().all(|c| is_word(c) || "+:/".contains(c)));
    let Some((authority, path, has_query)) = parts else { return REDACTED.to_owned() };
    let (userinfo, host) = match authority.rsplit_once('@') {
        Some((_, host)) => (format!("{REDACTED}@"), host),
        None => (String::new(), authority),
    };
    if !is_host(host) {
        return REDACTED.to_owned();
    }
    let query = if has_query { format!("?{REDACTED}") } else { String::new() };
    format!("{scheme}{userinfo}{host}{path}{query}")
}

/// Splits into authority, path, and whether a query or fragment follows.
fn split(rest: &str) -> Option<(&str, &str, bool)> {
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let path = tail.split(['?', '#']).next().unwrap_or_default();
    // An unescaped `/`, `?` or `#` in a password would put the rest of the password into the path.
    let is_plain = path.chars().all(|c| is_word(c) || "/:~+%,".contains(c));
    (is_plain && !tail.contains('@')).then_some((authority, path, path.len() < tail.len()))
}

/// Whether a text is a host with or without a port, or is empty, as in `dns:///host:50051`.
fn is_host(text: &str) -> bool {
    // The highest port, 65535, has five digits.
    let is_port = |port: &str| port.len() <= 5 && port.bytes().all(|b| b.is_ascii_digit());
    if let Some((address, port)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let port = port.strip_prefix(':').unwrap_or(port);
        return address.parse::<std::net::Ipv6Addr>().is_ok() && is_port(port);
    }
    let (host, port) = text.split_once(':').unwrap_or((text, ""));
    host.chars().all(is_word) && is_port(port)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "-._".contains(c)
}

/// Prints the address without a final slash.
impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> BaseUrl {
        BaseUrl::parse(text, "in a test").unwrap()
    }

    #[test]
    fn a_prefix_is_kept_and_slashes_at_the_end_are_not() {
        for (text, shown) in [
            ("http://localhost:8080", "http://localhost:8080"),
            ("https://armada.example.com/api/", "https://armada.example.com/api"),
            ("https://armada.example.com/a/b//", "https://armada.example.com/a/b"),
            ("localhost:8080/", "http://localhost:8080"),
            (" http://[::1]:80/ ", "http://[::1]"),
        ] {
            assert_eq!(parsed(text).to_string(), shown);
        }
        assert_eq!(parsed("https://h/api/").join("/v1/queue/a"), "https://h/api/v1/queue/a");
    }

    #[test]
    fn what_is_no_base_is_refused_without_its_secrets() {
        for text in ["ftp://h", "http://", "https://h?a=b", "https://h/#x", "http://u:hush@h"] {
            let error = BaseUrl::parse(text, "in a test").unwrap_err();
            assert!(error.is_usage());
            assert!(!error.to_string().contains("hush"), "{error}");
            assert!(error.to_string().contains("in a test"), "{error}");
        }
    }

    #[test]
    fn an_address_is_shown_without_what_may_be_secret() {
        for (text, shown) in [
            ("https://h:1/x", "https://h:1/x"),
            ("host:50051", "host:50051"),
            ("dns:///host:50051", "dns:///host:50051"),
            ("http://[::1]:8080/a/", "http://[::1]:8080/a/"),
            ("https://me:hush@h:1/x", "https://REDACTED@h:1/x"),
            ("me:hush@h:443", "REDACTED@h:443"),
            ("hush@h", "REDACTED@h"),
            ("https://h/x?access_token=hush", "https://h/x?REDACTED"),
            ("https://h#hush", "https://h?REDACTED"),
            ("h:443?hush", "h:443?REDACTED"),
            // A password with characters that a URL reserves, or a user without a host.
            ("https://me:hu/sh@h", "REDACTED"),
            ("https://me:hu?sh@h", "REDACTED"),
            ("https://hush?x=a@hush", "REDACTED"),
            ("https://me:hush", "REDACTED"),
            ("me:hush", "REDACTED"),
            ("https://h/a;hush=1", "REDACTED"),
            ("the hush", "REDACTED"),
            ("hush hush://h", "REDACTED"),
        ] {
            assert_eq!(redact_address(text), shown, "{text}");
        }
    }

    #[test]
    fn loopback_is_told_by_the_host_alone() {
        for text in ["http://localhost", "http://LOCALHOST:1", "http://127.1.2.3", "http://[::1]:2"]
        {
            assert!(parsed(text).is_loopback(), "{text}");
        }
        for text in ["http://localhost.evil.example", "http://128.0.0.1", "http://h/localhost"] {
            assert!(!parsed(text).is_loopback(), "{text}");
        }
    }

    #[test]
    fn only_http_counts_as_a_scheme() {
        assert!(BaseUrl::has_scheme("HTTPS://h"));
        assert!(!BaseUrl::has_scheme("host:50051"));
        assert!(!BaseUrl::has_scheme("dns:///host:50051"));
    }
}
