//! The run records of a JobSet: of a pod of a child Job, or of a child Job itself.

pub(super) mod fields;
pub(super) mod pods;

use crate::job::record::fields::{HasPod, JOB_ID, PodRows, optional_number};
use crate::job::{PodFields, PodOutcome};
use armada_retry::engine::Resources;
use compact_str::CompactString;
use document::{Kind, Shape, optional, required};
pub use fields::SetFields;
use replay::history::run_fields::{self, COUNT};
use replay::history::{
    Field, FieldFault, KubePod, PodRecord, RecordFields, UnreadKind, ValueReader,
};
use std::hash::{Hash, Hasher};

impl HasPod for SetFields {
    #[inline]
    fn pod(&mut self) -> &mut PodFields {
        &mut self.pod
    }
}

impl RecordFields for SetFields {
    type Key = (CompactString, u32);
    type Unit = ();
    type Limits = ();

    const DOC: &'static str =
        "One pod or one failed Job of a JobSet, as one line of a JSON Lines history.";

    const FIELDS: &'static [Field<Self>] = &[
        Field::id(JOB_ID),
        Field::queue(run_fields::QUEUE),
        Field::own(
            required(
                "jobName",
                Kind::SomeText,
                "The child Job's name; with podIndex it determines which runs follow each other.",
            ),
            |set, value| value.text(|text| set.job_name.push_str(text)),
        ),
        Field::own(
            optional(
                "replicatedJob",
                Kind::Text,
                "The replicated Job that the child Job is made from.\n\
                 Absent: taken from its name, if that is the set's, a replicatedJob's and an index; else no \
                 rule\n\
                 applies to it.",
            ),
            |set, value| text(value, &mut set.replicated_job),
        ),
        Field::own(
            optional(
                "jobIndex",
                COUNT,
                "The child Job's index among those of its replicatedJob; absent: taken from its name.",
            ),
            |set, value| optional_number(value, &mut set.job_index),
        ),
        Field::own(
            optional(
                "failureReason",
                Kind::Text,
                "Why the child Job failed, such as BackoffLimitExceeded. Absent: the record is a pod's.",
            ),
            |set, value| text(value, &mut set.failure_reason),
        ),
        Field::own(
            optional(
                "failureMessage",
                Kind::Text,
                "The message of the child Job's failure, which patterns match; it needs a failureReason.\n\
                 Absent: the usual message of the reason, if it has one.",
            ),
            |set, value| text(value, &mut set.failure_message),
        ),
        Field::own(
            optional(
                "inPlaceRestartAttempt",
                COUNT,
                "The pod's attempt under InPlaceRestart: how often it has been restarted in place.",
            ),
            |set, value| optional_number(value, &mut set.in_place_restart_attempt),
        ),
        Field::own(
            optional(
                "restartAttempt",
                COUNT,
                "Restarts of the set before the run's Job was made.\n\
                 Its label jobset.sigs.k8s.io/restart-attempt has them. Absent: the recorded ones.",
            ),
            |set, value| optional_number(value, &mut set.restart_attempt),
        ),
        PodRows::INDEX,
        Field::run_index(run_fields::RUN_INDEX),
        Field::started_at(run_fields::STARTED),
        Field::finished_at(run_fields::FINISHED),
        Field::node(run_fields::NODE),
        Field::cluster(run_fields::CLUSTER),
        PodRows::OUTCOME,
        PodRows::CONTAINERS,
        PodRows::CONDITIONS,
        PodRows::RESTARTS,
        PodRows::NAME,
        PodRows::REASON,
        PodRows::INDEX_FAILURES,
        PodRows::INDEX_IGNORED_FAILURES,
        PodRows::RESOURCES,
    ];

    fn clear(&mut self) {
        // The fields are cleared in place, as the pod's are. The pattern without `..` makes the compiler
        // report a forgotten field.
        let Self {
            pod,
            job_name,
            replicated_job,
            job_index,
            failure_reason,
            failure_message,
            in_place_restart_attempt,
            restart_attempt,
        } = self;
        pod.clear();
        for text in [job_name, replicated_job, failure_reason, failure_message] {
            // Long texts are released, so that one long message does not keep its memory for the whole
            // replay.
            if text.capacity() > MAX_CAPACITY {
                *text = CompactString::default();
            }
            text.clear();
        }
        (*job_index, *in_place_restart_attempt, *restart_attempt) = (None, None, None);
    }

    fn fault(&self) -> Option<FieldFault> {
        if self.job_name.is_empty() {
            return Some(FieldFault::new("jobName", "the name of the child Job is missing"));
        }
        // A message alone does not say that a Job failed.
        if !self.is_job_record() && !self.failure_message.is_empty() {
            let message = "failureMessage needs a failureReason";
            return Some(FieldFault::new("failureReason", message));
        }
        let outcome = self.pod.outcome;
        if self.is_job_record() && matches!(outcome, PodOutcome::Succeeded | PodOutcome::Running) {
            let message = format!("a Job that failed cannot have the outcome {}", outcome.as_str());
            return Some(FieldFault::new("failureReason", message));
        }
        self.pod.fault()
    }

    fn has_unread_condition(&self) -> bool {
        self.pod.has_unread_condition()
    }

    fn each_unread_condition(&self, take: &mut dyn FnMut(UnreadKind, &'static Shape, &str)) {
        self.pod.each_unread_condition(take);
    }

    fn key(&self) -> (CompactString, u32) {
        (self.job_name.clone(), self.pod.member_key())
    }

    fn hash_key(&self, hasher: &mut impl Hasher) {
        (&*self.job_name, self.pod.member_key()).hash(hasher);
    }

    fn is_of(&self, (name, index): &(CompactString, u32)) -> bool {
        self.pod.member_key() == *index && self.job_name == *name
    }

    const OTHER_PODS: Option<[&'static str; 2]> =
        Some(["pod without a JobSet", "pods without a JobSet"]);
    const UNIT_KIND: &'static str = "JobSet";

    fn unit_of_pod(pod: &KubePod) -> Option<String> {
        pods::unit(pod)
    }

    fn read_pod(pod: &KubePod) -> Result<Option<PodRecord<Self>>, String> {
        pods::read_pod(pod)
    }

    fn set_slot(&mut self, slot: u32) {
        self.pod.set_slot(slot);
    }

    fn pod_name(&self) -> Option<&str> {
        self.pod.pod_name()
    }

    fn resources<'r>(&'r self, (): &'r ()) -> Option<&'r Resources> {
        self.pod.resources.as_deref()
    }

    fn is_ongoing(&self) -> bool {
        self.pod.is_ongoing()
    }
}

/// The maximum capacity in bytes that a text keeps for the next record.
const MAX_CAPACITY: usize = 1 << 10;

/// Adds a text to a field, which is empty and keeps its capacity.
fn text(value: &mut ValueReader<'_, '_>, field: &mut CompactString) -> Option<()> {
    value.some_text(|text| field.push_str(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobset::JobSetEngine;
    use document::diag::Code;
    use document::units::Quantity;
    use replay::history::Member;
    use replay::simulate::testing::read_lines;

    fn read(line: &str) -> (Vec<Member<SetFields>>, Vec<Code>) {
        let (members, findings) = read_lines::<JobSetEngine>(line);
        (members, findings.iter().map(|finding| finding.code).collect())
    }

    /// An escaped key within a condition forces the exact path.
    #[test]
    fn both_paths_read_the_same() {
        let good = [
            ("replicatedJob", [r#""main""#, "null"]),
            ("jobIndex", ["3", "null"]),
            ("inPlaceRestartAttempt", ["4", "null"]),
            ("restartAttempt", ["2", "null"]),
            ("podReason", [r#""Evicted""#, r#""""#]),
            ("indexFailureCount", ["8", "null"]),
            ("indexIgnoredFailureCount", ["9", "null"]),
            ("resources", [r#"{"cpu":"500m","nvidia.com/gpu":2}"#, r#"{"cpu":1,"memory":null}"#]),
            ("podIndex", ["5", "null"]),
            ("restarts", ["6", "null"]),
            ("podName", [r#""p""#, r#""""#]),
            ("containers", [r#"[{"name":"main","exitCode":7}]"#, "null"]),
            ("failureReason", [r#""PodFailurePolicy""#, r#""""#]),
            ("failureMessage", [r#""why""#, "[]"]),
        ];
        let more = |more: &str, key: &str| {
            format!(
                r#"{{"jobId":"u","jobName":"u-main-0","outcome":"Failed"{more},"podConditions":[{{"{key}":"Ready"}}]}}"#
            )
        };
        let same = |text: &str| {
            let (fast, exact) = (read(&more(text, "type")), read(&more(text, r"ty\u0070e")));
            assert_eq!(fast, exact, "{text}");
            fast
        };
        let mut all = String::new();
        for (name, values) in good {
            for value in values.into_iter().chain(["-1", "1.5", "true", "{}"]) {
                same(&format!(r#","{name}":{value}"#));
            }
            all += &format!(r#","{name}":{}"#, values[0]);
        }
        let (members, codes) = same(&all);
        let own = &members[0].runs[0].own;
        assert_eq!(
            (codes, own.job_index, own.pod.index, own.pod.restarts),
            (vec![], Some(3), 5, 6)
        );
        assert_eq!((&*own.failure_reason, &*own.failure_message), ("PodFailurePolicy", "why"));
        assert_eq!((&*own.replicated_job, &*own.pod.name), ("main", "p"));
        assert_eq!((own.restart_attempt, &*own.pod.reason), (Some(2), "Evicted"));
        let before = own.pod.recorded_failures().unwrap();
        assert_eq!((before.counted, before.ignored), (8, 9));
        let resources = own.pod.resources.as_ref().unwrap();
        assert_eq!(resources.gpu, Quantity::parse("2").ok());
    }

    #[test]
    fn a_cleared_record_is_empty() {
        let mut fields = SetFields {
            pod: PodFields { index: 2, ..PodFields::default() },
            job_name: "train-main-0".into(),
            replicated_job: "main".into(),
            job_index: Some(1),
            failure_reason: "BackoffLimitExceeded".into(),
            failure_message: "no more".into(),
            in_place_restart_attempt: Some(3),
            restart_attempt: Some(2),
        };
        fields.clear();
        assert_eq!(fields, SetFields::default());
    }
}
