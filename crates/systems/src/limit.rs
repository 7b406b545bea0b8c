//! The limits of retries in the documents of a system, by their paths. A sweep sets them.
//!
//! A limit is set in the tree of a document, which is then read again. So a limit needs no setter, and the value of a
//! sweep comes to what the same value in the file would.

use document::diag::did_you_mean;
use document::{Entry, Node, NodeKind, Scalar, ScalarStyle, ScalarTag};
use replay::simulate::{SweptUnit, SweptValue};

/// A limit of retries in a document.
#[derive(Debug)]
pub struct Limit {
    /// The name: the field, as `--sweep` takes it.
    pub name: &'static str,
    /// The paths of the field in a document, with `/` between the keys and `[]` behind that of a list.
    paths: &'static [&'static str],
    /// The notation of the value.
    notation: Notation,
    /// Whether only items that have the field are changed unless an item is named.
    is_of_rules: bool,
}

/// The notation of a limit in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Notation {
    /// A whole number.
    Count,
    /// A whole number of seconds.
    WholeSeconds,
    Seconds,
    /// A duration in Go's notation.
    Duration,
    Factor,
}

impl Limit {
    /// A whole number.
    pub const fn count(name: &'static str, paths: &'static [&'static str]) -> Self {
        Self { name, paths, notation: Notation::Count, is_of_rules: false }
    }

    /// A time that a document has in whole seconds.
    pub const fn whole_seconds(name: &'static str, paths: &'static [&'static str]) -> Self {
        Self { name, paths, notation: Notation::WholeSeconds, is_of_rules: false }
    }

    /// A time that a document has in seconds.
    pub const fn seconds(name: &'static str, paths: &'static [&'static str]) -> Self {
        Self { name, paths, notation: Notation::Seconds, is_of_rules: false }
    }

    /// A time that a document has in Go's notation.
    pub const fn duration(name: &'static str, paths: &'static [&'static str]) -> Self {
        Self { name, paths, notation: Notation::Duration, is_of_rules: false }
    }

    /// A factor.
    pub const fn factor(name: &'static str, paths: &'static [&'static str]) -> Self {
        Self { name, paths, notation: Notation::Factor, is_of_rules: false }
    }

    /// The same limit of rules: without the number of a rule, those that have it.
    #[must_use]
    pub const fn per_rule(self) -> Self {
        Self { is_of_rules: true, ..self }
    }

    /// The key of the list whose items have the limit, if it is not one of the whole document.
    pub fn list(&self) -> Option<&'static str> {
        let path = self.paths.first()?;
        path.rsplit_once("[]/").map(|(before, _)| before.rsplit('/').next().unwrap_or(before))
    }

    /// The first key of the paths, if it is that of an object that has all limits of a document.
    fn root(&self) -> Option<&'static str> {
        self.paths.first()?.split_once('/').map(|(root, _)| root).filter(|root| *root == "spec")
    }

    /// The name with the list: `replicatedJobs[NAME].backoffLimit`, `rules[0].max_reschedules`.
    pub fn title(&self) -> String {
        // Rules have no names.
        let item = if self.list() == Some("rules") { "0" } else { "NAME" };
        self.title_of(item)
    }

    /// The name with an item of the list: `templates[fetch].limit`.
    pub fn title_of(&self, item: &str) -> String {
        self.list()
            .map_or_else(|| self.name.to_owned(), |key| format!("{key}[{item}].{}", self.name))
    }

    /// A value in the unit of the limit; an error has what the limit is.
    ///
    /// # Errors
    ///
    /// If the value is of another unit.
    pub fn value(&self, value: SweptValue) -> Result<SweptValue, &'static str> {
        let (unit, kind) = match self.notation {
            Notation::Count => (SweptUnit::Count, "a whole number"),
            Notation::WholeSeconds => (SweptUnit::Seconds, "a time in whole seconds"),
            Notation::Seconds | Notation::Duration => (SweptUnit::Seconds, "a time"),
            Notation::Factor => (SweptUnit::Factor, "a number"),
        };
        let is_whole = value.number.fract() == 0.0;
        let fits = match self.notation {
            Notation::Count => value.unit == SweptUnit::Count,
            Notation::WholeSeconds => is_whole,
            Notation::Seconds | Notation::Duration => true,
            Notation::Factor => value.unit != SweptUnit::Seconds,
        };
        if fits { Ok(SweptValue { unit, ..value }) } else { Err(kind) }
    }

    /// The items of the list in a document: their names, or their numbers from 0.
    pub fn items(&self, root: &Node) -> Vec<String> {
        let (mut items, mut root) = (Vec::new(), root.clone());
        for path in self.paths.iter().filter(|path| path.contains("[]")) {
            let steps: Vec<&str> = path.split('/').collect();
            visit(&mut root, &steps, None, &mut |_, _, name| {
                let item = name.map_or_else(|| items.len().to_string(), str::to_owned);
                items.push(item);
            });
        }
        items
    }

    fn node(&self, value: SweptValue, near: &Node) -> Node {
        let (text, style) = match self.notation {
            Notation::Duration => (value.to_string(), ScalarStyle::Double),
            _ => (value.number.to_string(), ScalarStyle::Plain),
        };
        Node {
            span: near.span,
            kind: NodeKind::Scalar(Scalar { text, style, tag: ScalarTag::None }),
        }
    }
}

/// Passes the document, or each item of the innermost list of a path, to `found`, with the rest of the path and the name
/// of the item.
fn visit(
    node: &mut Node,
    steps: &[&str],
    name: Option<&str>,
    found: &mut impl FnMut(&mut Node, &[&str], Option<&str>),
) {
    let Some(at) = steps.iter().position(|step| step.ends_with("[]")) else {
        return found(node, steps, name);
    };
    let keys = steps[..=at].iter().map(|step| step.trim_end_matches("[]"));
    let list = keys.into_iter().try_fold(node, |node, key| {
        let NodeKind::Map(entries) = &mut node.kind else { return None };
        entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.value)
    });
    let Some(NodeKind::List(items)) = list.map(|list| &mut list.kind) else { return };
    for item in items {
        let name = item.get("name").and_then(Node::text).map(str::to_owned);
        visit(item, &steps[at + 1..], name.as_deref(), found);
    }
}

/// Puts a value at a path of keys. What is no mapping on the way becomes one.
fn put(node: &mut Node, path: &[&str], value: Node) {
    let Some((key, rest)) = path.split_first() else {
        *node = value;
        return;
    };
    let span = node.span;
    if !matches!(node.kind, NodeKind::Map(_)) {
        node.kind = NodeKind::Map(Vec::new());
    }
    let NodeKind::Map(entries) = &mut node.kind else { return };
    let at = entries.iter().position(|entry| entry.key == *key).unwrap_or_else(|| {
        let value = Node { span, kind: NodeKind::Map(Vec::new()) };
        entries.push(Entry { key: (*key).to_owned(), key_span: span, value });
        entries.len() - 1
    });
    put(&mut entries[at].value, rest, value);
}

/// A limit that a text names: `backoffLimit`, `NAME.backoffLimit`, `NAME.replicatedJobs[workers].backoffLimit`, or by its path
/// in a document: `spec.templates[fetch].retryStrategy.limit`, of which the first keys may be left out.
#[derive(Debug, Clone, Copy)]
pub struct LimitPath<'p> {
    /// The limit.
    pub limit: &'static Limit,
    /// The document, if one is named.
    pub owner: Option<&'p str>,
    /// The item of the limit's list, if one is named.
    pub item: Option<&'p str>,
    /// The path and the number of its last steps that the text has, if the text is a path.
    written: Option<(&'static str, usize)>,
}

impl<'p> LimitPath<'p> {
    /// The limit of a system that a text names; `None` if it names none of them.
    pub fn parse(text: &'p str, limits: &'static [Limit]) -> Option<Self> {
        let paths =
            limits.iter().flat_map(|limit| limit.paths.iter().map(move |path| (limit, *path)));
        let written = paths.filter_map(|(limit, path)| Self::parse_path(text, limit, path));
        let longest = written.max_by_key(|it| it.written.map(|(_, steps)| steps));
        longest.or_else(|| Self::parse_name(text, limits))?.without_root()
    }

    /// The path without the first key of its document before it, which is no name; `None` if other keys follow that key.
    fn without_root(self) -> Option<Self> {
        let Some((owner, root)) = self.owner.zip(self.limit.root()) else { return Some(self) };
        match owner.strip_prefix(root) {
            Some("") => Some(Self { owner: None, ..self }),
            Some(keys) if keys.starts_with('.') => None,
            _ => Some(self),
        }
    }

    /// The limit that a text names by the last steps of its path in a document, more than those of its name.
    fn parse_path(text: &'p str, limit: &'static Limit, path: &'static str) -> Option<Self> {
        let (mut rest, mut item, mut steps) = (text, None, 0);
        for key in path.rsplit('/') {
            let (before, step) = last_step(rest);
            let is_step = match key.strip_suffix("[]") {
                None => step == key,
                Some(list) => step.strip_prefix(list).is_some_and(|own| {
                    item = own.strip_prefix('[').and_then(|own| own.strip_suffix(']'));
                    own.is_empty() || item.is_some()
                }),
            };
            if !is_step {
                break;
            }
            (rest, steps) = (before, steps + 1);
        }
        let owner = Some(rest).filter(|owner| !owner.is_empty());
        let is_longer = steps > limit.name.split('.').count() && !rest.ends_with(']');
        is_longer.then_some(Self { limit, owner, item, written: Some((path, steps)) })
    }

    fn parse_name(text: &'p str, limits: &'static [Limit]) -> Option<Self> {
        let named = limits.iter().filter_map(|limit| {
            let before = text.strip_suffix(limit.name)?;
            let before = if before.is_empty() { before } else { before.strip_suffix('.')? };
            Some((limit, before))
        });
        let parsed = named.filter_map(|(limit, before)| {
            let (owner, item) =
                limit.list().map_or(Some((before, None)), |list| item_of(before, list))?;
            let owner = Some(owner).filter(|owner| !owner.is_empty());
            // A document has a name without brackets.
            owner.is_none_or(|owner| !owner.ends_with(']')).then_some(Self {
                limit,
                owner,
                item,
                written: None,
            })
        });
        // Of limits that end in each other, the longest; of those with one name, that of the named list, else of the
        // document.
        parsed.max_by_key(|path| {
            let is_of_document = path.limit.list().is_none();
            (path.limit.name.len(), path.item.is_some(), is_of_document)
        })
    }
}

impl LimitPath<'_> {
    /// Returns whether two paths set one field of a document whose list has these items ([`Limit::items`]). The documents that
    /// they name are not compared.
    pub fn overlaps(&self, other: &Self, items: &[String]) -> bool {
        let number = |item: &str| {
            let place = items.iter().position(|name| name == item);
            place.or_else(|| item.parse().ok())
        };
        let are_of_one_item = match (self.item, other.item) {
            (Some(own), Some(item)) => own == item || number(own) == number(item),
            _ => true,
        };
        are_of_one_item && self.paths().any(|path| other.paths().any(|it| it == path))
    }

    /// The paths of the fields that it sets: those that end in the steps that the text has.
    fn paths(&self) -> impl Iterator<Item = &'static str> {
        let (written, count) = self.written.unwrap_or_default();
        let has_last = move |path: &&str| {
            path.split('/')
                .rev()
                .zip(written.rsplit('/').take(count))
                .all(|(one, other)| one == other)
        };
        let has_items = |path: &&str| self.item.is_none() || path.contains("[]");
        self.limit.paths.iter().copied().filter(has_last).filter(has_items)
    }

    /// Sets the limit in a document: in one item of its list, that of a name or with a number from 0, if the path has an item.
    /// Returns how many fields were set.
    pub fn set(&self, root: &mut Node, value: SweptValue) -> usize {
        let (mut number, mut set) = (0, 0);
        for path in self.paths() {
            let steps: Vec<&str> = path.split('/').collect();
            visit(root, &steps, None, &mut |node, field, name| {
                let is_meant = match self.item {
                    Some(item) => name == Some(item) || item.parse() == Ok(number),
                    None => !self.limit.is_of_rules || node.at(field).is_some(),
                };
                number += 1;
                if is_meant {
                    put(node, field, self.limit.node(value, node));
                    set += 1;
                }
            });
        }
        set
    }
}

/// The text before the last key of a path, and that key with its item in brackets.
fn last_step(text: &str) -> (&str, &str) {
    let open = if text.ends_with(']') { text.rfind('[') } else { None };
    text[..open.unwrap_or(text.len())]
        .rfind('.')
        .map_or(("", text), |at| (&text[..at], &text[at + 1..]))
}

/// The text before the item of a list, and the item, of `NAME.LIST[ITEM]`.
fn item_of<'p>(before: &'p str, list: &str) -> Option<(&'p str, Option<&'p str>)> {
    let Some((start, item)) = before.strip_suffix(']').and_then(|text| text.rsplit_once('['))
    else {
        return Some((before, None));
    };
    let owner = start.strip_suffix(list)?;
    let owner = if owner.is_empty() { owner } else { owner.strip_suffix('.')? };
    Some((owner, Some(item)))
}

/// The names of limits, each once.
pub fn limit_names(limits: &'static [Limit]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for limit in limits {
        let name = limit.title();
        if !names.contains(&name) {
            names.push(name);
        }
        // A limit of a list is also one of all of its items, unless it is one of the document.
        let is_of_document = limits.iter().any(|it| it.name == limit.name && it.list().is_none());
        if limit.list().is_some() && !is_of_document && !names.iter().any(|it| it == limit.name) {
            names.insert(names.len() - 1, limit.name.to_owned());
        }
    }
    names
}

/// The help for a text that names no limit: one like it, else all.
pub fn unknown_limit_help(text: &str, limits: &'static [Limit]) -> String {
    let names = limit_names(limits);
    let last = text.rsplit_once("].").or_else(|| text.rsplit_once('.'));
    let last = last.map_or(text, |(_, last)| last);
    // A field of an object, without the object: `cap` for `backoff.cap`.
    let is_field = |limit: &&Limit| limit.name.rsplit_once('.').is_some_and(|(_, own)| own == last);
    let field = limits.iter().find(is_field).map(|limit| limit.name);
    let near = field.or_else(|| did_you_mean(text, names.iter().map(String::as_str)));
    match near.or_else(|| did_you_mean(last, limits.iter().map(|limit| limit.name))) {
        Some(near) => format!("did you mean `{near}`? The limits are `{}`", names.join("`, `")),
        None if names.is_empty() => {
            "write a file for each limit, and give each with --variant".to_owned()
        }
        None => format!("the limits are `{}`", names.join("`, `")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::diag::Source;
    use document::{Limits, parse};

    static LIMITS: [Limit; 4] = [
        Limit::count("retries", &["spec/retries"]),
        Limit::count("backoffLimit", &["spec/jobs[]/template/backoffLimit"]),
        Limit::seconds("delay", &["spec/delay"]),
        Limit::seconds("delay", &["spec/policies[]/rules[]/delay", "spec/rules[]/delay"])
            .per_rule(),
    ];

    fn root(text: &str) -> Node {
        parse(&Source::new("d.yaml", text), Limits::POLICY).0.remove(0).root
    }

    #[test]
    fn a_text_names_a_limit_a_document_and_an_item() {
        let parsed = |text: &str| {
            LimitPath::parse(text, &LIMITS).map(|path| {
                let LimitPath { limit, owner, item, .. } = path;
                (limit.title(), owner.map(str::to_owned), item.map(str::to_owned))
            })
        };
        let wanted = |title: &str, owner: Option<&str>, item: Option<&str>| {
            Some((title.to_owned(), owner.map(str::to_owned), item.map(str::to_owned)))
        };
        for (text, title, owner, item) in [
            ("retries", "retries", None, None),
            ("a.b.retries", "retries", Some("a.b"), None),
            ("backoffLimit", "jobs[NAME].backoffLimit", None, None),
            ("jobs[w].backoffLimit", "jobs[NAME].backoffLimit", None, Some("w")),
            ("a.jobs[1].backoffLimit", "jobs[NAME].backoffLimit", Some("a"), Some("1")),
            ("delay", "delay", None, None),
            ("rules[1].delay", "rules[0].delay", None, Some("1")),
        ] {
            assert_eq!(parsed(text), wanted(title, owner, item), "{text}");
        }
        for text in
            ["", "maxretries", "a.other", "job[w].backoffLimit", "jobs[w].retries", "xretries"]
        {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    /// Two paths overlap exactly if the field that one sets is set by the other too, whichever is set last.
    #[test]
    fn paths_overlap_if_the_last_one_replaces_a_value_of_the_first() {
        let text = "{spec: {jobs: [{name: a}, {name: b}], retries: 0, delay: 0, rules: [{delay: 0}, {delay: 0}]}}";
        let paths = [
            "retries",
            "backoffLimit",
            "jobs[a].backoffLimit",
            "jobs[0].backoffLimit",
            "jobs[1].backoffLimit",
            "jobs[b].backoffLimit",
            "delay",
            "rules[0].delay",
            "rules[1].delay",
        ];
        for one in paths {
            for other in paths {
                let [first, last] =
                    [one, other].map(|text| LimitPath::parse(text, &LIMITS).unwrap());
                let set = |order: &[(LimitPath<'_>, u32)]| {
                    let mut document = root(text);
                    for (path, value) in order {
                        path.set(&mut document, SweptValue::count(*value));
                    }
                    count_of_value(&document, "1")
                };
                let is_replaced = set(&[(first, 1), (last, 2)]) < set(&[(first, 1)]);
                let items = first.limit.items(&root(text));
                assert_eq!(first.overlaps(&last, &items), is_replaced, "{one} {other}");
            }
        }
    }

    /// The number of scalars of a text in a tree.
    fn count_of_value(node: &Node, value: &str) -> usize {
        let own = usize::from(node.scalar().is_some_and(|scalar| &*scalar.text == value));
        let entries = node.entries().iter().map(|entry| count_of_value(&entry.value, value));
        let items = node.items().iter().map(|item| count_of_value(item, value));
        own + entries.sum::<usize>() + items.sum::<usize>()
    }

    #[test]
    fn a_path_of_a_document_names_its_field() {
        static NESTED: [Limit; 2] = [
            Limit::count("limit", &["spec/items[]/retry/limit", "spec/retry/limit"]).per_rule(),
            Limit::seconds("backoff.cap", &["spec/items[]/retry/backoff/cap"]).per_rule(),
        ];
        let text = "{spec: {items: [{name: a, retry: {limit: 1}}, {name: b.c, retry: {limit: 1}}, {name: d}], \
                    retry: {limit: 1}}}";
        // The limits of the three items and of the document that each text sets to 7.
        for (path, expected) in [
            ("limit", [7, 7, 0, 7]),
            ("retry.limit", [7, 7, 0, 7]),
            ("spec.retry.limit", [1, 1, 0, 7]),
            ("items.retry.limit", [7, 7, 0, 1]),
            ("spec.items.retry.limit", [7, 7, 0, 1]),
            ("items[b.c].limit", [1, 7, 0, 1]),
            ("items[b.c].retry.limit", [1, 7, 0, 1]),
            ("spec.items[0].retry.limit", [7, 1, 0, 1]),
            ("items[d].retry.limit", [1, 1, 7, 1]),
            ("items[3].retry.limit", [1, 1, 0, 1]),
            ("items[3].limit", [1, 1, 0, 1]),
        ] {
            let parsed = LimitPath::parse(path, &NESTED).unwrap();
            assert_eq!((parsed.limit.name, parsed.owner), ("limit", None), "{path}");
            let mut document = root(text);
            let set = parsed.set(&mut document, SweptValue::count(7));
            let limit =
                |node: &Node| node.at(&["retry", "limit"]).and_then(Node::integer).unwrap_or(0);
            let spec = document.get("spec").unwrap();
            let mut found: Vec<i128> =
                spec.get("items").unwrap().items().iter().map(limit).collect();
            found.push(limit(spec));
            assert_eq!(found, expected, "{path}");
            assert_eq!(set, expected.iter().filter(|it| **it == 7).count(), "{path}");
        }
        for text in ["spec.wrong.limit", "spec.items.wrong.limit", "spec.wrong.items[0].limit"] {
            assert!(LimitPath::parse(text, &NESTED).is_none(), "{text}");
        }
        let short = LimitPath::parse("spec.items[a].limit", &NESTED).unwrap();
        assert_eq!((short.owner, short.item), (None, Some("a")));
        let owned = LimitPath::parse("w.x.spec.items[a].retry.backoff.cap", &NESTED).unwrap();
        assert_eq!(
            (owned.limit.name, owned.owner, owned.item),
            ("backoff.cap", Some("w.x"), Some("a"))
        );
        assert!(unknown_limit_help("cap", &NESTED).contains("did you mean `backoff.cap`?"));
    }

    fn limit(number: usize, item: Option<&str>) -> LimitPath<'_> {
        LimitPath { limit: &LIMITS[number], owner: None, item, written: None }
    }

    #[test]
    fn a_limit_is_set_where_it_is_and_where_it_is_absent() {
        let count = SweptValue::count(7);
        let mut document = root("{}");
        assert_eq!(limit(0, None).set(&mut document, count), 1);
        assert_eq!(document.at(&["spec", "retries"]).unwrap().integer(), Some(7));
        // There are no items.
        assert_eq!(limit(1, None).set(&mut document, count), 0);
        assert_eq!(document.at(&["spec", "jobs"]).map(Node::describe), None);
        let mut document =
            root("{spec: {jobs: [{name: a}, {name: b, template: {backoffLimit: 1}}]}}");
        let limits = |document: &Node| -> Vec<Option<i128>> {
            let jobs = document.at(&["spec", "jobs"]).unwrap().items().iter();
            jobs.map(|job| job.at(&["template", "backoffLimit"])?.integer()).collect()
        };
        assert_eq!(limit(1, Some("b")).set(&mut document, count), 1);
        assert_eq!(limits(&document), [None, Some(7)]);
        assert_eq!(limit(1, Some("0")).set(&mut document, SweptValue::count(2)), 1);
        assert_eq!(limits(&document), [Some(2), Some(7)]);
        assert_eq!(limit(1, Some("c")).set(&mut document, count), 0);
    }

    #[test]
    fn rules_of_several_lists_are_counted_together() {
        let text = "{spec: {policies: [{rules: [{}, {delay: 1}]}, {rules: [{delay: 2}]}]}}";
        let time = LIMITS[3].value("1.5s".parse().unwrap()).unwrap();
        let mut document = root(text);
        assert_eq!(limit(3, None).set(&mut document, time), 2);
        assert_eq!(limit(3, Some("0")).set(&mut document, time), 1);
        assert_eq!(LIMITS[3].items(&document), ["0", "1", "2"]);
        let last = &document.at(&["spec", "policies"]).unwrap().items()[1];
        assert_eq!(last.get("rules").unwrap().items()[0].get("delay").unwrap().number(), Some(1.5));
    }
}
