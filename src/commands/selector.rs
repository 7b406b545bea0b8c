//! `-l`: which queues, by their labels.

use crate::cli::Refusal;
use crate::client::Fields;
use serde_json::{Map, Value};

/// What has to hold of a queue's labels, all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Selector(Vec<Term>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    key: String,
    wanted: Wanted,
}

/// What is wanted of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wanted {
    /// That it is there.
    There,
    /// That it is not there.
    Absent,
    /// This value.
    Equal(String),
    /// Any other value, or no such label.
    Other(String),
}

impl Selector {
    /// Reads `k=v,k2!=v,k3,!k4`. Values may contain `=`.
    pub fn parse(texts: &[String]) -> Result<Self, Refusal> {
        let terms = texts.iter().flat_map(|text| text.split(',')).map(str::trim);
        terms.filter(|term| !term.is_empty()).map(term).collect::<Result<_, _>>().map(Self)
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it holds of a queue.
    pub fn selects(&self, queue: &Fields) -> bool {
        if self.is_empty() {
            return true;
        }
        let labels = match queue.value("labels") {
            Some(Value::Object(labels)) => labels,
            _ => Map::new(),
        };
        self.0.iter().all(|term| {
            let value = labels.get(&term.key).and_then(Value::as_str);
            match &term.wanted {
                Wanted::There => value.is_some(),
                Wanted::Absent => value.is_none(),
                Wanted::Equal(wanted) => value == Some(wanted),
                Wanted::Other(unwanted) => value != Some(unwanted),
            }
        })
    }
}

fn term(text: &str) -> Result<Term, Refusal> {
    let bad = |why: &str| {
        Err(Refusal::usage(format!("`{text}` selects nothing: {why}"))
            .help("write KEY=VALUE, KEY!=VALUE, KEY or !KEY, with commas between"))
    };
    if text.contains(" in (") || text.contains(" notin (") || text.ends_with(')') {
        return bad("sets of values are not supported");
    }
    let (key, wanted) = match text.split_once('=') {
        None => match text.strip_prefix('!') {
            None => (text, Wanted::There),
            Some(key) => (key, Wanted::Absent),
        },
        // `==` is kubectl's other way to write `=`.
        Some((key, value)) => match key.strip_suffix('!') {
            Some(key) => (key, Wanted::Other(value.to_owned())),
            None => (key, Wanted::Equal(value.strip_prefix('=').unwrap_or(value).to_owned())),
        },
    };
    let key = key.trim();
    if key.is_empty() { bad("there is no key") } else { Ok(Term { key: key.to_owned(), wanted }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selector: &str, labels: &str) -> bool {
        let queue = Fields::parse(format!("{{\"labels\":{labels}}}")).unwrap();
        Selector::parse(&[selector.to_owned()]).unwrap().selects(&queue)
    }

    #[test]
    fn labels_are_compared_as_kubectl_does() {
        let labels = r#"{"team":"ml","opts":"a=b","x":"=y"}"#;
        for good in [
            "",
            "team=ml",
            "team==ml",
            "opts=a=b",
            "team",
            "!gone",
            "team!=infra",
            "gone!=x",
            "team=ml, opts",
        ] {
            assert!(selects(good, labels), "{good}");
        }
        for bad in ["team=infra", "gone", "gone=x", "!team", "team!=ml", "team=ml,gone", "opts=a"] {
            assert!(!selects(bad, labels), "{bad}");
        }
        assert!(selects("!team", "null") && !selects("team", "7"));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["=v", "!=v", "!", "a in (b)", "a in (b,c)"] {
            assert!(Selector::parse(&[text.to_owned()]).is_err(), "{text}");
        }
    }
}
