//! Names that summaries count by, as small numbers: queues, categories, nodes, and the kinds of failures that no
//! rule matched.
//!
//! [`Names`] is shared by all threads; a thread looks each name up once and keeps its number in a [`NameCache`].

use super::message_shape::write_shape;
use super::text_map::TextMap;
use crate::disruption::Disruptions;
use borsh::{BorshDeserialize, BorshSerialize};
use hashbrown::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError, RwLock};

/// A kind of failure: the features that a rule for it could match.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, BorshSerialize, BorshDeserialize,
)]
pub struct Group {
    /// The failure category; empty without one.
    pub category: String,
    /// The exit code of the first failed container.
    pub exit_code: Option<i64>,
    /// The condition that held, if one did.
    pub condition: String,
    /// The shape of the message, without its numbers; empty without a message.
    pub message: String,
}

/// Number of kinds of failure that are distinguished by message.
// Messages that differ in words could otherwise fill the memory: at some 200 bytes a kind, this many take 10 MB a
// thread.
const MAX_GROUPS: usize = 50_000;

/// Number of nodes that are distinguished: more than any cluster of clusters has.
// A history in which every run has a node of its own, such as a virtual machine, could otherwise fill the memory.
const MAX_NODES: usize = 200_000;

/// A kind of failure as reports name it, by the first of its features that the failure has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
pub enum Kind {
    /// A category, and a subcategory that may be empty.
    Category(String, String),
    /// A condition that the engine knows.
    Condition(String),
    /// A condition that it does not know, or the reason of a container.
    Reason(String),
    /// The exit code of the first failed container.
    ExitCode(i64),
    /// The shape of a message.
    Message {
        /// The shape.
        shape: String,
        /// How the run ended.
        outcome: String,
    },
    /// How the run ended, if it has no other feature.
    Outcome(String),
}

impl Kind {
    /// The same kind whatever the outcome of its runs, unless that names it.
    #[must_use]
    pub fn without_outcome(self) -> Self {
        match self {
            Self::Message { shape, .. } => Self::Message { shape, outcome: String::new() },
            kind => kind,
        }
    }
}

/// Its name: `gpu/ecc`, `OOMKilled`, `exit 1`.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Category(category, subcategory) if !subcategory.is_empty() => {
                write!(f, "{category}/{subcategory}")
            }
            Self::ExitCode(code) => write!(f, "exit {code}"),
            Self::Category(name, _)
            | Self::Condition(name)
            | Self::Reason(name)
            | Self::Message { shape: name, .. }
            | Self::Outcome(name) => f.write_str(name),
        }
    }
}

/// All names of a history. Their numbers depend on the order in which threads find them and are never shown.
#[derive(Debug, Default)]
pub struct Names {
    queues: Table<String>,
    categories: Table<String>,
    subcategories: Table<String>,
    /// Clusters and nodes; a cluster is empty if it is not recorded.
    nodes: Table<(String, String)>,
    groups: Table<Group>,
    kinds: Table<Kind>,
    /// The lists of nodes, groups and kinds that a partial summary has cut off.
    cut_off: Mutex<CutOff>,
    /// The table by which disruptions are recognised.
    disruptions: Disruptions,
}

/// Whether a partial summary had more nodes, groups or kinds than are distinguished.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CutOff {
    pub(super) nodes: bool,
    pub(super) groups: bool,
    pub(super) kinds: bool,
}

/// Items and their numbers, both ways.
#[derive(Debug)]
struct Table<T>(RwLock<(HashMap<T, u32>, Vec<T>)>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T: Clone + Eq + std::hash::Hash> Table<T> {
    fn number(&self, item: T) -> u32 {
        // For reading first, as nearly all names are known and several threads may read.
        if let Some(number) = self.0.read().unwrap_or_else(PoisonError::into_inner).0.get(&item) {
            return *number;
        }
        let mut table = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let (numbers, items) = &mut *table;
        // Looked up once more: another thread may have added it between the two locks.
        *numbers.entry(item).or_insert_with_key(|item| {
            items.push(item.clone());
            u32::try_from(items.len() - 1).unwrap_or(u32::MAX)
        })
    }

    fn all(&self) -> Vec<T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    fn len(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).1.len()
    }
}

impl Names {
    /// Names without entries; disruptions are recognised by this table.
    pub fn new(disruptions: Disruptions) -> Self {
        Self { disruptions, ..Self::default() }
    }

    /// The table by which disruptions are recognised.
    pub fn disruptions(&self) -> &Disruptions {
        &self.disruptions
    }

    /// The number of a queue.
    pub fn queue(&self, name: &str) -> u32 {
        self.queues.number(name.to_owned())
    }

    /// The number of a category.
    pub fn category(&self, name: &str) -> u32 {
        self.categories.number(name.to_owned())
    }

    /// The number of a subcategory.
    pub fn subcategory(&self, name: &str) -> u32 {
        self.subcategories.number(name.to_owned())
    }

    /// The number of a node of a cluster; none from `MAX_NODES` nodes on.
    pub fn node(&self, cluster: String, node: String) -> Option<u32> {
        let has_room = self.nodes.len() < MAX_NODES;
        has_room.then(|| self.nodes.number((cluster, node)))
    }

    /// The number of a kind of failure. From `MAX_GROUPS` kinds on a new one counts without its message.
    pub fn group(&self, group: Group) -> u32 {
        if self.groups.len() < MAX_GROUPS {
            return self.groups.number(group);
        }
        self.groups.number(Group { message: String::new(), ..group })
    }

    /// The number of a kind of failure that reports name. From `MAX_GROUPS` kinds on a new one that is the shape of a
    /// message counts as the outcome of its run.
    pub(super) fn kind(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Message { outcome, .. } if self.kinds.len() >= MAX_GROUPS => {
                self.kinds.number(Kind::Outcome(outcome))
            }
            kind => self.kinds.number(kind),
        }
    }

    fn is_cut_off(&self) -> CutOff {
        *self.cut_off.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes which lists of a partial summary are cut off.
    pub(super) fn cut_off(&self, lists: CutOff) {
        let mut all = self.cut_off.lock().unwrap_or_else(PoisonError::into_inner);
        all.nodes |= lists.nodes;
        all.groups |= lists.groups;
        all.kinds |= lists.kinds;
    }

    /// Whether there are more kinds of failure than [`groups`](Self::groups) distinguishes by message.
    pub(super) fn has_too_many_groups(&self) -> bool {
        self.groups.len() >= MAX_GROUPS || self.is_cut_off().groups
    }

    /// Whether there are more kinds of failure than [`kinds`](Self::kinds) distinguishes by message.
    pub(super) fn has_too_many_kinds(&self) -> bool {
        self.kinds.len() >= MAX_GROUPS || self.is_cut_off().kinds
    }

    /// The kinds of failure that reports name, by number. As for [`groups`](Self::groups), messages are left out if the
    /// limit is reached.
    pub fn kinds(&self) -> Vec<Kind> {
        let kinds = self.kinds.all();
        let has_room = !self.has_too_many_kinds();
        let shown = |kind| match kind {
            Kind::Message { outcome, .. } if !has_room => Kind::Outcome(outcome),
            kind => kind,
        };
        kinds.into_iter().map(shown).collect()
    }

    /// Queues by number.
    pub fn queues(&self) -> Vec<String> {
        self.queues.all()
    }

    /// Categories by number.
    pub fn categories(&self) -> Vec<String> {
        self.categories.all()
    }

    /// Subcategories by number.
    pub fn subcategories(&self) -> Vec<String> {
        self.subcategories.all()
    }

    /// Clusters and nodes by number. Threads race for the numbers, so that it is random which nodes come before the
    /// limit: if it is reached, there are none.
    pub fn nodes(&self) -> Option<Vec<(String, String)>> {
        let are_too_many = self.nodes.len() >= MAX_NODES || self.is_cut_off().nodes;
        (!are_too_many).then(|| self.nodes.all())
    }

    /// Kinds of failure by number. Threads race for the numbers, so that it is random which kinds come before
    /// the limit: if it is reached, all messages are cleared.
    pub fn groups(&self) -> Vec<Group> {
        let mut groups = self.groups.all();
        if self.has_too_many_groups() {
            for group in &mut groups {
                group.message.clear();
            }
        }
        groups
    }
}

/// The names that a thread has looked up, so that it takes the shared lock once a name.
#[derive(Debug)]
pub struct NameCache<'n> {
    names: &'n Names,
    queues: TextMap,
    categories: TextMap,
    subcategories: TextMap,
    /// The places of clusters among the lists of nodes. That of no cluster is 0.
    clusters: TextMap,
    nodes: Vec<TextMap>,
    /// By message, category, condition and exit code, with line feeds between them.
    groups: HashMap<Box<str>, u32>,
    kinds: HashMap<Box<str>, u32>,
    /// The kinds that categories without a subcategory name, by the number of the category.
    category_kinds: Vec<Option<u32>>,
    /// The kinds that exit codes name.
    exit_codes: HashMap<i64, u32>,
    /// The kind of runs that succeeded.
    success: Option<u32>,
    /// The buffer of the name that is looked up.
    key: String,
}

impl<'n> NameCache<'n> {
    /// An empty cache.
    pub fn new(names: &'n Names) -> Self {
        Self {
            names,
            queues: TextMap::default(),
            categories: TextMap::default(),
            subcategories: TextMap::default(),
            clusters: TextMap::default(),
            nodes: vec![TextMap::default()],
            groups: HashMap::new(),
            kinds: HashMap::new(),
            category_kinds: Vec::new(),
            exit_codes: HashMap::new(),
            success: None,
            key: String::new(),
        }
    }

    /// The table by which disruptions are recognised.
    pub fn disruptions(&self) -> &'n Disruptions {
        self.names.disruptions()
    }

    /// The number of a queue.
    pub fn queue(&mut self, name: &str) -> u32 {
        self.queues.get_or_insert(name, |name| self.names.queue(name))
    }

    /// The number of a category; without one, that of the empty category.
    pub fn category(&mut self, name: Option<&str>) -> u32 {
        let name = name.unwrap_or_default();
        self.categories.get_or_insert(name, |name| self.names.category(name))
    }

    /// The number of a subcategory.
    pub fn subcategory(&mut self, name: &str) -> u32 {
        self.subcategories.get_or_insert(name, |name| self.names.subcategory(name))
    }

    /// The number of a node of a cluster, which may be unknown.
    pub fn node(&mut self, cluster: Option<&str>, node: &str) -> Option<u32> {
        let cluster = cluster.unwrap_or_default();
        let place = if cluster.is_empty() { 0 } else { self.cluster(cluster) };
        let nodes = &mut self.nodes[place];
        if let Some(number) = nodes.get(node) {
            return Some(number);
        }
        let number = self.names.node(cluster.to_owned(), node.to_owned())?;
        nodes.insert(node, number);
        Some(number)
    }

    /// The place of a cluster among the lists of nodes.
    fn cluster(&mut self, name: &str) -> usize {
        let next = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let place = self.clusters.get_or_insert(name, |_| next) as usize;
        if place == self.nodes.len() {
            self.nodes.push(TextMap::default());
        }
        place
    }

    /// The number of the kind of runs that succeeded, whose `outcome` is the same word in all records.
    pub fn success(&mut self, outcome: &str) -> u32 {
        *self.success.get_or_insert_with(|| self.names.kind(Kind::Outcome(outcome.to_owned())))
    }

    /// The number of the kind of failure that a deadline is: Kubernetes' reason. No run of it has ended.
    pub fn deadline(&mut self) -> u32 {
        self.kind(&Labels { category: Some("DeadlineExceeded"), ..Labels::default() })
    }

    /// The number of a kind of failure that reports name.
    pub fn kind(&mut self, labels: &Labels<'_>) -> u32 {
        let feature = feature(labels);
        match feature {
            Feature::Category(category, "") => return self.category_kind(category),
            Feature::ExitCode(code) => {
                let find = || self.names.kind(Kind::ExitCode(code));
                return *self.exit_codes.entry(code).or_insert_with(find);
            }
            _ => {}
        }
        write_kind(labels, &feature, &mut self.key);
        if let Some(number) = self.kinds.get(self.key.as_str()) {
            return *number;
        }
        let number = self.names.kind(kind_of(labels));
        // Past the limit it is looked up among all names each time.
        if self.kinds.len() < MAX_GROUPS {
            self.kinds.insert(self.key.as_str().into(), number);
        }
        number
    }

    /// The number of the kind that a category without a subcategory names.
    fn category_kind(&mut self, category: &str) -> u32 {
        let number = self.category(Some(category)) as usize;
        if self.category_kinds.len() <= number {
            self.category_kinds.resize(number + 1, None);
        }
        let find = || self.names.kind(Kind::Category(category.to_owned(), String::new()));
        *self.category_kinds[number].get_or_insert_with(find)
    }

    /// The number of a kind of failure.
    pub fn group(&mut self, labels: &Labels<'_>) -> u32 {
        let category = labels.category.unwrap_or_default();
        let condition = labels.condition.or(labels.disruption).unwrap_or_default();
        write_shape(labels.message.unwrap_or_default(), &mut self.key);
        // A shape is one line.
        let message = self.key.len();
        // After the shape, which is the first part of the key and is taken from it again.
        for text in [category, condition] {
            self.key.push('\n');
            self.key.push_str(text);
        }
        self.key.push('\n');
        // Faster than its digits.
        let code = labels.exit_code.map(i64::to_le_bytes);
        self.key.extend(code.into_iter().flatten().map(char::from));
        if let Some(number) = self.groups.get(self.key.as_str()) {
            return *number;
        }
        let number = self.names.group(Group {
            category: category.to_owned(),
            exit_code: labels.exit_code,
            condition: condition.to_owned(),
            message: self.key[..message].to_owned(),
        });
        if self.groups.len() < MAX_GROUPS {
            self.groups.insert(self.key.as_str().into(), number);
        }
        number
    }
}

/// Reasons of containers that name no kind of failure.
const PLAIN_REASONS: [&str; 2] = ["Error", "Completed"];

/// The name of a kind of failure.
pub(super) fn kind_name(labels: &Labels<'_>) -> String {
    kind_of(labels).to_string()
}

/// The feature of a failure that names its kind.
enum Feature<'r> {
    Category(&'r str, &'r str),
    Condition(&'r str),
    Reason(&'r str),
    ExitCode(i64),
    /// The message, or the outcome without one.
    Text,
}

fn feature<'r>(labels: &Labels<'r>) -> Feature<'r> {
    let reason = labels.reason.filter(|reason| !PLAIN_REASONS.contains(reason));
    // A category first, as it is what rules name.
    if let Some(category) = labels.category {
        return Feature::Category(category, labels.subcategory.unwrap_or_default());
    }
    if let Some(category) = labels.implied_category {
        let (category, subcategory) = category.split_once('/').unwrap_or((category, ""));
        return Feature::Category(category, subcategory);
    }
    // A condition says more than an exit code.
    match (labels.condition, labels.other_condition.or(reason), labels.exit_code) {
        (Some(condition), ..) => Feature::Condition(condition),
        (None, Some(reason), _) => Feature::Reason(reason),
        (None, None, Some(code)) => Feature::ExitCode(code),
        (None, None, None) => Feature::Text,
    }
}

/// Writes a key of a kind of failure that a text names: kinds of one key are equal.
fn write_kind(labels: &Labels<'_>, feature: &Feature<'_>, key: &mut String) {
    key.clear();
    match feature {
        Feature::Category(category, subcategory) => {
            key.push('/');
            key.push_str(category);
            key.push('\n');
            key.push_str(subcategory);
        }
        Feature::Condition(name) => {
            key.push('=');
            key.push_str(name);
        }
        Feature::Reason(name) => {
            key.push('!');
            key.push_str(name);
        }
        Feature::ExitCode(_) => {}
        Feature::Text => {
            write_shape(labels.message.unwrap_or_default(), key);
            // A shape is one line, and begins with neither of the other marks.
            key.insert_str(0, if key.is_empty() { "" } else { "~" });
            key.push('\n');
            key.push_str(labels.outcome);
        }
    }
}

/// The kind of a failure.
#[cold]
fn kind_of(labels: &Labels<'_>) -> Kind {
    match feature(labels) {
        Feature::Category(category, subcategory) => {
            Kind::Category(category.to_owned(), subcategory.to_owned())
        }
        Feature::Condition(name) => Kind::Condition(name.to_owned()),
        Feature::Reason(name) => Kind::Reason(name.to_owned()),
        Feature::ExitCode(code) => Kind::ExitCode(code),
        Feature::Text => {
            let (mut shape, outcome) = (String::new(), labels.outcome.to_owned());
            write_shape(labels.message.unwrap_or_default(), &mut shape);
            if shape.is_empty() { Kind::Outcome(outcome) } else { Kind::Message { shape, outcome } }
        }
    }
}

/// The features of a failed run: those that rules can match, and those that name its kind.
#[derive(Debug, Clone, Copy, Default)]
pub struct Labels<'r> {
    /// The failure category.
    pub category: Option<&'r str>,
    /// The failure subcategory.
    pub subcategory: Option<&'r str>,
    /// The category of a failure that has one by its outcome.
    pub implied_category: Option<&'r str>,
    /// The exit code of the first failed container.
    pub exit_code: Option<i64>,
    /// The condition that held, of those that the engine knows.
    pub condition: Option<&'r str>,
    /// A disruption that the record names and that is none of those.
    pub disruption: Option<&'r str>,
    /// The first other condition of the record.
    pub other_condition: Option<&'r str>,
    /// The reason of the first failed container.
    pub reason: Option<&'r str>,
    /// The first message of the run.
    pub message: Option<&'r str>,
    /// How the run ended, in the record's word.
    pub outcome: &'r str,
}

/// A name; none if it is empty, as those are that the history lacks.
pub(super) fn non_empty(name: String) -> Option<String> {
    Some(name).filter(|name| !name.is_empty())
}
