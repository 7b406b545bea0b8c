//! Words for errors of TLS: what is wrong with which certificate, and what to do. Pure.

use super::text::clean;
use super::tls::is_authority;
use rustls::{CertificateError, Error, InvalidMessage};
use std::path::Path;

/// A message after "cannot establish a secure connection to ..: ", and its help.
pub(super) struct TlsMessage {
    pub why: String,
    pub help: String,
}

/// The message of an error of TLS. `base` is the address; `ca_file` is the file of `--ca-file`.
pub(super) fn explain(error: &Error, base: &str, ca_file: Option<&Path>) -> TlsMessage {
    let message = |why: &str, help: &str| TlsMessage { why: why.to_owned(), help: help.to_owned() };
    match error {
        Error::InvalidCertificate(error) => certificate(error, ca_file),
        Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            let http = base.replacen("https://", "http://", 1);
            message("the server speaks http, not https", &format!("use http: `{http}`"))
        }
        Error::AlertReceived(alert) => message(
            &format!("the server refused it: {}", words(&format!("{alert:?}"))),
            "check the host name in the address, and that the port is the REST API's, not that of gRPC (`armadaUrl`)",
        ),
        Error::PeerIncompatible(why) => message(
            &format!(
                "the server's TLS is too old or too different: {}",
                words(&format!("{why:?}"))
            ),
            "TLS 1.2 and 1.3 are supported",
        ),
        other => message(
            &format!("the server does not follow TLS: {}", words(&other.to_string())),
            "check the address and its port",
        ),
    }
}

/// The message about the server's certificate.
fn certificate(error: &CertificateError, ca_file: Option<&Path>) -> TlsMessage {
    const RENEW: &str = "renew the certificate on the server, or check the clock of this machine";
    let (why, help) = match error {
        CertificateError::UnknownIssuer => return unknown_issuer(ca_file),
        error if is_authority(&Error::InvalidCertificate(error.clone())) => (
            "its certificate is signed by itself, and not known to this machine".to_owned(),
            give_certificate("the certificate itself", ca_file),
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            ("its certificate has expired".to_owned(), RENEW.to_owned())
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            ("its certificate is not valid yet".to_owned(), RENEW.to_owned())
        }
        CertificateError::NotValidForNameContext { expected, presented } => {
            return wrong_name(&expected.to_str(), presented);
        }
        CertificateError::NotValidForName => {
            return wrong_name("the host of the address", &[]);
        }
        other => {
            let why = match other {
                CertificateError::Other(other) => words(&other.0.to_string()),
                other => words(&format!("{other:?}")),
            };
            let help = "ask for another certificate of the server; `openssl s_client -connect HOST:PORT` shows it";
            (format!("its certificate cannot be used: {why}"), help.to_owned())
        }
    };
    TlsMessage { why, help }
}

fn unknown_issuer(ca_file: Option<&Path>) -> TlsMessage {
    let why =
        "its certificate is signed by an authority that this machine does not know".to_owned();
    TlsMessage { why, help: give_certificate("the certificate of that authority", ca_file) }
}

/// The help to give a certificate, which the file that is given already lacks.
fn give_certificate(which: &str, ca_file: Option<&Path>) -> String {
    match ca_file {
        None => format!("give {which} with `--ca-file`"),
        Some(path) => format!("`{}` lacks {which}: add it", path.display()),
    }
}

fn wrong_name(expected: &str, presented: &[String]) -> TlsMessage {
    // `DnsName("h")` and `IpAddress(..)` are how rustls prints a name.
    let name = |text: &String| {
        let inner = text.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
        clean(inner.unwrap_or(text).trim_matches('"'))
    };
    let names: Vec<String> = presented.iter().map(name).collect();
    if names.is_empty() {
        return TlsMessage {
            why: format!(
                "its certificate is not for {expected}: it names no host (subjectAltName)"
            ),
            help: format!("it needs the extension `subjectAltName` with {expected}"),
        };
    }
    TlsMessage {
        why: format!("its certificate is for {}, not for {expected}", names.join(", ")),
        help: "check the host in the address: it may be another server".to_owned(),
    }
}

/// The words of a name in Rust's notation: `CaUsedAsEndEntity` is "ca used as end entity".
fn words(name: &str) -> String {
    let name = name.split(['(', '{']).next().unwrap_or_default();
    let mut text = String::new();
    let mut was_lower = false;
    for c in clean(name).chars() {
        if c.is_uppercase() && was_lower {
            text.push(' ');
        }
        was_lower = c.is_lowercase() || c.is_numeric();
        text.extend(c.to_lowercase());
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_rust_s_notation_are_words() {
        for (name, text) in [
            ("CaUsedAsEndEntity", "ca used as end entity"),
            ("UnsupportedCertVersion", "unsupported cert version"),
            ("ServerSentKeyUpdate { x: 1 }", "server sent key update "),
            ("tls handshake eof", "tls handshake eof"),
        ] {
            assert_eq!(words(name), text.trim_end());
        }
    }

    #[test]
    fn names_of_a_certificate_are_plain() {
        let presented = ["DnsName(\"a.example\")".to_owned(), "IpAddress(10.0.0.1)".to_owned()];
        let message = wrong_name("b.example", &presented);
        assert_eq!(message.why, "its certificate is for a.example, 10.0.0.1, not for b.example");
    }
}
