//! `--history`: the recorded failures that fall in each difference, counted by a replay under both versions.

use super::manifest_pairs::Pairs;
use super::manifests::Manifest;
use super::side::Version;
use super::tally::{Index, Others};
use crate::cli::{Context, Refusal};
use crate::commands::simulate::read_in_memory;
use crate::report::{ComparedItem, RecordedTotals};
use anyhow::Result;
use document::diag::plural;
use replay::history::{GraceBounds, History, Job, Member};
use replay::simulate::{Engine, NoteKind, NoteReport, Units, count_under_both};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use systems::armada::Armada;
use systems::{ManifestSystem, SystemName};

/// The queues whose names a note has.
const LISTED: usize = 5;

/// The system of the histories: Armada if a version has policies of it, else the only system of the manifests.
///
/// # Errors
///
/// If the manifests are of several systems.
pub(super) fn system(versions: &[Version; 2]) -> Result<SystemName> {
    if versions.iter().any(|version| !version.policy_names().is_empty()) {
        return Ok(SystemName::Armada);
    }
    let others = || versions.iter().flat_map(|version| &version.documents().others);
    let is_there = |system: &SystemName| {
        others().any(|other| SystemName::from_document(other) == Some(*system))
    };
    let systems: Vec<SystemName> = SystemName::all().filter(is_there).collect();
    if let [only] = systems.as_slice() {
        return Ok(*only);
    }
    let names: Vec<&str> = systems.iter().map(|it| it.description().manifest).collect();
    let message = format!(
        "`--history` has the records of one system, and the files have manifests of several: {}",
        names.join(", ")
    );
    Err(Refusal::usage(message).help("compare the files of each system by themselves").into())
}

/// Reads the histories, adds the counts of failures under Armada's policies to the items, and returns those of all failures.
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
    // Units of Armada have no other members that run again.
    let totals = count_members([&engines[0], &engines[1]], members, items, &|_| "");
    Ok(RecordedTotals { notes, ..totals })
}

/// Reads the histories, adds the counts of failures under manifests to their items, and returns those of all failures.
///
/// Units have the manifest of their name in both versions; all have the only one.
pub(super) fn count_under_manifests<S: ManifestSystem>(
    context: &mut Context<'_>,
    paths: &[PathBuf],
    pairs: &Pairs<S>,
    items: &mut [ComparedItem],
) -> Result<RecordedTotals> {
    if S::DESCRIPTION.applies_to_all_units() && !pairs.is_only() {
        let message = format!(
            "`--history`: a {} applies to all units, and a version has several or none",
            S::DESCRIPTION.manifest
        );
        return Err(Refusal::usage(message).help("compare two files with one each").into());
    }
    let all = pairs.engines();
    let (history, mut notes) = read_in_memory::<S>(context, paths, S::limits(&[&all[0], &all[1]]))?;
    let mut by_pair: BTreeMap<Option<usize>, Vec<Member<<S as Units>::Fields>>> = BTreeMap::new();
    for member in history.members {
        by_pair.entry(pairs.pair_of(&member.unit)).or_default().push(member);
    }
    notes.extend(by_pair.remove(&None).map(|members| without_manifest::<S>(&members)));
    let mut totals = RecordedTotals::default();
    for (number, versions) in pairs.both() {
        let Some(members) = by_pair.remove(&Some(number)) else { continue };
        let engines = versions.map(Manifest::engine);
        let engines = [&engines[0], &engines[1]];
        let unsupported = engines.into_iter().find_map(|it| it.unsupported_record(&members));
        if let Some(unsupported) = unsupported {
            return Err(Refusal::input(unsupported.message).help(unsupported.help).into());
        }
        if pairs.is_only() {
            notes.extend(other_names::<S>(&members, versions));
        }
        let others = |code: &str| S::others_after(engines, code);
        let own = &mut items[number..=number];
        totals.add(&count_members(engines, members, own, &others));
    }
    notes.sort_by_key(|note| note.kind);
    Ok(RecordedTotals { notes, ..totals })
}

/// The note on units that the only manifests judge although they have other names. None if no unit has their name: then the
/// manifests are meant for all of them.
fn other_names<S: ManifestSystem>(
    members: &[Member<S::Fields>],
    versions: [&Manifest<S>; 2],
) -> Option<NoteReport> {
    let units: BTreeSet<&str> = members.iter().map(|member| &*member.unit).collect();
    let has_own_name = |unit: &&&str| versions.iter().any(|version| version.has_name_of(unit));
    let own = units.iter().filter(has_own_name).count();
    let others = (units.len() - own) as u64;
    let kind = S::DESCRIPTION.unit;
    let of = plural(units.len(), kind, &format!("{kind}s"));
    let have = if others == 1 { "has another name" } else { "have other names" };
    let message =
        format!("{others} of {of} {have} than the manifest, which is applied all the same");
    let note = NoteReport::new(NoteKind::OtherName, message).count(others);
    (own > 0 && others > 0).then_some(note)
}

/// The note on units that have a manifest in none or in one of the versions.
fn without_manifest<S: ManifestSystem>(members: &[Member<S::Fields>]) -> NoteReport {
    let units: BTreeSet<&str> = members.iter().map(|member| &*member.unit).collect();
    let names: Vec<String> = units.iter().take(LISTED).map(|unit| format!("`{unit}`")).collect();
    let more = if units.len() > LISTED { ", .." } else { "" };
    let count = units.len() as u64;
    let kind = S::DESCRIPTION.unit;
    let units = plural(count, kind, &format!("{kind}s"));
    let message = format!(
        "not counted: {units} without a manifest in both versions: {}{more}",
        names.join(", ")
    );
    NoteReport::new(NoteKind::MissingPolicy, message).count(count)
}

/// Counts the failures of members, and sets the counts of the groups of their items.
fn count_members<E: Engine>(
    engines: [&E; 2],
    members: Vec<Member<E::Fields>>,
    items: &mut [ComparedItem],
    others: &Others<'_>,
) -> RecordedTotals {
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let index = Index::new(items, engines, others);
    let tallies = count_under_both(engines, members, threads, |tally, members, failures| {
        index.add(tally, members, &failures);
    });
    let (totals, counts) = index.sum(tallies);
    let groups = items.iter_mut().flat_map(ComparedItem::groups_mut);
    for (group, counts) in groups.zip(counts) {
        group.set_recorded(counts);
    }
    totals
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
