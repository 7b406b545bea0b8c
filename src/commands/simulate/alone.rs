//! Streams of another system's units that have one member each: they are judged run by run.

use super::inputs::{self, Lines, Source};
use super::units::{Variant, refuse_unjudged, tell_strange};
use super::{Outcome, SimulateArgs, stream};
use crate::cli::Refusal;
use crate::commands::Context;
use crate::simulate::{self, Alone, AloneOptions, AloneOutcome, Batch, Names, Options, Timelines};
use crate::systems::System;
use anyhow::Result;

/// Replays a stream.
pub(super) fn replay<S: System>(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    variants: &[Variant<S>],
    engines: &[S],
    names: &Names,
    lines: Lines,
) -> Result<Outcome> {
    let Lines { first, rest, size, beside } = lines;
    let is_strange = |unit: &str| variants.iter().any(|(_, manifests)| manifests.is_strange(unit));
    let options = AloneOptions {
        threads: args.threads(),
        batch: stream::BATCH,
        on_bad: args.on_bad(),
        key: stream::key(),
        is_strange: &is_strange,
    };
    let mut alone = Alone::new(engines, names, options);
    let progress = context.ui.progress(size);
    let mut source = Source::new(first, rest);
    let full = loop {
        let batch = alone.batch(|piece| source.next(piece));
        if batch == Batch::Hopeless {
            break true;
        }
        source.refuse(alone.lines())?;
        progress.at(alone.events(), alone.bytes());
        if batch == Batch::Last {
            break false;
        }
    };
    drop(progress);
    let AloneOutcome { summaries, kept, findings, units, strange, stranger, several } =
        alone.finish();
    inputs::refuse(context, findings, full)?;
    inputs::notes(context, kept.skipped, &kept.passed_over)?;
    for (_, manifests) in variants {
        manifests.govern(stranger.as_deref())?;
    }
    refuse_unjudged(engines, &kept.members)?;
    if let Some(unit) = several {
        return Err(of_several::<S>(&unit).into());
    }
    tell_strange::<S>(context, strange, units)?;
    let options = Options {
        timelines: Timelines::None,
        assume: args.assume(),
        only: None,
        threads: args.threads(),
        skipped_records: kept.skipped + beside,
    };
    let replayed = engines.iter().zip(summaries).map(|(engine, streamed)| {
        simulate::replay_beside(engine, names, &kept.members, options, streamed)
    });
    Ok(Outcome { replayed: replayed.collect(), options })
}

fn of_several<S: System>(unit: &str) -> Refusal {
    let message =
        format!("{} `{unit}` has records of several pods, and its manifest makes one", S::KIND);
    Refusal::input(message).help(format!(
        "give the manifest that the records are of, or replay it by itself: --job {unit}"
    ))
}
