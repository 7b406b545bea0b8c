//! The authentication of a context: Armada's blocks, of which two are implemented.

use super::ConfigError;
use document::diag::did_you_mean;
use document::{Document, Entry, Node};
use secrecy::SecretString;

/// How to authenticate.
#[derive(Debug, Clone)]
pub enum Auth {
    /// No authentication: the context has no block.
    Anonymous,
    /// `basicAuth`.
    Basic {
        /// The user's name.
        username: String,
        /// The password.
        password: SecretString,
    },
    /// `execAuth`: a program that prints a token.
    Exec(ExecCommand),
    /// A block that is not implemented.
    Unsupported {
        /// The key of the block.
        block: &'static str,
    },
}

/// The program of `execAuth`.
#[derive(Debug, Clone)]
pub struct ExecCommand {
    /// The program.
    pub program: String,
    /// The arguments, which may contain secrets.
    pub args: Vec<SecretString>,
    /// Environment variables in addition to those of this process.
    pub env: Vec<(String, SecretString)>,
    /// Whether it may read standard input.
    pub interactive: bool,
}

/// Armada's blocks, in the order in which it tests them.
pub(super) const BLOCKS: [&str; 8] = [
    "basicAuth",
    "kubernetesNativeAuth",
    "openIdAuth",
    "openIdDeviceAuth",
    "openIdPasswordAuth",
    "openIdClientCredentialsAuth",
    "openIdKubernetesAuth",
    "execAuth",
];

impl Auth {
    /// Reads the blocks of a context. An incomplete block is an error, so that a typo never makes a request
    /// anonymous.
    pub(super) fn read(document: &Document, context: &Node) -> Result<Self, ConfigError> {
        unknown_blocks(document, context)?;
        for block in BLOCKS {
            let Some(entry) = context.entry_in_any_case(block) else { continue };
            let empty = entry.value.is_null()
                || (entry.value.entries().is_empty() && entry.value.scalar().is_none());
            if empty || (block == "kubernetesNativeAuth" && !is_true(&entry.value, "enabled")) {
                continue;
            }
            return match block {
                "basicAuth" => read_basic(document, entry),
                "execAuth" => read_exec(document, entry),
                block => Ok(Self::Unsupported { block }),
            };
        }
        Ok(Self::Anonymous)
    }

    /// The key of the block; `None` for anonymous requests.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Self::Anonymous => None,
            Self::Basic { .. } => Some("basicAuth"),
            Self::Exec(_) => Some("execAuth"),
            Self::Unsupported { block } => Some(block),
        }
    }
}

/// Refuses blocks that Armada does not have, which are most likely typos.
fn unknown_blocks(document: &Document, context: &Node) -> Result<(), ConfigError> {
    for entry in context.entries() {
        let key = &entry.key;
        let near = did_you_mean(key, BLOCKS);
        let known = BLOCKS.iter().any(|block| block.eq_ignore_ascii_case(key));
        if !known && (near.is_some() || key.to_ascii_lowercase().ends_with("auth")) {
            let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
            return Err(invalid_block(
                document,
                entry,
                format!("is not an authentication method{hint}"),
            ));
        }
    }
    Ok(())
}

fn invalid_block(document: &Document, entry: &Entry, problem: impl Into<String>) -> ConfigError {
    ConfigError::BadAuth {
        place: document.place(entry.key_span).to_string(),
        block: entry.key.clone(),
        problem: problem.into(),
    }
}

fn read_basic(document: &Document, entry: &Entry) -> Result<Auth, ConfigError> {
    let Some(username) = text(&entry.value, "username").filter(|name| !name.is_empty()) else {
        return Err(invalid_block(document, entry, "has no `username`"));
    };
    if username.contains(':') {
        return Err(invalid_block(
            document,
            entry,
            "has a `username` with a colon, which HTTP does not allow",
        ));
    }
    let password = SecretString::from(text(&entry.value, "password").unwrap_or_default());
    Ok(Auth::Basic { username, password })
}

fn read_exec(document: &Document, entry: &Entry) -> Result<Auth, ConfigError> {
    let Some(program) = text(&entry.value, "cmd").filter(|cmd| !cmd.is_empty()) else {
        let misnamed = entry.value.entry_in_any_case("command").is_some();
        let hint = if misnamed { ": `command` is not a field" } else { "" };
        return Err(invalid_block(document, entry, format!("has no `cmd`{hint}")));
    };
    let args = items(&entry.value, "args").iter().filter_map(scalar).map(SecretString::from);
    let env = items(&entry.value, "env").iter().filter_map(|item| {
        let value = text(item, "value").unwrap_or_default();
        Some((text(item, "name")?, SecretString::from(value)))
    });
    Ok(Auth::Exec(ExecCommand {
        args: args.collect(),
        env: env.collect(),
        interactive: is_true(&entry.value, "interactive"),
        program,
    }))
}

fn items<'n>(node: &'n Node, key: &str) -> &'n [Node] {
    node.entry_in_any_case(key).map_or(&[], |entry| entry.value.items())
}

/// The text of a scalar of any YAML type: a password may look like a number.
pub(super) fn scalar(node: &Node) -> Option<String> {
    node.scalar().filter(|_| !node.is_null()).map(|scalar| scalar.text.clone())
}

/// The text under a key in any case.
pub(super) fn text(node: &Node, key: &str) -> Option<String> {
    scalar(&node.entry_in_any_case(key)?.value)
}

fn is_true(node: &Node, key: &str) -> bool {
    text(node, key).is_some_and(|text| matches!(text.to_ascii_lowercase().as_str(), "true" | "1"))
}
