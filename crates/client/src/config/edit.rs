//! Edits `currentContext` in the text of a config file. Comments, order and unknown keys are unchanged.

use super::file::eq_folded;
use super::{ConfigError, ConfigFile};
use document::{Document, Entry};
use std::path::PathBuf;

impl ConfigFile {
    /// Returns the file's text with another current context, in the spelling of `contexts`.
    pub(super) fn with_current(&self, name: &str) -> Result<String, ConfigError> {
        let context = self.context(name)?;
        // Names are found in any case, and Armada's own tool should see the spelling that the file has.
        let name = context.name().unwrap_or(name);
        let not_editable = || ConfigError::NotEditable { path: self.path().to_owned() };
        let document = self.document().ok_or_else(not_editable)?;
        let edited = match document.root.entry_in_any_case("currentContext") {
            Some(entry) => replace_value(document, entry, name),
            None => insert_key(document, name),
        };
        // The result is parsed and compared: with anchors, aliases or folded texts, the edit may change more
        // than intended.
        let edited = edited.filter(|text| self.equals_except_current(text, name));
        edited.ok_or_else(not_editable)
    }

    /// Whether a text equals this file, except that its current context is `name`.
    fn equals_except_current(&self, text: &str, name: &str) -> bool {
        let Ok(other) = Self::parse(PathBuf::new(), text, false) else { return false };
        let rest = |file: &Self| -> Vec<(String, String)> {
            let entries = file.document().map_or(&[][..], |document| document.root.entries());
            let others = entries.iter().filter(|entry| !eq_folded(&entry.key, "currentContext"));
            others.map(|entry| (entry.key.clone(), content(&entry.value))).collect()
        };
        other.current().as_deref() == Some(name) && rest(self) == rest(&other)
    }
}

/// The content of a value, without its spans, for comparison.
fn content(node: &document::Node) -> String {
    use document::NodeKind;
    match &node.kind {
        NodeKind::Scalar(scalar) => format!("{:?}{:?}", scalar.text, scalar.style),
        NodeKind::List(items) => format!("{:?}", items.iter().map(content).collect::<Vec<_>>()),
        NodeKind::Map(entries) => {
            let pairs = entries.iter().map(|entry| (&entry.key, content(&entry.value)));
            format!("{:?}", pairs.collect::<Vec<_>>())
        }
    }
}

fn replace_value(document: &Document, entry: &Entry, name: &str) -> Option<String> {
    let text = document.source.text();
    entry.value.scalar()?;
    let quoted = quote(name, is_flow(document));
    let span = entry.value.span;
    if text.get(span.range())?.is_empty() {
        // The key has no value.
        let colon = entry.key_span.end + text.get(entry.key_span.end..)?.find(':')?;
        return splice(text, colon + 1, colon + 1, &format!(" {quoted}"));
    }
    splice(text, span.start, span.end, &quoted)
}

fn insert_key(document: &Document, name: &str) -> Option<String> {
    let text = document.source.text();
    let quoted = quote(name, is_flow(document));
    let first = document.root.entries().first()?.key_span.start;
    if is_flow(document) {
        return splice(text, first, first, &format!("\"currentContext\": {quoted}, "));
    }
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    splice(text, first, first, &format!("currentContext: {quoted}{line_end}"))
}

fn splice(text: &str, start: usize, end: usize, new: &str) -> Option<String> {
    Some([text.get(..start)?, new, text.get(end..)?].concat())
}

/// Whether the whole document is in braces, like JSON.
fn is_flow(document: &Document) -> bool {
    document.source.text()[document.root.span.start..].starts_with('{')
}

/// Formats a name as a YAML scalar. It has no quotes if every reader reads it as a text.
fn quote(name: &str, flow: bool) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_word = word.contains(&name.to_ascii_lowercase().as_str());
    if !flow && starts && !is_word && name.chars().all(plain) {
        name.to_owned()
    } else {
        // A JSON text is also a YAML text.
        serde_json::Value::from(name).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edited(text: &str, name: &str) -> Result<String, ConfigError> {
        ConfigFile::parse("x".into(), text, false)?.with_current(name)
    }

    #[test]
    fn only_the_value_changes() {
        let rest =
            " # now\ncontexts:\n  a: {armadaUrl: h:1}  # first\n  'B c': {x: [1, 2]}\nmine: yes\n";
        for (before, name, after) in [
            ("currentContext: a", "b C", "currentContext: \"B c\""),
            ("currentContext: 'B c'", "a", "currentContext: a"),
            ("CurrentContext: \"a\"", "A", "CurrentContext: a"),
            ("currentContext:", "a", "currentContext: a"),
            ("# mine\n\ncurrentContext: ~", "a", "# mine\n\ncurrentContext: a"),
        ] {
            let got = edited(&format!("{before}{rest}"), name).unwrap();
            assert_eq!(got, format!("{after}{rest}"));
        }
        assert_eq!(
            edited("# mine\n\ncontexts: {a: {}} # all\n", "a").unwrap(),
            "# mine\n\ncurrentContext: a\ncontexts: {a: {}} # all\n"
        );
    }

    #[test]
    fn json_and_windows_files_stay_what_they_are() {
        assert_eq!(
            edited("{\"contexts\": {\"a\": {}}}", "a").unwrap(),
            "{\"currentContext\": \"a\", \"contexts\": {\"a\": {}}}"
        );
        assert_eq!(
            edited("contexts:\r\n  a: {}\r\n", "a").unwrap(),
            "currentContext: a\r\ncontexts:\r\n  a: {}\r\n"
        );
    }

    #[test]
    fn what_would_change_more_is_refused() {
        let anchored = "currentContext: &name a\nother: *name\ncontexts: {a: {}, b: {}}\n";
        let got = edited(anchored, "b");
        assert!(matches!(got, Err(ConfigError::NotEditable { .. })), "{got:?}");
        let unknown = edited("contexts: {prod: {}}", "prd").unwrap_err();
        assert_eq!(unknown.help().as_deref(), Some("did you mean `prod`?"));
    }

    proptest! {
        #[test]
        fn every_line_but_one_stays(
            names in proptest::collection::btree_set("[a-z][a-z0-9 .:#'\"-]{0,8}[a-z]", 1..4),
            comments in proptest::collection::vec("[ -~é]{0,20}", 4),
            pick in any::<prop::sample::Index>(),
            quoted in any::<bool>(),
        ) {
            let names: Vec<String> = names.into_iter().collect();
            let name = &names[pick.index(names.len())];
            let old = if quoted { "'it''s'" } else { "old" };
            let context = |name: &String| {
                format!("  {}: {{armadaUrl: h:1}} # {}\n", serde_json::Value::from(name.as_str()), comments[0])
            };
            let contexts = names.iter().map(context).collect::<Vec<_>>().concat();
            let head = format!("# {}\nunknown: {{a: 1.0, b: [x]}} # {}\n", comments[1], comments[2]);
            let tail = format!(" # {}\ncontexts:\n{contexts}", comments[3]);
            let got = edited(&format!("{head}currentContext: {old}{tail}"), name).unwrap();
            prop_assert!(got.starts_with(&format!("{head}currentContext: ")), "{}", got);
            prop_assert!(got.ends_with(&tail), "{}", got);
            let file = ConfigFile::parse("x".into(), &got, false).unwrap();
            prop_assert_eq!(file.current(), Some(name.clone()));
        }
    }
}
