//! Pods as `kubectl get pods -o json` prints them, as runs of members.
//!
//! What a pod's end means is the system's; that a pod's times are its run's stands here.

use super::rows::Row;
use super::{MemberReader, MemberRun, OwnFields, PodRecord};
use crate::diag::{Code, Diagnostic, Findings, Place, Source, Span};
use crate::history::faults::ends_before_it_starts;
use crate::history::sources::{
    Fault, KubePod, PassedKind, PassedOver, Program, Sink, Tells, Told, gather,
};
use crate::units::Time;
use std::collections::HashMap;
use std::io::{self, BufRead};
use std::ops::ControlFlow;

/// A run that a pod tells of.
struct PodRun<F> {
    id: String,
    /// `namespace/name`.
    name: String,
    own: F,
    placed: bool,
    started: Option<Time>,
    finished: Option<Time>,
    node: Option<String>,
    line: usize,
}

impl<F: OwnFields> MemberReader<F> {
    /// Reads a source. `name` is what people call it. Only pods tell of other systems' runs.
    pub fn source(
        &mut self,
        program: Program,
        name: &str,
        bytes: &mut dyn BufRead,
    ) -> io::Result<()> {
        if let Some(strange) = F::STRANGE_PODS.filter(|_| program == Program::Pods) {
            let mut into = Into { reader: self, name, places: Places::new() };
            return gather(name, bytes, &mut into, strange, told::<F>);
        }
        let place = Place::new(&Source::new(name, ""), Span::default());
        let message = "this tells nothing of the runs of these units";
        let finding = Diagnostic::error(Code::NoDocument, place, message);
        let help = match F::STRANGE_PODS {
            Some(_) => {
                "give JSON Lines, a FailureHistory, or what `kubectl get pods -o json` prints"
            }
            None => "give JSON Lines or a FailureHistory",
        };
        self.findings.push(finding.help(help));
        Ok(())
    }

    fn pod(&mut self, name: &str, pod: PodRun<F>) {
        let place = || Place::new(&Source::excerpt(name, "", pod.line), Span::default());
        let named = |message| format!("pod `{}`: {message}", pod.name);
        let row = Row {
            queue: None,
            index: None,
            run: MemberRun {
                run_index: 0,
                started_at: pod.started,
                finished_at: pod.finished,
                node: pod.node.map(|node| self.names.kept(&node)),
                cluster: None,
                own: pod.own,
            },
        };
        let early = ends_before_it_starts(pod.started, pod.finished);
        match early.or_else(|| row.run.own.fault()) {
            None => {
                self.run_of(&pod.id, row, |_| place(), named);
            }
            Some((_, message)) => {
                let mut findings = Findings::new();
                findings.push(Diagnostic::error(Code::BadRecord, place(), named(message)));
                self.bad_record(Some((&pod.id, row.run.own.key())), findings);
            }
        }
    }
}

/// The run of a pod. One that goes on is told of at its last restart.
fn told<F: OwnFields>(pod: &KubePod, line: usize) -> Result<Tells<PodRun<F>>, String> {
    let Some(id) = F::unit_of_pod(pod).filter(|unit| !unit.is_empty()) else {
        return Ok(Tells::OfNone);
    };
    let Some(PodRecord { own, placed }) = F::of_pod(pod)? else { return Ok(Tells::GoesOn) };
    let finished = if own.goes_on() { pod.restarted() } else { pod.finished() };
    let (started, node) = (pod.started, pod.node.clone());
    let name = pod.qualified_name();
    let record = PodRun { id: id.clone(), name, own, placed, started, finished, node, line };
    Ok(Tells::Run(Told { id, record, time: finished.or(started).or(pod.created) }))
}

/// When each place of a unit becomes free.
type Places = HashMap<String, Vec<Free>>;

/// When the last pod of a place leaves it.
#[derive(Debug, Clone, Copy)]
enum Free {
    /// At its end, if that is known.
    At(Option<Time>),
    /// It goes on.
    Never,
}

struct Into<'r, F: OwnFields> {
    reader: &'r mut MemberReader<F>,
    name: &'r str,
    places: Places,
}

/// The first place that is free when a pod begins: the last pod there has ended by then.
fn place<F: OwnFields>(places: &mut Places, pod: &PodRun<F>) -> u32 {
    let places = places.entry(pod.id.clone()).or_default();
    let is_free = |free: &Free| match free {
        Free::At(end) => end.zip(pod.started).is_none_or(|(end, start)| end <= start),
        Free::Never => false,
    };
    let place = places.iter().position(is_free).unwrap_or_else(|| {
        places.push(Free::Never);
        places.len() - 1
    });
    places[place] = if pod.own.goes_on() { Free::Never } else { Free::At(pod.finished) };
    u32::try_from(place).unwrap_or(u32::MAX)
}

impl<F: OwnFields> Into<'_, F> {
    fn going_on(&self) -> ControlFlow<()> {
        if self.reader.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<F: OwnFields> Sink<PodRun<F>> for Into<'_, F> {
    fn record(&mut self, mut record: PodRun<F>) -> ControlFlow<()> {
        if !record.placed {
            record.own.put(place(&mut self.places, &record));
        }
        self.reader.pod(self.name, record);
        self.going_on()
    }

    fn bad(&mut self, _: Option<&str>, fault: Fault) -> ControlFlow<()> {
        let mut findings = Findings::new();
        findings.push(*fault);
        self.reader.bad_record(None, findings);
        self.going_on()
    }

    fn warning(&mut self, finding: Diagnostic) {
        self.reader.findings.push(finding);
    }

    fn passed_over(&mut self, kind: PassedKind, count: usize, [one, several]: [&'static str; 2]) {
        if count > 0 {
            let name = self.name.to_owned();
            self.reader.passed_over.push(PassedOver { name, kind, count, one, several });
        }
    }
}
