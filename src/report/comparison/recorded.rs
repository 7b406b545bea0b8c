//! The recorded failures of histories, beside the proof: how many fall in each difference.

use crate::report::figures::{count, several};
use crate::report::layout::Layout;
use crate::report::notes;
use replay::simulate::{NoteReport, NoteSeverity};
use schemars::JsonSchema;
use serde::Serialize;

/// The recorded failures that the rules of a difference decide about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordedCounts {
    /// Failures about which the rules of a pair decide, each in its version.
    pub failures: u64,
    /// The jobs that they are of.
    pub jobs: u64,
    /// Failures that the replays of both versions reach and decide otherwise, as the difference is.
    pub decided_otherwise: u64,
}

/// The recorded failures of all histories.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordedTotals {
    /// All failures, of jobs whose policies are known in both versions, and of units with a manifest in both.
    pub failures: u64,
    /// The jobs that have failures.
    pub jobs: u64,
    /// Failures that the replays of both versions reach and decide otherwise.
    pub decided_otherwise: u64,
    /// The jobs that they are of.
    pub jobs_decided_otherwise: u64,
    /// Those of them that are in no difference.
    pub in_no_difference: Unexplained,
    /// Failures about which the rules of a difference decide.
    pub in_differences: u64,
    /// The notes on the histories.
    pub notes: Vec<NoteReport>,
}

/// Failures that are decided otherwise and are in no difference, by the reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unexplained {
    /// Their rules are a pair that could not be compared.
    pub unknown_pairs: u64,
    /// Their job had a failure before that is decided otherwise, so that it has other counts, nodes or memory.
    pub after_others: u64,
    /// Others: jobs of gangs or with annotations, reloads, and lists of policies that are not compared; of other systems,
    /// several members of a unit together, and times.
    pub others: u64,
}

impl RecordedCounts {
    /// Adds the counts of another part of the histories.
    pub fn add(&mut self, other: Self) {
        self.failures += other.failures;
        self.jobs += other.jobs;
        self.decided_otherwise += other.decided_otherwise;
    }

    /// The counts in a few words.
    pub(super) fn text(self) -> String {
        let Self { failures, jobs, decided_otherwise } = self;
        if failures == 0 {
            return "no failure".to_owned();
        }
        let otherwise =
            if decided_otherwise == 0 { "none".to_owned() } else { count(decided_otherwise) };
        let (failures, jobs) = (several(failures, "failure"), several(jobs, "job"));
        format!("{failures} of {jobs}, {otherwise} decided otherwise")
    }
}

impl RecordedTotals {
    /// Adds the counts of another part of the histories.
    pub fn add(&mut self, other: &Self) {
        self.failures += other.failures;
        self.jobs += other.jobs;
        self.decided_otherwise += other.decided_otherwise;
        self.jobs_decided_otherwise += other.jobs_decided_otherwise;
        self.in_differences += other.in_differences;
        let (sum, other) = (&mut self.in_no_difference, other.in_no_difference);
        sum.unknown_pairs += other.unknown_pairs;
        sum.after_others += other.after_others;
        sum.others += other.others;
    }

    /// The notes as lines.
    pub(super) fn notes(&self, layout: &Layout) -> Vec<String> {
        let mut text = String::new();
        for severity in [NoteSeverity::Warning, NoteSeverity::Note] {
            notes::write(&mut text, &self.notes, severity, layout);
        }
        text.lines().map(str::to_owned).collect()
    }

    /// The answer for the histories in a sentence. `is_armadas` is set if they are of Armada.
    pub(super) fn text(&self, is_armadas: bool) -> String {
        let Self { failures, jobs, decided_otherwise, jobs_decided_otherwise, .. } = *self;
        if decided_otherwise == 0 {
            let what = if self.in_differences == 0 {
                "falls in a difference"
            } else {
                "is decided otherwise"
            };
            return format!("None of the {} {what}.", several(failures, "recorded failure"));
        }
        let (of, are) = (
            several(failures, "recorded failure"),
            if decided_otherwise == 1 { "is" } else { "are" },
        );
        let jobs = format!("{} of {}", count(jobs_decided_otherwise), several(jobs, "job"));
        let explained = self.in_no_difference.text(decided_otherwise, is_armadas);
        format!(
            "{} of {of} ({jobs}) {are} decided otherwise, {explained}.",
            count(decided_otherwise)
        )
    }
}

impl Unexplained {
    fn text(self, all: u64, is_armadas: bool) -> String {
        let Self { unknown_pairs, after_others, others } = self;
        let sum = unknown_pairs + after_others + others;
        if sum == 0 {
            return if all == 1 { "by a difference below" } else { "all by the differences below" }
                .to_owned();
        }
        let (unknown, other) = if is_armadas {
            let other = "of gangs, annotations, reloads or lists that are not compared";
            ("of pairs of rules that could not be compared", other)
        } else {
            let other = "of several members together or of times, which are not compared";
            ("of failures that could not be compared", other)
        };
        let reasons = [
            (unknown_pairs, unknown),
            (after_others, "after another such failure of the same job"),
            (others, other),
        ];
        let reasons = reasons.into_iter().filter(|(number, _)| *number > 0);
        let reasons: Vec<String> =
            reasons.map(|(number, reason)| format!("{} {reason}", count(number))).collect();
        format!("{} of them in no difference: {}", count(sum), reasons.join(", "))
    }
}
