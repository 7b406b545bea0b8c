//! A config file as it can be shown: only values that are known to be harmless.
//!
//! It is a list of what is shown, not of what is hidden: a key that is not in these tables may hold a
//! secret under any name, so that its value is replaced as a whole.

use super::address::{REDACTED, shown_address};
use super::{ConfigFile, auth};
use crate::document::{Entry, Node, NodeKind, Resolved};
use crate::units::GoDuration;
use serde_json::{Map, Value};

/// Which values of a key are shown.
#[derive(Debug, Clone, Copy)]
enum Shown {
    /// `true` and `false`.
    Flag,
    /// Whole numbers.
    Whole,
    /// Whole numbers and durations.
    Duration,
    /// A name of a user or a context: no separators of a URL or of a command line.
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
    Block(&'static [(&'static str, Shown)]),
    /// A mapping of names to contexts.
    Contexts,
    /// A list of which only the length is shown: arguments of a program.
    Count,
    /// A list of variables, of which only the names are shown.
    Variables,
}

use Shown::{
    Address, Addresses, Block, Contexts, Count, Duration, Flag, Name, Variables, Whole, Word, Words,
};

const TOP: &[(&str, Shown)] = &[("currentContext", Name), ("contexts", Contexts)];

const CONTEXT: &[(&str, Shown)] = &[
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

const OPEN_ID: &[(&str, Shown)] = &[
    ("providerUrl", Address),
    ("clientId", Word),
    ("scopes", Words),
    ("username", Name),
    ("cacheRefreshToken", Flag),
];

/// The content of a config file without its secrets and its comments.
pub fn redacted(file: &ConfigFile) -> Value {
    let root = file.document().map(|document| &document.root);
    // A file of the old form has the keys of a context at its top level.
    root.map_or_else(|| Value::Object(Map::new()), |root| mapping(root, &[TOP, CONTEXT]))
}

/// The value of a node, if it is of the kind that is shown. What is empty has nothing to hide.
fn value(node: &Node, shown: Shown) -> Value {
    if is_empty(node) {
        return empty(node);
    }
    match shown {
        Block(keys) => mapping(node, &[keys]),
        Contexts => each(node, |context| mapping(context, &[CONTEXT])),
        Addresses => each(node, |address| value(address, Address)),
        Words => items(node, |item| value(item, Word)),
        Count => items(node, |_| REDACTED.into()),
        Variables => items(node, variable),
        Flag | Whole | Duration | Name | Word | Address => {
            scalar(node, shown).unwrap_or_else(|| REDACTED.into())
        }
    }
}

fn mapping(node: &Node, tables: &[&[(&str, Shown)]]) -> Value {
    let find = |key: &str| {
        let mut known = tables.iter().flat_map(|table| table.iter());
        known.find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, shown)| *shown)
    };
    entries(node, |entry| match find(&entry.key) {
        Some(shown) => value(&entry.value, shown),
        None if is_empty(&entry.value) => empty(&entry.value),
        None => REDACTED.into(),
    })
}

fn each(node: &Node, show: impl Fn(&Node) -> Value) -> Value {
    entries(
        node,
        |entry| if is_empty(&entry.value) { empty(&entry.value) } else { show(&entry.value) },
    )
}

fn entries(node: &Node, show: impl Fn(&Entry) -> Value) -> Value {
    let NodeKind::Map(entries) = &node.kind else { return REDACTED.into() };
    entries.iter().map(|entry| (entry.key.clone(), show(entry))).collect()
}

fn items(node: &Node, show: impl Fn(&Node) -> Value) -> Value {
    let NodeKind::List(items) = &node.kind else { return REDACTED.into() };
    items.iter().map(show).collect()
}

/// An environment variable: its name, if it is a mapping with one.
fn variable(node: &Node) -> Value {
    let is_variable = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    entries(node, |entry| {
        let name = entry.key.eq_ignore_ascii_case("name").then(|| auth::scalar(&entry.value));
        match name.flatten() {
            Some(name) if is_variable(&name) => name.into(),
            _ => REDACTED.into(),
        }
    })
}

/// A scalar, if it is what its key should hold: a secret in the place of a number is none.
fn scalar(node: &Node, shown: Shown) -> Option<Value> {
    let text = &node.scalar()?.text;
    let is_plain = |text: &str| !text.contains(|c: char| c.is_whitespace() || "=?#@".contains(c));
    match shown {
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
        Word if text.contains("://") => Some(shown_address(text).into()),
        Word => is_plain(text).then(|| text.clone().into()),
        Address => Some(shown_address(text).into()),
        _ => None,
    }
}

/// Whether a value is nothing, an empty text, list or mapping.
fn is_empty(node: &Node) -> bool {
    match &node.kind {
        NodeKind::List(items) => items.is_empty(),
        NodeKind::Map(entries) => entries.is_empty(),
        NodeKind::Scalar(scalar) => node.is_null() || scalar.text.is_empty(),
    }
}

fn empty(node: &Node) -> Value {
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
