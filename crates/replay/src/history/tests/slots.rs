//! A small system: units with numbered slots, whose runs end with a code or are ongoing.

use crate::history::{
    Field, FieldFault, History, KubePod, Member, OnBadRecord, PROGRAMS, Piece, PodRecord,
    RecordFields, Run, ValueReader,
};
use crate::simulate::{
    Batch, DecisionFacts, DecisionReport, Ending, Engine, Evaluation, JudgedTogether, Moment,
    ReportTexts, ReportedPer, Retention, RuleLabel, Stream, StreamOptions, StreamOutcome,
    SummaryFacts, Units,
};
use document::diag::{Code, Source};
use document::{Choices, Kind, choice, optional, required};
use std::num::NonZeroUsize;

/// The fields of a slot's run.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct SlotRun {
    pub(super) slot: u32,
    pub(super) outcome: Outcome,
    pub(super) code: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) enum Outcome {
    #[default]
    Failed,
    Succeeded,
    Running,
}

impl Outcome {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "Failed" => Self::Failed,
            "Succeeded" => Self::Succeeded,
            "Running" => Self::Running,
            _ => return None,
        })
    }
}

const DOC: &str = "A field.";
const COUNT: Kind = Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };
const INTEGER: Kind =
    Kind::Whole { min: i64::MIN as i128, max: i64::MAX as i128, code: Code::OutOfRange };

static OUTCOMES: Choices = Choices {
    name: "outcome",
    values: &[
        choice("Failed", "It failed."),
        choice("Succeeded", "It succeeded."),
        choice("Running", "It is ongoing."),
    ],
    any_case: false,
    elsewhere: &[],
};

impl RecordFields for SlotRun {
    type Key = u32;
    type Unit = ();
    type Limits = ();

    const DOC: &'static str = "A run of a slot.";

    const FIELDS: &'static [Field<Self>] = &[
        Field::id(DOC),
        Field::own(optional("slot", COUNT, DOC), |run, value| {
            run.slot = value.optional(ValueReader::u32)?.unwrap_or_default();
            Some(())
        }),
        Field::queue(optional("queue", Kind::Text, DOC)),
        Field::run_index(optional("runIndex", COUNT, DOC)),
        Field::started_at(optional("startedAt", Kind::Time, DOC)),
        Field::finished_at(optional("finishedAt", Kind::Time, DOC)),
        Field::node(optional("node", Kind::Text, DOC)),
        Field::cluster(optional("cluster", Kind::Text, DOC)),
        Field::own(required("outcome", Kind::OneOf(&OUTCOMES), DOC), |run, value| {
            run.outcome = value.text(Outcome::from_name)??;
            Some(())
        }),
        Field::own(optional("code", INTEGER, DOC), |run, value| {
            run.code = value.optional(ValueReader::i64)?;
            Some(())
        }),
    ];

    fn fault(&self) -> Option<FieldFault> {
        (self.code == Some(5)).then(|| FieldFault::new("code", "a slot has no code 5"))
    }

    fn key(&self) -> u32 {
        self.slot
    }

    const OTHER_PODS: Option<[&'static str; 2]> = Some(["pod without a job", "pods without a job"]);

    fn unit_of_pod(pod: &KubePod) -> Option<String> {
        let job = pod.owner.as_ref().filter(|owner| owner.kind == "Job")?;
        Some(format!("{}/{}", pod.namespace, job.name))
    }

    /// Pods of Jobs, each in the slot of its completion index, if it has one.
    fn read_pod(pod: &KubePod) -> Result<Option<PodRecord<Self>>, String> {
        let outcome = match pod.phase.as_str() {
            "Succeeded" => Outcome::Succeeded,
            "Failed" => Outcome::Failed,
            _ if pod.restarts() > 0 => Outcome::Running,
            _ => return Ok(None),
        };
        let index = pod.annotations.get("batch.kubernetes.io/job-completion-index");
        let slot = index.and_then(|index| index.parse().ok());
        let own = Self { slot: slot.unwrap_or_default(), outcome, code: None };
        Ok(Some(PodRecord { own, has_slot: slot.is_some() }))
    }

    fn set_slot(&mut self, slot: u32) {
        self.slot = slot;
    }

    fn is_ongoing(&self) -> bool {
        self.outcome == Outcome::Running
    }
}

/// An engine that is never asked for a decision: the tests read histories into memory.
pub(super) struct SlotEngine;

const NO_REPLAY: &str = "nothing is replayed";

impl Units for SlotEngine {
    type Fields = SlotRun;
    type State = ();
    type Decision = ();
    const REPORTED_PER: ReportedPer = ReportedPer::Unit;

    fn limits(_: &[&Self]) {}
    fn has_single_members(&self) -> bool {
        false
    }

    fn begin(&self, _: &[&Member<SlotRun>]) {}
}

impl Engine for SlotEngine {
    type Memory = ();
    const JUDGED_TOGETHER: JudgedTogether = JudgedTogether::Each;

    fn evaluate(&self, (): &mut (), (): &mut (), _: &Moment<'_, SlotRun>, _: &mut Evaluation<()>) {
        unreachable!("{NO_REPLAY}")
    }
}

impl SummaryFacts for SlotEngine {
    fn ending(&self, _: &Run<SlotRun>) -> Ending {
        unreachable!("{NO_REPLAY}")
    }

    fn facts(&self, _: &Run<SlotRun>, (): &()) -> DecisionFacts {
        unreachable!("{NO_REPLAY}")
    }
}

impl ReportTexts for SlotEngine {
    fn name(&self) -> &'static str {
        "slots"
    }

    fn rules(&self) -> Vec<RuleLabel> {
        Vec::new()
    }

    fn effective_policies(&self, _: &Member<SlotRun>) -> Vec<String> {
        Vec::new()
    }

    fn report(
        &self,
        (): &(),
        _: usize,
        _: &Member<SlotRun>,
        _: &Run<SlotRun>,
        (): &(),
    ) -> DecisionReport {
        unreachable!("{NO_REPLAY}")
    }

    fn end_reason(&self, (): &(), (): &()) -> String {
        unreachable!("{NO_REPLAY}")
    }
}

/// A stream that reads histories of slots into memory.
pub(super) type SlotStream = Stream<'static, SlotEngine>;

/// A stream on so many threads, with two pieces a batch.
pub(super) fn stream(on_bad: OnBadRecord, threads: usize) -> SlotStream {
    let count = |count| NonZeroUsize::new(count).unwrap();
    let options = StreamOptions {
        threads: count(threads),
        batch: count(2),
        on_bad,
        hash_key: (1, 2),
        seed: 0,
        keep: Retention::All,
        has_alike: true,
        shard: None,
        is_unmatched: None,
    };
    Stream::reader(Some(()), options)
}

/// Reads pieces, until the limit of bad records is reached.
pub(super) fn read_pieces(
    stream: &mut SlotStream,
    pieces: impl IntoIterator<Item = Piece, IntoIter: Send>,
) {
    let mut pieces = pieces.into_iter();
    let mut feed = |next: &mut Piece| pieces.next().map(|piece| *next = piece).is_some();
    while stream.batch(&mut feed) == Batch::Full {}
}

/// Reads lines.
pub(super) fn read_lines(text: impl AsRef<[u8]>, on_bad: OnBadRecord) -> SlotHistory {
    let mut stream = stream(on_bad, 1);
    let piece = Piece { name: "x".into(), begins: true, bytes: text.as_ref().to_vec() };
    read_pieces(&mut stream, [piece]);
    stream.into()
}

/// Reads documents.
pub(super) fn read_text(text: &str, on_bad: OnBadRecord) -> SlotHistory {
    let mut stream = stream(on_bad, 1);
    stream.text(&Source::new("x", text));
    let history = SlotHistory::from(stream);
    assert!(history.has_document);
    history
}

/// Reads the output of the program of this name.
pub(super) fn read_source(name: &str, bytes: &[u8]) -> SlotHistory {
    let mut stream = stream(OnBadRecord::ErrorToTheEnd, 1);
    let program = PROGRAMS.iter().find(|program| program.name == name).unwrap();
    stream.source(program, "x", &mut { bytes }).unwrap();
    stream.into()
}

/// The findings about lines.
pub(super) fn findings_of(text: impl AsRef<[u8]>) -> Vec<String> {
    read_lines(text, OnBadRecord::ErrorToTheEnd).findings
}

/// A history that can be compared, with its findings as texts.
#[derive(Debug, PartialEq)]
pub(super) struct SlotHistory {
    pub(super) members: Vec<Member<SlotRun>>,
    pub(super) skipped: usize,
    pub(super) findings: Vec<String>,
    pub(super) has_document: bool,
    /// How many entries were passed over, and one of them.
    pub(super) skipped_entries: Vec<(usize, String)>,
}

impl From<SlotStream> for SlotHistory {
    fn from(stream: SlotStream) -> Self {
        let StreamOutcome { history, findings, .. } = stream.finish();
        let History { members, skipped, has_document, skipped_entries, .. } = history;
        let findings = findings.iter().map(|finding| {
            let place = finding.place.as_ref().unwrap();
            format!("{place}: {}: {}", finding.code.id(), finding.message)
        });
        let skipped_entries =
            skipped_entries.iter().map(|passed| (passed.count, passed.one.to_string())).collect();
        Self { members, skipped, findings: findings.collect(), has_document, skipped_entries }
    }
}

impl SlotHistory {
    /// A line a member: its unit, queue, slot, whether it is single, and its runs' numbers and nodes.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |member: &Member<SlotRun>| {
            let run = |run: &Run<SlotRun>| {
                format!(" {}{}", run.run_index, run.node.as_deref().unwrap_or_default())
            };
            let runs: String = member.runs.iter().map(run).collect();
            let single = if member.is_single { " single" } else { "" };
            format!("{}@{} {}{single}:{runs}", member.unit, member.queue, member.key)
        };
        self.members.iter().map(line).collect()
    }
}
