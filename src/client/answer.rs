//! An answer and what it means: done, or an error in words for a person. Pure.

use super::text::clean;
use super::{ClientError, Method, Request, Trouble, fault};
use serde::Deserialize;
use serde_json::Value;

/// An answer that was read to its end.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    pub status: u16,
    pub content_type: String,
    pub etag: Option<String>,
    pub body: Vec<u8>,
}

/// How the request was sent, as far as the words depend on it.
#[derive(Debug, Clone)]
pub(super) struct Sent<'a> {
    /// The base address.
    pub base: &'a str,
    /// The block of credentials that went with it, if any did.
    pub auth: Option<&'a str>,
}

/// Armada's own form of an error: a gRPC code and a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ServerError {
    pub code: i64,
    pub text: String,
}

impl ServerError {
    /// Whether it is the limit of one gRPC message, which a list of policies can pass.
    fn is_too_large(&self) -> bool {
        self.code == 8 && self.text.contains("received message larger than max")
    }

    /// Reads an error, which is `{"error": "..", "code": 5, ..}` or, in streams, `{"error":
    /// {"grpc_code": 5, "message": "..", ..}}`. An object without a code is somebody else's.
    pub fn read(body: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Body {
            #[serde(default)]
            error: Value,
            code: Option<i64>,
            message: Option<String>,
        }
        let body: Body = serde_json::from_slice(body).ok()?;
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

    /// The answer if the server did what it was asked for.
    pub fn judged(self, request: &Request, sent: &Sent<'_>) -> Result<Self, ClientError> {
        if (200..300).contains(&self.status) { Ok(self) } else { Err(self.error(request, sent)) }
    }

    /// The body as text, which has to be JSON: what else came is nobody's answer.
    pub fn text(&self, request: &Request, sent: &Sent<'_>) -> Result<&str, ClientError> {
        if self.is_html() {
            let why = format!("{} answered with a web page, not with JSON", sent.base);
            let error = ClientError::while_doing(Trouble::Server, &request.doing, &why);
            return Err(error.help(BASE_HELP));
        }
        std::str::from_utf8(&self.body).map_err(|_| nonsense(request, "it is not UTF-8"))
    }

    /// The answer as the error that it is.
    pub fn error(&self, request: &Request, sent: &Sent<'_>) -> ClientError {
        let own = ServerError::read(&self.body);
        let (trouble, what, help) = match self.status {
            400 if self.wants_tls() => return fault::not_https(request, sent.base),
            429 if own.as_ref().is_some_and(ServerError::is_too_large) => {
                (Trouble::TooLarge, "the list is too large", Some(BY_NAME.to_owned()))
            }
            401 => (Trouble::Denied, "not authenticated", Some(login_help(sent))),
            403 => (Trouble::Denied, "not permitted", Some(permission_help(request))),
            404 if own.is_some() => (Trouble::NotFound, "the server has no such thing", None),
            404 | 405 | 501 => (
                Trouble::Server,
                "the server does not know this call",
                Some(unknown_call(request, sent)),
            ),
            407 => (Trouble::Server, "the proxy wants credentials", Some(PROXY_HELP.to_owned())),
            408 => (Trouble::TimedOut, "the server gave up waiting", Some(AGAIN.to_owned())),
            409 => (Trouble::Refused, "it conflicts with what is there", None),
            412 => {
                (Trouble::Changed, "it has changed since it was read", Some(READ_AGAIN.to_owned()))
            }
            413 => (Trouble::Refused, "it is too large for the server", None),
            429 => (Trouble::Busy, "the server is asked too much at once", Some(AGAIN.to_owned())),
            500 => (Trouble::Server, "the server failed", None),
            502..=504 => (Trouble::Server, "the server is not available", Some(AGAIN.to_owned())),
            300..=399 => {
                (Trouble::Server, "the server redirects elsewhere", Some(BASE_HELP.to_owned()))
            }
            status if status >= 500 => (Trouble::Server, "the server failed", None),
            _ => (Trouble::Refused, "the server refused", None),
        };
        let why = format!("{what} ({}){}", self.status, self.words(own.as_ref()));
        ClientError { help, ..ClientError::while_doing(trouble, &request.doing, &why) }
    }

    /// Whether this is how a server answers plain HTTP on a port that speaks TLS: Go's `net/http`,
    /// nginx and Apache.
    fn wants_tls(&self) -> bool {
        let start = String::from_utf8_lossy(&self.body[..self.body.len().min(4096)]);
        let texts = [
            "Client sent an HTTP request to an HTTPS server",
            "plain HTTP request was sent to HTTPS port",
            "speaking plain HTTP to an SSL-enabled server port",
        ];
        texts.iter().any(|text| start.contains(text))
    }

    /// Whether the server cannot send what was asked for, however often it is asked.
    pub fn is_too_large(&self) -> bool {
        ServerError::read(&self.body).is_some_and(|own| own.is_too_large())
    }

    /// What the server says, as far as it is meant for people.
    fn words(&self, own: Option<&ServerError>) -> String {
        if let Some(own) = own {
            return if own.text.is_empty() { String::new() } else { format!(": {}", own.text) };
        }
        if self.is_html() {
            return "; a web page came, from a proxy and not from Armada".to_owned();
        }
        let text = String::from_utf8_lossy(&self.body[..self.body.len().min(4096)]);
        let text = clean(&text);
        if text.is_empty() { text } else { format!(": {text}") }
    }
}

/// An answer that cannot be read as what it should be.
pub(super) fn nonsense(request: &Request, why: &str) -> ClientError {
    let why = format!("the server's answer cannot be read: {}", clean(why));
    let error = ClientError::while_doing(Trouble::Server, &request.doing, &why);
    error.help("check that the base address is Armada's REST API, and try again")
}

const BASE_HELP: &str = "check `armadaRestUrl`: it may be a login page or a proxy; behind Armada's \
                         ingress the address ends in `/api`";
const BY_NAME: &str = "Armada's gateway sends lists of at most 4 MiB, and trying again does not help: get them by \
                       name, or delete some";
const PROXY_HELP: &str = "put them into `HTTPS_PROXY`, or the server's host into `NO_PROXY`";
const AGAIN: &str = "try again later";
const READ_AGAIN: &str = "read it again and repeat the change";

fn login_help(sent: &Sent<'_>) -> String {
    match sent.auth {
        None => "the context has no credentials: add `basicAuth` or `execAuth` to it".to_owned(),
        Some(block) => format!("check the `{block}` of the context"),
    }
}

/// Which permission a request needs on Armada's servers.
fn permission_help(request: &Request) -> String {
    let whom = "ask whoever runs Armada for it";
    let permission = match (request.method, request.path.starts_with("/v1/retry-polic")) {
        (Method::Get, _) => return "ask whoever runs Armada for the permission".to_owned(),
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

fn unknown_call(request: &Request, sent: &Sent<'_>) -> String {
    let base = sent.base;
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

    fn said(status: u16, content_type: &str, body: &str) -> ClientError {
        let request = get(Kind::Policy, "p").unwrap();
        let content_type = content_type.to_owned();
        let answer = Answer { status, content_type, body: body.into(), ..Answer::default() };
        let sent = Sent { base: "http://h/x", auth: None };
        match answer.judged(&request, &sent) {
            Err(error) => error,
            Ok(answer) => answer.text(&request, &sent).unwrap_err(),
        }
    }

    #[test]
    fn every_status_has_its_words() {
        let json = r#"{"error":"no \u001b[31mway","code":3,"message":"no way"}"#;
        for (status, trouble, part) in [
            (400, Trouble::Refused, "the server refused (400): no [31mway"),
            (401, Trouble::Denied, "not authenticated (401)"),
            (403, Trouble::Denied, "not permitted (403)"),
            (404, Trouble::NotFound, "no such thing (404)"),
            (405, Trouble::Server, "does not know this call"),
            (409, Trouble::Refused, "conflicts"),
            (412, Trouble::Changed, "has changed"),
            (413, Trouble::Refused, "too large"),
            (429, Trouble::Busy, "too much"),
            (500, Trouble::Server, "failed (500)"),
            (501, Trouble::Server, "does not know"),
            (503, Trouble::Server, "not available (503)"),
            (302, Trouble::Server, "redirects"),
            (418, Trouble::Refused, "refused (418)"),
        ] {
            let error = said(status, "application/json", json);
            assert_eq!(error.trouble, trouble, "{status}");
            assert!(error.message.contains(part), "{}", error.message);
            assert!(error.message.starts_with("cannot get the retry policy `p`: "), "{error}");
            assert!(!error.message.contains('\u{1b}'));
        }
    }

    #[test]
    fn only_armada_s_own_404_says_that_something_is_not_there() {
        for body in ["Not Found", "", r#"{"message":"no Route matched"}"#, "<html>"] {
            let error = said(404, "text/plain", body);
            assert_eq!(error.trouble, Trouble::Server, "{body}");
            let help = error.help.unwrap();
            assert!(help.contains("predates retry policies, or the base path"), "{help}");
        }
    }

    #[test]
    fn web_pages_are_told_apart() {
        let failed = said(503, "text/html", "<html><script>x</script>");
        assert!(failed.message.contains("from a proxy"), "{failed}");
        assert!(!failed.message.contains("script"), "{failed}");
        let login = said(200, "", "  <!doctype html>");
        assert_eq!(login.trouble, Trouble::Server);
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
