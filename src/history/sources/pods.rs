//! Pods as `kubectl get pods -o json` prints them: a list, a stream of pods, or the events of
//! `kubectl get pods --watch --output-watch-events -o json`; the same as YAML.
//!
//! A pod that has ended is a run; what its state says stands in `pod`. Pods are gathered, since
//! their order is that of their names, and come out job by job in the order of their times.

use super::elements::{Elements, Next, Piece};
use super::kube::{PodSpec, Texts};
use super::kube_pod::{KubePod, qualified};
use super::pod::{Ended, Status, ended};
use super::pods_yaml::{is_yaml, objects};
use super::{Fault, PassedKind, SourceRecord, SourceSink, json};
use crate::diag::{Code, Diagnostic, Place, Span};
use crate::units::Time;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::io::{self, BufRead, Read as _};

/// What kind of thing a piece is, before more is read of it.
#[derive(Deserialize)]
struct Thing {
    kind: Option<String>,
    #[serde(rename = "type")]
    event: Option<String>,
    object: Option<Kinded>,
}

/// The object of an event.
#[derive(Deserialize)]
struct Kinded {
    kind: Option<String>,
}

/// An event about a pod.
#[derive(Deserialize)]
struct Watched {
    object: Pod,
}

/// A pod; which part says what stands in `docs/sources.md`.
#[derive(Default, Deserialize)]
pub(super) struct Pod {
    #[serde(default)]
    pub(super) metadata: Metadata,
    #[serde(default)]
    pub(super) spec: PodSpec,
    #[serde(default)]
    pub(super) status: Status,
}

/// What a pod is called and who made it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Metadata {
    pub(super) name: Option<String>,
    pub(super) namespace: Option<String>,
    uid: Option<String>,
    pub(super) labels: Option<Texts>,
    pub(super) annotations: Option<Texts>,
    pub(super) owner_references: Option<Vec<Owner>>,
    pub(super) creation_timestamp: Option<String>,
    pub(super) deletion_timestamp: Option<String>,
    pub(super) deletion_grace_period_seconds: Option<i64>,
    /// Whether a watch told that the pod is gone.
    #[serde(skip)]
    pub(super) is_gone: bool,
}

impl Metadata {
    /// `namespace/name`, or the name alone where the namespace is not on record.
    fn qualified_name(&self) -> String {
        let namespace = self.namespace.as_deref().unwrap_or_default();
        qualified(namespace, self.name.as_deref().unwrap_or_default())
    }
}

/// Who made a pod.
#[derive(Deserialize)]
pub(super) struct Owner {
    pub(super) kind: Option<String>,
    pub(super) name: Option<String>,
    pub(super) controller: Option<bool>,
}

/// Pods by their uid: of a pod that is told of several times, the last word on its end counts.
struct Gathered<R> {
    of_uid: HashMap<String, usize>,
    /// Nothing of one of which all that was told is wrong.
    pods: Vec<Option<PodState<R>>>,
    others: usize,
}

/// What there is to be told of a pod.
pub(in crate::history) enum PodState<R> {
    /// A run.
    Run(PodStatus<R>),
    /// Nothing yet: it has not ended.
    Ongoing,
    /// Nothing: it is of no unit.
    Other,
}

/// What a pod comes to.
pub(in crate::history) struct PodStatus<R> {
    /// The job or unit that it is of.
    pub(in crate::history) id: String,
    /// What is recorded of it.
    pub(in crate::history) record: R,
    /// What it is sorted by.
    pub(in crate::history) time: Option<Time>,
}

/// What a pod on a line comes to; or what is wrong with it, and of which job it is.
type Read<R> = Result<PodState<R>, (Option<String>, String)>;

/// What people call pods of no job: there are none, since a pod that says no job is one.
const OF_NO_JOB: [&str; 2] = ["pod without a job", "pods without a job"];

/// Reads pods as Armada's runs.
pub(super) fn read(
    name: &str,
    bytes: &mut dyn BufRead,
    sink: &mut dyn SourceSink,
) -> io::Result<()> {
    let told = |pod: Pod, line: usize| {
        let name = pod.metadata.qualified_name();
        match ended(pod) {
            Ok(None) => Ok(PodState::Ongoing),
            Ok(Some(Ended { id, queue, job, run, index, time })) => {
                let (id, pod) = (id, Some(name));
                let record = SourceRecord { id: id.clone(), pod, queue, job, run, index, line };
                Ok(PodState::Run(PodStatus { id, record, time }))
            }
            Err((id, message)) => Err((Some(id), message)),
        }
    };
    read_as(name, bytes, sink, OF_NO_JOB, told)
}

/// Reads pods as what `told` makes of one that stands on a line, or why it is a bad record. Those of no unit are called
/// `strange`, one and several.
pub(in crate::history) fn gather<R>(
    name: &str,
    bytes: &mut dyn BufRead,
    sink: &mut dyn SourceSink<R>,
    strange: [&'static str; 2],
    told: impl Fn(&KubePod, usize) -> Result<PodState<R>, String>,
) -> io::Result<()> {
    read_as(name, bytes, sink, strange, |pod, line| {
        KubePod::of(&pod).and_then(|pod| told(&pod, line)).map_err(|message| (None, message))
    })
}

fn read_as<R>(
    name: &str,
    bytes: &mut dyn BufRead,
    sink: &mut dyn SourceSink<R>,
    strange: [&'static str; 2],
    told: impl Fn(Pod, usize) -> Read<R>,
) -> io::Result<()> {
    let mut gathered = Gathered { of_uid: HashMap::new(), pods: Vec::new(), others: 0 };
    let mut head = Vec::new();
    let is_yaml = is_yaml(bytes, &mut head)?;
    let mut bytes = io::Cursor::new(head).chain(bytes);
    let mut goes_on = true;
    let mut bad = |(id, finding): (Option<String>, Fault)| {
        goes_on = sink.bad(id.as_deref(), finding).is_continue();
        goes_on
    };
    if is_yaml {
        objects(name, &mut bytes, |object| {
            let read = object.map_err(|fault| (None, fault));
            read.and_then(|object| gathered.take(object, &told)).map_or_else(&mut bad, |()| true)
        })?;
    } else {
        let mut elements = Elements::new(name, "items", &mut bytes);
        loop {
            let read = match elements.next()? {
                Next::End => break,
                Next::Broken(finding) => Err((None, finding)),
                Next::Piece(piece) => gathered.take(&piece, &told),
            };
            if !read.map_or_else(&mut bad, |()| true) {
                break;
            }
        }
    }
    if goes_on {
        gathered.end(sink, strange);
    }
    Ok(())
}

/// An object of a list or a stream, in the form that its text has.
pub(super) trait Element {
    /// The line it begins on.
    fn line(&self) -> usize;
    /// What it says.
    fn read<T: DeserializeOwned>(&self) -> Result<T, Fault>;
    /// A finding about it as a whole.
    fn wrong(&self, message: String) -> Diagnostic;
}

impl Element for Piece<'_> {
    fn line(&self) -> usize {
        self.line
    }

    fn read<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        json::read(self.text, || self.source())
    }

    fn wrong(&self, message: String) -> Diagnostic {
        let (source, begin) = self.source();
        let place = Place::new(&source, Span::new(begin, begin + 1));
        Diagnostic::error(Code::BadRecord, place, message)
    }
}

impl<R> Gathered<R> {
    /// Takes a pod, or says of which job it is and what is wrong with it.
    fn take(
        &mut self,
        element: &impl Element,
        told: impl Fn(Pod, usize) -> Read<R>,
    ) -> Result<(), (Option<String>, Fault)> {
        let unread = |finding| (None, finding);
        let thing: Thing = element.read().map_err(unread)?;
        let object = thing.object.filter(|_| thing.event.is_some());
        let watched = object.is_some();
        let kind = object.map_or(thing.kind, |object| object.kind);
        if kind.is_some_and(|kind| kind != "Pod") {
            self.others += 1;
            return Ok(());
        }
        let pod = if watched {
            element.read().map(|event: Watched| event.object)
        } else {
            element.read()
        };
        let mut pod: Pod = pod.map_err(unread)?;
        let is_gone = watched && thing.event.as_deref() == Some("DELETED");
        pod.metadata.is_gone = is_gone;
        if json::some(pod.metadata.name.as_ref()).is_none() {
            // A bookmark tells how far a watch has come, of no pod in particular.
            if thing.event.as_deref() == Some("BOOKMARK") {
                return Ok(());
            }
            let fault = element.wrong("this is not a pod: it has no name".to_owned());
            return Err((None, fault.into()));
        }
        let name = pod.metadata.qualified_name();
        let uid = pod.metadata.uid.clone().unwrap_or_else(|| name.clone());
        let place = *self.of_uid.entry(uid).or_insert_with(|| {
            self.pods.push(None);
            self.pods.len() - 1
        });
        match told(pod, element.line()) {
            Ok(told) => {
                // A pod that is gone goes on no longer, whatever was last told of it.
                if let Some(pod) = self.pods.get_mut(place)
                    && (is_gone || !matches!((&pod, &told), (Some(_), PodState::Ongoing)))
                {
                    *pod = Some(told);
                }
                Ok(())
            }
            Err((id, message)) => {
                Err((id, element.wrong(format!("pod `{name}`: {message}")).into()))
            }
        }
    }

    /// The runs, job by job as they were first met, each job's by time.
    fn end(self, sink: &mut dyn SourceSink<R>, strange: [&'static str; 2]) {
        let (mut going_on, mut of_none) = (0, 0);
        let run = |pod| match pod {
            PodState::Run(told) => Some(told),
            PodState::Ongoing => {
                going_on += 1;
                None
            }
            PodState::Other => {
                of_none += 1;
                None
            }
        };
        let mut runs: Vec<PodStatus<R>> = self.pods.into_iter().flatten().filter_map(run).collect();
        let mut places: HashMap<String, usize> = HashMap::new();
        for run in &runs {
            let next = places.len();
            places.entry(run.id.clone()).or_insert(next);
        }
        runs.sort_by_cached_key(|run| (places.get(&run.id).copied(), run.time));
        for run in runs {
            if sink.record(run.record).is_break() {
                return;
            }
        }
        sink.passed_over(PassedKind::Other, of_none, strange);
        let words = ["pod that has not ended", "pods that have not ended"];
        sink.passed_over(PassedKind::NotEnded, going_on, words);
        let words = ["object that is not a pod", "objects that are not pods"];
        sink.passed_over(PassedKind::Other, self.others, words);
    }
}
