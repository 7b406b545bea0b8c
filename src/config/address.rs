//! The REST base address: what counts as one, and what is known of it before anything is sent.

use super::ConfigError;
use reqwest::Url;
use std::fmt;

/// The address below which Armada's REST paths are, such as `https://host/api`. It carries no
/// credentials, so it can be printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(Url);

impl BaseUrl {
    /// Reads an address; `origin` says where it was found. Without a scheme `http://` is assumed,
    /// as Armada does for `armadaRestUrl`.
    pub fn parse(text: &str, origin: &str) -> Result<Self, ConfigError> {
        let bad = |why| ConfigError::BadAddress {
            address: without_userinfo(text),
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
            return Err(bad("credentials belong into the context's `basicAuth`"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(bad("a base address has no `?` and no `#`"));
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self(url))
    }

    /// Whether a text says by its scheme that it is an HTTP address.
    pub fn has_scheme(text: &str) -> bool {
        let scheme = text.split_once("://").map(|(scheme, _)| scheme.trim().to_ascii_lowercase());
        matches!(scheme.as_deref(), Some("http" | "https"))
    }

    /// The address of a path below this one. `path` begins with `/` and is percent-encoded.
    pub fn join(&self, path: &str) -> String {
        format!("{self}{path}")
    }

    /// Whether what is sent is encrypted.
    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether it never leaves this machine.
    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.0)
    }
}

/// Whether a URL's host is this machine: `localhost`, 127.0.0.0/8 or `::1`.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
}

/// A text without what stands before an `@`, which may be a password.
pub fn without_userinfo(text: &str) -> String {
    match text.rsplit_once('@') {
        None => text.to_owned(),
        Some((before, after)) => {
            let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
            let separator = if scheme.is_empty() { "" } else { "://" };
            format!("{scheme}{separator}..@{after}")
        }
    }
}

/// Without a slash at the end.
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
