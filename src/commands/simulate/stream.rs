//! Histories of any size: lines stream through every engine at once.

use super::inputs::{self, Streamed};
use super::source::Source;
use super::variants::{Resolutions, Variants};
use super::{Outcome, SimulateArgs, TimelinesName, memory};
use crate::commands::{Context, systems};
use crate::engine::Armada;
use crate::history;
use crate::simulate::{self, Batch, Fleet, FleetOptions, FleetOutcome, Names, Options, Timelines};
use anyhow::Result;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::num::NonZeroUsize;

/// Pieces that are read and judged at a time. It hangs on nothing but this number, so that no
/// result hangs on the number of threads.
pub(super) const BATCH: NonZeroUsize = NonZeroUsize::new(16).unwrap();

/// What a stream is replayed through.
#[derive(Clone, Copy)]
pub(super) struct Pass<'p> {
    pub(super) variants: &'p Variants,
    pub(super) engines: &'p [Armada],
    pub(super) names: &'p Names,
}

/// Replays a stream.
pub(super) fn replay(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    pass: Pass<'_>,
    resolutions: &mut Resolutions,
    streamed: Streamed,
) -> Result<Outcome> {
    let Pass { variants, engines, names } = pass;
    let options = FleetOptions {
        threads: args.threads(),
        batch: BATCH,
        bounds: streamed.bounds,
        on_bad: streamed.on_bad,
        only: args.job.clone(),
        key: key(),
    };
    // What documents beside the stream left out.
    let beside = memory::Read::of(&streamed.history);
    let mut fleet = Fleet::new(engines, names, options);
    let progress = context.ui.progress(streamed.size);
    let Streamed { first, rest, .. } = streamed;
    let mut source = Source::new(&history::RECORD, first, rest);
    let full = loop {
        let batch = fleet.batch(|piece| source.next(piece));
        resolutions.add(variants, engines, &fleet.new_kinds())?;
        if batch == Batch::Hopeless {
            break true;
        }
        source.refuse(fleet.lines())?;
        progress.at(fleet.events(), fleet.bytes());
        if batch == Batch::Last {
            break false;
        }
    };
    drop(progress);
    let mut outcome = fleet.finish();
    outcome.findings = systems::of_another(&history::RECORD, outcome.findings, source.strange());
    finish(context, args, pass, outcome, (full, beside))
}

/// A key that nobody knows.
pub(super) fn key() -> (u64, u64) {
    (RandomState::new().hash_one(0), RandomState::new().hash_one(1))
}

/// Replays what was kept whole, and puts both together.
fn finish(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    Pass { engines, names, .. }: Pass<'_>,
    outcome: FleetOutcome,
    (full, beside): (bool, memory::Read),
) -> Result<Outcome> {
    let FleetOutcome { summaries, kept, findings } = outcome;
    inputs::refuse(context, findings, full)?;
    let read = beside.and(memory::Read::of(&kept));
    let notes = read.noted(args)?;
    let ids = kept.jobs.iter().map(|job| job.id.as_str());
    let only = args.job.as_ref().map(|id| memory::number_of(ids, id)).transpose()?;
    let timelines = if only.is_some() && args.timelines != TimelinesName::None {
        Timelines::All
    } else {
        Timelines::None
    };
    let options = Options {
        timelines,
        assume: args.assume(),
        only,
        threads: args.threads(),
        skipped_records: read.skipped,
        seed: args.seed.unwrap_or_default(),
    };
    let replayed = engines.iter().zip(summaries).enumerate().map(|(number, (engine, streamed))| {
        let timelines = if number == 0 { timelines } else { Timelines::None };
        let options = Options { timelines, ..options };
        simulate::replay_beside(engine, names, &kept.jobs, options, streamed)
    });
    Ok(Outcome { replayed: replayed.collect(), options, notes, without_runs: read.without_runs() })
}
