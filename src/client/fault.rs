//! What went wrong below HTTP: names, connections, certificates, time.

use super::{ClientError, Request, Trouble};
use std::error::Error;
use std::io;

/// A request that got no answer, in words. `base` is where it should have gone.
pub(super) fn explain(error: reqwest::Error, request: &Request, base: &str) -> ClientError {
    let error = error.without_url();
    if error.is_timeout() && !error.is_connect() {
        return late(request, base);
    }
    if is_parse(&error) {
        return not_http(&error, request, base);
    }
    let (trouble, why, help) = connection(&error, base);
    let help = match base.strip_prefix("http://") {
        // Some TLS ports answer plain HTTP with a reset.
        Some(rest) if trouble == Trouble::Server && error.is_request() => {
            format!("{help}, or the server speaks https: `https://{rest}`")
        }
        _ => help.to_owned(),
    };
    ClientError::while_doing(trouble, &request.doing, &why).help(help)
}

/// A request whose answer did not come, or did not end, in time.
pub(super) fn late(request: &Request, base: &str) -> ClientError {
    let why = format!("{base} did not answer in time");
    ClientError::while_doing(Trouble::TimedOut, &request.doing, &why)
        .help("try again, or give it more time with `--request-timeout`")
}

/// An answer that is not HTTP.
fn not_http(error: &reqwest::Error, request: &Request, base: &str) -> ClientError {
    let why = format!("the answer of {base} is not HTTP: {}", words(error));
    let error = ClientError::while_doing(Trouble::Server, &request.doing, &why);
    match base.strip_prefix("http://") {
        Some(rest) => error.help(format!("if it is an https port, use https: `https://{rest}`")),
        None => error,
    }
}

/// An https port that got a request in plain HTTP.
pub(super) fn not_https(request: &Request, base: &str) -> ClientError {
    let why = format!("{base} speaks https, not http");
    let https = base.replacen("http://", "https://", 1);
    ClientError::while_doing(Trouble::Server, &request.doing, &why)
        .help(format!("use https: `{https}`"))
}

/// Whether the bytes that came are no HTTP, such as a TLS alert on an http:// address.
fn is_parse(error: &reqwest::Error) -> bool {
    chain(error)
        .any(|cause| cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse))
}

fn connection(error: &reqwest::Error, base: &str) -> (Trouble, String, &'static str) {
    let address = "check the address (`armadaRestUrl`, `--armada-rest-url`)";
    let text = words(error);
    let certificate =
        find(error, |cause| cause.downcast_ref::<rustls::Error>().map(ToString::to_string));
    let kind = find(error, |cause| cause.downcast_ref::<io::Error>().map(io::Error::kind));
    let named = chain(error).any(|cause| cause.to_string().contains("dns error"));
    if let Some(tls) = certificate {
        let why = format!("no secure connection to {base}: {tls}");
        (
            Trouble::Unreachable,
            why,
            "if its certificate is your own authority's, give that with `--ca-file`",
        )
    } else if named {
        (Trouble::Unreachable, format!("the host of {base} is not known: {text}"), address)
    } else if kind == Some(io::ErrorKind::ConnectionRefused) {
        let help =
            "is the server running? Check the address (`armadaRestUrl`, `--armada-rest-url`)";
        (Trouble::Unreachable, format!("{base} refused the connection"), help)
    } else if error.is_connect() && error.is_timeout() {
        (Trouble::Unreachable, format!("{base} cannot be reached in time"), address)
    } else if error.is_connect() {
        (Trouble::Unreachable, format!("{base} cannot be reached: {text}"), address)
    } else {
        let help = "try again; a proxy between may have cut the connection";
        (Trouble::Server, format!("the answer of {base} broke off: {text}"), help)
    }
}

/// An error and everything behind it. What an I/O error wraps is not its source, but what that
/// has as a source.
fn chain<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    fn behind<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        }
    }
    std::iter::successors(Some(error), |error| behind(*error))
}

fn find<T>(
    error: &(dyn Error + 'static),
    what: impl Fn(&(dyn Error + 'static)) -> Option<T>,
) -> Option<T> {
    chain(error).find_map(what)
}

/// The last cause, which says it best.
pub(super) fn words(error: &(dyn Error + 'static)) -> String {
    super::text::clean(&chain(error).last().map(ToString::to_string).unwrap_or_default())
}
