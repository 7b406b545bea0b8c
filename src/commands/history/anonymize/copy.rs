//! The files of a copy: the records, and the map of names.

use crate::commands::history_document::HistoryDocument;
use crate::commands::output_file::OutputFile;
use crate::ui::Ui;
use anyhow::Result;
use armada_retry::engine::Reload;
use armada_retry::policy::Queue;
use replay::anonymize::{AnonymousRun, NewName, Output};
use replay::history::{record_line, record_parts};
use serde_json::json;
use std::io;

/// A copy that is written.
pub(super) struct Copy<'u> {
    target: Target<'u>,
    map: Option<OutputFile>,
    /// The jobs so far, if the copy is a document.
    document: Option<HistoryDocument>,
}

/// The place of a copy.
pub(super) enum Target<'u> {
    /// A file that is there when all is written.
    File(Box<OutputFile>),
    /// The standard output, and the first error in writing to it.
    Stdout(&'u mut Ui, Option<io::Error>),
}

impl<'u> Target<'u> {
    /// The standard output.
    pub(super) fn stdout(ui: &'u mut Ui) -> Self {
        Self::Stdout(ui, None)
    }

    fn line(&mut self, text: &str) {
        match self {
            Self::File(file) => file.line(text),
            Self::Stdout(_, Some(_)) => {}
            Self::Stdout(ui, error) => *error = ui.data(&format!("{text}\n")).err(),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::File(file) => file.finish(),
            Self::Stdout(_, error) => Ok(error.map_or(Ok(()), Err)?),
        }
    }
}

impl<'u> Copy<'u> {
    /// A copy without runs.
    pub(super) fn new(target: Target<'u>, map: Option<OutputFile>) -> Self {
        Self { target, map, document: None }
    }

    /// Sets what the documents of the history have beside jobs. JSON Lines could not hold it.
    pub(super) fn begin(&mut self, has_queues: bool, reloads: Vec<Reload>) {
        self.document = (has_queues || !reloads.is_empty()).then(|| HistoryDocument::new(reloads));
    }

    /// Writes what is not written. `queues` are those of documents.
    pub(super) fn finish(mut self, queues: Vec<Queue>) -> Result<()> {
        if let Some(document) = &mut self.document {
            document.set_queues(queues);
            document.write(|line| self.target.line(line));
        }
        self.target.finish()?;
        self.map.map_or(Ok(()), OutputFile::finish)
    }
}

impl Output for Copy<'_> {
    fn run(&mut self, run: &AnonymousRun<'_>) {
        let job = (run.job, run.queue);
        // Texts and whole numbers can always be serialized.
        if let Some(document) = &mut self.document {
            if let Ok((of_job, of_run)) = record_parts(job, run.fields, run.run) {
                document.add(run.job.to_owned(), of_job, of_run);
            }
        } else if let Ok(line) = record_line(job, run.fields, run.run) {
            self.target.line(&line);
        }
    }

    fn name(&mut self, name: &NewName<'_>) {
        if let Some(map) = &mut self.map {
            map.json(&json!({"kind": name.kind.as_str(), "from": name.from, "to": name.to}));
        }
    }
}
