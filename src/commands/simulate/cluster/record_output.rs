//! The file of `--record`: the records of all ended runs, as a history.

use super::variants::Variant;
use crate::commands::history_document::HistoryDocument;
use crate::commands::output_file::OutputFile;
use armada_retry::engine::Reload;
use cluster::events::Event;
use cluster::run_record::{self, Records};

/// The file, and the records of the run that it gets.
pub(super) struct RecordOutput {
    output: OutputFile,
    records: Option<Records>,
    /// The jobs so far, if the history is a document: JSON Lines have no reloads.
    document: Option<HistoryDocument>,
}

impl RecordOutput {
    pub(super) fn new(output: OutputFile) -> Self {
        Self { output, records: None, document: None }
    }

    /// Sets the run whose events follow.
    pub(super) fn begin(&mut self, variant: &Variant) {
        let workload = &variant.workload;
        let resources = &variant.scheduling.settings().resources;
        self.records = Some(Records::new(resources, &variant.clusters, workload));
        let reloads: Vec<Reload> = workload.reloads.iter().map(run_record::reload).collect();
        self.document = (!reloads.is_empty()).then(|| HistoryDocument::new(reloads));
    }

    /// Writes the record of the run that an event has ended, if it has.
    pub(super) fn event(&mut self, event: &Event) {
        let Some(records) = &self.records else { return };
        let Some(document) = &mut self.document else {
            let line = records.line(event).and_then(|line| self.output.unless_error(line));
            return line.into_iter().for_each(|line| self.output.line(&line));
        };
        let parts = records.parts(event).and_then(|parts| self.output.unless_error(parts));
        if let Some((job, run)) = parts {
            document.add(job.clone(), job, run);
        }
    }

    /// Writes what is not written.
    pub(super) fn into_output(mut self) -> OutputFile {
        if let Some(document) = &self.document {
            document.write(|line| self.output.line(line));
        }
        self.output
    }
}
