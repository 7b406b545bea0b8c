//! The sign-in with a browser on this machine: an authorization code with PKCE (RFC 7636), which the browser brings to a
//! port of this machine (RFC 8252, 7.3).

use super::prompt::Prompt;
use super::provider::{Form, Provider};
use super::token::Token;
use crate::config::OpenIdAuth;
use crate::text::clean;
use crate::{ClientError, ClientErrorKind};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, REFERRER_POLICY};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use reqwest::Url;
use sha2::{Digest, Sha256};
use std::convert::Infallible;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

/// The time that a person has to sign in.
const TIME_LIMIT: Duration = Duration::from_mins(15);
/// The time that a browser has to send a request, and to take its answer.
const BROWSER_TIME: Duration = Duration::from_secs(5);
/// The path of the redirect: that of Armada's own tool, which providers have registered.
const CALLBACK: &str = "/auth/callback";

/// Shows the provider's page, and waits until it sends the browser back with a code.
pub(super) async fn sign_in(
    provider: &Provider,
    auth: &OpenIdAuth,
    port: Option<u16>,
    show: &dyn Fn(Prompt<'_>),
) -> Result<Token, ClientError> {
    let endpoints = provider.endpoints().await?;
    let Some(address) = &endpoints.authorization_endpoint else {
        return Err(provider.not_offered("sign-in with a browser"));
    };
    let mut url = provider.endpoint(address)?;
    let listeners = Listeners::bind(port).await?;
    let redirect = format!("http://localhost:{}{CALLBACK}", listeners.port);
    let (verifier, state) = (random_text()?, random_text()?);
    // The page is not offered by this process itself, as by Armada's own tool: another user of this machine could read
    // `state` there, and sign this one in as somebody else.
    url.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", provider.client())
        .append_pair("redirect_uri", &redirect)
        .append_pair("scope", &auth.scopes_with_openid())
        .append_pair("state", &state)
        .append_pair("code_challenge", &URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes())))
        .append_pair("code_challenge_method", "S256");
    let (sender, mut visits) = mpsc::channel(1);
    let serving = tokio::spawn(listeners.serve(sender));
    show(Prompt::Browser { address: url.as_str() });
    let token = tokio::time::timeout(TIME_LIMIT, async {
        loop {
            let Some(visit) = visits.recv().await else {
                return Err(ClientError::new(ClientErrorKind::Input, "the port was closed"));
            };
            let Visit { query, page } = visit;
            // Whoever sends something else must not be able to end the sign-in.
            let Some(code) = Callback::read(&query, &state) else {
                let _ = page.send(Page { status: 400, text: "This is not the sign-in." });
                continue;
            };
            let token = match code {
                Callback::Code(code) => {
                    let form: Form<'_> = vec![
                        ("grant_type", "authorization_code"),
                        ("code", &code),
                        ("redirect_uri", &redirect),
                        ("code_verifier", &verifier),
                    ];
                    provider.token(form, None, None).await.map_err(ClientError::from)
                }
                Callback::Refused(why) => {
                    let message = format!("cannot sign in: {} refused ({why})", provider.base());
                    Err(ClientError::new(ClientErrorKind::Denied, message))
                }
            };
            let text = match &token {
                Ok(_) => "You are signed in. You can close this page.",
                Err(_) => "The sign-in failed. The terminal says why.",
            };
            let _ = page.send(Page { status: 200, text });
            return token;
        }
    });
    let token = token.await.unwrap_or_else(|_| {
        let message = "nobody has signed in within 15 minutes";
        Err(ClientError::new(ClientErrorKind::TimedOut, message)
            .help("run `armadactl login` again"))
    });
    drop(visits);
    // The page is on its way to the browser.
    let _ = tokio::time::timeout(BROWSER_TIME, serving).await;
    token
}

/// 256 random bits, as RFC 7636 (7.1) asks for.
fn random_text() -> Result<String, ClientError> {
    let mut bytes = [0; 32];
    let random = rustls::crypto::ring::default_provider().secure_random;
    random.fill(&mut bytes).map_err(|_| {
        ClientError::new(ClientErrorKind::Input, "the system has no random numbers")
    })?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The answer of the provider, which the browser brings.
enum Callback {
    Code(String),
    /// An error code and its description.
    Refused(String),
}

impl Callback {
    /// Reads the query of a visit; `None` if it is not the answer to the request with this `state`.
    fn read(query: &str, state: &str) -> Option<Self> {
        let url = Url::parse(&format!("http://localhost/?{query}")).ok()?;
        let value = |key: &str| {
            let mut pairs = url.query_pairs();
            pairs.find(|(name, _)| name == key).map(|(_, value)| value.into_owned())
        };
        if value("state")? != state {
            return None;
        }
        match (value("error"), value("code")) {
            (Some(error), _) => {
                let description = value("error_description").map(|text| format!(": {text}"));
                Some(Self::Refused(clean(&format!("{error}{}", description.unwrap_or_default()))))
            }
            (None, Some(code)) => Some(Self::Code(code)),
            (None, None) => None,
        }
    }
}

/// A request of a browser for the callback's path.
struct Visit {
    query: String,
    page: oneshot::Sender<Page>,
}

/// The answer to a visit.
struct Page {
    status: u16,
    text: &'static str,
}

/// The port of this machine that the browser is sent to. `localhost` is either address.
struct Listeners {
    port: u16,
    v4: TcpListener,
    /// `None` on a machine without IPv6.
    v6: Option<TcpListener>,
}

impl Listeners {
    async fn bind(port: Option<u16>) -> Result<Self, ClientError> {
        let failed = |error: std::io::Error| {
            let port = port.map_or_else(|| "a port".to_owned(), |port| format!("port {port}"));
            let message = format!("cannot listen on {port} of this machine: {error}");
            ClientError::new(ClientErrorKind::Input, message)
                .help("end the program that uses it, or give the context another `localPort`")
        };
        let v4 = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await;
        let v4 = v4.map_err(failed)?;
        let port = v4.local_addr().map_err(failed)?.port();
        let v6 = TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await.ok();
        Ok(Self { port, v4, v6 })
    }

    /// Answers until nobody receives the visits any more, and the last page has been sent.
    async fn serve(self, visits: mpsc::Sender<Visit>) {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                () = visits.closed() => break,
                stream = self.accept() => match stream {
                    Ok(stream) => _ = connections.spawn(serve_connection(stream, visits.clone())),
                    // No file descriptors are left, or the browser has gone.
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                },
            }
        }
        connections.join_all().await;
    }

    async fn accept(&self) -> std::io::Result<TcpStream> {
        let v6 = async {
            match &self.v6 {
                Some(listener) => listener.accept().await,
                None => std::future::pending().await,
            }
        };
        let (stream, _) = tokio::select! {
            stream = self.v4.accept() => stream?,
            stream = v6 => stream?,
        };
        Ok(stream)
    }
}

async fn serve_connection(stream: TcpStream, visits: mpsc::Sender<Visit>) {
    let service = service_fn(|request| answer(request, visits.clone()));
    let mut server = hyper::server::conn::http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(BROWSER_TIME).keep_alive(false);
    // A browser that goes away is not an error.
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(
    request: hyper::Request<Incoming>,
    visits: mpsc::Sender<Visit>,
) -> Result<hyper::Response<String>, Infallible> {
    let not_found = Page { status: 404, text: "There is nothing here." };
    let page = if request.uri().path() == CALLBACK {
        let (sender, page) = oneshot::channel();
        let query = request.uri().query().unwrap_or_default().to_owned();
        let _ = visits.send(Visit { query, page: sender }).await;
        page.await.unwrap_or(not_found)
    } else {
        not_found
    };
    let text = page.text;
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>armadactl</title><p>{text}</p></html>\n"
    );
    let response = hyper::Response::builder()
        .status(page.status)
        .header(CONTENT_TYPE, "text/html; charset=utf-8")
        // The address has the code in it.
        .header(CACHE_CONTROL, "no-store")
        .header(REFERRER_POLICY, "no-referrer")
        .body(html);
    Ok(response.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_to_this_request_counts() {
        let read = |query| Callback::read(query, "s");
        assert!(matches!(read("state=s&code=a%20b"), Some(Callback::Code(code)) if code == "a b"));
        assert!(
            matches!(read("state=s&error=access_denied&error_description=n%1bo"), Some(Callback::Refused(why)) if why == "access_denied: no")
        );
        for query in ["", "code=a", "state=x&code=a", "state=s", "state=x&error=e", "state=&code=a"]
        {
            assert!(read(query).is_none(), "{query}");
        }
    }

    #[test]
    fn a_verifier_is_random_and_of_the_length_of_rfc_7636() {
        let (a, b) = (random_text().unwrap(), random_text().unwrap());
        assert_ne!(a, b);
        assert_eq!(a.len(), 43);
    }
}
