//! A small OpenID Connect provider, which is a server of Armada's API and an API server of Kubernetes too.
//!
//! It holds to RFC 6749, 7636, 8628 and 7009 in what the tests need: codes are for one use and have to fit their
//! challenge, refresh tokens are for one use, and tokens expire.

use super::client::END;
use super::quirks::{Fake, Script, answer};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The password, the client's secret and the pod's token that the provider accepts.
pub const PASSWORD: &str = "hush-password";
pub const CLIENT_SECRET: &str = "hush-secret";
pub const POD_TOKEN: &str = "hush-pod-token";

/// The field of the discovery document that names the ways to authenticate a client.
pub const METHODS: &str = "token_endpoint_auth_methods_supported";

/// A running provider.
pub struct Provider {
    fake: Fake,
    state: Arc<Mutex<State>>,
}

/// Its settings and all that it has given out.
pub struct State {
    /// The lifetime of an access token, in seconds.
    pub lifetime: u64,
    /// Fields of the discovery document, in place of its own.
    pub published: BTreeMap<&'static str, Value>,
    /// The answers of the token endpoint before the next regular ones.
    pub refusals: Vec<(u16, Value)>,
    /// Whether the revocation endpoint refuses.
    pub refuses_revocation: bool,
    /// The requests with these grants.
    pub grants: Vec<String>,
    /// The tokens that were revoked on request.
    pub revoked: Vec<String>,
    /// The secrets that were given out: codes and tokens.
    pub secrets: Vec<String>,
    /// The credentials that the server of Armada's API was sent, as a header.
    pub credentials: Vec<String>,
    access: BTreeMap<String, Instant>,
    refresh: Vec<String>,
    challenges: BTreeMap<String, (String, String)>,
}

impl Provider {
    /// A provider whose tokens live for these seconds.
    pub fn start(lifetime: u64) -> Self {
        let state = Arc::new(Mutex::new(State {
            lifetime,
            published: BTreeMap::new(),
            refusals: Vec::new(),
            refuses_revocation: false,
            grants: Vec::new(),
            revoked: Vec::new(),
            secrets: Vec::new(),
            credentials: Vec::new(),
            access: BTreeMap::new(),
            refresh: Vec::new(),
            challenges: BTreeMap::new(),
        }));
        let shared = Arc::clone(&state);
        let fake = Fake::routed(move |request| shared.lock().unwrap().respond(request));
        Self { fake, state }
    }

    /// Its address.
    pub fn url(&self) -> String {
        self.fake.url()
    }

    /// Its state.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// The paths that it was asked for.
    pub fn paths(&self) -> Vec<String> {
        let path = |request: &String| request.split([' ', '?']).nth(1).unwrap().to_owned();
        self.fake.requests().iter().map(path).collect()
    }

    /// A configuration whose context uses a block, with this server as Armada's too.
    pub fn config(&self, block: &str, fields: &str) -> String {
        let url = self.url();
        format!(
            "currentContext: dev\ncontexts:\n  dev:\n    armadaRestUrl: {url}\n    {block}: {{providerUrl: {url}, clientId: tool, {fields}}}\n"
        )
    }
}

impl State {
    /// Makes all access tokens invalid for Armada's server, which a client cannot know.
    pub fn forget_access_tokens(&mut self) {
        self.access.clear();
    }

    /// Makes all refresh tokens invalid.
    pub fn forget_refresh_tokens(&mut self) {
        self.refresh.clear();
    }

    fn respond(&mut self, request: &str) -> Script {
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let target = head.split(' ').nth(1).unwrap();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let header = |name: &str| {
            let found = head.lines().find_map(|line| {
                let (key, value) = line.split_once(": ")?;
                key.eq_ignore_ascii_case(name).then_some(value)
            });
            found.unwrap_or_default().to_owned()
        };
        let base = format!("http://{}", header("host"));
        match path {
            "/.well-known/openid-configuration" => json(200, &self.discovery(&base)),
            "/authorize" => self.authorize(&fields(query)),
            "/device" => self.give_device_code(&base),
            "/token" | "/connect/token" => self.token(body, &header("authorization")),
            "/revoke" => {
                if self.refuses_revocation {
                    let text = format!("{body} {} is wrong", header("authorization"));
                    return json(
                        400,
                        &json!({"error": "invalid_request", "error_description": text}),
                    );
                }
                let token = fields(body)["token"].clone();
                self.refresh.retain(|it| *it != token);
                self.revoked.push(token);
                answer(200, &[], "")
            }
            path if path.starts_with("/api/v1/namespaces/") => {
                if header("authorization") != format!("Bearer {POD_TOKEN}") {
                    return json(403, &json!({"kind": "Status", "message": "forbidden"}));
                }
                let token = self.give("account");
                json(
                    201,
                    &json!({"status": {"token": token, "expirationTimestamp": "2999-01-01T00:00:00Z"}}),
                )
            }
            _ => {
                self.credentials.push(header("authorization"));
                if !self.admits(&header("authorization")) {
                    let text = format!("Invalid credentials {}", header("authorization"));
                    return json(401, &json!({"error": text, "code": 16, "message": text}));
                }
                match path {
                    "/v1/batched/queues" => answer(200, &["Content-Type: application/json"], END),
                    _ => json(200, &json!({})),
                }
            }
        }
    }

    fn discovery(&self, base: &str) -> Value {
        let mut published = json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/authorize?tenant=1"),
            "token_endpoint": format!("{base}/token"),
            "device_authorization_endpoint": format!("{base}/device"),
            "revocation_endpoint": format!("{base}/revoke"),
        });
        for (key, value) in &self.published {
            published[*key] = value.clone();
        }
        published
    }

    /// A new token or code.
    fn give(&mut self, kind: &str) -> String {
        let claims = URL_SAFE_NO_PAD.encode(r#"{"sub":"alice"}"#);
        let given = format!("hush.{claims}.{kind}-{}", self.secrets.len());
        self.secrets.push(given.clone());
        given
    }

    fn admits(&self, header: &str) -> bool {
        let Some((scheme, token)) = header.split_once(' ') else { return false };
        if scheme == "KubernetesAuth" {
            let body = URL_SAFE_NO_PAD.decode(token).unwrap();
            let body: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(
                URL_SAFE_NO_PAD.decode(body["ca"].as_str().unwrap()).unwrap(),
                CA.as_bytes()
            );
            return self.secrets.contains(&body["token"].as_str().unwrap().to_owned());
        }
        scheme == "Bearer" && self.access.get(token).is_some_and(|end| Instant::now() < *end)
    }

    /// Sends the browser back at once, as if the person was signed in already.
    fn authorize(&mut self, query: &BTreeMap<String, String>) -> Script {
        assert_eq!(query["tenant"], "1", "a query of the endpoint stays");
        assert_eq!(
            (query["response_type"].as_str(), query["client_id"].as_str()),
            ("code", "tool")
        );
        assert_eq!(query["code_challenge_method"], "S256");
        assert!(query["scope"].split(' ').any(|scope| scope == "openid"), "{query:?}");
        let redirect = query["redirect_uri"].clone();
        let code = self.give("code");
        self.challenges.insert(code.clone(), (query["code_challenge"].clone(), redirect.clone()));
        let location = format!("Location: {redirect}?code={code}&state={}", query["state"]);
        answer(302, &[&location], "")
    }

    fn give_device_code(&mut self, base: &str) -> Script {
        let code = self.give("device");
        json(
            200,
            &json!({
                "device_code": code, "user_code": "WDJB-MJHT", "verification_uri": format!("{base}/enter"),
                "verification_uri_complete": format!("{base}/enter?user_code=WDJB-MJHT"),
                "expires_in": 60, "interval": 1,
            }),
        )
    }

    fn token(&mut self, body: &str, authorization: &str) -> Script {
        let form = &fields(body);
        self.grants.push(form["grant_type"].clone());
        if !self.refusals.is_empty() {
            let (status, body) = self.refusals.remove(0);
            return json(status, &body);
        }
        let basic = format!("Basic {}", STANDARD.encode(format!("tool:{CLIENT_SECRET}")));
        let is_good = match form["grant_type"].as_str() {
            "authorization_code" => self.take_code(form),
            "urn:ietf:params:oauth:grant-type:device_code" => {
                self.secrets.contains(&form["device_code"])
            }
            "password" => form["username"] == "alice" && form["password"] == PASSWORD,
            "client_credentials" => {
                let in_form = form.get("client_secret").is_some_and(|it| it == CLIENT_SECRET);
                let wants_form = self.published.contains_key(METHODS);
                if wants_form {
                    in_form && authorization.is_empty()
                } else {
                    authorization == basic
                }
            }
            "kubernetes" => form["client_assertion"] == POD_TOKEN,
            "refresh_token" => {
                let count = self.refresh.len();
                self.refresh.retain(|token| *token != form["refresh_token"]);
                self.refresh.len() < count
            }
            _ => false,
        };
        if !is_good {
            // Providers repeat what they were sent.
            let sent: Vec<&str> = form.values().map(String::as_str).collect();
            let text = format!("{} {body} {authorization} is wrong", sent.join(" "));
            return json(400, &json!({"error": "invalid_grant", "error_description": text}));
        }
        let (access, refresh) = (self.give("access"), self.give("refresh"));
        let end = Instant::now() + Duration::from_secs(self.lifetime);
        self.access.insert(access.clone(), end);
        self.refresh.push(refresh.clone());
        json(
            200,
            &json!({
                "access_token": access, "refresh_token": refresh, "token_type": "bearer",
                "expires_in": self.lifetime,
            }),
        )
    }

    /// Uses a code up. It has to fit its challenge and its redirect.
    fn take_code(&mut self, form: &BTreeMap<String, String>) -> bool {
        let Some((challenge, redirect)) = self.challenges.remove(&form["code"]) else {
            return false;
        };
        let digest = Sha256::digest(form["code_verifier"].as_bytes());
        redirect == form["redirect_uri"]
            && challenge == URL_SAFE_NO_PAD.encode(digest)
            && form["client_id"] == "tool"
    }
}

/// The certificates of the cluster in the kubeconfigs of the tests.
pub const CA: &str = include_str!("../../testdata/tls/authority.pem");

fn json(status: u16, body: &Value) -> Script {
    answer(status, &["Content-Type: application/json"], &body.to_string())
}

/// The fields of a form or a query.
fn fields(text: &str) -> BTreeMap<String, String> {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(key, value)| (key.to_owned(), decode(value))).collect()
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).unwrap()
}
