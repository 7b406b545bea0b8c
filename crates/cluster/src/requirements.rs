//! Requirements of a job on its node other than resources: labels, and tolerated taints.
//!
//! Source: Kubernetes' `component-helpers/scheduling/corev1`, and Armada's
//! `internal/scheduler/nodedb/nodematching.go`, which requires a toleration of every taint, whatever its
//! effect.

use std::collections::BTreeMap;

/// The labels of a node.
pub type Labels = BTreeMap<String, String>;

/// A taint of a node.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Taint {
    /// `key`.
    pub key: String,
    /// `value`; may be empty.
    pub value: String,
    /// `effect`, such as `NoSchedule`.
    pub effect: String,
}

/// A toleration of a job.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Toleration {
    /// The key of the taints; empty means any.
    pub key: String,
    /// The value that taints must have; `None` means any (`operator: Exists`).
    pub value: Option<String>,
    /// The effect of the taints; empty means any.
    pub effect: String,
}

/// One expression of a node affinity.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expression {
    /// The label's key.
    pub key: String,
    /// The comparison with the label's value.
    pub operator: Operator,
    /// The values.
    pub values: Vec<String>,
}

/// The operators of a node affinity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    /// The value is one of these.
    In,
    /// The label is absent, or its value is none of these.
    NotIn,
    /// The label is present.
    Exists,
    /// The label is absent.
    DoesNotExist,
    /// The value is a whole number above that of the condition.
    Gt,
    /// The value is a whole number below that of the condition.
    Lt,
}

/// The requirements of a job. Jobs with equal requirements, requests and classes fit the same nodes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Requirements {
    /// `nodeSelector`.
    pub selector: Labels,
    /// `tolerations`.
    pub tolerations: Vec<Toleration>,
    /// `requiredDuringSchedulingIgnoredDuringExecution`: one of these terms must hold, each with all
    /// of its expressions; `None` means no affinity.
    pub affinity: Option<Vec<Vec<Expression>>>,
}

impl Operator {
    /// Returns the operator with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "In" => Self::In,
            "NotIn" => Self::NotIn,
            "Exists" => Self::Exists,
            "DoesNotExist" => Self::DoesNotExist,
            "Gt" => Self::Gt,
            "Lt" => Self::Lt,
            _ => return None,
        })
    }
}

impl Requirements {
    /// Creates requirements in a canonical order of tolerations and of the expressions of each term. Jobs
    /// that list them in another order have the same shape, as in Armada (`internaltypes/podutils.go`).
    pub fn new(
        selector: Labels,
        mut tolerations: Vec<Toleration>,
        mut affinity: Option<Vec<Vec<Expression>>>,
    ) -> Self {
        tolerations.sort();
        for term in affinity.iter_mut().flatten() {
            term.sort();
        }
        Self { selector, tolerations, affinity }
    }

    /// Returns whether a node with these taints, and the labels that `label` returns, is allowed. `more` are
    /// tolerations in addition to the job's own.
    pub fn are_met<'n>(
        &self,
        label: impl Fn(&str) -> Option<&'n str>,
        taints: &[Taint],
        more: &[Toleration],
    ) -> bool {
        let tolerations = || self.tolerations.iter().chain(more);
        taints.iter().all(|taint| tolerations().any(|toleration| toleration.tolerates(taint)))
            && self.selector.iter().all(|(key, value)| label(key) == Some(value))
            && self.affinity.as_ref().is_none_or(|terms| {
                terms.iter().any(|term| {
                    // A term without expressions matches no node.
                    !term.is_empty()
                        && term.iter().all(|expression| expression.holds(label(&expression.key)))
                })
            })
    }
}

impl Toleration {
    /// Returns whether the toleration applies to a taint.
    pub fn tolerates(&self, taint: &Taint) -> bool {
        (self.effect.is_empty() || self.effect == taint.effect)
            && (self.key.is_empty() || self.key == taint.key)
            && self.value.as_ref().is_none_or(|value| *value == taint.value)
    }
}

impl Expression {
    /// Returns whether the value of the label fulfils the expression.
    fn holds(&self, value: Option<&str>) -> bool {
        let number = |text: &str| text.parse::<i64>().ok();
        let is_listed = |value: &str| self.values.iter().any(|listed| listed == value);
        let compare = |holds: fn(i64, i64) -> bool| {
            let bounds =
                value.and_then(number).zip(self.values.first().and_then(|bound| number(bound)));
            bounds.is_some_and(|(value, bound)| holds(value, bound))
        };
        match self.operator {
            Operator::In => value.is_some_and(is_listed),
            Operator::NotIn => !value.is_some_and(is_listed),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::Gt => compare(|value, bound| value > bound),
            Operator::Lt => compare(|value, bound| value < bound),
        }
    }
}
