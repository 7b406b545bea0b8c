//! Histories that a command reads into memory, with the notes that a report on them begins with.

use super::facts::{HistoryFacts, UnitCounts};
use super::inputs::{Inputs, Source, refuse};
use super::other_system::{merge_errors_of_other_system, warning_of_other_system};
use crate::cli::{Context, Refusal};
use ::replay::history::{History, OnBadRecord, RecordFields};
use ::replay::simulate::{Batch, NoteReport, Stream, Units, read_history};
use ::systems::System;
use anyhow::Result;
use document::diag::Findings;
use std::path::PathBuf;

/// Reads histories of any format that `simulate` reads. Bad records are errors.
///
/// # Errors
///
/// If something is wrong with a history, or if all together have no record.
pub(in crate::commands) fn read_in_memory<S: System>(
    context: &mut Context<'_>,
    paths: &[PathBuf],
    limits: <<S as Units>::Fields as RecordFields>::Limits,
) -> Result<(History<S::Fields>, Vec<NoteReport>)> {
    let mut findings = Findings::new();
    let mut inputs = Inputs::open_paths(paths, None, OnBadRecord::Error, &mut findings);
    let (mut is_full, mut result, mut warnings) = (false, Ok(()), Findings::new());
    let (history, found) = read_history::<S>(Some(limits), OnBadRecord::Error, |stream| {
        while inputs.read_next(stream, &mut findings) {}
        let lines = inputs.lines();
        let progress = context.ui.progress(lines.size());
        let mut source = Source::new(warning_of_other_system::<S::Fields>, Vec::new(), lines);
        let mut next = |stream: &mut Stream<'_, S>| {
            let batch = stream.batch(|piece| source.next(piece));
            progress.at(stream.events(), stream.bytes());
            batch
        };
        while !stream.is_full() && next(stream) == Batch::Full {}
        is_full = stream.is_full();
        result = source.refuse(stream.lines());
        warnings = source.warnings();
    });
    result?;
    findings.extend(found);
    let mut findings = merge_errors_of_other_system::<S::Fields>(findings, warnings);
    if !is_full {
        findings.extend(S::check_members(&history.members));
    }
    refuse(context, findings, is_full)?;
    let facts = HistoryFacts::new(&history, UnitCounts::default());
    if history.members.is_empty() {
        return Err(Refusal::input(facts.without_runs().message).into());
    }
    let notes = facts.notes(Vec::new());
    Ok((history, notes))
}
