//! How what other programs tell reaches the [`Reader`].

use super::{Fault, PassedKind, PassedOver, Program, Sink, SourceRecord};
use super::{armada_events, lookout, pods, sacct};
use crate::diag::{Code, Diagnostic, Findings, Place, Source, Span};
use crate::history::faults::ends_before_it_starts;
use crate::history::fields::RunFields;
use crate::history::reader::Reader;
use std::io::{self, BufRead};
use std::ops::ControlFlow;

impl Reader {
    /// Reads a source. `name` is what people call it.
    pub fn source(
        &mut self,
        program: Program,
        name: &str,
        bytes: &mut dyn BufRead,
    ) -> io::Result<()> {
        let sink = &mut Into { reader: self, name };
        match program {
            Program::ArmadaEvents => armada_events::read(name, bytes, sink),
            Program::Lookout => lookout::read(name, bytes, sink),
            Program::Pods => pods::read(name, bytes, sink),
            Program::Sacct => sacct::read(name, bytes, sink),
        }
    }

    /// Adds a run, unless it is one that cannot be.
    fn source_record(&mut self, name: &str, record: SourceRecord) {
        let SourceRecord { id, pod, job, run, index, line } = record;
        let place = || Place::new(&Source::excerpt(name, "", line), Span::default());
        let early = ends_before_it_starts(run.started_at, run.finished_at);
        let fault = early.map(|(_, message)| message).or_else(|| {
            let repeated = run.repeated_container().and_then(|at| run.containers.get(at));
            repeated.map(|container| format!("two containers are named `{}`", container.name))
        });
        let named = |message: String| match &pod {
            Some(pod) => format!("pod `{pod}`: {message}"),
            None => format!("job `{id}`: {message}"),
        };
        match fault {
            None => {
                let run = RunFields { run, index };
                self.record_as(&id, job, run, &[], |_| place(), named);
            }
            Some(message) => {
                let finding = Diagnostic::error(Code::BadRecord, place(), named(message));
                self.bad_source_record(Some(&id), finding);
            }
        }
    }

    fn bad_source_record(&mut self, job: Option<&str>, finding: Diagnostic) {
        let mut findings = Findings::new();
        findings.push(finding);
        self.bad_record(job, findings);
    }
}

struct Into<'r> {
    reader: &'r mut Reader,
    name: &'r str,
}

impl Into<'_> {
    fn going_on(&self) -> ControlFlow<()> {
        if self.reader.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Sink for Into<'_> {
    fn record(&mut self, record: SourceRecord) -> ControlFlow<()> {
        self.reader.source_record(self.name, record);
        self.going_on()
    }

    fn bad(&mut self, job: Option<&str>, fault: Fault) -> ControlFlow<()> {
        self.reader.bad_source_record(job, *fault);
        self.going_on()
    }

    fn warning(&mut self, finding: Diagnostic) {
        self.reader.findings.push(finding);
    }

    fn passed_over(&mut self, kind: PassedKind, count: usize, [one, several]: [&'static str; 2]) {
        if count > 0 {
            let name = self.name.to_owned();
            self.reader.history.passed_over.push(PassedOver { name, kind, count, one, several });
        }
    }
}
