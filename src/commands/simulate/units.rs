//! The replay of another system's policies: its units from memory.

use super::inputs;
use super::variants::{GIVEN, VariantArg};
use super::{SimulateArgs, memory, reported};
use crate::cli::Refusal;
use crate::commands::systems::{self, Given, Manifests};
use crate::commands::{Context, load};
use crate::history::MemberHistory;
use crate::simulate::{Names, SimulationReport};
use crate::systems::System;
use anyhow::Result;

/// Replays the histories through every variant.
pub(super) fn replay<S: System>(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    given: Given,
) -> Result<SimulationReport> {
    args.policies.refuse_for(S::KIND)?;
    if args.sweep.is_some() {
        let message =
            format!("`--sweep` is for Armada's policies, and the files hold a {}", S::KIND);
        let help = "write a file for each limit, and give each with --variant";
        return Err(Refusal::usage(message).help(help).into());
    }
    let variants = variants::<S>(context, args, given)?;
    let history: MemberHistory<S::Own> = inputs::members(context, args)?;
    let mut engines = Vec::with_capacity(variants.len());
    for (_, manifests) in &variants {
        manifests.govern(history.members.iter().map(|member| &*member.unit))?;
        let engine = manifests.engine();
        if let Some(unjudged) = engine.unjudged(&history.members) {
            return Err(Refusal::input(unjudged.message).help(unjudged.help).into());
        }
        engines.push(engine);
    }
    if let Some((_, manifests)) = variants.first() {
        let strange = manifests.strangers(history.members.iter().map(|member| &*member.unit));
        if strange > 0 {
            let kind = S::KIND;
            let note = format!(
                "note: {strange} of the {kind}s on record are not called as the manifest is, which judges them too; \
                 --job reports on one"
            );
            context.ui.note(&note)?;
        }
    }
    let names = Names::default();
    let read = memory::Read::of_members(&history);
    let outcome = memory::replay(args, &engines, &names, &history.members, read)?;
    // The process is about to end: to hand millions of records back one by one takes a tenth of it.
    std::mem::forget(history);
    Ok(reported(variants.iter().map(|(name, _)| name.as_str()), &engines, &names, outcome))
}

/// The manifests of each variant, those of `-f` first.
fn variants<S: System>(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    given: Given,
) -> Result<Vec<(String, Manifests<S>)>> {
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
    Ok(manifests)
}
