//! Tokens of Kubernetes: that of a pod, and those that an API server gives for a service account (`TokenRequest`).

use super::api_server::{ApiServer, read};
use super::kubeconfig;
use super::token::{Token, check_access_token, claims, subject};
use crate::config::{BaseUrl, Connection, InsecureAuth};
use crate::name::segment;
use crate::redact::redact;
use crate::request_context::{Peer, RequestContext};
use crate::{ClientError, ClientErrorKind, Method, Request, connection_error, http};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::sync::Mutex;

/// The files of a pod's service account.
const POD_FILES: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// The token of the pod in which this process runs: `K8S_SERVICEACCOUNT_TOKEN`, else the pod's file.
pub(super) fn pod_token() -> Result<SecretString, ClientError> {
    let text = match variable("K8S_SERVICEACCOUNT_TOKEN") {
        Some(text) => text,
        None => read(&Path::new(POD_FILES).join("token"))?,
    };
    check_access_token(text.trim())
        .map_err(|_| ClientError::new(ClientErrorKind::Input, "the pod's token is not one"))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

/// The API server of the cluster in which this process runs, else that of the kubeconfig.
fn find_api_server() -> Result<ApiServer, ClientError> {
    let Some(host) = variable("KUBERNETES_SERVICE_HOST") else {
        return kubeconfig::api_server();
    };
    let port = variable("KUBERNETES_SERVICE_PORT").unwrap_or_else(|| "443".to_owned());
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    let address = format!("https://{host}:{port}");
    let address = BaseUrl::parse(&address, "given as `KUBERNETES_SERVICE_HOST`");
    let files = Path::new(POD_FILES);
    Ok(ApiServer {
        address: address
            .map_err(|error| ClientError::new(ClientErrorKind::Input, error.to_string()))?,
        certificates: read(&files.join("ca.crt"))?,
        token: pod_token()?,
        namespace: read(&files.join("namespace")).ok().map(|text| text.trim().to_owned()),
    })
}

/// The namespace and name of the service account: the variables that Armada's own tool reads, else the one whose
/// token this is.
fn account(server: &ApiServer) -> Result<(String, String), ClientError> {
    let subject = subject(&claims(server.token.expose_secret()));
    let own = subject.as_deref().and_then(|user| user.strip_prefix("system:serviceaccount:"));
    let own = own.and_then(|own| own.split_once(':'));
    let name = variable("SERVICE_ACCOUNT").or_else(|| own.map(|(_, name)| name.to_owned()));
    // The token's own namespace comes first: that of the context is only where objects are looked for.
    let namespace = variable("POD_NAMESPACE")
        .or_else(|| own.map(|(namespace, _)| namespace.to_owned()))
        .or_else(|| server.namespace.clone());
    let missing = |what: &str, variable: &str| {
        let message = format!("`kubernetesNativeAuth` needs {what}");
        let help = format!("set the environment variable `{variable}`");
        ClientError::new(ClientErrorKind::Input, message).help(help)
    };
    Ok((
        namespace.ok_or_else(|| missing("the namespace", "POD_NAMESPACE"))?,
        name.ok_or_else(|| missing("the name of a service account", "SERVICE_ACCOUNT"))?,
    ))
}

/// The source of tokens of `kubernetesNativeAuth`. They are kept in memory only.
#[derive(Debug)]
pub(crate) struct ServiceAccount {
    expiry: u64,
    timeout: Duration,
    log: Option<fn(&str)>,
    held: Mutex<Option<Token>>,
}

impl ServiceAccount {
    /// A source of tokens of this lifetime, in seconds. Nothing is read or sent.
    pub fn new(connection: &Connection, expiry: u64, log: Option<fn(&str)>) -> Self {
        Self { expiry, timeout: connection.timeout, log, held: Mutex::new(None) }
    }

    /// Credentials in the form of Armada's `KubernetesAuth`, other than those that the server has refused.
    pub async fn credentials(
        &self,
        refused: Option<&SecretString>,
    ) -> Result<SecretString, ClientError> {
        // Held during the request, so that concurrent requests share one token.
        let mut held = self.held.lock().await;
        if let Some(token) = held.as_ref().filter(|token| token.is_usable(refused)) {
            return Ok(token.access.clone());
        }
        // The program of a kubeconfig may block for a minute.
        let server = tokio::task::spawn_blocking(find_api_server).await;
        // The task is never cancelled, so it has panicked.
        let server =
            server.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?;
        let token = self.request_token(&server).await?;
        let certificates = URL_SAFE_NO_PAD.encode(&server.certificates);
        let text = json!({"token": token.access.expose_secret(), "ca": certificates}).to_string();
        let access = SecretString::from(URL_SAFE_NO_PAD.encode(text));
        *held = Some(Token { access: access.clone(), ..token });
        Ok(access)
    }

    /// Asks the API server for a token.
    async fn request_token(&self, server: &ApiServer) -> Result<Token, ClientError> {
        let (namespace, name) = account(server)?;
        let path = format!(
            "/api/v1/namespaces/{}/serviceaccounts/{}/token",
            segment(&namespace),
            segment(&name)
        );
        let url = server.address.join(&path);
        let doing = format!("get a token for the service account `{namespace}/{name}`");
        let request = Request::to_provider(Method::Post, doing);
        let body = json!({
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": self.expiry},
        });
        // The flag that allows plain HTTP is about Armada's server, not about the cluster.
        http::check_encrypted(&server.address, InsecureAuth::Refused)
            .map_err(|error| error.help("use the https:// address of the cluster"))?;
        let client = http::client_of_cluster(&server.address, &server.certificates, self.timeout)?;
        self.log_line(&format!("> POST {url} (kubernetesNativeAuth)"));
        let sent = client.post(url).bearer_auth(server.token.expose_secret());
        let sent = sent.header("Content-Type", "application/json").body(body.to_string());
        let base = server.address.to_string();
        let context =
            RequestContext { base: &base, peer: Peer::Kubernetes, ..RequestContext::default() };
        let explain = |error| connection_error::explain(error, &request, &context);
        let response = sent.timeout(self.timeout).send().await.map_err(explain)?;
        let status = response.status().as_u16();
        self.log_line(&format!("< {status}"));
        let answer = http::read(response).await.map_err(explain)?.unwrap_or_default();
        // The API server may repeat the token that it refused.
        read_token(status, &answer).map_err(|(kind, why)| {
            let why = redact(&why, [server.token.expose_secret()]);
            ClientError::while_doing(kind, &request.doing, &format!("{base} {why}"))
        })
    }

    fn log_line(&self, line: &str) {
        if let Some(log) = self.log {
            log(line);
        }
    }
}

/// The token of an answer to a `TokenRequest`.
fn read_token(status: u16, answer: &[u8]) -> Result<Token, (ClientErrorKind, String)> {
    let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
    if !(200..300).contains(&status) {
        let kind = match status {
            401 | 403 => ClientErrorKind::Denied,
            404 => ClientErrorKind::Input,
            _ => ClientErrorKind::Server,
        };
        let why = answer["message"].as_str().map(|text| format!(": {}", crate::text::clean(text)));
        return Err((kind, format!("answered {status}{}", why.unwrap_or_default())));
    }
    let text = |key: &str| answer["status"][key].as_str().unwrap_or_default();
    let missing = |what: &str| (ClientErrorKind::Server, format!("sent no {what}"));
    Ok(Token {
        access: check_access_token(text("token")).map_err(|_| missing("token"))?,
        refresh: None,
        expires: text("expirationTimestamp").parse().map_err(|_| missing("time of expiry"))?,
        user: None,
    })
}
