//! One pass over the histories: it replays them, or merges partial summaries, and builds the report or writes the figures.

use super::changes::Comparing;
use super::inputs::Inputs;
use super::replay::{Policies, Records, Replay};
use super::report::ReportParts;
use super::{
    SimulateArgs, TimelinesName, disruption_notes, figures, missing_parts, partial, report,
};
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
    let parts = if partials.is_empty() {
        replay.run(context, inputs, findings)?
    } else {
        replay.refuse_records(context, inputs, findings)?;
        partial::read(partials, &replay, settings)?
    };
    if let Some(target) = target {
        target.write(context, &replay, (parts, settings))?;
        return Ok(None);
    }
    let report = report(&replay, parts)?;
    comparing.map_or(Ok(()), Comparing::finish)?;
    Ok(Some(report))
}

/// The report of a replay.
pub(super) fn report<P: Policies>(
    replay: &Replay<'_, P>,
    mut parts: ReportParts,
) -> Result<SimulationReport> {
    let Replay { args, policies, engines, names, .. } = *replay;
    parts.notes.extend(parts.facts.notes(policies.unit_notes(parts.facts.units)));
    let has_policies = args.has_policies();
    if has_policies {
        parts.notes.extend(policies.notes(engines)?);
    }
    let sources = std::mem::take(&mut parts.sources);
    let mut report = report::build(args, &policies.names(), engines, names, parts)?;
    if !has_policies {
        return Ok(report);
    }
    report.notes.extend(disruption_notes::of_report(&report, P::Engine::DESCRIPTION));
    report.notes.extend(missing_parts::notes(args, &report, &sources));
    policies.complete(args, &mut report);
    report.notes.sort_by_key(|note| note.kind);
    Ok(report)
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
