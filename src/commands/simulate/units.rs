//! The replay of another system's policies: its units from memory, or as a stream.

use super::inputs::{self, MemberInputs};
use super::variants::{GIVEN, VariantArg};
use super::{Outcome, SimulateArgs, alone, memory, notes, reported};
use crate::cli::Refusal;
use crate::commands::systems::{self, Given, Manifests, Whose};
use crate::commands::{Context, load};
use crate::diag::Findings;
use crate::history::{Member, MemberHistory};
use crate::policy::Documents;
use crate::simulate::{self, Names, NoteKind, NoteReport, SimulationReport, Units, merge_notes};
use crate::systems::System;
use anyhow::Result;
use std::collections::BTreeSet;

/// Replays the histories through every variant.
pub(super) fn replay<S: System>(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    given: Given,
) -> Result<SimulationReport> {
    args.policies.refuse_for(S::WORDS.manifest)?;
    if S::PROFILE.is_some() {
        args.systems.refuse(&given.findings)?;
    }
    if args.sweep.is_some() {
        let manifest = S::WORDS.manifest;
        let message =
            format!("`--sweep` is for Armada's policies, and the files hold a {manifest}");
        let help = "write a file for each limit, and give each with --variant";
        return Err(Refusal::usage(message).help(help).into());
    }
    let (variants, notes) = variants::<S>(context, args, given)?;
    let engines: Vec<S> = variants.iter().map(|(_, manifests)| manifests.engine()).collect();
    let names = Names::default();
    let alone = engines.iter().all(Units::all_alone);
    let mut outcome = match inputs::members(context, args, alone, simulate::fewest(&engines))? {
        MemberInputs::Memory(history) => {
            let outcome = in_memory(args, &variants, &engines, &names, &history)?;
            // The process is about to end: to hand millions of records back one by one takes a
            // tenth of it.
            std::mem::forget(history);
            outcome
        }
        MemberInputs::Stream(lines) => {
            alone::replay(context, args, &variants, &engines, &names, lines)?
        }
    };
    outcome.notes.extend(notes);
    let variants = variants.iter().map(|(name, _)| name.as_str());
    let mut report = reported(args, variants, &engines, &names, outcome)?;
    report.notes.extend(guessed_waits::<S>(&report));
    Ok(report)
}

/// The note of waits that were computed from ids that no record gives: of all variants the most.
fn guessed_waits<S: System>(report: &SimulationReport) -> Option<NoteReport> {
    let variants = report.variants.iter().flatten().map(|variant| &variant.summary);
    let all = variants.chain([&report.summary]).filter_map(|summary| summary.guessed_waits);
    let count = all.max()?;
    let waits =
        if count == 1 { "1 wait depends".to_owned() } else { format!("{count} waits depend") };
    let message = format!("{waits} on {}, so that others are as likely", S::GUESSED);
    Some(NoteReport::new(NoteKind::GuessedWaits, message).count(count))
}

/// A variant's name, and its manifests.
pub(super) type Variant<S> = (String, Manifests<S>);

/// Replays a history that is held in memory.
fn in_memory<S: System>(
    args: &SimulateArgs,
    variants: &[Variant<S>],
    engines: &[S],
    names: &Names,
    history: &MemberHistory<S::Own>,
) -> Result<Outcome> {
    let units = || history.members.iter().map(|member| &*member.unit);
    for (_, manifests) in variants {
        manifests.govern(units())?;
    }
    refuse_unjudged(engines, &history.members)?;
    let mut read = memory::Read::of_members(history);
    if let Some((_, manifests)) = variants.first() {
        let all: BTreeSet<&str> = units().collect();
        let strange = all.iter().filter(|unit| manifests.is_strange(unit)).count();
        read.notes.extend(other_names::<S>(strange as u64, all.len() as u64));
    }
    memory::replay(args, engines, names, &history.members, &read)
}

/// Stops the command if no engine can judge some member.
pub(super) fn refuse_unjudged<S: System>(engines: &[S], members: &[Member<S::Own>]) -> Result<()> {
    match engines.iter().find_map(|engine| engine.unjudged(members)) {
        Some(unjudged) => Err(Refusal::input(unjudged.message).help(unjudged.help).into()),
        None => Ok(()),
    }
}

/// The note of units that the only manifest judges and that are not called as it is, where others
/// are.
pub(super) fn other_names<S: System>(strange: u64, units: u64) -> Option<NoteReport> {
    if strange == 0 || strange == units {
        return None;
    }
    let kind = S::WORDS.unit;
    let message = format!(
        "{strange} of the {kind}s on record are not called as the manifest is, which judges them too; \
         --job reports on one"
    );
    Some(NoteReport::new(NoteKind::OtherName, message).count(strange))
}

/// The manifests of each variant, those of `-f` first, and the notes of what is beside them.
fn variants<S: System>(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    given: Given,
) -> Result<(Vec<Variant<S>>, Vec<NoteReport>)> {
    VariantArg::distinct(&args.variant)?;
    let mut told = Told::default();
    let mut all_notes = vec![(GIVEN, notes::of_manifests(&given.documents))];
    let mut all = vec![(GIVEN.to_owned(), manifests::<S>(context, args, given, &mut told)?)];
    for variant in &args.variant {
        let given = systems::given(&variant.files);
        refuse_another::<S>(variant, &given)?;
        all_notes.push((&variant.name, notes::of_manifests(&given.documents)));
        all.push((variant.name.clone(), manifests::<S>(context, args, given, &mut told)?));
    }
    Ok((all, merge_notes(all_notes)))
}

/// Places and messages of findings: of a file that several variants have each is told once.
#[derive(Default)]
struct Told(BTreeSet<(String, String)>);

impl Told {
    /// Those that have not been told.
    fn once(&mut self, findings: Findings) -> Findings {
        let mut new = Findings::new();
        new.extend(findings.into_iter().filter(|finding| {
            let place = finding.place.as_ref().map(ToString::to_string).unwrap_or_default();
            self.0.insert((place, finding.message.clone()))
        }));
        new
    }
}

/// Refuses a variant whose files hold nothing of the system that `-f` is of.
fn refuse_another<S: System>(variant: &VariantArg, given: &Given) -> Result<()> {
    let Documents { policies, others, .. } = &given.documents;
    if given.findings.has_errors() || others.iter().any(S::holds) {
        return Ok(());
    }
    let (own, other) = (S::WORDS.manifest, given.whose.words().manifest);
    let files: Vec<String> =
        variant.files.iter().map(|file| format!("`{}`", file.display())).collect();
    let (name, files) = (&variant.name, files.join(", "));
    // Files that hold nothing at all count as Armada's.
    if given.whose == Whose::Armada && policies.is_empty() {
        let message = format!("variant `{name}`: {files} holds no {own}");
        return Err(Refusal::input(message).into());
    }
    let message = format!("variant `{name}`: {files} holds a {other}, and -f a {own}");
    let help =
        "variants are policies of one system; replay another's histories in a run of their own";
    Err(Refusal::input(message).help(help).into())
}

fn manifests<S: System>(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    given: Given,
    told: &mut Told,
) -> Result<Manifests<S>> {
    let Given { documents, mut findings, .. } = given;
    let manifests = systems::read::<S>(&documents, &args.systems.options(), &mut findings);
    load::refuse_errors(context.ui, told.once(findings))?;
    manifests.refuse_none()?;
    manifests.refuse_several()?;
    Ok(manifests)
}
