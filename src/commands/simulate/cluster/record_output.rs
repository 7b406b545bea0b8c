//! The file of `--record`: the records of all ended runs, as a history.

use super::variants::Variant;
use crate::commands::output_file::OutputFile;
use cluster::events::Event;
use cluster::record::{self, Records};
use cluster::spec::Workload;
use serde_json::json;
use std::collections::HashMap;

/// The file, and the records of the run that it gets.
pub(super) struct RecordOutput {
    output: OutputFile,
    records: Option<Records>,
    /// The jobs so far, if the history is a document: JSON Lines have no reloads.
    document: Option<Document>,
}

/// A history that is written when the run has ended.
struct Document {
    events: String,
    /// Each job without its runs, and its runs, as JSON, in the order of the jobs' first runs.
    jobs: Vec<(String, Vec<String>)>,
    /// The positions of the jobs.
    positions: HashMap<String, usize>,
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
        self.document = (!workload.reloads.is_empty()).then(|| Document::new(workload));
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
            document.add(job, run);
        }
    }

    /// Writes what is not written.
    pub(super) fn into_output(mut self) -> OutputFile {
        if let Some(document) = &self.document {
            document.write(&mut self.output);
        }
        self.output
    }
}

impl Document {
    fn new(workload: &Workload) -> Self {
        let events = workload.reloads.iter().map(|timed| {
            let reload = record::reload(timed);
            let mut settings = serde_json::Map::new();
            if let Some(limit) = reload.global_max_retries {
                settings.insert("globalMaxRetries".to_owned(), limit.into());
            }
            if let Some(enabled) = reload.enabled {
                settings.insert("enabled".to_owned(), enabled.into());
            }
            json!({"at": reload.at.to_string(), "reload": settings})
        });
        let events = serde_json::Value::Array(events.collect()).to_string();
        Self { events, jobs: Vec::new(), positions: HashMap::new() }
    }

    fn add(&mut self, job: String, run: String) {
        let position = *self.positions.entry(job).or_insert_with_key(|job| {
            self.jobs.push((job.clone(), Vec::new()));
            self.jobs.len() - 1
        });
        self.jobs[position].1.push(run);
    }

    /// Writes the document, a run a line.
    fn write(&self, output: &mut OutputFile) {
        output.line(&format!(
            "{{\"apiVersion\":\"armadaproject.io/v1\",\"kind\":\"FailureHistory\",\"spec\":{{\"events\":{},\"jobs\":[",
            self.events
        ));
        for (position, (job, runs)) in self.jobs.iter().enumerate() {
            let job = job.strip_suffix('}').unwrap_or(job);
            output.line(&format!("{job},\"runs\":["));
            output.line(&runs.join(",\n"));
            output.line(if position + 1 < self.jobs.len() { "]}," } else { "]}" });
        }
        output.line("]}}");
    }
}
