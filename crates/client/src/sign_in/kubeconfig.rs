//! The current context of a kubeconfig: its API server and its user's token.
//!
//! Read are `token`, `tokenFile` and `exec` of a user. A context with another way is refused by its name.

use super::api_server::{ApiServer, read};
use super::token::check_access_token;
use crate::config::BaseUrl;
use crate::program::{self, ProgramError};
use crate::{ClientError, ClientErrorKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use document::diag::{Severity, Source};
use document::{Document, Limits, Node, parse};
use secrecy::SecretString;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The maximum time of the program of `exec`.
const PROGRAM_TIMEOUT: Duration = Duration::from_mins(1);

/// A file of `KUBECONFIG`.
struct File {
    path: PathBuf,
    document: Document,
}

/// The server and the user of the current context.
pub(super) fn api_server() -> Result<ApiServer, ClientError> {
    let files = load()?;
    let current = files.iter().find_map(|file| text(&file.document.root, "current-context"));
    let current = current.ok_or_else(|| {
        invalid("`kubernetesNativeAuth` needs a pod, or a kubeconfig with a current context").help(
            "choose one with `kubectl config use-context NAME`, or name a file in `KUBECONFIG`",
        )
    })?;
    let (_, context) = find(&files, "contexts", "context", &current)?;
    let part = |key: &str| {
        text(context, key)
            .ok_or_else(|| invalid(&format!("the context `{current}` has no `{key}`")))
    };
    let (cluster_file, cluster) = find(&files, "clusters", "cluster", &part("cluster")?)?;
    let (user_file, user) = find(&files, "users", "user", &part("user")?)?;
    // Without these settings the request would go elsewhere, or with other checks, than the user has asked for.
    for key in ["insecure-skip-tls-verify", "tls-server-name", "proxy-url"] {
        if text(cluster, key).is_some_and(|value| value != "false") {
            return Err(unsupported(&format!("the cluster's `{key}`")));
        }
    }
    let address = text(cluster, "server").unwrap_or_default();
    let address = BaseUrl::parse(&address, "the `server` of the kubeconfig's cluster")
        .map_err(|error| invalid(&error.to_string()))?;
    Ok(ApiServer {
        certificates: certificates(cluster, cluster_file)?,
        token: token(user, user_file)?,
        namespace: text(context, "namespace"),
        address,
    })
}

/// The files of `KUBECONFIG`, else `~/.kube/config`. Files that do not exist are passed over, as by `kubectl`.
fn load() -> Result<Vec<File>, ClientError> {
    let paths: Vec<PathBuf> = match std::env::var_os("KUBECONFIG").filter(|list| !list.is_empty()) {
        Some(list) => std::env::split_paths(&list).collect(),
        None => std::env::home_dir().map(|home| home.join(".kube/config")).into_iter().collect(),
    };
    let paths = paths.into_iter().filter(|path| path.exists());
    paths
        .map(|path| {
            let content = read(&path)?;
            let (documents, findings) =
                parse(&Source::new(path.display().to_string(), content), Limits::POLICY);
            // The line is not printed, as it may contain a token.
            let error = findings.iter().find(|finding| finding.severity == Severity::Error);
            if let Some(error) = error {
                let place = error
                    .place
                    .as_ref()
                    .map_or_else(|| path.display().to_string(), ToString::to_string);
                return Err(invalid(&format!("{place}: {}", error.message)));
            }
            let empty = || invalid(&format!("`{}` is empty", path.display()));
            let document = documents.into_iter().next().ok_or_else(empty)?;
            Ok(File { path, document })
        })
        .collect()
}

/// An entry of one of the lists. The first file that has it counts.
fn find<'f>(
    files: &'f [File],
    list: &str,
    key: &str,
    name: &str,
) -> Result<(&'f Path, &'f Node), ClientError> {
    let mut entries = files.iter().flat_map(|file| {
        let items = file.document.root.get(list).map_or(&[][..], Node::items);
        items.iter().map(move |item| (file.path.as_path(), item))
    });
    let found = entries.find(|(_, item)| text(item, "name").as_deref() == Some(name));
    let found = found.and_then(|(path, item)| Some((path, item.get(key)?)));
    found.ok_or_else(|| invalid(&format!("the kubeconfig has no {key} `{name}`")))
}

fn text(node: &Node, key: &str) -> Option<String> {
    node.get(key)?.some_text().map(str::to_owned)
}

/// The certificates of a cluster. A cluster without any is trusted as the system does.
fn certificates(cluster: &Node, file: &Path) -> Result<String, ClientError> {
    if let Some(data) = text(cluster, "certificate-authority-data") {
        let bytes = STANDARD.decode(data.trim()).ok();
        let pem = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        return pem
            .ok_or_else(|| invalid("`certificate-authority-data` is not base64 of a PEM file"));
    }
    match text(cluster, "certificate-authority") {
        Some(path) => read(&beside(file, &path)),
        None => Ok(String::new()),
    }
}

/// A path in a file, which is relative to the file.
fn beside(file: &Path, path: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(path)
}

fn token(user: &Node, file: &Path) -> Result<SecretString, ClientError> {
    let keys: Vec<&str> = user.entries().iter().map(|entry| entry.key.as_str()).collect();
    // Impersonation changes who the token is for, so that it must not be dropped unnoticed.
    if let Some(key) = keys.iter().find(|key| **key == "as" || key.starts_with("as-")) {
        return Err(unsupported(&format!("the user's `{key}`")));
    }
    let text_of_token = if let Some(path) = text(user, "tokenFile") {
        read(&beside(file, &path))?
    } else if let Some(token) = text(user, "token") {
        token
    } else if let Some(exec) = user.get("exec") {
        run(exec, file)?
    } else {
        let keys = if keys.is_empty() { "nothing".to_owned() } else { keys.join(", ") };
        return Err(unsupported(&format!("a user with {keys}")));
    };
    check_access_token(text_of_token.trim())
        .map_err(|_| invalid("the kubeconfig's user has a `token` that no header can have"))
}

/// Runs the program of `exec` by the protocol of Kubernetes (`ExecCredential`), without a terminal.
fn run(exec: &Node, file: &Path) -> Result<String, ClientError> {
    let name = text(exec, "command")
        .ok_or_else(|| invalid("the kubeconfig's user has an `exec` without a `command`"))?;
    // This command reads nothing from the terminal, and the program would wait forever.
    if text(exec, "interactiveMode").as_deref() == Some("Always") {
        return Err(unsupported(&format!("`{name}`, which needs a terminal (`interactiveMode`)")));
    }
    let failed = |why: &str| invalid(&format!("the kubeconfig's program `{name}` {why}"));
    let version = text(exec, "apiVersion").unwrap_or_default();
    // A path with a directory is relative to the file; a bare name is searched for in `PATH`.
    let program = if name.contains('/') { beside(file, &name) } else { PathBuf::from(&name) };
    let arguments = exec.get("args").map_or(&[][..], Node::items).iter().filter_map(Node::text);
    let variables = exec.get("env").map_or(&[][..], Node::items).iter();
    let variables = variables.filter_map(|item| Some((text(item, "name")?, text(item, "value")?)));
    let info = json!({
        "apiVersion": version, "kind": "ExecCredential", "spec": {"interactive": false},
    });
    let mut command = Command::new(program);
    command.args(arguments).envs(variables).env("KUBERNETES_EXEC_INFO", info.to_string());
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = program::run(command, Some(PROGRAM_TIMEOUT)).map_err(|error| match error {
        ProgramError::Late => failed("did not exit within a minute; it has no terminal"),
        error @ ProgramError::Start(_) => {
            let help = text(exec, "installHint").map(|hint| crate::text::clean(&hint));
            ClientError { help, ..failed(&error.to_string()) }
        }
        error => failed(&error.to_string()),
    })?;
    if !output.status.success() {
        return Err(failed(&format!("failed: {}", output.status)));
    }
    // An answer that is not JSON lacks the kind too, and gets the same message.
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    if answer["kind"] != "ExecCredential" {
        return Err(failed("did not print an ExecCredential"));
    }
    match answer["status"]["token"].as_str() {
        Some(token) => Ok(token.to_owned()),
        None => Err(failed("printed no token; certificates are not supported")),
    }
}

fn invalid(message: &str) -> ClientError {
    ClientError::new(ClientErrorKind::Input, message)
}

fn unsupported(what: &str) -> ClientError {
    let message = format!("`kubernetesNativeAuth`: {what} is not supported");
    ClientError::new(ClientErrorKind::Unsupported, message)
        .help("a user of the kubeconfig needs `token`, `tokenFile` or `exec`")
}
