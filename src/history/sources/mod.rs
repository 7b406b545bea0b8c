//! Failure histories of other programs: what their bytes mean, a source a file.
//!
//! A source gets bytes and a place to put what they say: runs, records that cannot be, and how
//! much was passed over because it is no ended run. It opens nothing, and what it cannot know it
//! leaves out. The rules between records (time order, indices, gangs) are [`Reader`](super::Reader)'s.
//! `docs/sources.md` has the commands that produce each.

mod armada_events;
mod attempt;
mod cursor;
mod detect;
mod elements;
mod event;
mod json;
mod kube;
mod kube_pod;
mod lines;
mod lookout;
mod pod;
mod pods;
#[cfg(test)]
mod pods_tests;
mod pods_yaml;
mod reader;
mod sacct;
mod sketch;
mod slurm;
mod tres;
mod unsupported;

pub use detect::{Format, detect, detect_lines_before_json};
pub(super) use elements::{Elements, NO_LIST, Next};
pub use kube_pod::{DISRUPTION_TARGET, KubeContainer, KubePod};

use super::armada::JobFields;
use super::armada::RunRecord;
use crate::diag::Diagnostic;
use std::io::{self, BufRead};
use std::ops::ControlFlow;

/// A run as a source tells of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceRecord {
    /// The job's id, never empty.
    pub(in crate::history) id: String,
    /// The run's pod, `namespace/name`, where the source has one.
    pub(in crate::history) pod: Option<String>,
    /// The job's queue, if it is known.
    pub(in crate::history) queue: Option<String>,
    /// What else is known of the job; a later record need not repeat it.
    pub(in crate::history) job: JobFields,
    /// The run.
    pub(in crate::history) run: RunRecord,
    /// The run's number, where the source has one.
    pub(in crate::history) index: Option<u32>,
    /// The line that tells of it, from 1.
    pub(in crate::history) line: usize,
}

/// Why something of a source is no run to replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassedKind {
    /// A run that has not ended, or whose end is not on record.
    NotEnded,
    /// A job that ended before it ran, such as a rejected one.
    NeverRan,
    /// Anything else, such as an object that is not a pod.
    Other,
}

/// Things of a source that are no ended run, and how many they were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    /// What people call the source.
    pub name: String,
    /// Why they were passed over.
    pub kind: PassedKind,
    /// How many.
    pub count: usize,
    /// One of them, in a few words.
    pub one: &'static str,
    /// Several of them, in a few words.
    pub several: &'static str,
}

/// What is wrong with a record.
pub(super) type Fault = Box<Diagnostic>;

/// Where a source puts what it reads: Armada's runs, or others' where a source knows them too.
/// `Break` means that nobody wants more.
pub(super) trait SourceSink<R = SourceRecord> {
    /// A run.
    fn record(&mut self, record: R) -> ControlFlow<()>;
    /// What should have been a run, of this job if so much is known.
    fn bad(&mut self, job: Option<&str>, fault: Fault) -> ControlFlow<()>;
    /// Something that can be read and is probably not what was meant.
    fn warning(&mut self, finding: Diagnostic);
    /// `[one, several]` of these were passed over.
    fn passed_over(&mut self, kind: PassedKind, count: usize, words: [&'static str; 2]);
}

/// A program whose output is a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// Armada's event stream: its REST gateway's, or `armadactl watch --raw`.
    ArmadaEvents,
    /// Pages of Lookout's `/api/v1/jobs`.
    Lookout,
    /// `kubectl get pods -o json`.
    Pods,
    /// Slurm's `sacct --parsable2`.
    Sacct,
}

/// Reads a source into a sink. The name is what people call it.
type ReadSource = fn(&str, &mut dyn BufRead, &mut dyn SourceSink) -> io::Result<()>;

impl Program {
    /// All of them.
    #[cfg(feature = "internals")]
    pub const ALL: [Self; 4] = [Self::ArmadaEvents, Self::Lookout, Self::Pods, Self::Sacct];

    fn read(self) -> ReadSource {
        match self {
            Self::ArmadaEvents => armada_events::read,
            Self::Lookout => lookout::read,
            Self::Pods => pods::read,
            Self::Sacct => sacct::read,
        }
    }
}

/// A sink for tests.
#[cfg(test)]
#[derive(Debug, Default)]
struct Collected {
    records: Vec<SourceRecord>,
    bad: Vec<String>,
    warnings: Vec<String>,
    passed_over: Vec<String>,
}

#[cfg(test)]
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

    fn passed_over(&mut self, _: PassedKind, count: usize, [one, several]: [&'static str; 2]) {
        if count > 0 {
            self.passed_over.push(format!("{count} {}", if count == 1 { one } else { several }));
        }
    }
}

#[cfg(test)]
impl Collected {
    /// A source's file under `testdata/sources`, read.
    fn of(
        program: fn(&str, &mut dyn std::io::BufRead, &mut dyn SourceSink) -> std::io::Result<()>,
        file: &str,
    ) -> Self {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/sources");
        let bytes = std::fs::read(path.join(file)).unwrap();
        let mut collected = Self::default();
        program("x", &mut bytes.as_slice(), &mut collected).unwrap();
        collected
    }

    /// A line a run: line, job, outcome, minutes and seconds of start and end, node, what failed.
    fn runs(&self) -> Vec<String> {
        self.records.iter().map(shown).collect()
    }
}

#[cfg(test)]
fn shown(record: &SourceRecord) -> String {
    let run = &record.run;
    let clock = |time: Option<crate::units::Time>| {
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
