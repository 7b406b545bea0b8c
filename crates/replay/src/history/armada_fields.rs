//! The field table of the run records of Armada's jobs (semantics.md, section 10).

use crate::history::run_fields::{LIST_OF_RESOURCES, resource_fields, resources};
use crate::history::{
    ArmadaRun, Field, FieldFault, GraceBounds, ObjectFields, ObservedPod, RecordFields, Run, Table,
    TextHashes, UnreadKind, ValueReader, complete_run, history_fields, is_misplaced_reason,
    replace_text, spec_fields,
};
use armada_retry::engine::{Container, Gang, JobFields, Outcome, Resources};
use armada_retry::policy::Condition;
use compact_str::CompactString;
use document::diag::Code;
use document::units::GoDuration;
use document::{Extra, FieldValue, Kind, Shape, optional, required, shapes};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher};

const COUNT: Kind = Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };
const TEXTS: Kind = Kind::List { item: &Kind::Text, min: 0 };

/// The maximum of a grace period in seconds: far beyond any real one, and within a duration of nanoseconds.
const MAX_GRACE: i64 = 9_000_000_000;

impl RecordFields for ArmadaRun {
    /// A job is the only member of its unit.
    type Key = ();
    type Unit = JobFields;
    type Limits = GraceBounds;

    const HAS_SCHEDULER: bool = true;
    const RUN_DOC: &'static str = "One run of a job: when, where and how it ended.";
    const JOB_DOC: &'static str = "A job and its runs.";
    const DOC: &'static str = "One run of a job, as one line of a JSON Lines history.";

    const FIELDS: &'static [Field<Self>] = &[
        Field::id("The job's id."),
        Field::queue_of_unit(optional(
            "queue",
            Kind::Text,
            "The job's queue, which determines the policies that apply.",
        )),
        Field::own_of_unit(
            optional(
                "jobSet",
                Kind::Text,
                "The job's job set; with queue and gang id it names a gang.",
            ),
            |run, value| value.some_text(|text| job(run).job_set = Some(text.to_owned())),
        ),
        Field::own_of_unit(
            optional(
                "annotations",
                Kind::Map(&Kind::Text),
                "The job's annotations. Known are armadaproject.io/retry-policy, failFast, gangId and gangCardinality.",
            ),
            |run, value| {
                value.unless_null(|value| {
                    job(run).annotations = Some(annotations(value)?);
                    Some(())
                })
            },
        ),
        Field::own_of_unit(
            optional("resources", Kind::Object(&RESOURCES), "What the job requested."),
            |run, value| {
                value.unless_null(|value| {
                    job(run).resources = Some(resources(value)?);
                    Some(())
                })
            },
        ),
        Field::own_of_unit(
            optional("gang", Kind::Object(&GANG), "The gang the job belongs to."),
            |run, value| {
                value.unless_null(|value| {
                    job(run).gang = Some(gang(value)?);
                    Some(())
                })
            },
        ),
        Field::run_index(optional(
            "runIndex",
            COUNT,
            "The run's number, part of its pod's name; absent means its position, from 0.",
        )),
        Field::started_at(optional(
            "startedAt",
            Kind::Time,
            "When the run began: RFC 3339, or a Go duration from spec.start.",
        )),
        Field::finished_at(optional(
            "finishedAt",
            Kind::Time,
            "When the run ended: RFC 3339, or a Go duration from spec.start.",
        )),
        Field::node(optional("node", Kind::Text, "The node it ran on.")),
        Field::cluster(optional("cluster", Kind::Text, "The cluster it ran in.")),
        Field::own_of_run(
            required("outcome", Outcome::KIND, "How the run ended."),
            |run, value| {
                run.outcome = value.text(Outcome::from_name)??;
                Some(())
            },
        ),
        Field::own_of_run(
            optional(
                "conditions",
                TEXTS,
                "Conditions named at the run, such as Evicted; unknown ones match nothing.",
            ),
            |run, value| value.unless_null(|value| conditions(run, value)),
        ),
        Field::own_of_run(
            optional(
                "containers",
                Kind::List { item: &CONTAINER_KIND, min: 0 },
                "The pod's containers, in pod order.",
            ),
            |run, value| value.unless_null(|value| containers(run, value)),
        ),
        Field::own_of_run(
            optional("category", Kind::Text, "The failure category that the executor assigned."),
            |run, value| value.some_text(|text| run.category = text.into()),
        ),
        Field::own_of_run(
            optional(
                "subcategory",
                Kind::Text,
                "The failure subcategory that the executor assigned.",
            ),
            |run, value| value.some_text(|text| run.subcategory = text.into()),
        ),
        Field::own_of_run(
            optional(
                "terminationGracePeriodSeconds",
                Kind::Whole { min: 0, max: MAX_GRACE as i128, code: Code::OutOfRange },
                "Seconds the pod may take to end; absent or 0 means the scheduler's minimum.",
            ),
            |run, value| {
                value.unless_null(|value| {
                    let seconds = value.i64().filter(|it| (0..=MAX_GRACE).contains(it))?;
                    run.termination_grace = Some(GoDuration::from_secs(seconds));
                    Some(())
                })
            },
        ),
        Field::own_of_run(
            optional(
                "terminationConfirmedAt",
                Kind::Time,
                "When the pod was confirmed to have ended.",
            ),
            |run, value| value.time(&mut run.termination_confirmed_at),
        ),
        Field::own_of_run(
            optional(
                "debug",
                Kind::Anything,
                "The debug JSON that the executor stored, as text or object; the record's own containers win.",
            ),
            |run, value| {
                set_lookout_text(run, value, ObservedPod::set_debug, |json| Some(json.into()))
            },
        ),
        Field::own_of_run(
            optional("error", Kind::Anything, "The error of the run in Lookout, a text."),
            |run, value| set_lookout_text(run, value, ObservedPod::set_error, compact),
        ),
    ];

    /// The key of a gang: queue, job set and id (semantics.md, section 9).
    fn recorded_unit_key(queue: &str, job: &JobFields) -> Option<String> {
        let gang = job.gang()?;
        Some(format!("{queue}\u{0}{}\u{0}{}", job.job_set(), gang.id))
    }

    /// In the field `gang`, and in the annotation `armadaproject.io/gangId`.
    const RECORDED_UNIT_WORD: Option<&'static str> = Some("gang");

    fn complete(&mut self) {
        complete_run(self);
    }

    fn clear(&mut self) {
        // In place, since this runs for every record: `*self = …` would move the lists out and back. The pattern
        // without `..` makes the compiler report a forgotten field.
        let Self {
            outcome,
            conditions,
            containers,
            category,
            subcategory,
            termination_grace,
            termination_confirmed_at,
            unplaced,
            job,
            observed,
            emitted,
            disruption,
        } = self;
        (*outcome, *job, *observed) = (Outcome::default(), None, None);
        (*emitted, *disruption, *unplaced) = (None, None, None);
        (*termination_grace, *termination_confirmed_at) = (None, None);
        (*category, *subcategory) = (CompactString::default(), CompactString::default());
        conditions.clear();
        containers.clear();
    }

    fn take_unit(&mut self) -> Option<Box<JobFields>> {
        self.job.take()
    }

    /// Bare runs have no containers (semantics.md, section 4).
    fn failure_pairs(run: &Run<Self>) -> Vec<(&'static str, String)> {
        let own = &run.own;
        let mut pairs = Vec::new();
        let mut add = |key, value: &str| {
            if !value.is_empty() {
                pairs.push((key, value.to_owned()));
            }
        };
        // A failure without an outcome is a failed one.
        add("outcome", if own.outcome == Outcome::Failed { "" } else { own.outcome.as_str() });
        add("category", &own.category);
        add("subcategory", &own.subcategory);
        own.conditions.iter().for_each(|name| add("condition", name));
        let containers = if own.outcome.is_bare() { &[][..] } else { &own.containers };
        for (place, container) in containers.iter().enumerate() {
            // Without a name the first container is `main`.
            let is_named = place > 0 || container.name != "main" || !container.failed();
            add("container", if is_named { &container.name } else { "" });
            add("init", if container.init { "true" } else { "" });
            let code = container.exit_code.map(|code| code.to_string());
            add("exitCode", code.as_deref().unwrap_or_default());
            add("reason", &container.reason);
            add("message", &container.message);
        }
        add("node", run.node.as_deref().unwrap_or_default());
        add("cluster", run.cluster.as_deref().unwrap_or_default());
        // A failure needs some pair, so that the default is written out.
        if pairs.is_empty() {
            pairs.push(("outcome", own.outcome.as_str().to_owned()));
        }
        pairs
    }

    /// Waits depend on the grace period and on the condition `Preempted`; the parts of failures that are counted, on all
    /// conditions and the containers. Lookout's texts and a confirmed end are rare.
    fn describe(&self, texts: &mut TextHashes, numbers: &mut Vec<u64>) -> bool {
        let Self { observed, emitted, disruption, unplaced, .. } = self;
        let is_plain = observed.is_none() && emitted.is_none() && disruption.is_none();
        if !is_plain || self.termination_confirmed_at.is_some() || unplaced.is_some() {
            return false;
        }
        let known = self.conditions.iter().filter_map(|name| Condition::from_name(name));
        let conditions = known.fold(0, |set, condition| set | 1 << condition as u64);
        let grace = self.termination_grace.map(|grace| grace.as_nanos().unsigned_abs());
        // Three parts in one word: the outcome has fewer than 256 values, and the conditions fewer than 48.
        numbers.push(self.outcome as u64 | u64::from(grace.is_some()) << 8 | conditions << 16);
        numbers.push(grace.unwrap_or_default());
        numbers.push(if self.subcategory.is_empty() { 0 } else { texts.of(&self.subcategory) });
        for container in &*self.containers {
            let is_oom = container.reason == Condition::OomKilled.as_str();
            let has_code = container.exit_code.is_some_and(|code| code > 0);
            let has_message = !container.message.is_empty();
            let parts = [is_oom, has_code, has_message].map(u64::from);
            numbers.push(texts.of(&container.name));
            numbers.push(parts[0] | parts[1] << 1 | parts[2] << 2);
        }
        true
    }

    fn hash_fields(&self, hasher: &impl BuildHasher) -> Option<u64> {
        let Self { outcome, termination_grace, category, subcategory, .. } = self;
        let lists = (&*self.conditions, &*self.containers);
        Some(hasher.hash_one((outcome, termination_grace, category, subcategory, lists)))
    }

    fn resources<'r>(&'r self, job: &'r JobFields) -> Option<&'r Resources> {
        job.resources.as_ref()
    }

    fn fault(&self) -> Option<FieldFault> {
        let fault = self.observed.as_ref().and_then(|observed| observed.fault.as_ref());
        if let Some((field, message)) = fault {
            return Some(FieldFault::new(field, message.as_str()));
        }
        let number = self.repeated_container()?;
        let message = format!("two containers are named `{}`", self.containers[number].name);
        Some(FieldFault { item: Some(number), ..FieldFault::new("containers", message) })
    }

    fn fault_in_unit(&self, job: &JobFields, bounds: &GraceBounds) -> Option<FieldFault> {
        if let Some(message) = bounds.fault(self.termination_grace) {
            return Some(FieldFault::new("terminationGracePeriodSeconds", message));
        }
        let is_stopped_alone = self.outcome == Outcome::Stopped && job.gang().is_none();
        let message = "a run is Stopped only with its gang, and this job has none";
        is_stopped_alone.then(|| FieldFault::new("outcome", message))
    }

    fn has_unread_condition(&self) -> bool {
        self.has_unknown_condition() || self.misplaced_reasons().next().is_some()
    }

    fn each_unread_condition(&self, take: &mut dyn FnMut(UnreadKind, &'static Shape, &str)) {
        let unknown = self.conditions.iter().filter(|name| Condition::from_name(name).is_none());
        unknown.for_each(|name| take(UnreadKind::Condition, Table::<Self>::RECORD, name));
        self.misplaced_reasons().for_each(|reason| take(UnreadKind::Reason, &CONTAINER, reason));
    }

    const READS_ALL_SOURCES: bool = true;

    fn from_source(run: Self, job: JobFields) -> Option<Self> {
        Some(Self { job: Some(Box::new(job)), ..run })
    }

    fn key(&self) {}

    fn hash_key(&self, _: &mut impl Hasher) {}
}

impl ArmadaRun {
    /// The reasons of containers that are probably meant to be conditions, which the record does not name.
    fn misplaced_reasons(&self) -> impl Iterator<Item = &str> {
        let reasons = self.containers.iter().map(|container| &*container.reason);
        let is_named = |reason: &str| self.conditions.iter().any(|name| name == reason);
        reasons.filter(move |reason| is_misplaced_reason(reason) && !is_named(reason))
    }
}

/// Returns the job's part of a record.
fn job(run: &mut ArmadaRun) -> &mut JobFields {
    run.job.get_or_insert_default()
}

/// Reads a text of Lookout's, the JSON that is in the text, or the answer that holds the text. `text_of` returns the text of
/// an object.
fn set_lookout_text(
    run: &mut ArmadaRun,
    value: &mut ValueReader<'_, '_>,
    set: impl FnOnce(&mut ObservedPod, &str),
    text_of: fn(&str) -> Option<Cow<'_, str>>,
) -> Option<()> {
    if value.is_text() {
        return value.some_text(|text| set(run.observed.get_or_insert_default(), text));
    }
    value.unless_null(|value| {
        let json = value.json().filter(|json| json.starts_with('{'))?;
        set(run.observed.get_or_insert_default(), &text_of(json)?);
        Some(())
    })
}

/// JSON without spaces and in one spelling: rules match the text of an error that is an object of another kind, and it must
/// not depend on the path that reads the record.
fn compact(json: &str) -> Option<Cow<'_, str>> {
    let value: serde_json::Value = serde_json::from_str(json).ok()?;
    Some(value.to_string().into())
}

/// Reads annotations. Of two entries with one key the later one is used, as in any JSON map; null removes the
/// entry.
fn annotations(value: &mut ValueReader<'_, '_>) -> Option<BTreeMap<String, String>> {
    let mut annotations = BTreeMap::new();
    value.entries(|key, value| {
        match value.optional(|value| value.text(str::to_owned))? {
            Some(value) => annotations.insert(key.into_owned(), value),
            None => annotations.remove(&*key),
        };
        Some(())
    })?;
    Some(annotations)
}

fn gang(value: &mut ValueReader<'_, '_>) -> Option<Gang> {
    let mut gang = Gang::default();
    let present = value.object(&GANG_FIELDS, &mut gang)?;
    (present.contains(0) && present.contains(1)).then_some(gang)
}

fn conditions(run: &mut ArmadaRun, value: &mut ValueReader<'_, '_>) -> Option<()> {
    value.items(|value| {
        value.text(|text| {
            if !text.is_empty() {
                replace_text(run.conditions.add(|_| ()), text);
            }
        })
    })
}

fn containers(run: &mut ArmadaRun, value: &mut ValueReader<'_, '_>) -> Option<()> {
    value.items(|value| {
        let container = run.containers.add(reset);
        value.object(&CONTAINER_FIELDS, container)?;
        (!container.name.is_empty()).then_some(())
    })
}

/// Clears a container and keeps its buffers, unless one is longer than a termination message may be
/// (4 KiB, Kubernetes' limit).
fn reset(container: &mut Container) {
    let Container { name, init, exit_code, reason, message } = container;
    (*init, *exit_code) = (false, None);
    for text in [name, reason, message] {
        if text.capacity() > 4096 {
            *text = CompactString::default();
        }
        text.clear();
    }
}

static CONTAINER_FIELDS: ObjectFields<Container, 5> = ObjectFields::new([
    ("name", |container, value| value.text(|text| replace_text(&mut container.name, text))),
    ("exitCode", |container, value| {
        container.exit_code = value.optional(ValueReader::i32)?.map(i64::from);
        Some(())
    }),
    ("reason", |container, value| {
        value.some_text(|text| replace_text(&mut container.reason, text))
    }),
    ("message", |container, value| {
        value.some_text(|text| replace_text(&mut container.message, text))
    }),
    ("init", |container, value| {
        container.init = value.optional(ValueReader::boolean)?.unwrap_or_default();
        Some(())
    }),
]);

static GANG_FIELDS: ObjectFields<Gang, 2> = ObjectFields::new([
    ("id", |gang, value| {
        gang.id = value.text(str::to_owned)?;
        (!gang.id.is_empty()).then_some(())
    }),
    ("cardinality", |gang, value| {
        gang.cardinality = value.u32()?;
        (gang.cardinality > 0).then_some(())
    }),
]);

static CONTAINER_KIND: Kind = Kind::Object(&CONTAINER);

shapes! {
    /// One container of a run's pod.
    static CONTAINER = "container" {
        /// Its name, unique in the pod.
        required name: Kind::SomeText,
        /// Whether it is an init container.
        optional init: Kind::Boolean,
        /// Its exit code; absent if it did not end.
        optional exitCode: Kind::Whole { min: i32::MIN as i128, max: i32::MAX as i128, code: Code::OutOfRange },
        /// Why it ended, such as OOMKilled, Error or Completed.
        optional reason: Kind::Text,
        #[doc = "What it wrote to its termination log."]
        optional message: Kind::Text,
    }

    /// Jobs that run together or not at all.
    static GANG = "gang" {
        /// The gang's id, unique in its queue and job set.
        required id: Kind::SomeText,
        /// How many jobs it has; 1 means no gang.
        required cardinality: Kind::Whole { min: 1, max: u32::MAX as i128, code: Code::OutOfRange },
    }
}

static RESOURCES: Shape = Shape {
    doc: "What a job requested.",
    fields: &resource_fields("Memory; a retry's growth starts from here."),
    ..LIST_OF_RESOURCES
};

/// The shape of a failure history as one document.
pub static FAILURE_HISTORY: Shape = Shape {
    name: "FailureHistory",
    doc: "What happened to jobs: their runs, and how each ended.",
    fields: &history_fields(&SPEC),
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static JOB_KIND: Kind = Kind::Object(Table::<ArmadaRun>::JOB_WITH_RUNS);

static SPEC: Shape = Shape {
    name: "spec",
    doc: "The history.",
    fields: &spec_fields(required("jobs", Kind::List { item: &JOB_KIND, min: 0 }, "The jobs.")),
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};
