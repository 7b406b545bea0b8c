//! The notes of a report about its inputs.

use crate::cli::Refusal;
use crate::commands::policy_set::{PolicySet, Resolution};
use crate::project;
use armada_retry::engine::Reload;
use armada_retry::policy::{Documents, SchedulerSettings};
use document::diag::{Code, Diagnostic, Findings, plural, with_thousands_separators};
use replay::history::{
    SkippedEntries, SkippedKind, UnknownText, UnreadKind, UnreadWord, UnreadWords,
};
use replay::simulate::{NoteKind, NoteReport, NoteSeverity, SimulationReport, SummaryReport};
use std::collections::BTreeSet;
use std::path::Path;
use systems::armada::classifier::ClassifiedCounts;

/// Number of names that a note lists: a note is one line.
const MAX_LISTED: usize = 5;

/// The notes on records that were skipped and on entries that are no records.
pub(super) fn history_notes(skipped: usize, skipped_entries: &[SkippedEntries]) -> Vec<NoteReport> {
    let mut notes = Vec::new();
    if skipped > 0 {
        let note = NoteReport::new(NoteKind::SkippedRecords, skipped_text(skipped));
        notes.push(note.count(skipped as u64));
    }
    notes.extend(skipped_entries.iter().map(|passed| {
        let words = if passed.count == 1 { &passed.one } else { &passed.several };
        if passed.kind == SkippedKind::UncountedDisruption {
            let message = format!("{} {words}", passed.count);
            return NoteReport::new(NoteKind::Disruptions, message).count(passed.count as u64);
        }
        let message = format!("skipped {} {words} in {}", passed.count, passed.name);
        NoteReport::new(NoteKind::PassedOver, message).count(passed.count as u64)
    }));
    notes
}

/// The notes on the categories that the configuration of executors gave the failures of a history.
pub(super) fn classification_notes(counts: ClassifiedCounts) -> Vec<NoteReport> {
    let failures = |count: u64, rest: &str| {
        let noun = if count == 1 { "failure" } else { "failures" };
        format!("{} {noun} {rest}", with_thousands_separators(count))
    };
    let mut named =
        vec![failures(counts.named, "got a category from the executors' configuration")];
    if counts.unnamed > 0 {
        named.push(format!("{} got none", with_thousands_separators(counts.unnamed)));
    }
    if counts.returned > 0 {
        let returned = with_thousands_separators(counts.returned);
        named.push(format!("{returned} of them became returned leases by failedPodChecks"));
    }
    let all = counts.named + counts.unnamed;
    let kept = counts.equal + counts.different;
    let mut notes = vec![NoteReport::new(NoteKind::Classified, named.join(", ")).count(all)];
    if kept > 0 {
        let different = match counts.different {
            0 => "the same".to_owned(),
            count => format!("another for {}", with_thousands_separators(count)),
        };
        let already = failures(kept, "already had a category");
        let message = format!("{already}, which is kept; the executors report {different}");
        let mut note = NoteReport::new(NoteKind::Classified, message).count(kept);
        if counts.different > 0 {
            note.severity = NoteSeverity::Warning;
        }
        notes.push(note);
    }
    notes.extend(unsure_categories_note(&counts));
    if counts.unreported > 0 {
        let pods = plural(counts.unreported, "pod was", "pods were");
        let message = format!(
            "{pods} left out: marked for deletion by the executor, which then reports no failure"
        );
        notes.push(NoteReport::new(NoteKind::Classified, message).count(counts.unreported));
    }
    for (count, fact) in [
        (counts.other_cluster, "are of clusters without --executor-config"),
        (counts.no_cluster, "have no cluster, but every --executor-config is for one"),
    ] {
        if count > 0 {
            let mut note =
                NoteReport::new(NoteKind::Classified, failures(count, fact)).count(count);
            note.severity = NoteSeverity::Warning;
            notes.push(note);
        }
    }
    notes
}

/// The note on failures whose category depends on texts that the history lacks.
fn unsure_categories_note(counts: &ClassifiedCounts) -> Option<NoteReport> {
    if counts.unsure == 0 {
        return None;
    }
    let texts = UnknownText::ALL.into_iter().zip(counts.lacking).filter(|(_, count)| *count > 0);
    let texts = texts.map(|(text, count)| {
        let lacking = match text {
            UnknownText::TerminationMessage => "without termination messages",
            UnknownText::StatusMessage => "without the message of the pod's status",
            UnknownText::Event => "without all events",
            UnknownText::CutEvent => "from events that are cut",
            UnknownText::Container => "without all containers",
        };
        format!("{} {lacking}", with_thousands_separators(count))
    });
    let texts: Vec<String> = texts.collect();
    let failures = plural(counts.unsure, "failure was", "failures were");
    let message = format!(
        "{failures} classified without texts that a rule reads, and may have another category: {}",
        texts.join(", ")
    );
    let mut note = NoteReport::new(NoteKind::Classified, message).count(counts.unsure);
    note.severity = NoteSeverity::Warning;
    Some(note)
}

/// The reason why a history has no run.
pub(super) struct WithoutRuns {
    /// The reason as a sentence.
    pub(super) message: String,
    /// Whether the history records jobs: runs that have not ended, and jobs that never ran. Such a history is
    /// no mistake.
    pub(super) is_of_jobs: bool,
}

/// Why a history without runs has none.
pub(super) fn without_runs(skipped: usize, skipped_entries: &[SkippedEntries]) -> WithoutRuns {
    let is_job = |passed: &SkippedEntries| passed.kind != SkippedKind::Other;
    let nothing = if skipped_entries.iter().any(is_job) {
        "the history has no run that has ended"
    } else {
        "the history has no records"
    };
    let is_of_jobs =
        skipped == 0 && !skipped_entries.is_empty() && skipped_entries.iter().all(is_job);
    let mut reasons = Vec::new();
    if skipped > 0 {
        reasons.push(skipped_text(skipped));
    }
    let mut counts: Vec<([&str; 2], usize)> = Vec::new();
    for SkippedEntries { one, several, count, .. } in skipped_entries {
        let nouns = [&**one, &**several];
        match counts.iter_mut().find(|(known, _)| *known == nouns) {
            Some((_, sum)) => *sum += count,
            None => counts.push((nouns, *count)),
        }
    }
    reasons.extend(counts.into_iter().map(|([one, several], count)| match count {
        1 => format!("1 {one} was skipped"),
        _ => format!("{} {several} were skipped", with_thousands_separators(count as u64)),
    }));
    let message = match reasons.as_slice() {
        [] => nothing.to_owned(),
        _ if is_of_jobs => nothing.to_owned(),
        reasons => format!("{nothing}: {}", reasons.join(", ")),
    };
    WithoutRuns { message, is_of_jobs }
}

fn skipped_text(bad_records: usize) -> String {
    match bad_records {
        1 => "1 bad record was left out".to_owned(),
        several => format!("{several} bad records were left out"),
    }
}

/// The note of keys, conditions and reasons of records that nothing reads.
pub(super) fn unread_words_note(words: &UnreadWords) -> Option<NoteReport> {
    let all = words.words();
    let conditions = all.iter().filter(|word| word.kind.is_condition()).count();
    let reasons = all.iter().filter(|word| word.kind == UnreadKind::Reason).count();
    let counts = [
        count_text(all.len() - conditions - reasons, words.has_other_keys(), "key"),
        count_text(conditions, words.has_other_conditions(), "condition"),
        count_text(reasons, words.has_other_reasons(), "reason"),
    ];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    if counts.is_empty() {
        return None;
    }
    let named: Vec<(&UnreadWord, Option<String>)> =
        all.into_iter().map(|word| (word, word.hint())).collect();
    // Words that are near a known one come first: they are probably mistakes.
    let (near, far): (Vec<_>, Vec<_>) = named.iter().partition(|(_, hint)| hint.is_some());
    let listed: Vec<String> = near
        .iter()
        .chain(&far)
        .take(MAX_LISTED)
        .map(|(word, hint)| unread_text(word, hint.as_deref()))
        .collect();
    let left = named.len() - listed.len();
    let and_more = if left > 0 { format!(" and {left} more") } else { String::new() };
    let others = match words.others() {
        0 => String::new(),
        1 => "; further ones are not listed (1 occurrence)".to_owned(),
        others => format!(
            "; further ones are not listed ({} occurrences)",
            with_thousands_separators(others)
        ),
    };
    let counts = counts.join(" and ");
    let message = format!("{counts}: {}{and_more}{others}", listed.join(", "));
    let mut note = NoteReport::new(NoteKind::UnreadKeys, message).count(named.len() as u64);
    if near.is_empty() {
        note.severity = NoteSeverity::Note;
    }
    Some(note)
}

/// The number of different words, which is a lower bound if more words were not kept.
fn count_text(count: usize, has_others: bool, noun: &str) -> Option<String> {
    let plural = if count == 1 { "" } else { "s" };
    match (count, has_others) {
        (0, false) => None,
        (0, true) => Some(format!("several unknown {noun}s")),
        (_, false) => {
            Some(format!("{} unknown {noun}{plural}", with_thousands_separators(count as u64)))
        }
        (_, true) => Some(format!(
            "more than {} unknown {noun}{plural}",
            with_thousands_separators(count as u64)
        )),
    }
}

fn unread_text(word: &UnreadWord, hint: Option<&str>) -> String {
    let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("`{}` ({}{hint})", word.text, records(word.records))
}

fn records(count: u64) -> String {
    if count == 1 {
        "1 record".to_owned()
    } else {
        format!("{} records", with_thousands_separators(count))
    }
}

/// The error of keys and conditions that nothing reads, each at its first place.
pub(super) fn refuse_unread(words: &UnreadWords) -> Refusal {
    let mut findings = Findings::new();
    for word in words.words() {
        let records = records(word.records);
        let (code, what) = match word.kind {
            UnreadKind::Key => (Code::UnknownField, "key"),
            UnreadKind::Condition | UnreadKind::PodCondition => (Code::NotAChoice, "condition"),
            UnreadKind::Reason => (Code::NotAChoice, "reason"),
        };
        let message = format!("unknown {what} `{}` ({records})", word.text);
        findings.push(Diagnostic::error(code, word.first.clone(), message).maybe_help(word.hint()));
    }
    Refusal::findings(findings.sorted())
}

/// The notes on documents that are not manifests of the system.
pub(super) fn manifest_notes(documents: &Documents) -> Vec<NoteReport> {
    let skipped_entries = documents.unread.iter();
    let message = |(kind, place): &(String, _)| format!("skipped: {place}: a {kind}");
    skipped_entries.map(|one| NoteReport::new(NoteKind::OtherDocument, message(one))).collect()
}

/// The notes on one set of Armada's policies. `base` are the settings that all sets share; `missing` are the
/// warnings about policies that do not exist.
pub(super) fn policy_notes(
    policies: &PolicySet,
    base: &SchedulerSettings,
    config: Option<&Path>,
    reloads: &[Reload],
    resolution: &Resolution,
    missing: &[Diagnostic],
) -> Vec<NoteReport> {
    let mut notes = engine(base, policies.settings.global_max_retries, reloads, config);
    let warnings = policies.config_warnings().iter();
    notes.extend(warnings.map(|finding| finding_note(NoteKind::SchedulerConfig, finding)));
    notes.extend(queues(resolution, policies));
    notes.extend(second_policies(resolution).filter(|_| policies.evaluates_first_only()));
    notes.extend(missing.iter().map(|finding| finding_note(NoteKind::MissingPolicy, finding)));
    let others = project::other_documents(policies.documents());
    notes.extend(others.map(|message| NoteReport::new(NoteKind::OtherDocument, message)));
    notes
}

/// The note of a warning in one line: its place, message and help.
fn finding_note(kind: NoteKind, finding: &Diagnostic) -> NoteReport {
    let place = finding.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
    let help = finding.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    NoteReport::new(kind, format!("{place}{}{help}", finding.message))
}

/// The notes on an engine that is off, and on a limit of 0 for all retries. `own` is the limit of the set.
fn engine(
    settings: &SchedulerSettings,
    own: Option<u32>,
    reloads: &[Reload],
    config: Option<&Path>,
) -> Vec<NoteReport> {
    let file = match config {
        Some(path) if path.as_os_str() != "-" => path.display().to_string(),
        _ => "stdin".to_owned(),
    };
    let mut notes = Vec::new();
    let switch = |enabled: bool| {
        let times = reloads.iter().filter(move |reload| reload.enabled == Some(enabled));
        times.map(|reload| reload.at).min()
    };
    if !settings.enabled {
        let until = switch(true).map(|at| format!(" until a reload at {at}")).unwrap_or_default();
        let message = format!(
            "the retry engine is off{until}: `scheduling.retryPolicy.enabled` is not true in {file}, so no \
             policy applies"
        );
        notes.push(NoteReport::new(NoteKind::EngineOff, message));
    } else if let Some(at) = switch(false) {
        let message = format!("a reload switches the retry engine off at {at}");
        notes.push(NoteReport::new(NoteKind::EngineOff, message));
    }
    // A sweep that sets another limit has it in the column's name.
    if settings.enabled && settings.global_max_retries == Some(0) && own == Some(0) {
        let message = format!("`globalMaxRetries` is 0 in {file}, so nothing is retried");
        notes.push(NoteReport::new(NoteKind::KillSwitch, message));
    }
    notes
}

/// The note on failures of gangs that the engine `v1beta1` leaves to the legacy path: the most of any variant.
pub(super) fn gangs_note(report: &SimulationReport) -> Option<NoteReport> {
    let of_queues = |summary: &SummaryReport| -> u64 {
        summary.by_queue.iter().map(|queue| queue.figures.gang_failures).sum()
    };
    let variants = report.variants.iter().flatten().map(|variant| &variant.summary);
    let most = variants.chain([&report.summary]).map(of_queues).max();
    let count = most.filter(|failures| *failures > 0)?;
    let failures = plural(count, "failure", "failures");
    let message = format!("{failures} of gangs ended their jobs: `v1beta1` never retries a gang");
    Some(NoteReport::new(NoteKind::GangFailures, message).count(count))
}

/// The note on queues of which the engine `v1beta1` does not evaluate all policies.
fn second_policies(resolution: &Resolution) -> Option<NoteReport> {
    let has_others = |policies: &[String]| policies.iter().any(|name| *name != policies[0]);
    let several = resolution.queues.values().filter(|queue| has_others(&queue.policies));
    let several: BTreeSet<String> = several.map(|queue| queue.queue.clone()).collect();
    let message = format!("`v1beta1` evaluates only the first policy of {}", list(&several)?);
    Some(NoteReport::new(NoteKind::SecondPolicies, message).count(several.len() as u64))
}

/// The notes on queues without policies, and on queues that neither a document nor, with `--live`, the server
/// names.
fn queues(resolution: &Resolution, policies: &PolicySet) -> Vec<NoteReport> {
    let Resolution { without_policies, unnamed, .. } = resolution;
    let is_live = policies.live().is_some();
    let mut notes = Vec::new();
    // The note on queues that the server lacks has the same consequence.
    let is_other = |queue: &&String| !is_live || !unnamed.contains(*queue);
    let without_policies: BTreeSet<String> =
        without_policies.iter().filter(is_other).cloned().collect();
    if let Some(queues) = list(&without_policies) {
        let have = if without_policies.len() == 1 { "has" } else { "have" };
        let message = format!("{queues} {have} no policies, so no policy applies there");
        let note = NoteReport::new(NoteKind::QueueWithoutPolicies, message);
        notes.push(note.count(without_policies.len() as u64));
    }
    if let Some(queues) = list(unnamed) {
        let message = match policies.only_policy() {
            _ if is_live => {
                let verb = if unnamed.len() == 1 { "is" } else { "are" };
                format!(
                    "neither the server nor a document defines {queues}, which {verb} assumed to have no policies; \
                     --queue-policies names them"
                )
            }
            Some(policy) => {
                format!("no document defines {queues}; the only policy, `{policy}`, applies there")
            }
            None => format!(
                "no document defines {queues}; only a default policy and the jobs' annotations apply there"
            ),
        };
        let note = NoteReport::new(NoteKind::UnnamedQueue, message);
        notes.push(note.count(unnamed.len() as u64));
    }
    notes
}

/// The names of queues for a note; none if there are no queues.
fn list(queues: &BTreeSet<String>) -> Option<String> {
    let name = |queue: &String| match queue.as_str() {
        "" => "that of jobs without `queue`".to_owned(),
        queue => format!("`{queue}`"),
    };
    let names: Vec<String> = queues.iter().take(MAX_LISTED).map(name).collect();
    let left = queues.len() - names.len();
    let and_more = if left > 0 { format!(" and {left} more") } else { String::new() };
    match names.as_slice() {
        [] => None,
        [_] if queues.contains("") => Some("the queue of jobs without `queue`".to_owned()),
        [one] => Some(format!("queue {one}")),
        _ => Some(format!("{} queues ({}{and_more})", queues.len(), names.join(", "))),
    }
}
