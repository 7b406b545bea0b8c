//! The replay of Armada's policies, from memory or as a stream.

use super::inputs::{self, Inputs};
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
    let (outcome, engines) = match inputs::read(context, args, bounds)? {
        Inputs::Memory(history) => {
            variants.bind(&history);
            let engines = variants.compile(context.ui, &history.reloads, &history.jobs)?;
            let read = memory::Read::of(&history);
            (memory::replay(args, &engines, &names, &history.jobs, read)?, engines)
        }
        Inputs::Stream(streamed) => {
            variants.bind(&streamed.history);
            let engines = variants.compile(context.ui, &streamed.history.reloads, &[])?;
            (stream::replay(context, args, &variants, &engines, &names, streamed)?, engines)
        }
    };
    Ok(reported(variants.names(), &engines, &names, outcome))
}
