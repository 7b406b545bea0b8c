//! `--partial` and `--shard`: the figures of some shards of a history as a file, and the report on such files.

mod facts;
mod read;
mod settings;

pub(super) use read::read;
pub(super) use settings::{refuse_flags, settings};

use super::replay::{Policies, Replay};
use super::report::ReportParts;
use crate::cli::Context;
use crate::commands::output_file::OutputFile;
use crate::simulate::{self, Figures, Header};
use crate::systems::System;
use anyhow::Result;
use facts::PartialFacts;
use std::path::Path;

/// Writes the figures of a replay, instead of a report on them.
pub(super) fn write<P: Policies>(
    context: &mut Context<'_>,
    file: &Path,
    replay: &Replay<'_, P>,
    (parts, settings): (ReportParts, [u8; 32]),
) -> Result<()> {
    let facts = PartialFacts::new(parts.facts, &parts.sources, replay.policies.facts());
    let summaries = parts.results.into_iter().map(|result| result.summary);
    let mut figures = Figures {
        summaries: summaries.collect(),
        record: parts.record,
        columns: parts.columns,
        changes: parts.differences.into_iter().map(|it| it.changes).collect(),
    };
    figures.complete(replay.engines);
    let header = Header {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        settings,
        shards: parts.shards.count(),
        held: parts.shards.held(),
    };
    let system = P::Engine::DESCRIPTION.engine;
    let bytes = simulate::write_partial(system, &header, replay.names, figures, &facts)?;
    if file.as_os_str() == "-" {
        return Ok(context.ui.bytes(&bytes)?);
    }
    let mut output = OutputFile::create(file)?;
    output.bytes(&bytes);
    output.finish()
}
