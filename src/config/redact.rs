//! A config file as it can be shown: everything but what is secret.

use super::ConfigFile;
use crate::document::{Node, NodeKind, Resolved};
use serde_json::{Map, Number, Value};

/// What stands where a secret stood.
const REDACTED: &str = "REDACTED";

/// Words in a key or an argument that announce a secret.
const WORDS: [&str; 8] =
    ["password", "passwd", "passphrase", "secret", "token", "credential", "apikey", "private"];

/// Keys that hold such a word and no secret.
const HARMLESS: [&str; 2] = ["cacherefreshtoken", "tokenurl"];

/// The content of a config file without its secrets and its comments.
pub fn redacted(file: &ConfigFile) -> Value {
    file.document().map_or_else(|| Value::Object(Map::new()), |document| value(&document.root))
}

fn announces_a_secret(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    let word: String = letters.collect();
    !HARMLESS.contains(&word.as_str()) && WORDS.iter().any(|secret| word.contains(secret))
}

fn value(node: &Node) -> Value {
    match &node.kind {
        NodeKind::List(items) => Value::Array(items.iter().map(value).collect()),
        NodeKind::Map(entries) => {
            entries.iter().map(|e| (e.key.clone(), under(&e.key, &e.value))).collect()
        }
        NodeKind::Scalar(scalar) => match scalar.resolve() {
            Resolved::Null => Value::Null,
            Resolved::Boolean(value) => Value::Bool(value),
            Resolved::Integer(value) => i64::try_from(value).map_or_else(
                |_| Value::String(scalar.text.clone()),
                |whole| Value::Number(whole.into()),
            ),
            Resolved::Float(value) => Number::from_f64(value)
                .map_or_else(|| Value::String(scalar.text.clone()), Value::Number),
            Resolved::Text(text) => Value::String(without_userinfo(text)),
        },
    }
}

/// The value under a key.
fn under(key: &str, node: &Node) -> Value {
    let empty = node.is_null() || node.scalar().is_some_and(|scalar| scalar.text.is_empty());
    if announces_a_secret(key) && !empty {
        return REDACTED.into();
    }
    match key.to_lowercase().as_str() {
        "args" => arguments(node.items()),
        "env" => node.items().iter().map(variable).collect(),
        _ => value(node),
    }
}

/// An environment variable: whatever it is called, programs are told secrets this way.
fn variable(node: &Node) -> Value {
    let entries = node.entries().iter().map(|entry| {
        let secret = entry.key.eq_ignore_ascii_case("value");
        (entry.key.clone(), if secret { REDACTED.into() } else { under(&entry.key, &entry.value) })
    });
    if node.entries().is_empty() { REDACTED.into() } else { entries.collect() }
}

/// Arguments: `--token=x` and `--token x` lose the x, and whatever is no plain word or flag is not
/// shown at all: a command line for a shell may hold anything.
fn arguments(items: &[Node]) -> Value {
    let mut announced = false;
    let shown = items.iter().map(|item| {
        let text = item.scalar().map_or("", |scalar| scalar.text.as_str());
        let was_announced = std::mem::replace(&mut announced, announces_a_secret(text));
        match text.split_once('=') {
            _ if was_announced => REDACTED.into(),
            Some((name, _)) if announces_a_secret(name) => {
                announced = false;
                format!("{name}={REDACTED}").into()
            }
            _ if text.contains(char::is_whitespace) => REDACTED.into(),
            _ => value(item),
        }
    });
    shown.collect()
}

/// A URL without its user and password.
fn without_userinfo(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.rsplit_once('@') {
        Some((userinfo, _)) => format!("{scheme}://{REDACTED}{}", &rest[userinfo.len()..]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_shown_and_everything_else_is() {
        let text = "
currentContext: a
contexts:
  a:
    armadaUrl: https://me:hush@h:1/x
    cacheRefreshToken: true
    basicAuth: {username: me, Password: hush}
  b:
    openIdClientCredentialsAuth: {clientId: id, clientSecret: hush, scopes: [x]}
    custom_api_key: {deep: hush}
    apiKey: {deep: hush}
  c:
    execAuth:
      cmd: prog
      args: [--token=hush, --password, hush, plain, 7]
      env: [{name: A, value: hush}, hush]
      interactive: true
    basicAuth: {password: ''}
# hush
";
        let file = ConfigFile::parse("x".into(), text, false).unwrap();
        let shown = redacted(&file);
        assert!(!shown.to_string().contains("hush"), "{shown:#}");
        assert_eq!(shown["contexts"]["a"]["armadaUrl"], "https://REDACTED@h:1/x");
        assert_eq!(shown["contexts"]["a"]["cacheRefreshToken"], true);
        assert_eq!(shown["contexts"]["a"]["basicAuth"]["username"], "me");
        let exec = &shown["contexts"]["c"]["execAuth"];
        assert_eq!(
            exec["args"].to_string(),
            r#"["--token=REDACTED","--password","REDACTED","plain",7]"#
        );
        assert_eq!(exec["env"][0]["name"], "A");
        assert_eq!(shown["contexts"]["c"]["basicAuth"]["password"], "");
    }
}
