//! A word of a record that no field reads, and the hint at the word that was meant.

use crate::history::kube_pod::DISRUPTION_TARGET;
use armada_retry::policy::Condition;
use borsh::{BorshDeserialize, BorshSerialize};
use document::diag::{Place, did_you_mean, typo_of};
use document::{Kind, Shape};

/// The kinds of words.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize,
)]
pub enum UnreadKind {
    /// A key of a record, or of an object in it.
    Key,
    /// A condition of a run.
    Condition,
    /// The reason of a container of Armada's that is probably a condition of the run.
    Reason,
    /// The type of a condition of a pod that is probably another's. Pods have conditions of any
    /// type: others are right.
    PodCondition,
}

impl UnreadKind {
    /// Whether it is a condition, of a run or of a pod.
    pub fn is_condition(self) -> bool {
        matches!(self, Self::Condition | Self::PodCondition)
    }

    /// The field of a run that holds a condition of this kind.
    pub(super) fn field(self) -> &'static str {
        match self {
            Self::Reason => "containers",
            Self::PodCondition => "podConditions",
            Self::Condition | Self::Key => "conditions",
        }
    }
}

/// A word that nothing reads.
#[derive(Debug, Clone)]
pub struct UnreadWord<P = Place> {
    /// The kind of the word.
    pub kind: UnreadKind,
    /// The shape of the object that it is in.
    pub(super) shape: &'static Shape,
    /// The word.
    pub text: String,
    /// How many records have it.
    pub records: u64,
    /// Where it is for the first time.
    pub first: P,
    /// Whether it has a hint, once that is computed.
    pub(super) has_hint: Option<bool>,
}

/// A word: what it is, the shape of the object that it is in, and its text.
pub(super) type Word<'t> = (UnreadKind, &'static Shape, &'t str);

impl<P> UnreadWord<P> {
    pub(super) fn rank(&self) -> Rank<'_> {
        (self.has_hint != Some(true), &self.text, self.kind, self.shape.name)
    }

    pub(super) fn compute_hint(&mut self) {
        if self.has_hint.is_none() {
            self.has_hint = Some(self.hint().is_some());
        }
    }

    /// The replacement, if it was probably meant to be a word that is read. A key that
    /// belongs into another object is given with its path.
    pub fn hint(&self) -> Option<String> {
        hint_of((self.kind, self.shape, &self.text))
    }
}

/// The hint at the word that was meant.
pub(super) fn hint_of((kind, shape, text): Word<'_>) -> Option<String> {
    let elsewhere = shape.elsewhere.iter().find(|(key, _)| *key == text);
    let near = match (kind, elsewhere) {
        (UnreadKind::Key, Some((_, instead))) => return Some((*instead).to_owned()),
        (UnreadKind::Key, None) => {
            let names = shape.fields.iter().map(|field| field.name);
            let near = did_you_mean(text, names).map(str::to_owned);
            near.or_else(|| within(text, shape))
        }
        (UnreadKind::Condition, _) => {
            let known = Condition::ALL.map(Condition::as_str);
            did_you_mean(text, known).map(str::to_owned)
        }
        (UnreadKind::Reason, _) => {
            if Condition::from_name(text).is_some() {
                return Some("a condition: name it in `conditions`".to_owned());
            }
            // A reason may be any text, so that only one edit from a condition is taken for a typo.
            typo_of(text, CONDITIONS).map(str::to_owned)
        }
        (UnreadKind::PodCondition, _) => typo_of(text, [DISRUPTION_TARGET]).map(str::to_owned),
    };
    near.map(|near| format!("did you mean `{near}`?"))
}

/// The path to a key of an object within a shape: `containers[].exitCode`.
fn within(word: &str, shape: &'static Shape) -> Option<String> {
    shape.fields.iter().find_map(|field| {
        let (inner, suffix) = match &field.kind {
            Kind::Object(inner) => (inner, ""),
            Kind::List { item: Kind::Object(inner), .. } => (inner, "[]"),
            _ => return None,
        };
        let name = typo_of(word, inner.fields.iter().map(|field| field.name))?;
        Some(format!("{}{suffix}.{name}", field.name))
    })
}

/// The order of the kept words, the least first: whether they have no hint, then their texts.
pub(super) type Rank<'t> = (bool, &'t str, UnreadKind, &'static str);

/// The names of the conditions.
const CONDITIONS: [&str; Condition::ALL.len()] = {
    let mut names = [""; Condition::ALL.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = Condition::ALL[at].as_str();
        at += 1;
    }
    names
};

/// Whether a word may be one edit from a name, by its length and its ends, which costs a tenth of [`typo_of`].
fn may_be_typo(word: &str, name: &str) -> bool {
    let is_letter = |byte: &u8| !matches!(byte, b'_' | b'-');
    let letters = word.bytes().filter(|byte| is_letter(byte)).count();
    // One more letter takes 4 bytes at most.
    if !(name.len() - 1..=name.len() + 4).contains(&letters) {
        return false;
    }
    // One edit changes the beginning or the end of a word of at least three letters.
    let first = |word: &str| word.bytes().find(is_letter).map(|byte| byte.to_ascii_lowercase());
    let last = |word: &str| word.bytes().rfind(is_letter).map(|byte| byte.to_ascii_lowercase());
    first(word) == first(name) || last(word) == last(name)
}

/// Whether the reason of a container is probably meant to be a condition that rules go by. `OOMKilled` is both.
pub fn is_misplaced_reason(reason: &str) -> bool {
    // Nearly all reasons are one of these.
    if matches!(reason, "" | "Error" | "Completed" | "OOMKilled") {
        return false;
    }
    if Condition::from_name(reason).is_some() {
        return true;
    }
    typo_of(reason, CONDITIONS.into_iter().filter(|name| may_be_typo(reason, name))).is_some()
}

/// Whether the type of a pod's condition is probably meant to be one that rules go by.
pub fn is_misspelt_pod_condition(kind: &str) -> bool {
    kind != DISRUPTION_TARGET
        && may_be_typo(kind, DISRUPTION_TARGET)
        && typo_of(kind, [DISRUPTION_TARGET]).is_some()
}
