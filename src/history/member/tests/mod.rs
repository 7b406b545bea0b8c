//! The reading of members against a small system: pods in slots that end in a code, or go on.

mod documents;
mod lines;
mod pods;
mod properties;

use super::{Member, MemberHistory, MemberReader, OwnFields, PodRecord};
use crate::diag::{Code, Source};
use crate::document::{Choice, Choices, Extra, Field, Kind, Need, Shape};
use crate::history::{KubePod, OnBadRecord};
use serde::de::MapAccess;

/// What a slot's run says.
#[derive(Debug, Clone, PartialEq, Default)]
struct SlotFields {
    slot: u32,
    outcome: Outcome,
    code: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Deserialize)]
enum Outcome {
    #[default]
    Failed,
    Succeeded,
    Running,
}

const fn field(name: &'static str, kind: Kind, need: Need) -> Field {
    Field { name, doc: "A field.", kind, need }
}

const COUNT: Kind = Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };

static OUTCOMES: Choices = Choices {
    name: "outcome",
    values: &[
        Choice { value: "Failed", doc: "It failed.", also: &[] },
        Choice { value: "Succeeded", doc: "It did its work.", also: &[] },
        Choice { value: "Running", doc: "It goes on.", also: &[] },
    ],
    any_case: false,
    elsewhere: &[],
};

static RECORD: Shape = Shape {
    name: "record",
    doc: "A run of a slot.",
    fields: &[
        field("jobId", Kind::SomeText, Need::Required),
        field("slot", COUNT, Need::Optional),
        field("queue", Kind::Text, Need::Optional),
        field("runIndex", COUNT, Need::Optional),
        field("startedAt", Kind::Time, Need::Optional),
        field("finishedAt", Kind::Time, Need::Optional),
        field("node", Kind::Text, Need::Optional),
        field("cluster", Kind::Text, Need::Optional),
        field("outcome", Kind::OneOf(&OUTCOMES), Need::Required),
        field(
            "code",
            Kind::Whole { min: i64::MIN as i128, max: i64::MAX as i128, code: Code::OutOfRange },
            Need::Optional,
        ),
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

impl OwnFields for SlotFields {
    type Key = u32;

    const RECORD: &'static Shape = &RECORD;

    fn field<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "slot" => self.slot = map.next_value::<Option<u32>>()?.unwrap_or_default(),
            "outcome" => self.outcome = map.next_value()?,
            "code" => self.code = map.next_value()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn fault(&self) -> Option<(&'static str, String)> {
        (self.code == Some(5)).then(|| ("code", "a slot has no code 5".to_owned()))
    }

    fn key(&self) -> u32 {
        self.slot
    }

    const STRANGE_PODS: Option<[&'static str; 2]> = Some(["pod of no job", "pods of no job"]);

    fn unit_of_pod(pod: &KubePod) -> Option<String> {
        let job = pod.owner.as_ref().filter(|owner| owner.kind == "Job")?;
        Some(format!("{}/{}", pod.namespace, job.name))
    }

    /// Pods of Jobs, each its own unit where the Job has no index for it.
    fn of_pod(pod: &KubePod) -> Result<Option<PodRecord<Self>>, String> {
        let outcome = match pod.phase.as_str() {
            "Succeeded" => Outcome::Succeeded,
            "Failed" => Outcome::Failed,
            _ if pod.restarts() > 0 => Outcome::Running,
            _ => return Ok(None),
        };
        let index = pod.annotations.get("batch.kubernetes.io/job-completion-index");
        let slot = index.and_then(|index| index.parse().ok());
        let own = Self { slot: slot.unwrap_or_default(), outcome, code: None };
        Ok(Some(PodRecord { own, placed: slot.is_some() }))
    }

    fn put(&mut self, place: u32) {
        self.slot = place;
    }

    fn succeeded(&self) -> bool {
        self.outcome == Outcome::Succeeded
    }

    fn goes_on(&self) -> bool {
        self.outcome == Outcome::Running
    }
}

/// What a reader made of something, in the words in which it can be compared.
#[derive(Debug, PartialEq)]
struct Made {
    members: Vec<Member<SlotFields>>,
    skipped: usize,
    findings: Vec<String>,
}

fn made(reader: MemberReader<SlotFields>) -> Made {
    let (MemberHistory { members, skipped, .. }, findings) = reader.finish();
    let findings = findings.iter().map(|finding| {
        let place = finding.place.as_ref().unwrap();
        format!("{place}: {}: {}", finding.code.id(), finding.message)
    });
    Made { members, skipped, findings: findings.collect() }
}

fn of_lines(text: impl AsRef<[u8]>, on_bad: OnBadRecord) -> Made {
    let mut reader = MemberReader::new(on_bad);
    reader.piece("x", true, text.as_ref());
    made(reader)
}

fn of_text(text: &str) -> Made {
    let mut reader = MemberReader::new(OnBadRecord::ErrorToTheEnd);
    reader.text(&Source::new("x", text));
    assert!(reader.has_document);
    made(reader)
}

fn findings(text: impl AsRef<[u8]>) -> Vec<String> {
    of_lines(text, OnBadRecord::ErrorToTheEnd).findings
}

impl Made {
    /// A line a member: its unit, queue, key, whether it is alone, and its runs' numbers and nodes.
    fn shown(&self) -> Vec<String> {
        let member = |member: &Member<SlotFields>| {
            let run = |run: &super::MemberRun<SlotFields>| {
                format!(" {}{}", run.run_index, run.node.as_deref().unwrap_or_default())
            };
            let runs: String = member.runs.iter().map(run).collect();
            let alone = if member.alone { " alone" } else { "" };
            format!("{}@{} {}{alone}:{runs}", member.unit, member.queue, member.key)
        };
        self.members.iter().map(member).collect()
    }
}
