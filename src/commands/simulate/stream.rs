//! Histories of any size: lines stream through every engine at once.

use super::inputs::{self, Streamed};
use super::variants::Variants;
use super::{Outcome, SimulateArgs, TimelinesName, memory};
use crate::commands::Context;
use crate::engine::Armada;
use crate::input::Piece;
use crate::simulate::{self, Fleet, FleetOptions, FleetOutcome, Names, Options, Timelines};
use anyhow::Result;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};

/// Pieces that are read and judged at a time. It hangs on nothing but this number, so that no
/// result hangs on the number of threads.
const BATCH: usize = 24;

/// Pieces, or why there are no more and of which stream.
type Batch = Result<Vec<Piece>, Broken>;

/// A stream that cannot be read any further.
struct Broken {
    name: String,
    /// Whether nothing of it could be read.
    at_beginning: bool,
    error: std::io::Error,
}

/// Replays a stream.
pub(super) fn replay(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    variants: &Variants,
    engines: &[Armada],
    names: &Names,
    streamed: Streamed,
) -> Result<Outcome> {
    let options = FleetOptions {
        threads: args.threads(),
        bounds: streamed.bounds,
        on_bad: streamed.on_bad,
        only: args.job.clone(),
        key: (RandomState::new().hash_one(0), RandomState::new().hash_one(1)),
    };
    // What documents beside the stream left out.
    let skipped = streamed.history.skipped;
    let mut fleet = Fleet::new(engines, names, options);
    let progress = context.ui.progress(streamed.size);
    let full = std::thread::scope(|scope| {
        let (send, batches) = sync_channel(0);
        let (back, spare) = channel();
        let Streamed { first, mut rest, .. } = streamed;
        scope.spawn(move || read_ahead(first, &mut rest, &send, &spare));
        batches_through(context, variants, engines, &mut fleet, &batches, |fleet, used| {
            progress.at(fleet.events(), fleet.bytes());
            // Nobody takes them back once all is read.
            let _ = back.send(used);
        })
    })?;
    drop(progress);
    let outcome = fleet.finish();
    finish(context, args, engines, names, outcome, (full, skipped))
}

/// Reads batches as long as somebody takes them.
fn read_ahead(
    first: Vec<Piece>,
    rest: &mut crate::input::Pieces,
    send: &SyncSender<Batch>,
    spare: &Receiver<Vec<Piece>>,
) {
    let mut batch = first;
    loop {
        let mut used = spare.try_recv().unwrap_or_default();
        while batch.len() < BATCH {
            let mut piece = used.pop().unwrap_or_default();
            match rest.read(&mut piece) {
                Ok(true) => batch.push(piece),
                Ok(false) => {
                    // Whoever takes batches may have given up.
                    let _ = send.send(Ok(batch));
                    return;
                }
                Err(error) => {
                    let _ = send.send(Ok(batch));
                    let (name, at_beginning) = (rest.name().to_owned(), rest.at_beginning());
                    let _ = send.send(Err(Broken { name, at_beginning, error }));
                    return;
                }
            }
        }
        if send.send(Ok(std::mem::take(&mut batch))).is_err() {
            return;
        }
    }
}

/// Replays batch after batch; `true` if reading stopped since too much is wrong.
fn batches_through(
    context: &mut Context<'_>,
    variants: &Variants,
    engines: &[Armada],
    fleet: &mut Fleet<'_, Armada>,
    batches: &Receiver<Batch>,
    done: impl Fn(&Fleet<'_, Armada>, Vec<Piece>),
) -> Result<bool> {
    let mut unknown = variants.unknown();
    for batch in batches {
        let batch = batch.map_err(|Broken { name, at_beginning, error }| {
            let lines = if at_beginning { 0 } else { fleet.lines() };
            inputs::unreadable(&name, lines + 1, &error)
        })?;
        let pieces: Vec<simulate::Piece<'_>> = batch
            .iter()
            .map(|piece| simulate::Piece {
                name: &piece.name,
                begins: piece.begins,
                bytes: &piece.bytes,
            })
            .collect();
        let going_on = fleet.batch(&pieces);
        unknown.look(variants, engines, &fleet.new_kinds())?;
        if !going_on {
            return Ok(true);
        }
        done(fleet, batch);
    }
    unknown.tell(context.ui, variants, engines)?;
    Ok(false)
}

/// Replays what was kept whole, and puts both together.
fn finish(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    engines: &[Armada],
    names: &Names,
    outcome: FleetOutcome,
    (full, skipped): (bool, usize),
) -> Result<Outcome> {
    let FleetOutcome { summaries, kept, findings } = outcome;
    inputs::refuse(context, findings, full)?;
    inputs::notes(context, &kept)?;
    let only = args.job.as_ref().map(|id| memory::job_number(&kept, id)).transpose()?;
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
        skipped_records: kept.skipped + skipped,
    };
    let replayed = engines.iter().zip(summaries).enumerate().map(|(number, (engine, streamed))| {
        let timelines = if number == 0 { timelines } else { Timelines::None };
        let options = Options { timelines, ..options };
        simulate::replay_beside(engine, names, &kept.jobs, options, streamed)
    });
    Ok(Outcome { replayed: replayed.collect(), options })
}
