//! Redaction of a config file: only values that are known to be harmless are printed.
//!
//! The tables list the printed keys, not the hidden ones: an unlisted key may have a secret, so its value is
//! replaced as a whole.

use super::address::{REDACTED, redact_address};
use super::{ConfigFile, fields};
use document::units::GoDuration;
use document::{Entry, Node, NodeKind, Resolved};
use serde_json::{Map, Value};

/// The values of a key that are printed.
#[derive(Debug, Clone, Copy)]
enum Visibility {
    /// `true` and `false`.
    Flag,
    /// Whole numbers.
    Whole,
    /// Whole numbers and durations.
    Duration,
    /// A name of a user or a context, without separators of a URL or a command line.
    Name,
    /// A word such as a scope, an id or a program. One with `://` is an address.
    Word,
    /// A list of words.
    Words,
    /// An address, without its user, password and query.
    Address,
    /// A mapping of names to addresses.
    Addresses,
    /// A mapping with these keys.
    Block(&'static [(&'static str, Visibility)]),
    /// A mapping of names to contexts.
    Contexts,
    /// Only the length of a list: the arguments of a program.
    Count,
    /// Only the names of a list of variables.
    Variables,
}

use Visibility::{
    Address, Addresses, Block, Contexts, Count, Duration, Flag, Name, Variables, Whole, Word, Words,
};

const TOP: &[(&str, Visibility)] = &[("currentContext", Name), ("contexts", Contexts)];

const CONTEXT: &[(&str, Visibility)] = &[
    ("armadaUrl", Address),
    ("armadaRestUrl", Address),
    ("executorClusters", Addresses),
    ("grpcKeepAliveTime", Duration),
    ("grpcKeepAliveTimeout", Duration),
    ("forceNoTls", Flag),
    ("cacheRefreshToken", Flag),
    ("basicAuth", Block(&[("username", Name)])),
    ("kubernetesNativeAuth", Block(&[("enabled", Flag), ("expiry", Duration)])),
    (
        "openIdAuth",
        Block(&[
            ("providerUrl", Address),
            ("clientId", Word),
            ("localPort", Whole),
            ("scopes", Words),
            ("cacheRefreshToken", Flag),
        ]),
    ),
    ("openIdDeviceAuth", Block(OPEN_ID)),
    ("openIdPasswordAuth", Block(OPEN_ID)),
    ("openIdClientCredentialsAuth", Block(OPEN_ID)),
    ("openIdKubernetesAuth", Block(OPEN_ID)),
    (
        "execAuth",
        Block(&[("cmd", Word), ("args", Count), ("env", Variables), ("interactive", Flag)]),
    ),
];

const OPEN_ID: &[(&str, Visibility)] = &[
    ("providerUrl", Address),
    ("clientId", Word),
    ("scopes", Words),
    ("username", Name),
    ("cacheRefreshToken", Flag),
];

/// The content of a config file without its secrets and its comments.
pub fn redact(file: &ConfigFile) -> Value {
    let root = file.document().map(|document| &document.root);
    // A file of the old form has the keys of a context at its top level.
    root.map_or_else(|| Value::Object(Map::new()), |root| redact_mapping(root, &[TOP, CONTEXT]))
}

/// The value of a node if it has the printed kind. Empty values are always printed.
fn redact_value(node: &Node, visibility: Visibility) -> Value {
    if is_empty(node) {
        return empty_value(node);
    }
    match visibility {
        Block(keys) => redact_mapping(node, &[keys]),
        Contexts => redact_each(node, |context| redact_mapping(context, &[CONTEXT])),
        Addresses => redact_each(node, |address| redact_value(address, Address)),
        Words => redact_items(node, |item| redact_value(item, Word)),
        Count => redact_items(node, |_| REDACTED.into()),
        Variables => redact_items(node, redact_variable),
        Flag | Whole | Duration | Name | Word | Address => {
            visible_scalar(node, visibility).unwrap_or_else(|| REDACTED.into())
        }
    }
}

fn redact_mapping(node: &Node, tables: &[&[(&str, Visibility)]]) -> Value {
    let find = |key: &str| {
        let mut known = tables.iter().flat_map(|table| table.iter());
        known.find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, visibility)| *visibility)
    };
    redact_entries(node, |entry| match find(&entry.key) {
        Some(visibility) => redact_value(&entry.value, visibility),
        None if is_empty(&entry.value) => empty_value(&entry.value),
        None => REDACTED.into(),
    })
}

fn redact_each(node: &Node, show: impl Fn(&Node) -> Value) -> Value {
    redact_entries(node, |entry| {
        if is_empty(&entry.value) { empty_value(&entry.value) } else { show(&entry.value) }
    })
}

fn redact_entries(node: &Node, show: impl Fn(&Entry) -> Value) -> Value {
    let NodeKind::Map(entries) = &node.kind else { return REDACTED.into() };
    entries.iter().map(|entry| (entry.key.clone(), show(entry))).collect()
}

fn redact_items(node: &Node, show: impl Fn(&Node) -> Value) -> Value {
    let NodeKind::List(items) = &node.kind else { return REDACTED.into() };
    items.iter().map(show).collect()
}

/// An environment variable; only its name, if it is a mapping with one.
fn redact_variable(node: &Node) -> Value {
    let is_variable = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    redact_entries(node, |entry| {
        let name = entry.key.eq_ignore_ascii_case("name").then(|| fields::scalar(&entry.value));
        match name.flatten() {
            Some(name) if is_variable(&name) => name.into(),
            _ => REDACTED.into(),
        }
    })
}

/// A scalar if it has the type of its key: a secret in place of a number is hidden.
fn visible_scalar(node: &Node, visibility: Visibility) -> Option<Value> {
    let text = &node.scalar()?.text;
    let is_plain = |text: &str| !text.contains(|c: char| c.is_whitespace() || "=?#@".contains(c));
    match visibility {
        Flag => match text.to_ascii_lowercase().as_str() {
            "true" => Some(true.into()),
            "false" => Some(false.into()),
            _ => None,
        },
        Whole => text.parse::<u16>().ok().map(Value::from),
        Duration => match text.parse::<u32>() {
            Ok(seconds) => Some(seconds.into()),
            Err(_) => GoDuration::parse(text).ok().map(|_| text.clone().into()),
        },
        Name => {
            let is_name = !text.contains([':', '/']) && is_plain(&text.replace('@', ""));
            is_name.then(|| text.clone().into())
        }
        Word if text.contains("://") => Some(redact_address(text).into()),
        Word => is_plain(text).then(|| text.clone().into()),
        Address => Some(redact_address(text).into()),
        _ => None,
    }
}

/// Whether a value is null, or an empty text, list or mapping.
fn is_empty(node: &Node) -> bool {
    match &node.kind {
        NodeKind::List(items) => items.is_empty(),
        NodeKind::Map(entries) => entries.is_empty(),
        NodeKind::Scalar(scalar) => node.is_null() || scalar.text.is_empty(),
    }
}

fn empty_value(node: &Node) -> Value {
    match &node.kind {
        NodeKind::List(_) => Value::Array(Vec::new()),
        NodeKind::Map(_) => Value::Object(Map::new()),
        NodeKind::Scalar(scalar) => match scalar.resolve() {
            Resolved::Null => Value::Null,
            _ => Value::String(String::new()),
        },
    }
}

#[cfg(test)]
mod tests;
