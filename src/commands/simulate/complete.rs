//! The report of a replay, with the notes that depend on its figures.

use super::policies::Policies;
use super::replay::Replay;
use super::report::{self, ReportParts};
use super::{disruption_notes, missing_parts};
use anyhow::Result;
use replay::simulate::SimulationReport;
use systems::System;

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
    report.notes.extend(disruption_notes::collect(&report, P::Engine::DESCRIPTION));
    report.notes.extend(missing_parts::notes(args, &report, &sources));
    policies.complete(args, &mut report);
    report.notes.sort_by_key(|note| note.kind);
    Ok(report)
}
