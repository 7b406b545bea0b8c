//! The fields of decisions and of units' ends that tests can expect: the fields of the reports, by their names in JSON.

use document::diag::Code;
use document::{Extra, Field, Kind, Shape, optional, required};
use replay::history::MAX_REPEAT;

/// How an expected value is compared with the reported one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    /// Both are equal.
    Equal,
    /// The reported text contains the expected one: sentences may get more precise.
    Contains,
    /// Both are the same number of seconds; a text is a Go duration.
    Seconds,
    /// Both are the same number of bytes; a text is a quantity.
    Bytes,
    /// Both are the same instant.
    Instant,
    /// The reported mapping has these entries; it may have more.
    Entries,
}

use Comparison::{Bytes, Contains, Entries, Equal, Instant, Seconds};

const COUNT: Kind = Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };
const NUMBER: Kind = Kind::Whole { min: 0, max: i64::MAX as i128, code: Code::OutOfRange };
const LIMIT: Kind =
    Kind::Whole { min: i64::MIN as i128, max: i64::MAX as i128, code: Code::OutOfRange };
const TEXTS: Kind = Kind::List { item: &Kind::Text, min: 0 };
const COUNTS: Kind = Kind::Map(&NUMBER);
const COUNTS_BY_NAME: Kind = Kind::Map(&COUNTS);

/// A field that a test can expect.
type Expected = (Field, Comparison);

/// The fields of a decision, in the order of its report (`simulate::DecisionReport`). Its `attempt`, which only one
/// system has, is the number of the attempt.
const OF_DECISION: [Expected; 40] = [
    (
        optional(
            "action",
            Kind::SomeText,
            "What happens: `Retry` or `Fail`, or the system's own word.",
        ),
        Equal,
    ),
    (
        optional(
            "decision",
            Kind::SomeText,
            "What was decided, as a code: retry, fail_rule, fail_policy_limit, ..",
        ),
        Equal,
    ),
    (optional("policy", Kind::SomeText, "The policy that decided; null if none did."), Equal),
    (
        optional(
            "ruleIndex",
            COUNT,
            "The index of the rule that decided, from 0; null for a default action, and if none did.",
        ),
        Equal,
    ),
    (
        optional(
            "count",
            COUNT,
            "The retries counted against the limit, after the decision; null if no limit was consulted.",
        ),
        Equal,
    ),
    (optional("limit", LIMIT, "The limit; null if none was consulted."), Equal),
    (
        optional(
            "limitSource",
            Kind::SomeText,
            "Where the limit comes from: rule, policy or global, or the field that sets it.",
        ),
        Equal,
    ),
    (optional("totalRetries", COUNT, "The job's retries in all, after the decision."), Equal),
    (
        optional(
            "globalMaxRetries",
            COUNT,
            "The most retries that a job may have in all, at that time.",
        ),
        Equal,
    ),
    (
        optional(
            "delaySeconds",
            Kind::Seconds,
            "How long the next run waits: seconds as a number, or a Go duration such as 1m30s.\nNull if no run was granted.",
        ),
        Seconds,
    ),
    (optional("avoidNodes", TEXTS, "The nodes that the next run avoids, in this order."), Equal),
    (
        optional(
            "memoryBytes",
            Kind::Quantity,
            "The job's memory from the next run on: bytes, or a quantity such as 192Gi.\nNull before it has grown.",
        ),
        Bytes,
    ),
    (
        optional("nextPodName", Kind::SomeText, "The next run's pod; null if no run was granted."),
        Equal,
    ),
    (optional("retryAfter", Kind::Date, "When the next run may start: RFC 3339."), Instant),
    (optional("event", Kind::Text, "The event that is emitted; empty if none is."), Equal),
    (
        optional("reason", Kind::SomeText, "A part of the sentence that explains the decision."),
        Contains,
    ),
    (optional("failure", Kind::SomeText, "The failure in a few words."), Equal),
    (optional("containers", TEXTS, "The containers that failed, in a few words each."), Equal),
    (optional("runIndex", COUNT, "The index of the run that failed."), Equal),
    (optional("podName", Kind::SomeText, "The pod of the run that failed."), Equal),
    (optional("node", Kind::SomeText, "The node that it ran on."), Equal),
    (optional("cluster", Kind::SomeText, "The cluster that it ran in."), Equal),
    (optional("failedAt", Kind::Date, "When it failed: RFC 3339."), Instant),
    (
        optional(
            "level",
            Kind::SomeText,
            "Which decision about the attempt is meant, if there are several: `job` or `jobset`.\nAbsent: the last one.",
        ),
        Equal,
    ),
    (optional("jobName", Kind::SomeText, "The child Job that the decision is about."), Equal),
    (optional("podIndex", COUNT, "The pod's index."), Equal),
    (
        optional(
            "counts",
            COUNTS,
            "The system's own counters after the decision; those that are listed are compared.",
        ),
        Entries,
    ),
    (
        optional(
            "jobRestarts",
            COUNTS_BY_NAME,
            "Restarts of single child Jobs; those that are listed are compared.",
        ),
        Entries,
    ),
    (optional("failureReason", Kind::SomeText, "The reason of the Job's failure."), Equal),
    (
        optional("failureMessage", Kind::SomeText, "A part of the message of the Job's failure."),
        Contains,
    ),
    (
        optional("failureHint", Kind::SomeText, "A part of the hint of the failure's category."),
        Contains,
    ),
    (optional("category", Kind::SomeText, "The category that Armada's executor reports."), Equal),
    (
        optional("subcategory", Kind::SomeText, "The subcategory that Armada's executor reports."),
        Equal,
    ),
    (optional("task", COUNT, "The task, from 0."), Equal),
    (optional("taskState", Kind::SomeText, "The task's state after the decision."), Equal),
    (optional("jobState", Kind::SomeText, "The job's state after the decision."), Equal),
    (optional("eligible", Kind::Boolean, "Whether the try may be followed by another."), Equal),
    (
        optional(
            "baseSeconds",
            Kind::Seconds,
            "The delay before jitter is added: seconds as a number, or a Go duration.",
        ),
        Seconds,
    ),
    (
        optional(
            "retryReason",
            Kind::SomeText,
            "A part of the reason that Airflow stores with the try.",
        ),
        Contains,
    ),
    (optional("maxAttempts", NUMBER, "The attempts that the policy allows in all."), Equal),
];

/// The fields of a unit's end, in the order of its report (`simulate::JobReport`).
const OF_JOB: [Expected; 7] = [
    (
        optional(
            "outcome",
            Kind::SomeText,
            "How the job ended: Succeeded, Failed, Cancelled, or Unresolved if the failures end before it.",
        ),
        Equal,
    ),
    (optional("systemOutcome", Kind::SomeText, "The system's own word for it."), Equal),
    (optional("reason", Kind::SomeText, "A part of the sentence that explains it."), Contains),
    (optional("retries", COUNT, "Retries granted."), Equal),
    (optional("notReached", COUNT, "Failures after its end."), Equal),
    (optional("cutOff", COUNT, "Runs that another's end cut off."), Equal),
    (optional("effectivePolicies", TEXTS, "The policies that apply to it, in order."), Equal),
];

/// The number of an attempt.
const ATTEMPTS: Kind = Kind::Whole { min: 1, max: MAX_REPEAT as i128, code: Code::OutOfRange };

const fn shapes<const N: usize, const M: usize>(first: Field, of: &[Expected; N]) -> [Field; M] {
    let (mut fields, mut at) = ([first; M], 0);
    while at < N {
        fields[at + 1] = of[at].0;
        at += 1;
    }
    fields
}

/// What is expected of a decision.
pub(super) static EXPECTATION: Shape = Shape {
    name: "decision",
    doc: "What is expected of the decision about one attempt: any field of the decision, by its name in JSON.\n\
          Null expects that the decision has no such value.",
    fields: &shapes::<40, 41>(
        required(
            "attempt",
            ATTEMPTS,
            "The attempt, from 1: the position of the failure, repeated ones included.",
        ),
        &OF_DECISION,
    ),
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: ELSEWHERE,
};

/// What is expected of the decision about the case of a table.
pub(super) static ROW_EXPECTATION: Shape = Shape {
    fields: &shapes::<40, 41>(
        optional(
            "attempt",
            ATTEMPTS,
            "The attempt, from 1, if the failure is repeated; absent means the last one.",
        ),
        &OF_DECISION,
    ),
    ..EXPECTATION_OF_ROW
};

const EXPECTATION_OF_ROW: Shape = Shape {
    name: "decision",
    doc: "What is expected of the decision about the failure: any field of the decision, by its name in JSON.",
    fields: &[],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: ELSEWHERE,
};

/// What is expected of a unit's end.
pub(super) static JOB_EXPECTATION: Shape = Shape {
    name: "job",
    doc: "What is expected of the job's end: fields of its report, by their names in JSON.",
    fields: &shapes::<7, 8>(
        optional("jobId", Kind::SomeText, "The job, if the failures are of several."),
        &OF_JOB,
    ),
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
    comparison(&OF_DECISION, name)
}

/// How a field of a unit's end is compared, by its name.
pub(super) fn comparison_of_job(name: &str) -> Option<Comparison> {
    comparison(&OF_JOB, name)
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
        let mut decision = names(schemars::schema_for!(DecisionReport));
        // The number of the attempt is not expected, but chosen.
        assert!(decision.remove("attempt"));
        assert_eq!(decision, expected(&OF_DECISION));
        let mut job = names(schemars::schema_for!(JobReport));
        for other in
            ["jobId", "queue", "decisions", "contradictions", "assumedSuccess", "runs", "explain"]
        {
            assert!(job.remove(other), "{other}");
        }
        assert_eq!(job, expected(&OF_JOB));
    }
}
