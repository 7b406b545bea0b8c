//! Pods as `kubectl get pods -o json` prints them: a list, a stream of pods, or the events of
//! `kubectl get pods --watch --output-watch-events -o json`; the same as YAML.
//!
//! A pod that has ended is a run. The runs are gathered, since kubectl orders pods by name, and passed on unit by
//! unit in the order of their times. Of each pod only its run is held, not its object.

mod described;
mod element;
mod object;
mod run;
mod status;
#[cfg(test)]
mod tests;
mod yaml;

use super::elements::{Elements, Next};
use super::json;
use super::order::by_unit_and_time;
use super::record::SourceRecord;
use super::sink::{Fault, SourceSink};
use super::sketch::Sketch;
use crate::history::kube_pod::{KubePod, PodEvent};
use crate::history::skipped_entries::SkippedKind;
use crate::history::unit_outcome::UnitOutcome;
pub use described::{DescribedPod, described_pods};
use document::units::Time;
use element::Element;
use object::{Event, Header, Pod, UnitObject, WatchEvent};
use run::{PodEnd, job_id, run_of_pod};
use serde::de::DeserializeOwned;
use status::kube_pod;
use std::collections::HashMap;
use std::io::{self, BufRead, Read as _};
use yaml::{is_yaml, objects};

/// The state of a pod by its last object.
pub(in crate::history) enum PodState<R> {
    Run(PodRun<R>),
    /// The pod has not ended. It has the unit, if that is known.
    Ongoing(Option<String>),
    /// The pod belongs to no unit.
    Other,
}

/// The run of a pod.
pub(in crate::history) struct PodRun<R> {
    /// The job or unit.
    pub(in crate::history) id: String,
    pub(in crate::history) record: R,
    /// The time by which the runs of a unit are sorted.
    pub(in crate::history) time: Option<Time>,
}

/// The state of a pod; or what is wrong with it, and its job.
type PodResult<R> = Result<PodState<R>, (Option<String>, String)>;

/// The units that pods are read for.
#[derive(Clone, Copy)]
pub(in crate::history) struct PodUnits {
    /// The kind of their objects; empty if they have none.
    pub(in crate::history) kind: &'static str,
    /// The nouns for one and several pods that belong to none of them.
    pub(in crate::history) other_pods: [&'static str; 2],
}

/// Armada's jobs. No pod belongs to none: a pod without a job is one itself.
const JOBS: PodUnits =
    PodUnits { kind: "", other_pods: ["pod without a job", "pods without a job"] };

/// Whether an object has the keys of a pod, of a list of pods or of an event of a watch.
pub(super) fn has_keys(sketch: &Sketch) -> bool {
    let is_event = sketch.is_one_of("type", &["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);
    sketch.is_one_of("kind", &["Pod", "List", "PodList"])
        || sketch.is_list_or_null("items")
        || is_event && sketch.has("object")
}

/// Whether a mapping of YAML has the keys of a pod or of a list of pods. A list has its kind after its items,
/// often after the end of the text.
pub(super) fn has_lines(_first: &str, text: &str) -> bool {
    let value = |line: &str| line.split_once(':').map(|(_, value)| value.trim().to_owned());
    let mut kind = None;
    for line in text.lines() {
        match line.split(':').next().unwrap_or_default() {
            "items" => return true,
            // The first one is that of the list; later ones may be of owners.
            "kind" if kind.is_none() => kind = value(line),
            _ => {}
        }
    }
    let kind = kind.unwrap_or_default();
    let kind = kind.split(" #").next().unwrap_or_default().trim_matches(['"', '\'']);
    matches!(kind, "Pod" | "PodList" | "List")
}

/// Reads pods as Armada's runs.
pub(super) fn read(
    name: &str,
    bytes: &mut dyn BufRead,
    sink: &mut dyn SourceSink,
) -> io::Result<()> {
    let table = sink.disruptions().clone();
    let state_of = |pod: Pod, line: usize| {
        let (name, id, is_gone) =
            (pod.metadata.qualified_name(), job_id(&pod.metadata), pod.metadata.is_gone);
        match run_of_pod(pod, &table) {
            Ok(None) => Ok(PodState::Ongoing(Some(id).filter(|_| !is_gone))),
            Ok(Some(PodEnd { id, queue, job, run, index, time })) => {
                let (id, pod) = (id, Some(name));
                let record = SourceRecord { id: id.clone(), pod, queue, job, run, index, line };
                Ok(PodState::Run(PodRun { id, record, time }))
            }
            Err((id, message)) => Err((Some(id), message)),
        }
    };
    read_as(name, bytes, sink, JOBS, state_of, add_events)
}

/// Gives the record of a pod the events about it.
fn add_events(record: &mut SourceRecord, events: &mut HashMap<String, Vec<PodEvent>>) {
    let Some(events) = record.pod.as_ref().and_then(|name| events.remove(name)) else { return };
    record.run.own.observed.get_or_insert_default().events = events;
}

/// Reads pods for a system that judges pods itself. `state_of` maps a pod on a line to its state, or returns why
/// it is a bad record.
pub(in crate::history) fn read_pods<R>(
    name: &str,
    bytes: &mut dyn BufRead,
    sink: &mut dyn SourceSink<R>,
    units: PodUnits,
    state_of: impl Fn(&KubePod, usize) -> Result<PodState<R>, String>,
) -> io::Result<()> {
    let state_of = |pod: Pod, line| {
        kube_pod(&pod).and_then(|pod| state_of(&pod, line)).map_err(|message| (None, message))
    };
    read_as(name, bytes, sink, units, state_of, |_, _| ())
}

fn read_as<R>(
    name: &str,
    bytes: &mut dyn BufRead,
    sink: &mut dyn SourceSink<R>,
    units: PodUnits,
    state_of: impl Fn(Pod, usize) -> PodResult<R>,
    add_events: impl FnMut(&mut R, &mut HashMap<String, Vec<PodEvent>>),
) -> io::Result<()> {
    let mut pods = Pods {
        units,
        outcomes: Vec::new(),
        of_uid: HashMap::new(),
        states: Vec::new(),
        other_objects: 0,
        manifests: 0,
        events: HashMap::new(),
    };
    let mut head = Vec::new();
    let is_yaml = is_yaml(bytes, &mut head)?;
    let mut bytes = io::Cursor::new(head).chain(bytes);
    let mut is_open = true;
    let mut bad = |(id, finding): (Option<String>, Fault)| {
        is_open = sink.bad(id.as_deref(), finding).is_continue();
        is_open
    };
    if is_yaml {
        objects(name, &mut bytes, |object| {
            let read = object.map_err(|fault| (None, fault));
            read.and_then(|object| pods.take(object, &state_of)).map_or_else(&mut bad, |()| true)
        })?;
    } else {
        let mut elements = Elements::new(name, "items", &mut bytes);
        loop {
            let read = match elements.next()? {
                Next::End => break,
                Next::Broken(finding) => Err((None, finding)),
                Next::Piece(piece) => pods.take(&piece, &state_of),
            };
            if !read.map_or_else(&mut bad, |()| true) {
                break;
            }
        }
    }
    if is_open {
        pods.finish(sink, add_events);
    }
    Ok(())
}

/// An object, or that of an event of a watch.
fn object_of<T: DeserializeOwned>(element: &impl Element, is_event: bool) -> Result<T, Fault> {
    if is_event { element.read().map(|event: WatchEvent<T>| event.object) } else { element.read() }
}

/// Pods by their uid. Of a pod with several objects the last that shows an end counts.
struct Pods<R> {
    units: PodUnits,
    /// The outcomes that the objects of units show.
    outcomes: Vec<(String, UnitOutcome)>,
    of_uid: HashMap<String, usize>,
    /// `None` for a pod of which all objects are bad records.
    states: Vec<Option<PodState<R>>>,
    /// How many objects are not pods.
    other_objects: usize,
    /// The number of Jobs and JobSets without an outcome of their unit.
    manifests: usize,
    /// The events about pods, by the pod's name.
    events: HashMap<String, Vec<PodEvent>>,
}

impl<R> Pods<R> {
    /// Takes an object.
    ///
    /// # Errors
    ///
    /// A description of the wrong value, and the job of the pod.
    fn take(
        &mut self,
        element: &impl Element,
        state_of: impl Fn(Pod, usize) -> PodResult<R>,
    ) -> Result<(), (Option<String>, Fault)> {
        let of_no_job = |finding| (None, finding);
        let header: Header = element.read().map_err(of_no_job)?;
        let object = header.object.filter(|_| header.event.is_some());
        let is_event = object.is_some();
        let kind = object.map_or(header.kind, |object| object.kind);
        if kind.as_deref() == Some("Event") && !is_event {
            let event: Event = element.read().map_err(of_no_job)?;
            self.events.entry(event.object_name()).or_default().push(event.into_pod_event());
            return Ok(());
        }
        match kind.as_deref() {
            None | Some("Pod") => {}
            Some(kind @ ("Job" | "JobSet")) => {
                self.take_unit(element, kind, is_event);
                return Ok(());
            }
            Some(_) => {
                self.other_objects += 1;
                return Ok(());
            }
        }
        let mut pod: Pod = object_of(element, is_event).map_err(of_no_job)?;
        let is_gone = is_event && header.event.as_deref() == Some("DELETED");
        pod.metadata.is_gone = is_gone;
        if json::non_empty(pod.metadata.name.as_ref()).is_none() {
            // A bookmark holds the progress of a watch, and no pod.
            if header.event.as_deref() == Some("BOOKMARK") {
                return Ok(());
            }
            let fault = element.fault("this is not a pod: it has no name".to_owned());
            return Err((None, fault.into()));
        }
        let name = pod.metadata.qualified_name();
        // By uid: a pod that is created anew may have the name of an older one.
        let uid = pod.metadata.uid.clone().unwrap_or_else(|| name.clone());
        // Before the state is read, so that a bad pod keeps its place in the order of units.
        let place = self.place_of(uid);
        let state = state_of(pod, element.line()).map_err(|(id, message)| {
            (id, Fault::from(element.fault(format!("pod `{name}`: {message}"))))
        })?;
        // A pod that is deleted is not ongoing, whatever an earlier object shows.
        if let Some(known) = self.states.get_mut(place)
            && (is_gone || !matches!((&known, &state), (Some(_), PodState::Ongoing(_))))
        {
            *known = Some(state);
        }
        Ok(())
    }

    /// Takes the object of a unit, whose outcome counts if it is one of the history's system.
    fn take_unit(&mut self, element: &impl Element, kind: &str, is_event: bool) {
        let object = Some(kind).filter(|kind| *kind == self.units.kind);
        let object = object.and_then(|_| object_of(element, is_event).ok());
        let outcome = object.and_then(|object: UnitObject| object.outcome());
        // A unit that has not ended adds nothing to a history, and was probably meant for `-f`.
        self.manifests += usize::from(outcome.is_none());
        self.outcomes.extend(outcome);
    }

    fn place_of(&mut self, uid: String) -> usize {
        *self.of_uid.entry(uid).or_insert_with(|| {
            self.states.push(None);
            self.states.len() - 1
        })
    }

    /// Passes the runs on, unit by unit in the order of their first pods, those of a unit by time.
    fn finish(
        self,
        sink: &mut dyn SourceSink<R>,
        mut add_events: impl FnMut(&mut R, &mut HashMap<String, Vec<PodEvent>>),
    ) {
        let (mut ongoing, mut of_no_unit, mut events) = (0, 0, self.events);
        let mut outcomes = self.outcomes;
        let run = |state| match state {
            PodState::Run(run) => Some(run),
            PodState::Ongoing(unit) => {
                ongoing += 1;
                outcomes.extend(unit.map(|unit| (unit, UnitOutcome::Open)));
                None
            }
            PodState::Other => {
                of_no_unit += 1;
                None
            }
        };
        let runs: Vec<PodRun<R>> = self.states.into_iter().flatten().filter_map(run).collect();
        for mut run in by_unit_and_time(runs, |run| &run.id, |run| run.time) {
            add_events(&mut run.record, &mut events);
            if sink.record(run.record).is_break() {
                return;
            }
        }
        for (unit, outcome) in outcomes {
            sink.outcome(unit, Some(outcome));
        }
        sink.skipped_entries(SkippedKind::Other, of_no_unit, self.units.other_pods);
        let words = ["pod that has not ended", "pods that have not ended"];
        sink.skipped_entries(SkippedKind::NotEnded, ongoing, words);
        let unused = events.values().map(Vec::len).sum();
        let words = ["event that no run uses", "events that no run uses"];
        sink.skipped_entries(SkippedKind::Other, unused, words);
        let words = ["Job or JobSet, which `-f` takes,", "Jobs or JobSets, which `-f` takes,"];
        sink.skipped_entries(SkippedKind::Other, self.manifests, words);
        let words = ["object that is not a pod", "objects that are not pods"];
        sink.skipped_entries(SkippedKind::Other, self.other_objects, words);
    }
}
