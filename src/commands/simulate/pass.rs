//! One pass over the histories: it replays them, or merges partial summaries, and builds the report or writes the figures.

use super::changes::Comparing;
use super::inputs::Inputs;
use super::policies::{Policies, Records};
use super::replay::Replay;
use super::{SimulateArgs, TimelinesName, complete, figures, follow, partial};
use crate::cli::Context;
use anyhow::Result;
use document::diag::Findings;
use replay::simulate::{Names, SimulationReport};
use systems::System;

/// Replays the histories through every variant. Returns the report, unless `--partial` writes the figures.
pub(super) fn replay<P: Policies>(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    policies: &mut P,
    (mut inputs, findings): (Inputs, Findings),
) -> Result<Option<SimulationReport>> {
    let documents = inputs.settings();
    let engines = policies.engines(&documents);
    policies.expect_timelines(runs_with_timelines(args, &inputs));
    let names = &Names::new(args.disruptions.read(context.ui)?);
    let policies = &*policies;
    figures::check(args, &policies.names())?;
    let comparing = Comparing::new(args, &policies.names(), &engines)?;
    let compare = comparing.as_ref().map(Comparing::compare);
    let replay = Replay { args, policies, engines: &engines, names, compare };
    let partials = inputs.take_partials();
    let has_settings = args.partial.is_some() || !partials.is_empty();
    let settings = has_settings.then(|| settings::<P>(args, policies, &documents)).transpose()?;
    let settings = settings.unwrap_or_default();
    let target = args.partial.as_deref().map(partial::Target::create).transpose()?;
    let parts = if args.follow.is_set() {
        follow::replay(&replay, context)?
    } else if partials.is_empty() {
        replay.run(context, inputs, findings)?
    } else {
        replay.refuse_records(context, inputs, findings)?;
        partial::read(partials, &replay, settings)?
    };
    if let Some(target) = target {
        target.write(context, &replay, (parts, settings))?;
        return Ok(None);
    }
    let report = complete::report(&replay, parts)?;
    comparing.map_or(Ok(()), Comparing::finish)?;
    Ok(Some(report))
}

/// The hash of the settings on which the figures of partial summaries depend.
fn settings<P: Policies>(
    args: &SimulateArgs,
    policies: &P,
    documents: &Records<P>,
) -> Result<[u8; 32]> {
    let system = P::Engine::DESCRIPTION.engines[0];
    let of_documents = (&documents.queues[..], &documents.reloads[..]);
    partial::settings(args, system, &policies.names(), of_documents)
}

/// The most runs of which timelines may be written: all runs, or those of the only job of a short history, which a
/// comparison of variants shows too.
fn runs_with_timelines(args: &SimulateArgs, inputs: &Inputs) -> u64 {
    const SHORT: u64 = 10_000;
    match args.timelines {
        TimelinesName::All => u64::MAX,
        TimelinesName::Auto if args.job.is_some() || inputs.has_documents() => u64::MAX,
        TimelinesName::Auto | TimelinesName::None => SHORT,
    }
}
