//! The notes of a report about disruptions, and about runs that succeeded in spite of one.

use document::diag::{plural, with_thousands_separators};
use replay::disruption::Kind;
use replay::simulate::{DisruptionRowReport, NoteKind, NoteReport, NoteSeverity, SimulationReport};
use systems::{Description, DisruptionMatchers};

/// The notes.
pub(super) fn collect(report: &SimulationReport, system: &Description) -> Vec<NoteReport> {
    unnamed(report, system).into_iter().chain(survived_memory(report)).collect()
}

/// The note on disruptions that policies may not name: lost nodes, for which Armada's engines have no condition, and pods
/// that Kueue stopped, which a Job's rules on `DisruptionTarget` do not match.
fn unnamed(report: &SimulationReport, system: &Description) -> Option<NoteReport> {
    let counted = report.summary.disruptions.iter().filter(|row| row.row.enabled);
    let is_of_pods = match system.disruptions {
        DisruptionMatchers::Conditions => false,
        DisruptionMatchers::PodConditions => true,
        DisruptionMatchers::None => return None,
    };
    let is_named = |row: &&DisruptionRowReport| {
        if is_of_pods {
            row.row.system != "kueue"
        } else {
            row.row.kind != Kind::NodeLoss.as_str() || row.row.condition.is_some()
        }
    };
    let rows: Vec<_> = counted.filter(|row| !is_named(row)).collect();
    let count: u64 = rows.iter().map(|row| row.failures).sum();
    let failures = plural(count, "failure", "failures");
    let signs: Vec<&str> = rows.iter().map(|row| row.row.sign.as_str()).collect();
    let message = if is_of_pods {
        format!(
            "{failures} of pods that Kueue stopped: they have the condition TerminationTarget and not \
             DisruptionTarget, so that a rule needs `{{type: TerminationTarget}}` to match them"
        )
    } else {
        let is_of_records = rows.iter().any(|row| row.row.source == "records");
        let way_out =
            if is_of_records { "" } else { "; --disruptions can give such runs a condition" };
        format!(
            "{failures} by the loss or a fault of the node ({}), which no matcher of {} names{way_out}",
            signs.join(", "),
            report.engine
        )
    };
    let mut note = NoteReport::new(NoteKind::Disruptions, message).count(count);
    if is_of_pods {
        note.severity = NoteSeverity::Note;
    }
    (count > 0).then_some(note)
}

/// The note on runs that succeeded although a container of them exceeded its memory: no policy sees them.
fn survived_memory(report: &SimulationReport) -> Option<NoteReport> {
    let count = Some(report.summary.runs.survived_memory).filter(|runs| *runs > 0)?;
    let (runs, them) =
        if count == 1 { ("run", "a container of it") } else { ("runs", "a container of each") };
    let message = format!(
        "{} {runs} succeeded although {them} was OOMKilled: the main process went on or ended with 0, and \
         no policy decides about a success",
        with_thousands_separators(count)
    );
    Some(NoteReport::new(NoteKind::SurvivedMemory, message).count(count))
}
