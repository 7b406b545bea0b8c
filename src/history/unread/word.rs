//! A word of a record that no field reads, and the hint at the word that was meant.

use crate::diag::{Place, did_you_mean, typo_of};
use crate::document::{Kind, Shape};
use crate::history::kube_pod::DISRUPTION_TARGET;
use crate::policy::Condition;

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
}

/// A word that nothing reads.
#[derive(Debug, Clone)]
pub struct UnreadWord<P = Place> {
    /// What it is.
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

    /// What to write in its place, if it was probably meant to be a word that is read. A key that
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

/// What words are kept by, the least first: whether they have no hint, then their texts.
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

/// Whether the reason of a container is probably meant to be a condition that rules go by. `OOMKilled` is both.
pub fn is_misplaced_reason(reason: &str) -> bool {
    // Nearly all reasons are one of these.
    if matches!(reason, "" | "Error" | "Completed" | "OOMKilled") {
        return false;
    }
    let letters = reason.bytes().filter(|byte| !matches!(byte, b'_' | b'-')).count();
    // One more letter takes 4 bytes at most.
    let near =
        CONDITIONS.into_iter().filter(|name| (name.len() - 1..=name.len() + 4).contains(&letters));
    typo_of(reason, near).is_some()
}

/// Whether the type of a pod's condition is probably meant to be one that rules go by.
pub fn is_misspelt_pod_condition(kind: &str) -> bool {
    // Of most types the length is answer enough. One more letter takes 4 bytes at most.
    let letters = kind.bytes().filter(|byte| !matches!(byte, b'_' | b'-')).count();
    let is_near = (DISRUPTION_TARGET.len() - 1..=DISRUPTION_TARGET.len() + 4).contains(&letters);
    is_near && kind != DISRUPTION_TARGET && typo_of(kind, [DISRUPTION_TARGET]).is_some()
}
