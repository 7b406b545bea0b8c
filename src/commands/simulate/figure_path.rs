//! Paths to the figures of a report, such as `queue.b.wait.p95`.

use crate::cli::Refusal;
use document::diag::did_you_mean;
use serde_json::Value;

/// The reason that a path leads to no figure, and what to write instead.
#[derive(Debug)]
pub(super) struct BadPath {
    pub(super) message: String,
    pub(super) help: String,
}

impl BadPath {
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }

    /// A path that goes on after a number.
    pub(super) fn no_part(path: &str) -> Self {
        Self::new(format!("a number has no part `{path}`"), format!("leave out `.{path}`"))
    }

    /// A path to a text.
    pub(super) fn text() -> Self {
        Self::new("it is not a number", "only numbers are compared")
    }

    /// The refusal of the path of an assertion.
    pub(super) fn refuse(self, path: &str) -> Refusal {
        let message = format!("--assert: the report has no figure `{path}`: {}", self.message);
        Refusal::usage(message).help(self.help)
    }

    /// The same with the figures of this name as help, if a few of these paths end with it.
    #[must_use]
    pub(super) fn or_leaf(self, path: &str, leaves: &[String]) -> Self {
        let last = |path: &str| path.rsplit('.').next().unwrap_or(path).to_lowercase();
        let alike = leaves.iter().filter(|leaf| *leaf != path && last(leaf) == last(path));
        let mut alike: Vec<&String> = alike.collect();
        let is_exact = |leaf: &&String| leaf.rsplit('.').next() == path.rsplit('.').next();
        if let [only] = alike.iter().copied().filter(is_exact).collect::<Vec<_>>()[..] {
            alike = vec![only];
        }
        // The number of jobs by outcome is what is usually compared.
        alike.sort_by_key(|leaf| (!leaf.starts_with("outcomes."), leaf.matches('.').count()));
        let alike: Vec<String> = alike.into_iter().map(|leaf| format!("`{leaf}`")).collect();
        match alike.len() {
            1..=MAX_LEAVES => {
                Self { help: format!("did you mean {}?", alike.join(" or ")), ..self }
            }
            _ => self,
        }
    }

    /// A path that begins with none of these names.
    pub(super) fn unknown<'n>(path: &str, names: impl Iterator<Item = &'n str> + Clone) -> Self {
        let have_dots = names.clone().any(|name| name.contains('.'));
        let word =
            if have_dots || path.starts_with('[') { name_of(path) } else { first_word(path) };
        Self::new(format!("unknown name `{word}`"), nearest(word, names))
    }
}

/// The most figures of one name that are suggested: more are no help.
const MAX_LEAVES: usize = 3;

/// The paths of all numbers in a tree.
pub(super) fn leaves(tree: &Value) -> Vec<String> {
    let Value::Object(map) = tree else { return Vec::new() };
    let below = |(key, value): (&String, &Value)| match value {
        Value::Object(_) => leaves(value).iter().map(|leaf| format!("{key}.{leaf}")).collect(),
        Value::Number(_) => vec![key.clone()],
        _ => Vec::new(),
    };
    map.iter().flat_map(below).collect()
}

/// The figures of names that a group lacks, since they have not occurred: of the name of a group, the group, and the path
/// in it. `None` if the group has all names.
pub(super) type Absent<'a> = &'a dyn Fn(&str, &Value, &str) -> Option<Result<Value, BadPath>>;

/// The figure at a path; null for a figure without a value.
pub(super) fn figure_at(tree: &Value, path: &str, absent: Absent<'_>) -> Result<Value, BadPath> {
    let found = descend(tree, path, absent)?;
    match found {
        Value::Number(_) | Value::Null => Ok(found),
        Value::Object(map) => {
            let names = map.keys().map(String::as_str);
            Err(BadPath::new("it is a group of figures", nearest("", names)))
        }
        _ => Err(BadPath::text()),
    }
}

/// The value at a path.
fn descend(value: &Value, path: &str, absent: Absent<'_>) -> Result<Value, BadPath> {
    let Value::Object(map) = value else {
        return match (value, path) {
            (_, "") | (Value::Null, _) => Ok(value.clone()),
            _ => Err(BadPath::no_part(path)),
        };
    };
    if path.is_empty() {
        return Ok(value.clone());
    }
    let Some((key, rest)) = longest_name(path, map.keys().map(String::as_str)) else {
        return Err(BadPath::unknown(path, map.keys().map(String::as_str)));
    };
    let group = &map[key];
    if !rest.is_empty()
        && !has_key_of(group, rest)
        && let Some(figure) = absent(key, group, rest)
    {
        return figure;
    }
    descend(group, rest, absent)
}

/// The longest of these names with which a path begins, and the path after it. Names may contain dots.
pub(super) fn longest_name<'p, 'n>(
    path: &'p str,
    names: impl Iterator<Item = &'n str>,
) -> Option<(&'n str, &'p str)> {
    let known = names.filter_map(|name| Some((name, after(path, name)?)));
    known.max_by_key(|(name, _)| name.len())
}

/// The path after a name, if it begins with it.
fn after<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(name)?;
    if rest.is_empty() || rest.starts_with('[') { Some(rest) } else { rest.strip_prefix('.') }
}

pub(super) fn first_word(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or(path)
}

/// The name before the last word of a path, or the path if it is one word.
pub(super) fn name_of(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(name, _)| name)
}

/// Whether a group has the key that a path begins with.
fn has_key_of(group: &Value, path: &str) -> bool {
    group
        .as_object()
        .is_some_and(|map| longest_name(path, map.keys().map(String::as_str)).is_some())
}

/// The nearest name, or all of them.
pub(super) fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str> + Clone) -> String {
    match did_you_mean(word, names.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if names.clone().next().is_none() => "the report has none".to_owned(),
        None => format!("write one of {}", names.collect::<Vec<_>>().join(", ")),
    }
}
