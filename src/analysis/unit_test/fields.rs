//! The fields of decisions and of units' ends that tests can expect: the fields of the reports, by their names in JSON.

use document::diag::Code;
use document::{Extra, Field, Kind, Shape, optional, required};
use replay::history::MAX_REPEAT;
use systems::{COUNT, Comparison, DECISION_FIELDS, DecisionField};

use Comparison::{Bytes, Contains, Equal, Instant, Seconds};

const LIMIT: Kind =
    Kind::Whole { min: i64::MIN as i128, max: i64::MAX as i128, code: Code::OutOfRange };
const TEXTS: Kind = Kind::List { item: &Kind::Text, min: 0 };

/// A field that a test can expect.
type Expected = (Field, Comparison);

/// Optional fields with their documentation, each with its comparison.
macro_rules! expected {
    ($($(#[doc = $line:literal])+ $key:ident: $kind:expr => $comparison:expr),+ $(,)?) => {
        &[$((optional(stringify!($key), $kind, document::shapes!(@text $($line)+)), $comparison)),+]
    };
}

/// The fields that the decisions of all systems have, in the order of their report (`simulate::DecisionReport`).
const OF_DECISION: &[Expected] = expected! {
    #[doc = "What happens: `Retry` or `Fail`, or the system's own word."]
    action: Kind::SomeText => Equal,
    #[doc = "What was decided, as a code: retry, fail_rule, fail_policy_limit, .."]
    decision: Kind::SomeText => Equal,
    /// The policy that decided; null if none did.
    policy: Kind::SomeText => Equal,
    /// The index of the rule that decided, from 0; null for a default action, and if none did.
    ruleIndex: COUNT => Equal,
    /// The retries counted against the limit, after the decision; null if no limit was consulted.
    count: COUNT => Equal,
    /// The limit; null if none was consulted.
    limit: LIMIT => Equal,
    /// Where the limit comes from: rule, policy or global, or the field that sets it.
    limitSource: Kind::SomeText => Equal,
    /// The job's retries in all, after the decision.
    totalRetries: COUNT => Equal,
    /// The most retries that a job may have in all, at that time.
    globalMaxRetries: COUNT => Equal,
    /// How long the next run waits: seconds as a number, or a Go duration such as 1m30s.
    /// Null if no run was granted.
    delaySeconds: Kind::Seconds => Seconds,
    /// The nodes that the next run avoids, in this order.
    avoidNodes: TEXTS => Equal,
    /// The job's memory from the next run on: bytes, or a quantity such as 192Gi.
    /// Null before it has grown.
    memoryBytes: Kind::Quantity => Bytes,
    /// The next run's pod; null if no run was granted.
    nextPodName: Kind::SomeText => Equal,
    /// When the next run may start: RFC 3339.
    retryAfter: Kind::Date => Instant,
    /// The event that is emitted; empty if none is.
    event: Kind::Text => Equal,
    /// A part of the sentence that explains the decision.
    reason: Kind::SomeText => Contains,
    /// The failure in a few words.
    failure: Kind::SomeText => Equal,
    /// The containers that failed, in a few words each.
    containers: TEXTS => Equal,
    /// The index of the run that failed.
    runIndex: COUNT => Equal,
    /// The pod of the run that failed.
    podName: Kind::SomeText => Equal,
    /// The node that it ran on.
    node: Kind::SomeText => Equal,
    /// The cluster that it ran in.
    cluster: Kind::SomeText => Equal,
    /// When it failed: RFC 3339.
    failedAt: Kind::Date => Instant,
};

/// The fields of a unit's end, in the order of its report (`simulate::JobReport`).
const OF_JOB: &[Expected] = expected! {
    /// How the job ended: Succeeded, Failed, Cancelled, or Unresolved if the failures end before it.
    outcome: Kind::SomeText => Equal,
    /// The system's own word for it.
    systemOutcome: Kind::SomeText => Equal,
    /// A part of the sentence that explains it.
    reason: Kind::SomeText => Contains,
    /// Retries granted.
    retries: COUNT => Equal,
    /// Failures after its end.
    notReached: COUNT => Equal,
    /// Runs that another's end cut off.
    cutOff: COUNT => Equal,
    /// The policies that apply to it, in order.
    effectivePolicies: TEXTS => Equal,
};

/// The number of an attempt.
const ATTEMPTS: Kind = Kind::Whole { min: 1, max: MAX_REPEAT as i128, code: Code::OutOfRange };

/// More than the fields of decisions of all systems.
const MAX_FIELDS: usize = 64;

/// The fields that can be expected, after the one that chooses the decision or the job: those of all systems, then those
/// of each system, each once.
const fn fields_after(
    first: Field,
    of_all: &[Expected],
    of_systems: &[&[DecisionField]],
) -> ([Field; MAX_FIELDS], usize) {
    let (mut fields, mut count) = ([first; MAX_FIELDS], 1);
    while count <= of_all.len() {
        fields[count] = of_all[count - 1].0;
        count += 1;
    }
    let mut system = 0;
    while system < of_systems.len() {
        let mut own = of_systems[system];
        while let [next, rest @ ..] = own {
            if !has(&fields, count, next.field.name) {
                fields[count] = next.field;
                count += 1;
            }
            own = rest;
        }
        system += 1;
    }
    (fields, count)
}

/// Whether one of the first fields has a name.
const fn has(fields: &[Field; MAX_FIELDS], mut count: usize, name: &str) -> bool {
    while count > 0 {
        count -= 1;
        if is_same(fields[count].name.as_bytes(), name.as_bytes()) {
            return true;
        }
    }
    false
}

/// Whether two names are equal, where a constant needs to know.
const fn is_same(mut one: &[u8], mut other: &[u8]) -> bool {
    while let ([a, one_rest @ ..], [b, other_rest @ ..]) = (one, other) {
        if *a != *b {
            return false;
        }
        (one, other) = (one_rest, other_rest);
    }
    one.is_empty() && other.is_empty()
}

const OF_ATTEMPT: ([Field; MAX_FIELDS], usize) = fields_after(
    required(
        "attempt",
        ATTEMPTS,
        "The attempt, from 1: the position of the failure, repeated ones included.",
    ),
    OF_DECISION,
    DECISION_FIELDS,
);
const OF_ROW: ([Field; MAX_FIELDS], usize) = fields_after(
    optional(
        "attempt",
        ATTEMPTS,
        "The attempt, from 1, if the failure is repeated; absent means the last one.",
    ),
    OF_DECISION,
    DECISION_FIELDS,
);
const OF_JOB_END: ([Field; MAX_FIELDS], usize) = fields_after(
    optional("jobId", Kind::SomeText, "The job, if the failures are of several."),
    OF_JOB,
    &[],
);

/// What is expected of a decision.
pub(super) static EXPECTATION: Shape = Shape {
    name: "decision",
    doc: "What is expected of the decision about one attempt: any field of the decision, by its name in JSON.\n\
          Null expects that the decision has no such value.",
    fields: OF_ATTEMPT.0.split_at(OF_ATTEMPT.1).0,
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: ELSEWHERE,
};

/// What is expected of the decision about the case of a table.
pub(super) static ROW_EXPECTATION: Shape = Shape {
    name: "decision",
    doc: "What is expected of the decision about the failure: any field of the decision, by its name in JSON.",
    fields: OF_ROW.0.split_at(OF_ROW.1).0,
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: ELSEWHERE,
};

/// What is expected of a unit's end.
pub(super) static JOB_EXPECTATION: Shape = Shape {
    name: "job",
    doc: "What is expected of the job's end: fields of its report, by their names in JSON.",
    fields: OF_JOB_END.0.split_at(OF_JOB_END.1).0,
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: ELSEWHERE,
};

/// Names that other tools have for these fields.
const ELSEWHERE: &[(&str, &str)] = &[
    ("rule", "write `ruleIndex`, and `policy`"),
    ("delay", "write `delaySeconds`: seconds, or a duration such as `30s`"),
    ("wait", "write `delaySeconds`: seconds, or a duration such as `30s`"),
    ("memory", "write `memoryBytes`: bytes, or a quantity such as `2Gi`"),
    ("podname", "write `nextPodName` or `podName`"),
];

/// How a field of a decision is compared, by its name.
pub(super) fn comparison_of_decision(name: &str) -> Option<Comparison> {
    let own = DECISION_FIELDS.iter().copied().flatten().find(|own| own.field.name == name);
    comparison(OF_DECISION, name).or(own.map(|own| own.comparison))
}

/// How a field of a unit's end is compared, by its name.
pub(super) fn comparison_of_job(name: &str) -> Option<Comparison> {
    comparison(OF_JOB, name)
}

fn comparison(fields: &[Expected], name: &str) -> Option<Comparison> {
    let found = fields.iter().find(|(field, _)| field.name == name);
    found.map(|(_, comparison)| *comparison)
}

#[cfg(test)]
mod tests {
    use super::*;
    use replay::simulate::{DecisionReport, JobReport};
    use std::collections::BTreeSet;

    fn names(schema: schemars::Schema) -> BTreeSet<String> {
        let schema = serde_json::Value::from(schema);
        schema["properties"].as_object().unwrap().keys().cloned().collect()
    }

    fn expected(fields: &[Expected]) -> BTreeSet<String> {
        fields.iter().map(|(field, _)| field.name.to_owned()).collect()
    }

    #[test]
    fn every_field_of_a_report_can_be_expected() {
        assert_eq!(names(schemars::schema_for!(DecisionReport)), expected(OF_DECISION));
        for own in DECISION_FIELDS.iter().copied().flatten() {
            let name = own.field.name;
            assert!(
                comparison(OF_DECISION, name).is_none(),
                "{name}: decisions of all systems have it"
            );
        }
        let mut job = names(schemars::schema_for!(JobReport));
        for other in
            ["jobId", "queue", "decisions", "contradictions", "assumedSuccess", "runs", "explain"]
        {
            assert!(job.remove(other), "{other}");
        }
        assert_eq!(job, expected(OF_JOB));
    }
}
