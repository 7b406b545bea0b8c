//! The authentication of a context: one of Armada's blocks.

use super::ConfigError;
use super::fields::{invalid_block, is_true, items, scalar, text};
use super::open_id::{self, OpenIdAuth};
use document::diag::did_you_mean;
use document::{Document, Entry, Node, NodeKind};
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
    /// `kubernetesNativeAuth`: a token of a service account.
    Kubernetes {
        /// The requested lifetime of a token, in seconds.
        expiry: u64,
    },
    /// One of the blocks of OpenID Connect: a token of its provider.
    OpenId(OpenIdAuth),
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
    KUBERNETES,
    open_id::CODE,
    open_id::DEVICE,
    open_id::PASSWORD,
    open_id::CLIENT_CREDENTIALS,
    open_id::KUBERNETES,
    "execAuth",
];

const KUBERNETES: &str = "kubernetesNativeAuth";

fn keys(block: &str) -> &'static [&'static str] {
    match block {
        "basicAuth" => &["username", "password"],
        KUBERNETES => &["enabled", "expiry"],
        "execAuth" => &["cmd", "args", "env", "interactive"],
        block => open_id::keys(block),
    }
}

/// The lifetime of a service account's token without `expiry`, in seconds: Kubernetes' own default.
const DEFAULT_EXPIRY: u64 = 3_600;
/// The shortest lifetime that Kubernetes gives.
const MIN_EXPIRY: u64 = 600;

impl Auth {
    /// Reads the blocks of a context. An incomplete block is an error, so that a typo never makes a request
    /// anonymous.
    pub(super) fn read(document: &Document, context: &Node) -> Result<Self, ConfigError> {
        unknown_blocks(document, context)?;
        for block in BLOCKS {
            let Some(entry) = used_block(context, block) else { continue };
            return match block {
                "basicAuth" => read_basic(document, entry),
                "execAuth" => read_exec(document, entry),
                KUBERNETES => read_kubernetes(document, entry),
                block => {
                    let default = context.entry_in_any_case(open_id::KEEPS_REFRESH_TOKEN);
                    open_id::read(document, block, entry, default).map(Self::OpenId)
                }
            };
        }
        Ok(Self::Anonymous)
    }

    /// The keys of the used block that have no meaning, and the blocks that are not used, for a warning.
    pub(super) fn unread(context: &Node) -> Vec<String> {
        let mut used =
            // Only the first block is used, in Armada's order, whatever the order in the file.
            BLOCKS.iter().filter_map(|block| Some((*block, used_block(context, block)?)));
        let Some((first, entry)) = used.next() else { return Vec::new() };
        let is_known = |key: &str| keys(first).iter().any(|known| known.eq_ignore_ascii_case(key));
        let unknown = entry.value.entries().iter().filter(|entry| !is_known(&entry.key));
        let unknown = unknown.map(|entry| format!("the key `{}` of `{first}`", entry.key));
        unknown
            .chain(used.map(|(block, _)| format!("`{block}`, since `{first}` is used")))
            .collect()
    }

    /// The key of the block; `None` for anonymous requests.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Self::Anonymous => None,
            Self::Basic { .. } => Some("basicAuth"),
            Self::Exec(_) => Some("execAuth"),
            Self::Kubernetes { .. } => Some(KUBERNETES),
            Self::OpenId(auth) => Some(auth.grant.block()),
        }
    }
}

/// The block of a context, unless it is empty or switched off.
fn used_block<'n>(context: &'n Node, block: &str) -> Option<&'n Entry> {
    let entry = context.entry_in_any_case(block)?;
    let node = &entry.value;
    let is_empty = match &node.kind {
        NodeKind::Map(entries) => entries.is_empty(),
        NodeKind::List(items) => items.is_empty(),
        NodeKind::Scalar(_) => node.is_null(),
    };
    let is_off = block == KUBERNETES && !is_true(node, "enabled");
    (!is_empty && !is_off).then_some(entry)
}

/// Refuses blocks that Armada does not have, which are most likely typos.
fn unknown_blocks(document: &Document, context: &Node) -> Result<(), ConfigError> {
    for entry in context.entries() {
        let key = &entry.key;
        let near = did_you_mean(key, BLOCKS);
        let known = BLOCKS.iter().any(|block| block.eq_ignore_ascii_case(key));
        // Other keys of a context are none of this tool's business; a name that ends in `auth` can only mean a method.
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

fn read_basic(document: &Document, entry: &Entry) -> Result<Auth, ConfigError> {
    let Some(username) = text(&entry.value, "username").filter(|name| !name.is_empty()) else {
        return Err(invalid_block(document, entry, "has no `username`"));
    };
    // The first colon of the decoded pair ends the name (RFC 7617, 2), so that the rest would be taken for the
    // password.
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

fn read_kubernetes(document: &Document, entry: &Entry) -> Result<Auth, ConfigError> {
    let Some(text) = text(&entry.value, "expiry") else {
        return Ok(Auth::Kubernetes { expiry: DEFAULT_EXPIRY });
    };
    match text.parse() {
        // Go reads an absent number and a zero alike.
        Ok(0) => Ok(Auth::Kubernetes { expiry: DEFAULT_EXPIRY }),
        Ok(expiry @ MIN_EXPIRY..) => Ok(Auth::Kubernetes { expiry }),
        _ => Err(invalid_block(document, entry, "has an `expiry` that is not 600 seconds or more")),
    }
}
