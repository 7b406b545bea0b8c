//! Coverage targets of the tests of a policy: its rules, its defaults and its limits.

use document::diag::Place;
use document::{Document, Node};
use serde_json::Value;

/// A rule, a default or a limit of a policy, with its place.
#[derive(Debug, Clone)]
pub struct CoverageTarget {
    /// The policy's name, as reports have it.
    pub policy: String,
    /// The rule's index; none for a default, and for a limit that is not a rule's own.
    pub rule_index: Option<usize>,
    /// The kind of target.
    pub kind: TargetKind,
    /// Where it is; of a default or limit that the document does not write, the policy.
    pub place: Place,
    /// Why no failure can reach it, if that is known.
    pub unreachable: Option<String>,
}

/// The kinds of targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TargetKind {
    /// A rule.
    Rule,
    /// The default, which applies if no rule matches.
    Default,
    /// A policy without rules, as a whole.
    Whole,
    /// A limit.
    Limit {
        /// Where it comes from, as decisions have it: `rule`, `policy`, `global`, or a field.
        source: &'static str,
        /// Its value.
        value: i64,
    },
}

impl CoverageTarget {
    /// A target that failures can reach.
    pub fn new(policy: &str, rule_index: Option<usize>, kind: TargetKind, place: Place) -> Self {
        Self { policy: policy.to_owned(), rule_index, kind, place, unreachable: None }
    }

    /// The same target, which no failure can reach for a reason.
    #[must_use]
    pub fn unreachable_if(self, reason: Option<String>) -> Self {
        Self { unreachable: reason.or(self.unreachable), ..self }
    }
}

/// Failures that may reach a target, for a generated test.
#[derive(Debug, Clone, PartialEq)]
pub struct ExampleFailures {
    /// Sequences of failures, each as fields of a record. The first that reaches what no other test covers is used, and
    /// repeated until the job ends.
    pub alternatives: Vec<Vec<Value>>,
}

impl ExampleFailures {
    /// A example of single failures.
    pub fn of(failures: impl IntoIterator<Item = Value>) -> Self {
        Self { alternatives: failures.into_iter().map(|failure| vec![failure]).collect() }
    }
}

/// The place of a node of a document, or of the document if there is none: its first line.
pub fn place_of(document: &Document, node: Option<&Node>) -> Place {
    let span = node.map_or(document.root.span, |node| node.span);
    document.place(span.first_line(document.source.text()))
}

/// The targets of the fields of a mapping that set limits, as far as it has them.
pub fn limits_of(
    document: &Document,
    mapping: Option<&Node>,
    policy: &str,
    fields: &[&'static str],
) -> Vec<CoverageTarget> {
    let target = |source: &&'static str| {
        let node = mapping?.get(source)?;
        let value = i64::try_from(node.integer()?).ok()?;
        let kind = TargetKind::Limit { source, value };
        Some(CoverageTarget::new(policy, None, kind, place_of(document, Some(node))))
    };
    fields.iter().filter_map(target).collect()
}
