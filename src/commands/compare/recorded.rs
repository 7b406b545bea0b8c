//! `--history`: the recorded failures that fall in each difference, counted by a replay under both versions.

use super::side::Version;
use super::tally::Index;
use crate::cli::{Context, Refusal};
use crate::commands::simulate::read_in_memory;
use crate::report::{ComparedItem, RecordedTotals};
use anyhow::Result;
use document::diag::plural;
use replay::history::{GraceBounds, History, Job};
use replay::simulate::{NoteKind, NoteReport, count_under_both};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use systems::armada::Armada;

/// The queues whose names a note has.
const LISTED: usize = 5;

/// Reads the histories, adds the counts of failures to the items, and returns those of all failures.
///
/// `pair` has the names of the only policies of both versions, which then apply to all jobs; otherwise the policies of a
/// job are those of its queue. With `queues` only their jobs are counted.
pub(super) fn count(
    context: &mut Context<'_>,
    paths: &[PathBuf],
    versions: &[Version; 2],
    (pair, queues): (Option<[&str; 2]>, &[String]),
    items: &mut [ComparedItem],
) -> Result<RecordedTotals> {
    if versions.iter().all(|version| version.policy_names().is_empty()) {
        let message =
            "`--history` counts failures under Armada's policies, and the files have none";
        return Err(Refusal::usage(message).help("leave it out").into());
    }
    let limits = GraceBounds::from(versions[0].settings());
    let (history, mut notes) = read_in_memory::<Armada>(context, paths, limits)?;
    let engines = [0, 1].map(|side| {
        let policy = pair.map(|names| names[side]);
        versions[side].engine_of_history(policy, &history.queues, &history.reloads)
    });
    let History { mut members, .. } = history;
    members.retain(|job| queues.is_empty() || queues.iter().any(|queue| **queue == *job.queue));
    notes.extend(take_unbound(&engines, &mut members));
    notes.sort_by_key(|note| note.kind);
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let both = [&engines[0], &engines[1]];
    let index = Index::new(items, both);
    let tallies = count_under_both(both, members, threads, |tally, members, failures| {
        index.add(tally, members, &failures);
    });
    let (totals, counts) = index.sum(tallies);
    let groups = items.iter_mut().flat_map(ComparedItem::groups_mut);
    for (group, counts) in groups.zip(counts) {
        group.set_recorded(counts);
    }
    Ok(RecordedTotals { notes, ..totals })
}

/// Removes the jobs of which a version does not have the policies; the notes name their queues.
fn take_unbound(engines: &[Armada; 2], members: &mut Vec<Job>) -> Vec<NoteReport> {
    let mut unbound: BTreeMap<(NoteKind, String), (u64, String)> = BTreeMap::new();
    members.retain(|job| {
        let reason = engines.iter().find_map(|engine| {
            let bindings = engine.bindings();
            let effective = bindings.effective(engine.evaluator(), &job.queue, &job.unit_fields);
            match effective.missing.first() {
                Some(name) => Some((
                    NoteKind::MissingPolicy,
                    format!("policy `{name}` does not exist in both versions"),
                )),
                None if effective.unbound => Some((
                    NoteKind::UnnamedQueue,
                    "no Queue document has its list of policies".to_owned(),
                )),
                None => None,
            }
        });
        let Some((kind, reason)) = reason else { return true };
        unbound.entry((kind, job.queue.to_string())).or_insert((0, reason)).0 += 1;
        false
    });
    let more = unbound.len().saturating_sub(LISTED);
    let mut notes: Vec<NoteReport> = unbound
        .into_iter()
        .take(LISTED)
        .map(|((kind, queue), (jobs, reason))| {
            let queue =
                if queue.is_empty() { "no queue".to_owned() } else { format!("queue `{queue}`") };
            let jobs_text = plural(jobs, "job", "jobs");
            let message = format!("{jobs_text} of {queue} are not counted: {reason}");
            NoteReport::new(kind, message).count(jobs)
        })
        .collect();
    if more > 0 {
        let message =
            format!("jobs of {} are not counted either", plural(more, "more queue", "more queues"));
        notes.push(NoteReport::new(NoteKind::UnnamedQueue, message));
    }
    notes
}
