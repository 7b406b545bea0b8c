//! Streams of another system's units that have one member each: they are judged run by run.

use super::inputs::{self, Lines};
use super::memory::Read;
use super::source::Source;
use super::units::{Variant, other_names, refuse_unjudged};
use super::{Outcome, SimulateArgs, stream};
use crate::cli::Refusal;
use crate::commands::{Context, systems};
use crate::history::OwnFields;
use crate::simulate::{
    self, Alone, AloneOptions, AloneOutcome, Batch, Names, Options, Strangers, Timelines,
};
use crate::systems::{System, Words};
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
    let is_strange = |engine: usize, unit: &str| {
        variants.get(engine).is_some_and(|(_, manifests)| manifests.is_strange(unit))
    };
    let options = AloneOptions {
        threads: args.threads(),
        batch: stream::BATCH,
        on_bad: args.on_bad(),
        key: stream::key(),
        seed: args.seed.unwrap_or_default(),
        is_strange: &is_strange,
    };
    let mut alone = Alone::new(engines, names, options);
    let progress = context.ui.progress(size);
    let mut source = Source::new(S::Own::RECORD, first, rest);
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
    let AloneOutcome { summaries, kept, findings, units, strangers, several } = alone.finish();
    let findings = systems::of_another(S::Own::RECORD, findings, source.strange());
    inputs::refuse(context, findings, full)?;
    for ((_, manifests), Strangers { first, .. }) in variants.iter().zip(&strangers) {
        manifests.govern(first.as_ref().map(|(_, id)| id.as_str()))?;
    }
    refuse_unjudged(engines, &kept.members)?;
    if let Some(unit) = several {
        return Err(of_several::<S>(&unit).into());
    }
    let strange = strangers.first().map_or(0, |strangers| strangers.count);
    let mut read = beside.and(Read::of_members(&kept));
    read.notes.extend(other_names::<S>(strange, units));
    let options = Options {
        timelines: Timelines::None,
        assume: args.assume(),
        only: None,
        threads: args.threads(),
        skipped_records: read.skipped,
        seed: args.seed.unwrap_or_default(),
    };
    let replayed = engines.iter().zip(summaries).map(|(engine, streamed)| {
        simulate::replay_beside(engine, names, &kept.members, options, streamed)
    });
    let (notes, without_runs) = (read.noted(args)?, read.without_runs());
    Ok(Outcome { replayed: replayed.collect(), options, notes, without_runs })
}

fn of_several<S: System>(unit: &str) -> Refusal {
    let Words { unit: kind, members, .. } = S::WORDS;
    let holder = if S::PROFILE.is_some() { "profile" } else { "manifest" };
    let message =
        format!("{kind} `{unit}` has records of several {members}, and its {holder} makes one");
    Refusal::input(message).help(format!(
        "give the {holder} that the records are of, or replay it by itself: --job {unit}"
    ))
}
