//! Errors below HTTP: name resolution, connections, certificates, timeouts.

use super::request_context::{Peer, Protocol, RequestContext};
use super::{ClientError, ClientErrorKind, Effect, Request, tls_error};
use std::error::Error;
use std::io;

/// Converts the error of a request without an answer.
pub(super) fn explain(
    error: reqwest::Error,
    request: &Request,
    context: &RequestContext<'_>,
) -> ClientError {
    let error = error.without_url();
    if error.is_timeout() && !error.is_connect() {
        return timed_out(request, context.base);
    }
    if is_parse(&error) {
        return not_http_error(&error, request, context);
    }
    let (kind, why, help) = connection(&error, context);
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

/// The error for an answer that is not HTTP, such as the first bytes of a gRPC server.
fn not_http_error(
    error: &reqwest::Error,
    request: &Request,
    context: &RequestContext<'_>,
) -> ClientError {
    let base = context.base;
    let why = format!("the answer of {base} is not HTTP: {}", root_cause(error));
    ClientError::while_doing(ClientErrorKind::Server, &request.doing, &why)
        .help(format!("check the port: {}", other_ports(context)))
}

/// The ports that an address may name by mistake.
fn other_ports(context: &RequestContext<'_>) -> String {
    let grpc = match context.peer {
        Peer::Armada => "it may be Armada's gRPC port (`armadaUrl`), or",
        Peer::Provider | Peer::Kubernetes | Peer::Lookout => "it may be that of another server, or",
    };
    match context.base.strip_prefix("http://") {
        Some(rest) => format!("{grpc} speak https; then use https: `https://{rest}`"),
        None => grpc.trim_end_matches(", or").to_owned(),
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

fn connection(
    error: &reqwest::Error,
    context: &RequestContext<'_>,
) -> (ClientErrorKind, String, String) {
    use ClientErrorKind::{Server, Unreachable};
    let address_help = format!("check the address ({})", context.peer.settings());
    let base = context.base;
    let text = root_cause(error);
    let tls = find(error, |cause| {
        let error = cause.downcast_ref::<rustls::Error>()?;
        Some(tls_error::explain(error, base, context.ca_file))
    });
    let kind = find(error, |cause| cause.downcast_ref::<io::Error>().map(io::Error::kind));
    let named = chain(error).any(|cause| cause.to_string().contains("dns error"));
    if let Some(tls) = tls {
        let why = format!("cannot establish a secure connection to {base}: {}", tls.why);
        let help = match context.peer {
            Peer::Kubernetes => Peer::CLUSTER_HELP.to_owned(),
            Peer::Armada | Peer::Provider | Peer::Lookout => tls.help,
        };
        (Unreachable, why, help)
    } else if named {
        let why = format!("cannot resolve the host of {base}: {text}");
        (Unreachable, why, address_help)
    } else if kind == Some(io::ErrorKind::ConnectionRefused) {
        let help =
            format!("is the server running? Check the address ({})", context.peer.settings());
        (Unreachable, format!("{base} refused the connection"), help)
    } else if error.is_connect() && error.is_timeout() {
        (Unreachable, format!("{base} cannot be reached in time"), address_help)
    } else if error.is_connect() && base.starts_with("https://") && has_closed(error) {
        let why = format!("{base} closed the connection before it was secure");
        let http = base.replacen("https://", "http://", 1);
        let help = match context.peer {
            Peer::Armada => "Armada's gRPC port (`armadaUrl`)",
            Peer::Provider | Peer::Kubernetes | Peer::Lookout => "that of another server",
        };
        let help = format!("check the port: it may speak http (`{http}`), or be {help}");
        (Unreachable, why, help)
    } else if error.is_connect() {
        (Unreachable, format!("{base} cannot be reached: {text}"), address_help)
    } else {
        let help = cut_off_help(error, context);
        (Server, format!("the answer of {base} was cut off: {text}"), help)
    }
}

fn cut_off_help(error: &reqwest::Error, context: &RequestContext<'_>) -> String {
    let help = "try again; a proxy may have cut the connection";
    match context.protocol {
        // Some TLS ports answer plain HTTP with a reset, as a gRPC server does.
        Protocol::Unknown if error.is_request() => {
            format!("{help}. Else check the port: {}", other_ports(context))
        }
        _ => help.to_owned(),
    }
}

/// Whether a connection ended since the server closed it. Errors of TLS wrap those of the connection.
fn has_closed(error: &reqwest::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    chain(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).any(|cause| {
        matches!(cause.kind(), UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe)
    })
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
