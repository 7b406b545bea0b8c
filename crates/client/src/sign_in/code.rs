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
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

/// The time that a person has to sign in.
const TIME_LIMIT: Duration = Duration::from_mins(15);
/// The time that a browser has to send a request.
const BROWSER_TIME: Duration = Duration::from_secs(5);
/// The time that a browser has to take the last page.
// Browsers keep other connections open without a request.
const PAGE_TIME: Duration = Duration::from_secs(1);
/// The attempts to find a port that is free for both addresses of this machine.
const PORT_ATTEMPTS: usize = 10;
/// The path of the redirect: that of Armada's own tool, which providers have registered.
const CALLBACK: &str = "/auth/callback";

/// Shows the provider's page, and waits until it sends the browser back with a code. `keep` is called with the token,
/// before the browser gets the page that says that the sign-in succeeded.
pub(super) async fn sign_in(
    provider: &Provider,
    auth: &OpenIdAuth,
    port: Option<u16>,
    show: &dyn Fn(Prompt<'_>),
    keep: impl AsyncFn(&Token) -> Result<(), ClientError>,
) -> Result<Token, ClientError> {
    let endpoints = provider.endpoints().await?;
    let Some(address) = &endpoints.authorization_endpoint else {
        return Err(provider.not_offered("sign-in with a browser"));
    };
    let listeners = Listeners::bind(port).await?;
    let redirect = format!("http://localhost:{}{CALLBACK}", listeners.port);
    let (verifier, state) = (random_text()?, random_text()?);
    // This process serves no page that redirects to the provider, as Armada's own tool does: any user of this machine
    // could read `state` in it, and complete the sign-in with another account.
    let mut url = provider.endpoint(address)?;
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
    // Longer than any sign-in, and short enough that a forgotten command frees its port.
    let visit = tokio::time::timeout(TIME_LIMIT, first_callback(&mut visits, &state)).await;
    let (callback, page) = visit.map_err(|_| {
        let message = "the sign-in was not completed within 15 minutes";
        ClientError::new(ClientErrorKind::TimedOut, message).help("run `armadactl login` again")
    })??;
    let token = match callback {
        Callback::Refused { code, description } => Err(provider.refused(&code, &description)),
        Callback::Code(code) => match exchange(provider, &code, &redirect, &verifier).await {
            Ok(token) => keep(&token).await.map(|()| token),
            Err(error) => Err(error),
        },
    };
    let text = match &token {
        Ok(_) => "You are signed in. You can close this page.",
        Err(_) => "The sign-in failed. The terminal says why.",
    };
    // The browser may have gone, which changes nothing about the sign-in.
    let _ = page.send(Page { status: 200, text });
    // This ends `serve` once its last page is out.
    drop(visits);
    // The page is on its way to the browser.
    let _ = tokio::time::timeout(PAGE_TIME, serving).await;
    token
}

/// Exchanges a code for a token.
async fn exchange(
    provider: &Provider,
    code: &str,
    redirect: &str,
    verifier: &str,
) -> Result<Token, ClientError> {
    let form: Form<'_> = vec![
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", redirect),
        ("code_verifier", verifier),
    ];
    Ok(provider.token(form, None).await?)
}

/// The first visit with the answer to this request. Whoever sends something else cannot end the sign-in.
async fn first_callback(
    visits: &mut mpsc::Receiver<Visit>,
    state: &str,
) -> Result<(Callback, oneshot::Sender<Page>), ClientError> {
    while let Some(Visit { query, page }) = visits.recv().await {
        match Callback::read(&query, state) {
            Some(callback) => return Ok((callback, page)),
            None => _ = page.send(Page { status: 400, text: "This is not the sign-in." }),
        }
    }
    Err(ClientError::new(ClientErrorKind::Input, "the port was closed"))
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
    Refused { code: String, description: String },
}

impl Callback {
    /// Reads the query of a visit; `None` if it is not the answer to the request with this `state`.
    fn read(query: &str, state: &str) -> Option<Self> {
        let url = Url::parse(&format!("http://localhost/?{query}")).ok()?;
        let value = |key: &str| {
            let mut pairs = url.query_pairs();
            pairs.find(|(name, _)| name == key).map(|(_, value)| value.into_owned())
        };
        // RFC 6749 (10.12): an answer without the same `state` may come from another page that the browser has open.
        if value("state")? != state {
            return None;
        }
        match (value("error"), value("code")) {
            (Some(code), _) => {
                let description = value("error_description").unwrap_or_default();
                Some(Self::Refused { code: clean(&code), description: clean(&description) })
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
        let mut attempts = 0;
        loop {
            attempts += 1;
            match Self::try_bind(port.unwrap_or(0)).await {
                Err(error) if port.is_none() && attempts < PORT_ATTEMPTS && is_in_use(&error) => {}
                bound => return bound.map_err(|error| bind_error(port, &error)),
            }
        }
    }

    async fn try_bind(port: u16) -> io::Result<Self> {
        let v4 = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let port = v4.local_addr()?.port();
        // Another program at the other address would receive the code.
        match TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await {
            Err(error) if is_in_use(&error) => Err(error),
            v6 => Ok(Self { port, v4, v6: v6.ok() }),
        }
    }

    /// Answers requests until the receiver of the visits is dropped and the last page has been sent.
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

    async fn accept(&self) -> io::Result<TcpStream> {
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

fn is_in_use(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AddrInUse
}

fn bind_error(port: Option<u16>, error: &io::Error) -> ClientError {
    let port = port.map_or_else(|| "a port".to_owned(), |port| format!("port {port}"));
    let message = format!("cannot listen on {port} of this machine: {error}");
    ClientError::new(ClientErrorKind::Input, message)
        .help("end the program that uses it, or give the context another `localPort`")
}

async fn serve_connection(stream: TcpStream, visits: mpsc::Sender<Visit>) {
    let service = service_fn(|request| answer(request, visits.clone()));
    let mut server = hyper::server::conn::http1::Builder::new();
    // A connection that is kept alive would hold up the end of `serve`.
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
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"light dark\">\
         <title>armadactl</title><body style=\"font: 1.2rem system-ui; margin: 3rem\"><p>{text}</p></body></html>\n"
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
            matches!(read("state=s&error=access_denied&error_description=n%1bo"), Some(Callback::Refused { code, description }) if code == "access_denied" && description == "no")
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
