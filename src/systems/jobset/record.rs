//! What a run record of a JobSet says beyond what all records say: of a pod of a child Job, or of a
//! child Job as a whole.

use super::super::job::fields::{
    CONTAINERS, INDEX_FAILURE_COUNT, INDEX_IGNORED_FAILURE_COUNT, JOB_ID, OUTCOME, POD_CONDITIONS,
    POD_INDEX, POD_NAME, POD_REASON, RESTARTS,
};
use super::super::job::{FailureReason, PodFields, line};
use crate::document::{Extra, Kind, Shape, optional, required};
use crate::history::{InLine, KubePod, OwnFields, PodRecord, Written};
use crate::systems::run_fields::{self, COUNT};
use compact_str::CompactString;
use serde::de::MapAccess;
use std::hash::{Hash, Hasher};

/// The fields of a JobSet's record. With a reason of failure it says that its Job has failed; else
/// it is a pod's, and how its Job fares is worked out first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SetFields {
    /// The pod's fields.
    pub pod: PodFields,
    /// The child Job's name.
    pub job_name: CompactString,
    /// The replicated Job that it is made from; empty if the record does not say.
    pub replicated_job: CompactString,
    /// Its index among the Jobs of its replicated Job.
    pub job_index: Option<u32>,
    /// The reason of the Job's failure; empty in a record of a pod.
    pub failure_reason: CompactString,
    /// The message of the Job's failure.
    pub failure_message: CompactString,
    /// The pod's attempt, where containers are restarted in place.
    pub in_place_restart_attempt: Option<u32>,
    /// Restarts of the set before its Job was made, as its label has them.
    pub restart_attempt: Option<u32>,
}

impl SetFields {
    /// Whether the record says that its Job has failed.
    pub fn tells_of_job(&self) -> bool {
        !self.failure_reason.is_empty()
    }

    /// The message of the Job's failure: where the record has none, the sentence that goes with its
    /// reason, if one does (facts, A6). Empty in a record of a pod.
    pub fn message(&self) -> &str {
        if !self.failure_message.is_empty() {
            return &self.failure_message;
        }
        let fixed = FailureReason::from_name(&self.failure_reason).and_then(FailureReason::message);
        fixed.unwrap_or_default()
    }
}

/// A record of a JobSet. Unknown fields are ignored.
pub static RECORD: Shape = Shape {
    name: "record",
    doc: "One pod or one failed Job of a JobSet, as one line of a JSON Lines history.",
    fields: &[
        JOB_ID,
        run_fields::QUEUE,
        required(
            "jobName",
            Kind::SomeText,
            "The child Job's name; with podIndex it says which runs follow each other.",
        ),
        optional(
            "replicatedJob",
            Kind::Text,
            "The replicated Job that the child Job is made from.\nAbsent: as its name says, if that is the set's, a replicatedJob's and an index; else no rule\napplies to it.",
        ),
        optional(
            "jobIndex",
            COUNT,
            "The child Job's index among those of its replicatedJob; absent: as its name says.",
        ),
        optional(
            "failureReason",
            Kind::Text,
            "Why the child Job failed, such as BackoffLimitExceeded. Absent: the record is a pod's.",
        ),
        optional(
            "failureMessage",
            Kind::Text,
            "The message of the child Job's failure, which patterns look at; it needs a failureReason.\nAbsent: the reason's own sentence, if it has one.",
        ),
        optional(
            "inPlaceRestartAttempt",
            COUNT,
            "The pod's attempt under InPlaceRestart: how often it has been restarted in place.",
        ),
        optional(
            "restartAttempt",
            COUNT,
            "Restarts of the set before the run's Job was made, as its label\njobset.sigs.k8s.io/restart-attempt has them. Absent: those on record.",
        ),
        POD_INDEX,
        run_fields::RUN_INDEX,
        run_fields::STARTED,
        run_fields::FINISHED,
        run_fields::NODE,
        run_fields::CLUSTER,
        OUTCOME,
        CONTAINERS,
        POD_CONDITIONS,
        RESTARTS,
        POD_NAME,
        POD_REASON,
        INDEX_FAILURE_COUNT,
        INDEX_IGNORED_FAILURE_COUNT,
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

impl OwnFields for SetFields {
    type Key = (CompactString, u32);

    const RECORD: &'static Shape = &RECORD;

    fn field<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        let text = match key {
            "jobName" => &mut self.job_name,
            "replicatedJob" => &mut self.replicated_job,
            "failureReason" => &mut self.failure_reason,
            "failureMessage" => &mut self.failure_message,
            "jobIndex" => {
                self.job_index = map.next_value()?;
                return Ok(true);
            }
            "inPlaceRestartAttempt" => {
                self.in_place_restart_attempt = map.next_value()?;
                return Ok(true);
            }
            "restartAttempt" => {
                self.restart_attempt = map.next_value()?;
                return Ok(true);
            }
            _ => return self.pod.field(key, map),
        };
        *text = map.next_value::<Option<_>>()?.unwrap_or_default();
        Ok(true)
    }

    const IN_LINE: &'static [(&'static str, InLine<Self>)] = &[
        ("jobName", |set, value| text(value, &mut set.job_name)),
        ("replicatedJob", |set, value| text(value, &mut set.replicated_job)),
        ("jobIndex", |set, value| number(value, &mut set.job_index)),
        ("failureReason", |set, value| text(value, &mut set.failure_reason)),
        ("failureMessage", |set, value| text(value, &mut set.failure_message)),
        ("inPlaceRestartAttempt", |set, value| number(value, &mut set.in_place_restart_attempt)),
        ("restartAttempt", |set, value| number(value, &mut set.restart_attempt)),
        ("podIndex", |set, value| line::index(&mut set.pod, value)),
        ("outcome", |set, value| line::outcome(&mut set.pod, value)),
        ("containers", |set, value| line::containers(&mut set.pod, value)),
        ("podConditions", |set, value| line::conditions(&mut set.pod, value)),
        ("restarts", |set, value| line::restarts(&mut set.pod, value)),
        ("podName", |set, value| line::name(&mut set.pod, value)),
        ("podReason", |set, value| line::reason(&mut set.pod, value)),
        ("indexFailureCount", |set, value| line::index_failures(&mut set.pod, value)),
        ("indexIgnoredFailureCount", |set, value| {
            line::index_ignored_failures(&mut set.pod, value)
        }),
    ];

    fn clear(&mut self) {
        // All of them, so that none that is added is forgotten.
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
            // What was once long is not held for ever.
            if text.capacity() > ROOM {
                *text = CompactString::default();
            }
            text.clear();
        }
        (*job_index, *in_place_restart_attempt, *restart_attempt) = (None, None, None);
    }

    fn fault(&self) -> Option<(&'static str, String)> {
        if self.job_name.is_empty() {
            return Some(("jobName", "there is no name of a child Job".to_owned()));
        }
        if !self.tells_of_job() && !self.failure_message.is_empty() {
            let why = "there is a failureMessage without a failureReason".to_owned();
            return Some(("failureReason", why));
        }
        if self.tells_of_job() && (self.succeeded() || self.goes_on()) {
            let outcome = self.pod.outcome.as_str();
            let why = format!("a Job that failed cannot have the outcome {outcome}");
            return Some(("failureReason", why));
        }
        self.pod.fault()
    }

    fn may_have_unread(&self) -> bool {
        self.pod.may_have_unread()
    }

    fn is_of(&self, (name, index): &(CompactString, u32)) -> bool {
        self.pod.member_key() == *index && self.job_name == *name
    }

    fn tell_key(&self, to: &mut impl Hasher) {
        (&*self.job_name, self.pod.member_key()).hash(to);
    }

    fn key(&self) -> (CompactString, u32) {
        (self.job_name.clone(), self.pod.member_key())
    }

    const STRANGE_PODS: Option<[&'static str; 2]> = Some(["pod of no JobSet", "pods of no JobSet"]);

    fn unit_of_pod(pod: &KubePod) -> Option<String> {
        super::pods::unit(pod)
    }

    fn of_pod(pod: &KubePod) -> Result<Option<PodRecord<Self>>, String> {
        super::pods::of_pod(pod)
    }

    fn put(&mut self, place: u32) {
        self.pod.put(place);
    }

    fn succeeded(&self) -> bool {
        self.pod.succeeded()
    }

    fn goes_on(&self) -> bool {
        self.pod.goes_on()
    }
}

/// How many bytes a text may keep room for when the next record is read over it.
const ROOM: usize = 1 << 10;

fn text(value: &mut Written<'_, '_>, field: &mut CompactString) -> Option<()> {
    // It keeps the room that it has.
    value.unless_null(|value| value.text(|said| field.push_str(said)))
}

fn number(value: &mut Written<'_, '_>, field: &mut Option<u32>) -> Option<()> {
    *field = value.optional(Written::whole)?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Code;
    use crate::history::{Member, MemberReader, OnBadRecord};

    fn read(line: &str) -> (Vec<Member<SetFields>>, Vec<Code>) {
        let mut reader = MemberReader::<SetFields>::new(OnBadRecord::ErrorToTheEnd);
        reader.piece("x", true, line.as_bytes());
        let (history, findings) = reader.finish();
        (history.members, findings.iter().map(|finding| finding.code).collect())
    }

    /// A line of which a condition's key is written with an escape is read by its tree.
    #[test]
    fn lines_say_what_their_trees_say() {
        let good = [
            ("replicatedJob", [r#""main""#, "null"]),
            ("jobIndex", ["3", "null"]),
            ("inPlaceRestartAttempt", ["4", "null"]),
            ("restartAttempt", ["2", "null"]),
            ("podReason", [r#""Evicted""#, r#""""#]),
            ("indexFailureCount", ["8", "null"]),
            ("indexIgnoredFailureCount", ["9", "null"]),
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
            let (line, tree) = (read(&more(text, "type")), read(&more(text, r"ty\u0070e")));
            assert_eq!(line, tree, "{text}");
            line
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
    }

    #[test]
    fn a_record_that_is_cleared_says_nothing() {
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
