//! A request without its body.

/// A request without its body.
#[derive(Debug, Clone)]
pub struct Head {
    /// The method.
    pub method: String,
    /// The path, percent-encoded.
    pub path: String,
    /// The query; empty if there is none.
    pub query: String,
    /// The header `If-Match`.
    pub if_match: Option<String>,
    /// The header `Authorization`.
    pub authorization: Option<Vec<u8>>,
    /// The header `Origin`, which browsers send.
    pub origin: Option<String>,
    /// The headers `Host`, and the host of the request target if that is a full URL.
    pub hosts: Vec<String>,
}

impl Head {
    /// A request without headers.
    pub fn new(method: &str, path: &str) -> Self {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let (method, path, query) = (method.to_owned(), path.to_owned(), query.to_owned());
        let hosts = Vec::new();
        Self { method, path, query, if_match: None, authorization: None, origin: None, hosts }
    }
}
