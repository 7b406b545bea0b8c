//! The notes about a copy: the parts of its history that it does not hold.

use document::diag::plural;
use replay::anonymize::{Counts, NameKind, Settings};
use replay::history::{ArmadaRun, History, UnitOutcome, UnreadKind, UnreadWord};

/// The notes about a copy.
pub(super) fn list(
    settings: &Settings<'_>,
    counts: &Counts,
    history: &History<ArmadaRun>,
) -> Vec<String> {
    let mut notes = Vec::new();
    let mut add = |count: usize, one: &str, several: &str, rest: &str| {
        if count > 0 {
            notes.push(format!("{} {rest}", plural(count, one, several)));
        }
    };
    let Counts { messages, other_matches, renamed_policies, categories, annotations, .. } = *counts;
    let rest = "a category or subcategory, which stay, since rules name them: read them before you show the copy";
    add(categories, "run has", "runs have", rest);
    if settings.policies.is_empty() && !settings.keep.contains(&NameKind::Message) {
        let rest = "replaced, and no rule on messages matches them: give the policies with -f";
        add(messages, "message was", "messages were", rest);
    }
    let rest = "matched by other patterns than before: no text was found that the same ones match";
    add(other_matches, "message is", "messages are", rest);
    let rest = "replaced: give the policies with -f, or --keep policy";
    add(renamed_policies, "name of a policy was", "names of policies were", rest);
    let rest = "left out: nothing reads them";
    add(annotations, "annotation was", "annotations were", rest);
    let is_key = |word: &&&UnreadWord| word.kind == UnreadKind::Key;
    let keys = history.unread.words().iter().filter(is_key).count();
    add(keys, "key that no field reads was", "keys that no field reads were", "left out");
    let rest = "left out: use it with the history itself";
    let several = "runs have texts for --executor-config, which were";
    add(counts.observed, "run has texts for --executor-config, which were", several, rest);
    let rest = "another kind of disruption in the copy";
    add(counts.disruptions, "run has", "runs have", rest);
    add(history.skipped, "bad record was", "bad records were", "left out");
    let entries = history.passed_over.iter().map(|entries| entries.count).sum();
    add(
        entries,
        "entry that is not an ended run was",
        "entries that are not ended runs were",
        "left out",
    );
    let is_open = |outcome: &&UnitOutcome| **outcome == UnitOutcome::Open;
    let open = history.outcomes.values().filter(is_open).count();
    let rest =
        "not ended by the source: a copy has no field for that, and there the last run counts";
    add(open, "job has", "jobs have", rest);
    notes
}
