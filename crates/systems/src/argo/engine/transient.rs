//! The messages that Argo takes for those of transient errors (`util/errors/errors.go`).
//!
//! The message of an attempt has no type, so that only the comparisons of texts can match.

/// Parts of such messages.
pub(in crate::argo) const PARTS: [&str; 13] = [
    "etcdserver: leader changed",
    "etcdserver: request timed out",
    "etcdserver: too many requests",
    "Connection closed by foreign host",
    "net/http: TLS handshake timeout",
    "i/o timeout",
    "connection timed out",
    "connection reset by peer",
    "http2: client connection lost",
    "http2: server sent GOAWAY and closed the connection",
    "connect: connection refused",
    "invalid connection",
    "upper: no more rows in",
];

/// Returns whether a message is that of a transient error.
pub(in crate::argo) fn is_transient(message: &str) -> bool {
    PARTS.iter().any(|part| message.contains(part))
}
