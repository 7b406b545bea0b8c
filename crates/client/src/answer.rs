//! Interpretation of an answer: success, or an error with a message and help. Pure.

use super::request::JOB_SETS;
use super::request_context::{Peer, RequestContext};
use super::text::clean;
use super::{ClientError, ClientErrorKind, Effect, Method, Request, connection_error};
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    pub status: u16,
    pub content_type: String,
    pub etag: Option<String>,
    pub redirect: Option<Redirect>,
    pub body: Vec<u8>,
}

/// The target of a redirect to another host, port or scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redirect {
    /// Its scheme, host and port: paths and queries of sign-in pages may contain secrets.
    pub origin: String,
    /// Whether the host is the server's.
    pub is_same_host: bool,
}

/// Armada's own form of an error: a gRPC code and a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ServerError {
    pub code: i64,
    pub text: String,
}

impl ServerError {
    /// Whether the answer exceeds the limit of one gRPC message, as a list of policies can.
    fn is_too_large(&self) -> bool {
        // 8 is gRPC's RESOURCE_EXHAUSTED. It is also the code of a rate limit, so the text of gRPC's Go library has to
        // decide.
        self.code == 8 && self.text.contains("received message larger than max")
    }

    /// Parses an error: `{"error": "..", "code": 5, ..}` or, in streams, `{"error": {"grpc_code": 5,
    /// "message": "..", ..}}`. An object without a code is not from Armada.
    pub fn read(body: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Body {
            #[serde(default)]
            error: Value,
            code: Option<i64>,
            message: Option<String>,
        }
        let body: Body = serde_json::from_slice(body).ok()?;
        // In a stream the object of the error is nested, and its number has another name.
        let of_stream = body.error.get("grpc_code").and_then(Value::as_i64);
        let code = body.code.or(of_stream)?;
        let nested = body.error.get("message").and_then(Value::as_str);
        let text = body.error.as_str().or(nested).or(body.message.as_deref()).unwrap_or_default();
        Some(Self { code, text: clean(text) })
    }
}

impl Answer {
    pub fn is_html(&self) -> bool {
        let start = self.body.trim_ascii_start();
        self.content_type.to_ascii_lowercase().contains("text/html") || start.starts_with(b"<")
    }

    /// Returns the answer if it is a success, otherwise its error.
    pub fn check_status(
        self,
        request: &Request,
        context: &RequestContext<'_>,
    ) -> Result<Self, ClientError> {
        if (200..300).contains(&self.status) { Ok(self) } else { Err(self.error(request, context)) }
    }

    /// Returns the body, which must be JSON: anything else, such as a login page, is not from Armada.
    pub fn text(
        &self,
        request: &Request,
        context: &RequestContext<'_>,
    ) -> Result<&str, ClientError> {
        if self.is_html() {
            let why = format!("{} answered with a web page, not with JSON", context.base);
            let error = ClientError::while_doing(ClientErrorKind::Server, &request.doing, &why);
            return Err(error.help(base_help(context)));
        }
        std::str::from_utf8(&self.body).map_err(|_| unreadable_answer(request, "it is not UTF-8"))
    }

    /// Converts the answer to an error.
    pub fn error(&self, request: &Request, context: &RequestContext<'_>) -> ClientError {
        let own = ServerError::read(&self.body);
        let (kind, what, help) = match self.status {
            // A server with TLS answers plain HTTP with 400, and the answer has no JSON of Armada.
            400 if self.wants_tls() => {
                return connection_error::not_https_error(request, context.base);
            }
            // Repeating cannot help here, other than after a rate limit, which has the same status.
            429 if own.as_ref().is_some_and(ServerError::is_too_large) => {
                if request.is_list() {
                    (ClientErrorKind::TooLarge, "the list is too large", Some(BY_NAME.to_owned()))
                } else {
                    (ClientErrorKind::Refused, "it is too large", Some(ONE_MESSAGE.to_owned()))
                }
            }
            // Armada answers in JSON.
            401 | 403 if own.is_none() && self.is_html() => (
                ClientErrorKind::Server,
                "a sign-in page or a filter is between this tool and the server",
                Some(sign_in_help(context)),
            ),
            401 => (ClientErrorKind::Denied, "not authenticated", Some(login_help(context))),
            403 => {
                (ClientErrorKind::Denied, "not permitted", Some(permission_help(request, context)))
            }
            // Armada's 404 has its JSON; one without it comes from a router that does not know the path.
            404 if own.is_some() => (ClientErrorKind::NotFound, "not found", None),
            404 | 405 | 501 => (
                ClientErrorKind::Server,
                "the server does not implement this call",
                Some(unknown_call(request, context)),
            ),
            407 => (
                ClientErrorKind::Server,
                "the proxy requires credentials",
                Some(PROXY_HELP.to_owned()),
            ),
            408 => (ClientErrorKind::TimedOut, "the server timed out", Some(TRY_LATER.to_owned())),
            409 => (ClientErrorKind::Refused, "conflict with the state on the server", None),
            412 => (
                ClientErrorKind::Changed,
                "it has changed since it was read",
                Some(READ_AGAIN.to_owned()),
            ),
            413 => (ClientErrorKind::Refused, "it is too large for the server", None),
            429 => (
                ClientErrorKind::Busy,
                "too many requests to the server",
                Some(TRY_LATER.to_owned()),
            ),
            500 => (ClientErrorKind::Server, "the server failed", None),
            502..=504 => {
                (ClientErrorKind::Server, "the server is not available", Some(TRY_LATER.to_owned()))
            }
            300..=399 => return self.redirect_error(request, context),
            status if status >= 500 => (ClientErrorKind::Server, "the server failed", None),
            _ => (ClientErrorKind::Refused, "the server refused", None),
        };
        let why = format!("{what} ({}){}", self.status, self.server_message(own.as_ref()));
        let error = ClientError::while_doing(kind, &request.doing, &why);
        ClientError { help, effect: effect(self.status), ..error }
    }

    /// The error for a redirect that is not followed.
    fn redirect_error(&self, request: &Request, context: &RequestContext<'_>) -> ClientError {
        let (target, help) = match &self.redirect {
            None => ("another address".to_owned(), base_help(context)),
            Some(Redirect { origin, is_same_host: true }) => {
                let help = format!(
                    "if that is the API, set {} to it: `{origin}`, and its path",
                    context.peer.setting()
                );
                (format!("`{origin}`"), help)
            }
            Some(Redirect { origin, .. }) => {
                (format!("`{origin}`, which may be a sign-in page"), sign_in_help(context))
            }
        };
        let why = format!("the server redirects to {target} ({})", self.status);
        let error = ClientError::while_doing(ClientErrorKind::Server, &request.doing, &why);
        error.help(help).effect(effect(self.status))
    }

    /// Whether this is the answer of Go's `net/http`, nginx or Apache to plain HTTP on a TLS port.
    fn wants_tls(&self) -> bool {
        // The sentence is at the start of the page; a body may have megabytes.
        let start = String::from_utf8_lossy(&self.body[..self.body.len().min(4096)]);
        let texts = [
            "Client sent an HTTP request to an HTTPS server",
            "plain HTTP request was sent to HTTPS port",
            "speaking plain HTTP to an SSL-enabled server port",
        ];
        texts.iter().any(|text| start.contains(text))
    }

    /// Whether the server can never send the answer; a repetition is then useless.
    pub fn is_too_large(&self) -> bool {
        ServerError::read(&self.body).is_some_and(|own| own.is_too_large())
    }

    /// The server's message, if it is meant for people.
    fn server_message(&self, own: Option<&ServerError>) -> String {
        if let Some(own) = own {
            return if own.text.is_empty() { String::new() } else { format!(": {}", own.text) };
        }
        if self.is_html() {
            return "; the answer is a web page of a proxy, not Armada's".to_owned();
        }
        let text = String::from_utf8_lossy(&self.body[..self.body.len().min(4096)]);
        let text = clean(&text);
        if text.is_empty() { text } else { format!(": {text}") }
    }
}

/// The possible effect of a write with this status: a gateway that fails may have passed it on.
pub(super) fn effect(status: u16) -> Effect {
    match status {
        // The gateway gave up, not the server behind it.
        408 | 504 => Effect::Pending,
        // These refuse the method or the version of HTTP: the request was never passed on.
        501 | 505 => Effect::None,
        500.. => Effect::Possible,
        _ => Effect::None,
    }
}

/// The error for an answer with an unexpected format.
pub(super) fn unreadable_answer(request: &Request, why: &str) -> ClientError {
    let why = format!("the server's answer cannot be read: {}", clean(why));
    let error = ClientError::while_doing(ClientErrorKind::Server, &request.doing, &why);
    error.help("check that the base address is Armada's REST API, and try again")
}

const BASE_HELP: &str = "check `armadaRestUrl`: it may be a login page or a proxy; behind Armada's \
                         ingress the address ends in `/api`";

/// The help for an address that is not that of the API.
fn base_help(context: &RequestContext<'_>) -> String {
    match context.peer {
        Peer::Lookout => LOOKOUT_HELP.to_owned(),
        _ => BASE_HELP.to_owned(),
    }
}

const LOOKOUT_HELP: &str = "check `--lookout-url`: Lookout's API is at `/api/v1` below it";
const ONE_MESSAGE: &str =
    "Armada's gateway takes and sends objects of at most 4 MiB; make it smaller";
/// The help for a sign-in page of a proxy.
fn sign_in_help(context: &RequestContext<'_>) -> String {
    let setting = context.peer.setting();
    format!(
        "the permissions of the server do not decide this: ask the administrator of the proxy for an address without a \
         web sign-in, and set {setting} to it"
    )
}

const BY_NAME: &str = "Armada's gateway sends lists of at most 4 MiB, and trying again does not help: get them by \
                       name, or delete some";
const PROXY_HELP: &str = "put them into `HTTPS_PROXY`, or the server's host into `NO_PROXY`";
const TRY_LATER: &str = "try again later";
const READ_AGAIN: &str = "read it again and repeat the change";

fn login_help(context: &RequestContext<'_>) -> String {
    match context.auth {
        None => {
            "the context has no credentials: add `basicAuth`, `openIdAuth` or another block to it"
                .to_owned()
        }
        Some(block) if block.starts_with("openId") => {
            format!("sign in again with `armadactl login`, or check the `{block}` of the context")
        }
        Some(block) => format!("check the `{block}` of the context"),
    }
}

/// The help that names the permission for a request on Armada's servers.
fn permission_help(request: &Request, context: &RequestContext<'_>) -> String {
    if context.peer == Peer::Lookout {
        return "ask the administrator of Lookout for the permission".to_owned();
    }
    let whom = "ask the administrator of Armada for it";
    if request.path.starts_with(JOB_SETS) {
        return format!(
            "it needs the verb `watch` of the queue, or the permission `watch_all_events`: {whom}"
        );
    }
    let permission = match (request.method, request.path.starts_with("/v1/retry-polic")) {
        (Method::Get, _) => return "ask the administrator of Armada for the permission".to_owned(),
        (Method::Post, true) => "create_retry_policy",
        (Method::Put, true) => "update_retry_policy",
        (Method::Delete, true) => "delete_retry_policy",
        (Method::Delete, false) => "delete_queue",
        (Method::Post | Method::Put, false) => {
            return format!(
                "over REST, creating, changing and cordoning a queue need the permission \
                 `create_queue` (`cordon_queue` is enough for Armada's own `armadactl cordon` only): {whom}"
            );
        }
    };
    format!("it needs the permission `{permission}`: {whom}")
}

fn unknown_call(request: &Request, context: &RequestContext<'_>) -> String {
    if context.peer == Peer::Lookout {
        return LOOKOUT_HELP.to_owned();
    }
    let base = context.base;
    let ingress = "behind Armada's ingress it ends in `/api`";
    if request.path.starts_with("/v1/retry-polic") {
        format!(
            "this server predates retry policies, or the base path of `{base}` is wrong: {ingress}"
        )
    } else {
        format!("the base path of `{base}` is probably wrong: {ingress}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::request::{Kind, get};
    use super::*;

    fn error_of(status: u16, content_type: &str, body: &str) -> ClientError {
        let request = get(Kind::Policy, "p").unwrap();
        let content_type = content_type.to_owned();
        let answer = Answer { status, content_type, body: body.into(), ..Answer::default() };
        let context = RequestContext { base: "http://h/x", ..RequestContext::default() };
        match answer.check_status(&request, &context) {
            Err(error) => error,
            Ok(answer) => answer.text(&request, &context).unwrap_err(),
        }
    }

    #[test]
    fn every_status_has_its_words() {
        let json = r#"{"error":"no \u001b[31mway","code":3,"message":"no way"}"#;
        let too_large = r#"{"error":"grpc: received message larger than max","code":8}"#;
        let one = error_of(429, "application/json", too_large);
        assert_eq!(one.kind, ClientErrorKind::Refused);
        assert!(one.message.contains("`p`: it is too large (429)"), "{one}");
        for status in [401, 403] {
            let page = error_of(status, "text/html", "<html>sign in");
            assert_eq!(page.kind, ClientErrorKind::Server, "{page}");
            assert!(page.help.unwrap().contains("web sign-in"));
        }
        for (status, kind, part) in [
            (400, ClientErrorKind::Refused, "the server refused (400): no [31mway"),
            (401, ClientErrorKind::Denied, "not authenticated (401)"),
            (403, ClientErrorKind::Denied, "not permitted (403)"),
            (404, ClientErrorKind::NotFound, "not found (404)"),
            (405, ClientErrorKind::Server, "does not implement this call"),
            (409, ClientErrorKind::Refused, "conflict with"),
            (412, ClientErrorKind::Changed, "has changed"),
            (413, ClientErrorKind::Refused, "too large"),
            (429, ClientErrorKind::Busy, "too many"),
            (500, ClientErrorKind::Server, "failed (500)"),
            (501, ClientErrorKind::Server, "does not implement"),
            (503, ClientErrorKind::Server, "not available (503)"),
            (302, ClientErrorKind::Server, "redirects"),
            (418, ClientErrorKind::Refused, "refused (418)"),
        ] {
            let error = error_of(status, "application/json", json);
            assert_eq!(error.kind, kind, "{status}");
            assert!(error.message.contains(part), "{}", error.message);
            assert!(error.message.starts_with("cannot get the retry policy `p`: "), "{error}");
            assert!(!error.message.contains('\u{1b}'));
        }
    }

    #[test]
    fn only_armada_s_own_404_says_that_something_is_not_there() {
        for body in ["Not Found", "", r#"{"message":"no Route matched"}"#, "<html>"] {
            let error = error_of(404, "text/plain", body);
            assert_eq!(error.kind, ClientErrorKind::Server, "{body}");
            let help = error.help.unwrap();
            assert!(help.contains("predates retry policies, or the base path"), "{help}");
        }
    }

    #[test]
    fn web_pages_are_told_apart() {
        let failed = error_of(503, "text/html", "<html><script>x</script>");
        assert!(failed.message.contains("of a proxy"), "{failed}");
        assert!(!failed.message.contains("script"), "{failed}");
        let login = error_of(200, "", "  <!doctype html>");
        assert_eq!(login.kind, ClientErrorKind::Server);
        assert!(login.message.contains("a web page"), "{login}");
    }

    #[test]
    fn errors_of_both_forms_are_read() {
        let read = |body: &str| ServerError::read(body.as_bytes());
        let text = |text: &str| Some(ServerError { code: 5, text: text.to_owned() });
        assert_eq!(read(r#"{"error":"a","code":5,"message":"a"}"#), text("a"));
        assert_eq!(read(r#"{"error":{"grpc_code":5,"http_code":404,"message":"b"}}"#), text("b"));
        assert_eq!(read(r#"{"code":5,"message":"c"}"#), text("c"));
        assert_eq!(read(r#"{"error":"a"}"#), None);
        assert_eq!(read("[]"), None);
    }
}
