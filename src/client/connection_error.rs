//! Errors below HTTP: name resolution, connections, certificates, timeouts.

use super::{ClientError, ClientErrorKind, Effect, Request};
use std::error::Error;
use std::io;

/// Whether the server has answered a request in HTTP before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    /// It has, so that the scheme of the address is right.
    Known,
    /// It has not.
    Unknown,
}

/// Converts the error of a request without an answer. `base` is the address of the server.
pub(super) fn explain(
    error: reqwest::Error,
    request: &Request,
    base: &str,
    protocol: Protocol,
) -> ClientError {
    let error = error.without_url();
    if error.is_timeout() && !error.is_connect() {
        return timed_out(request, base);
    }
    if is_parse(&error) {
        return not_http_error(&error, request, base);
    }
    let (kind, why, help) = connection(&error, base);
    let help = match base.strip_prefix("http://") {
        // Some TLS ports answer plain HTTP with a reset.
        Some(rest)
            if kind == ClientErrorKind::Server
                && error.is_request()
                && protocol == Protocol::Unknown =>
        {
            format!("{help}, or the server speaks https: `https://{rest}`")
        }
        _ => help.to_owned(),
    };
    let effect = if error.is_connect() { Effect::None } else { Effect::Possible };
    ClientError::while_doing(kind, &request.doing, &why).help(help).effect(effect)
}

/// The error for an answer that did not start, or did not end, in time.
pub(super) fn timed_out(request: &Request, base: &str) -> ClientError {
    let why = format!("{base} did not answer in time");
    ClientError::while_doing(ClientErrorKind::TimedOut, &request.doing, &why)
        .help("try again, or raise `--request-timeout`")
        .effect(Effect::Pending)
}

/// The error for an answer that is not HTTP.
fn not_http_error(error: &reqwest::Error, request: &Request, base: &str) -> ClientError {
    let why = format!("the answer of {base} is not HTTP: {}", root_cause(error));
    let error = ClientError::while_doing(ClientErrorKind::Server, &request.doing, &why);
    match base.strip_prefix("http://") {
        Some(rest) => error.help(format!("if it is an https port, use https: `https://{rest}`")),
        None => error,
    }
}

/// The error for plain HTTP on a TLS port.
pub(super) fn not_https_error(request: &Request, base: &str) -> ClientError {
    let why = format!("{base} speaks https, not http");
    let https = base.replacen("http://", "https://", 1);
    ClientError::while_doing(ClientErrorKind::Server, &request.doing, &why)
        .help(format!("use https: `{https}`"))
}

/// Whether the answer's bytes are not HTTP, such as a TLS alert on an http:// address.
fn is_parse(error: &reqwest::Error) -> bool {
    chain(error)
        .any(|cause| cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse))
}

fn connection(error: &reqwest::Error, base: &str) -> (ClientErrorKind, String, &'static str) {
    let address = "check the address (`armadaRestUrl`, `--armada-rest-url`)";
    let text = root_cause(error);
    let certificate =
        find(error, |cause| cause.downcast_ref::<rustls::Error>().map(ToString::to_string));
    let kind = find(error, |cause| cause.downcast_ref::<io::Error>().map(io::Error::kind));
    let named = chain(error).any(|cause| cause.to_string().contains("dns error"));
    if let Some(tls) = certificate {
        let why = format!("cannot establish a secure connection to {base}: {tls}");
        (
            ClientErrorKind::Unreachable,
            why,
            "if its certificate is signed by your own authority, give that with `--ca-file`",
        )
    } else if named {
        (
            ClientErrorKind::Unreachable,
            format!("cannot resolve the host of {base}: {text}"),
            address,
        )
    } else if kind == Some(io::ErrorKind::ConnectionRefused) {
        let help =
            "is the server running? Check the address (`armadaRestUrl`, `--armada-rest-url`)";
        (ClientErrorKind::Unreachable, format!("{base} refused the connection"), help)
    } else if error.is_connect() && error.is_timeout() {
        (ClientErrorKind::Unreachable, format!("{base} cannot be reached in time"), address)
    } else if error.is_connect() {
        (ClientErrorKind::Unreachable, format!("{base} cannot be reached: {text}"), address)
    } else {
        let help = "try again; a proxy may have cut the connection";
        (ClientErrorKind::Server, format!("the answer of {base} was cut off: {text}"), help)
    }
}

/// An error and all its sources. `source` of an I/O error skips the error that it wraps and returns the
/// source of that one, so the wrapped error is added here.
fn chain<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    fn source_of<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        }
    }
    std::iter::successors(Some(error), |error| source_of(*error))
}

fn find<T>(
    error: &(dyn Error + 'static),
    what: impl Fn(&(dyn Error + 'static)) -> Option<T>,
) -> Option<T> {
    chain(error).find_map(what)
}

/// The message of the last source, which is the most specific.
pub(super) fn root_cause(error: &(dyn Error + 'static)) -> String {
    super::text::clean(&chain(error).last().map(ToString::to_string).unwrap_or_default())
}
