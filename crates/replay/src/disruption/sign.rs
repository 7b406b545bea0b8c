//! The signs of disruptions, and the part of a record in which they are looked for.

use std::fmt;

/// A sign in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// A condition of the pod that is `True`, with this reason; without one, with a reason that no other row has.
    PodCondition {
        /// The type.
        kind: &'static str,
        /// The reason.
        reason: Option<&'static str>,
    },
    /// The reason of the pod's status.
    PodReason(&'static str),
    /// The exit code of the first failed container, unless the record explains it: by its memory or its deadline.
    ExitCode(i32),
    /// A field with this value.
    Field {
        /// The field, as the source names it.
        name: &'static str,
        /// The value.
        value: &'static str,
    },
    /// A field with a text that begins with this one.
    Text {
        /// The field, as the source names it.
        name: &'static str,
        /// The beginning.
        begins: &'static str,
    },
}

impl Sign {
    /// The word by which records and reports name the disruption, if it has one.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::PodCondition { reason, .. } => reason,
            Self::PodReason(reason) => Some(reason),
            Self::Field { value, .. } => Some(value),
            Self::ExitCode(_) | Self::Text { .. } => None,
        }
    }

    /// Whether a record has the sign. `others` are the reasons that other rows have for a condition of a pod.
    pub(super) fn is_in(
        self,
        evidence: &dyn Evidence,
        others: &dyn Fn(&str, &str) -> bool,
    ) -> bool {
        match self {
            Self::PodCondition { kind, reason } => {
                evidence.pod_condition(kind).is_some_and(|found| match reason {
                    Some(reason) => found == reason,
                    None => !others(kind, found),
                })
            }
            Self::PodReason(reason) => evidence.pod_reason() == Some(reason),
            Self::ExitCode(code) => evidence.exit_code() == Some(i64::from(code)),
            Self::Field { name, value } => evidence.has(name, value),
            Self::Text { name, begins } => {
                evidence.text(name).is_some_and(|text| text.starts_with(begins))
            }
        }
    }
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PodCondition { kind, reason: Some(reason) } => {
                write!(f, "condition {kind}, reason {reason}")
            }
            Self::PodCondition { kind, reason: None } => write!(f, "condition {kind}"),
            Self::PodReason(reason) => write!(f, "status.reason {reason}"),
            Self::ExitCode(code) => write!(f, "exit code {code}"),
            Self::Field { name, value } => write!(f, "{name} {value}"),
            Self::Text { name, begins } => write!(f, "{name} \"{begins}\""),
        }
    }
}

/// The parts of a record in which signs are looked for. A part that its source does not have stays absent.
pub trait Evidence {
    /// Whether the record certainly has no sign: a plain failure. Most failures are, so that no row is compared with them.
    fn is_plain(&self) -> bool {
        false
    }

    /// The reason of a condition of the pod that is `True`; empty without one.
    fn pod_condition(&self, _kind: &str) -> Option<&str> {
        None
    }

    /// The reason of the pod's status.
    fn pod_reason(&self) -> Option<&str> {
        None
    }

    /// The exit code of the first failed container, unless the container exceeded its memory or the run its deadline.
    fn exit_code(&self) -> Option<i64> {
        None
    }

    /// Whether a field has a value.
    fn has(&self, _name: &str, _value: &str) -> bool {
        false
    }

    /// The text of a field.
    fn text(&self, _name: &str) -> Option<&str> {
        None
    }
}
