//! The replay of another system's policies: its units from memory, or as a stream.

use super::inputs::{self, MemberInputs};
use super::variants::{GIVEN, VariantArg};
use super::{Outcome, SimulateArgs, alone, memory, reported};
use crate::cli::Refusal;
use crate::commands::systems::{self, Given, Manifests};
use crate::commands::{Context, load};
use crate::history::{Member, MemberHistory};
use crate::simulate::{self, Names, SimulationReport, Units};
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
    let variants = variants::<S>(context, args, given)?;
    let engines: Vec<S> = variants.iter().map(|(_, manifests)| manifests.engine()).collect();
    let names = Names::default();
    let alone = engines.iter().all(Units::all_alone);
    let outcome = match inputs::members(context, args, alone, simulate::fewest(&engines))? {
        MemberInputs::Memory(history) => {
            let outcome = in_memory(context, args, &variants, &engines, &names, &history)?;
            // The process is about to end: to hand millions of records back one by one takes a
            // tenth of it.
            std::mem::forget(history);
            outcome
        }
        MemberInputs::Stream(lines) => {
            alone::replay(context, args, &variants, &engines, &names, lines)?
        }
    };
    Ok(reported(variants.iter().map(|(name, _)| name.as_str()), &engines, &names, outcome))
}

/// A variant's name, and its manifests.
pub(super) type Variant<S> = (String, Manifests<S>);

/// Replays a history that is held in memory.
fn in_memory<S: System>(
    context: &mut Context<'_>,
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
    if let Some((_, manifests)) = variants.first() {
        let all: BTreeSet<&str> = units().collect();
        let strange = all.iter().filter(|unit| manifests.is_strange(unit)).count();
        tell_strange::<S>(context, strange as u64, all.len() as u64)?;
    }
    let read = memory::Read::of_members(history);
    memory::replay(args, engines, names, &history.members, read)
}

/// Stops the command if no engine can judge some member.
pub(super) fn refuse_unjudged<S: System>(engines: &[S], members: &[Member<S::Own>]) -> Result<()> {
    match engines.iter().find_map(|engine| engine.unjudged(members)) {
        Some(unjudged) => Err(Refusal::input(unjudged.message).help(unjudged.help).into()),
        None => Ok(()),
    }
}

/// Says how many of the units the only manifest judges that are not called as it is, where some are.
pub(super) fn tell_strange<S: System>(
    context: &mut Context<'_>,
    strange: u64,
    units: u64,
) -> Result<()> {
    if strange == 0 || strange == units {
        return Ok(());
    }
    let kind = S::WORDS.unit;
    let note = format!(
        "note: {strange} of the {kind}s on record are not called as the manifest is, which judges them too; \
         --job reports on one"
    );
    Ok(context.ui.note(&note)?)
}

/// The manifests of each variant, those of `-f` first.
fn variants<S: System>(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    given: Given,
) -> Result<Vec<Variant<S>>> {
    VariantArg::distinct(&args.variant)?;
    let mut all = vec![(GIVEN.to_owned(), manifests::<S>(context, args, given)?)];
    for variant in &args.variant {
        let given = systems::given(&variant.files);
        all.push((variant.name.clone(), manifests::<S>(context, args, given)?));
    }
    Ok(all)
}

fn manifests<S: System>(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    given: Given,
) -> Result<Manifests<S>> {
    let Given { documents, mut findings, .. } = given;
    let manifests = systems::read::<S>(&documents, &args.systems.options(), &mut findings);
    load::refuse_errors(context.ui, findings)?;
    load::passed_over(context.ui, &documents)?;
    manifests.refuse_none()?;
    manifests.refuse_several()?;
    Ok(manifests)
}
