//! The replay of Armada's policies, from memory or as a stream.

use super::inputs::{self, Inputs};
use super::stream::Pass;
use super::variants::Variants;
use super::{SimulateArgs, memory, reported, stream};
use crate::commands::Context;
use crate::commands::systems::Given;
use crate::history::GraceBounds;
use crate::simulate::{Names, SimulationReport};
use anyhow::Result;

/// Replays the histories through every variant.
pub(super) fn replay(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    given: Given,
) -> Result<SimulationReport> {
    args.systems.refuse(&given.findings)?;
    let mut variants = Variants::load(context.ui, args, given)?;
    let bounds = GraceBounds::from(variants.settings());
    let names = Names::default();
    let mut resolutions = variants.resolutions();
    let (mut outcome, engines, reloads) = match inputs::read(context, args, bounds)? {
        Inputs::Memory(history) => {
            variants.bind(&history);
            let engines = variants.compile(&history.reloads);
            resolutions.add(&variants, &engines, &history.jobs)?;
            let read = memory::Read::of(&history);
            let outcome = memory::replay(args, &engines, &names, &history.jobs, &read)?;
            (outcome, engines, history.reloads)
        }
        Inputs::Stream(streamed) => {
            variants.bind(&streamed.history);
            let engines = variants.compile(&streamed.history.reloads);
            let reloads = streamed.history.reloads.clone();
            let pass = Pass { variants: &variants, engines: &engines, names: &names };
            (stream::replay(context, args, pass, &mut resolutions, streamed)?, engines, reloads)
        }
    };
    let config = args.policies.scheduler_config.as_deref();
    outcome.notes.extend(variants.notes(config, &reloads, &engines, &resolutions)?);
    reported(args, variants.names(), &engines, &names, outcome)
}
