//! Histories that are held in memory: documents, other programs' outputs, and short streams.

use super::{Outcome, SimulateArgs, TimelinesName};
use crate::cli::Refusal;
use crate::diag::nearest;
use crate::engine::Armada;
use crate::history::History;
use crate::simulate::{self, Names, Options, Timelines};
use anyhow::Result;

/// Replays a history through every engine; timelines are the first one's.
pub(super) fn replay(
    args: &SimulateArgs,
    engines: &[Armada],
    names: &Names,
    history: &History,
) -> Result<Outcome> {
    let only = args.job.as_ref().map(|id| job_number(history, id)).transpose()?;
    let options = options(args, history, only);
    let replayed = engines.iter().enumerate().map(|(number, engine)| {
        let timelines = if number == 0 { options.timelines } else { Timelines::None };
        simulate::replay(engine, names, &history.jobs, Options { timelines, ..options })
    });
    Ok(Outcome { replayed: replayed.collect(), options })
}

fn options(args: &SimulateArgs, history: &History, only: Option<usize>) -> Options {
    let one = history.has_document || history.jobs.len() == 1 || only.is_some();
    let timelines = match args.timelines {
        TimelinesName::All => Timelines::All,
        TimelinesName::Auto if one => Timelines::All,
        TimelinesName::None | TimelinesName::Auto => Timelines::None,
    };
    Options {
        timelines,
        assume: args.assume(),
        only,
        threads: args.threads(),
        skipped_records: history.skipped,
    }
}

/// The number of a job; an error with those whose names are near if there is none.
pub(super) fn job_number(history: &History, id: &str) -> Result<usize> {
    if let Some(number) = history.jobs.iter().position(|job| job.id == id) {
        return Ok(number);
    }
    let near = nearest(id, history.jobs.iter().map(|job| job.id.as_str()), 3);
    let refusal = Refusal::input(format!("the history has no job `{id}`"));
    Err(match near.as_slice() {
        [] => refusal,
        near => {
            let near: Vec<String> = near.iter().map(|id| format!("`{id}`")).collect();
            refusal.help(format!("did you mean {}?", near.join(" or ")))
        }
    }
    .into())
}
