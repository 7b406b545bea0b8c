//! Helpers of the tests of all sources.

use super::record::SourceRecord;
use super::sink::{Fault, SourceSink};
use crate::disruption::Disruptions;
use crate::history::skipped_entries::SkippedKind;
use crate::history::unit_outcome::UnitOutcome;
use document::diag::Diagnostic;
use std::ops::ControlFlow;

/// A sink that keeps what it takes.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) records: Vec<SourceRecord>,
    pub(super) bad: Vec<String>,
    pub(super) warnings: Vec<String>,
    pub(super) skipped_entries: Vec<String>,
    pub(super) disruptions: Disruptions,
    pub(super) outcomes: Vec<(String, UnitOutcome)>,
}

impl SourceSink for Collected {
    fn record(&mut self, record: SourceRecord) -> ControlFlow<()> {
        self.records.push(record);
        ControlFlow::Continue(())
    }

    fn bad(&mut self, _: Option<&str>, fault: Fault) -> ControlFlow<()> {
        self.bad.push(format!("{}: {}", fault.place.unwrap(), fault.message));
        ControlFlow::Continue(())
    }

    fn warning(&mut self, finding: Diagnostic) {
        self.warnings.push(format!("{}: {}", finding.place.unwrap(), finding.message));
    }

    fn disruptions(&self) -> &Disruptions {
        &self.disruptions
    }

    fn outcome(&mut self, id: String, outcome: Option<UnitOutcome>) {
        self.outcomes.retain(|(other, _)| *other != id);
        self.outcomes.extend(outcome.map(|outcome| (id, outcome)));
    }

    fn skipped_entries(&mut self, _: SkippedKind, count: usize, [one, several]: [&'static str; 2]) {
        if count > 0 {
            self.skipped_entries
                .push(format!("{count} {}", if count == 1 { one } else { several }));
        }
    }
}

impl Collected {
    /// A source's file under `testdata/sources`, read.
    pub(super) fn of(
        program: fn(&str, &mut dyn std::io::BufRead, &mut dyn SourceSink) -> std::io::Result<()>,
        file: &str,
    ) -> Self {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sources");
        let bytes = std::fs::read(path.join(file)).unwrap();
        let mut collected = Self::default();
        program("x", &mut bytes.as_slice(), &mut collected).unwrap();
        collected
    }

    /// A line a run: line, job, outcome, minutes and seconds of start and end, node, what failed.
    pub(super) fn runs(&self) -> Vec<String> {
        self.records.iter().map(shown).collect()
    }
}

fn shown(record: &SourceRecord) -> String {
    let run = &record.run;
    let clock = |time: Option<document::units::Time>| {
        time.map_or("-".to_owned(), |time| time.to_string()[11..].trim_end_matches('Z').to_owned())
    };
    let mut all = vec![
        format!("{}: {} {}", record.line, record.id, run.own.outcome.as_str()),
        format!("{}..{}", clock(run.started_at), clock(run.finished_at)),
        run.node.as_deref().unwrap_or("-").to_owned(),
    ];
    all.extend(record.index.map(|index| format!("#{index}")));
    all.extend(run.own.conditions.iter().map(ToString::to_string));
    all.extend(run.own.containers.iter().map(|container| {
        let init = if container.init { "init " } else { "" };
        let code = container.exit_code.map_or("-".to_owned(), |code| code.to_string());
        format!("{init}{}={code}", container.name)
    }));
    let category = [&*run.own.category, &*run.own.subcategory];
    if category != ["", ""] {
        all.push(category.map(|name| if name.is_empty() { "-" } else { name }).join("/"));
    }
    all.join(" ")
}
