//! Notes of a report: facts that change how its figures are read, such as an engine that is switched off or
//! records that were skipped.

use document::names;
use schemars::JsonSchema;
use serde::Serialize;

/// What a note is about, in the order in which notes are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum NoteKind {
    /// Shards of the history are missing.
    MissingShards,
    /// Rules that no failure can match, since none has a part that they compare.
    MissingParts,
    /// The history has no records, or none of runs that have ended.
    EmptyHistory,
    /// The retry engine is switched off for all of the history or for a part of it.
    EngineOff,
    /// `globalMaxRetries` is 0, so that nothing is retried.
    KillSwitch,
    /// A key of the scheduler configuration is not read.
    SchedulerConfig,
    /// Queues have no policies.
    QueueWithoutPolicies,
    /// No Queue document names a queue of the history.
    UnnamedQueue,
    /// Queues have policies after the first, which the engine `v1beta1` does not evaluate.
    SecondPolicies,
    /// The engine `v1beta1` leaves failures of gangs to the legacy path.
    GangFailures,
    /// A policy does not exist and was skipped.
    MissingPolicy,
    /// Policies and queues are those of a server.
    Live,
    /// Bad records were left out.
    SkippedRecords,
    /// Keys or conditions of records are not read.
    UnreadKeys,
    /// Failures got their category from the configuration of Armada's executors.
    Classified,
    /// Runs with the sign of a disruption were not counted as disrupted, or not decided as such.
    Disruptions,
    /// Retries on record cost nothing in the unit of cost, since their jobs request none of what it counts.
    UncountedRetries,
    /// Runs succeeded although a container of theirs exceeded its memory.
    SurvivedMemory,
    /// Entries of a history that are not ended runs were skipped.
    PassedOver,
    /// A document among the policies was skipped.
    OtherDocument,
    /// Units have other names than the manifest that judges them.
    OtherName,
    /// Waits were computed from ids that stand in for ids that are not on record.
    GuessedWaits,
    /// Records lack parts of failures that the policies depend on.
    MissingFacts,
    /// Records have an index, and their Job has none.
    IgnoredIndexes,
    /// Records have no index, and each pod of their Job has one.
    MissingIndexes,
    /// Rules that no failure can match, since none has a part that they compare and that failures may lack.
    AbsentParts,
    /// The scheduler has its default settings, as no configuration is given.
    DefaultSettings,
    /// A simulated cluster runs without retry policies.
    WithoutPolicies,
    /// The base that policies are to be compared with has none of them.
    BaseWithoutPolicies,
    /// The policies of the base that policies are to be compared with have an error.
    UnreadableBase,
    /// Changes of policies could not be replayed, so that none is proposed.
    ProposalsLeftOut,
}

names! {
    /// How much a note matters.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum NoteSeverity {
        /// The figures are probably not those that were wanted.
        Warning = "warning",
        /// The figures hold; the note says of what.
        Note = "note",
    }
}

impl NoteKind {
    /// How much notes of this kind matter.
    pub fn severity(self) -> NoteSeverity {
        match self {
            Self::Live
            | Self::SurvivedMemory
            | Self::UncountedRetries
            | Self::Classified
            | Self::PassedOver
            | Self::OtherDocument
            | Self::OtherName
            | Self::GuessedWaits
            | Self::AbsentParts
            | Self::DefaultSettings
            | Self::WithoutPolicies
            | Self::ProposalsLeftOut => NoteSeverity::Note,
            _ => NoteSeverity::Warning,
        }
    }
}

/// One note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteReport {
    /// What it is about.
    pub kind: NoteKind,
    /// How much it matters.
    pub severity: NoteSeverity,
    /// The note, in one line.
    pub message: String,
    /// How many records, runs, queues or waits it is about; absent where nothing is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The variants that it is about; absent where it holds for all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variants: Option<Vec<String>>,
}

impl NoteReport {
    /// A note that counts nothing and holds for all variants.
    pub fn new(kind: NoteKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, severity: kind.severity(), message, count: None, variants: None }
    }

    /// The same note with a count.
    #[must_use]
    pub fn count(mut self, count: u64) -> Self {
        self.count = Some(count);
        self
    }
}

/// Puts the notes of several variants together: a note that all of them have is there once and
/// names none of them. Those of one kind keep their order.
pub fn merge_notes<'n>(
    variants: impl IntoIterator<Item = (&'n str, Vec<NoteReport>)>,
) -> Vec<NoteReport> {
    let mut merged: Vec<(NoteReport, Vec<String>)> = Vec::new();
    let mut total = 0;
    for (name, notes) in variants {
        total += 1;
        for note in notes {
            match merged.iter_mut().find(|(known, _)| *known == note) {
                Some((_, names)) if names.last().is_some_and(|last| last == name) => {}
                Some((_, names)) => names.push(name.to_owned()),
                None => merged.push((note, vec![name.to_owned()])),
            }
        }
    }
    let some = |(note, names): (NoteReport, Vec<String>)| {
        let variants = (names.len() < total).then_some(names);
        NoteReport { variants, ..note }
    };
    merged.into_iter().map(some).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(message: &str) -> NoteReport {
        NoteReport::new(NoteKind::EngineOff, message)
    }

    #[test]
    fn a_note_of_all_variants_occurs_once_without_names() {
        let merged = merge_notes([
            ("given", vec![note("a"), note("b"), note("a")]),
            ("lax", vec![note("c"), note("a")]),
        ]);
        let found: Vec<(&str, Option<Vec<String>>)> =
            merged.iter().map(|note| (note.message.as_str(), note.variants.clone())).collect();
        let of = |name: &str| Some(vec![name.to_owned()]);
        assert_eq!(found, [("a", None), ("b", of("given")), ("c", of("lax"))]);
    }
}
