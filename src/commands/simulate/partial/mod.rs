//! `--partial` and `--shard`: the figures of some shards of a history as a file, and the report on such files.

mod facts;
mod read;
mod settings;

pub(super) use read::read;
pub(super) use settings::{refuse_flags, settings};

use super::policies::Policies;
use super::replay::Replay;
use super::report::ReportParts;
use crate::cli::Context;
use crate::commands::output_file::OutputFile;
use anyhow::Result;
use facts::PartialFacts;
use replay::simulate::{self, Figures, Header};
use std::path::Path;
use systems::System;

/// The file of `--partial`, which is created before the replay, so that no replay is lost because of it; none for standard
/// output.
pub(super) struct Target(Option<OutputFile>);

impl Target {
    /// Creates the file.
    pub(super) fn create(path: &Path) -> Result<Self> {
        let is_stdout = path.as_os_str() == "-";
        Ok(Self(if is_stdout { None } else { Some(OutputFile::create(path)?) }))
    }

    /// Writes the figures of a replay, instead of a report on them.
    pub(super) fn write<P: Policies>(
        self,
        context: &mut Context<'_>,
        replay: &Replay<'_, P>,
        (parts, settings): (ReportParts, [u8; 32]),
    ) -> Result<()> {
        let bytes = bytes(replay, parts, settings)?;
        let Some(mut output) = self.0 else { return Ok(context.ui.bytes(&bytes)?) };
        output.bytes(&bytes);
        output.finish()
    }
}

/// The partial summary of a replay.
fn bytes<P: Policies>(
    replay: &Replay<'_, P>,
    parts: ReportParts,
    settings: [u8; 32],
) -> Result<Vec<u8>> {
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
    let system = P::Engine::DESCRIPTION.engines[0];
    Ok(simulate::write_partial(system, &header, replay.names, figures, &facts)?)
}
