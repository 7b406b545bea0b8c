//! The fields of failure histories (semantics.md, section 10).

use crate::diag::Code;
use crate::document::{Choices, Extra, Field, Kind, Shape, choice, optional, required};
use crate::policy::QUEUE_FIELDS;

const COUNT: Kind = Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };
const TEXTS: Kind = Kind::List { item: &Kind::Text, min: 0 };

const QUEUE: Field =
    optional("queue", Kind::Text, "The job's queue, which says which policies apply.");
const JOB_SET: Field =
    optional("jobSet", Kind::Text, "The job's job set; with queue and gang id it names a gang.");
const ANNOTATIONS: Field = optional(
    "annotations",
    Kind::Map(&Kind::Text),
    "The job's annotations. Known are armadaproject.io/retry-policy, failFast, gangId and gangCardinality.",
);
const RESOURCES: Field =
    optional("resources", Kind::Object(&RESOURCES_SHAPE), "What the job asked for.");
const GANG: Field = optional("gang", Kind::Object(&GANG_SHAPE), "The gang the job belongs to.");

const RUN_INDEX: Field = optional(
    "runIndex",
    COUNT,
    "The run's number, part of its pod's name; absent means its position, from 0.",
);
const STARTED: Field = optional(
    "startedAt",
    Kind::Time,
    "When the run began: RFC 3339, or a Go duration from spec.start.",
);
const FINISHED: Field = optional(
    "finishedAt",
    Kind::Time,
    "When the run ended: RFC 3339, or a Go duration from spec.start.",
);
const NODE: Field = optional("node", Kind::Text, "The node it ran on.");
const CLUSTER: Field = optional("cluster", Kind::Text, "The cluster it ran in.");
const OUTCOME: Field = required("outcome", Kind::OneOf(&OUTCOMES), "How the run ended.");
const CONDITIONS: Field = optional(
    "conditions",
    TEXTS,
    "Conditions named at the run, such as Evicted; unknown ones match nothing.",
);
const CONTAINERS: Field =
    optional("containers", CONTAINER_LIST, "The pod's containers, in pod order.");
const CATEGORY: Field =
    optional("category", Kind::Text, "The failure category that the executor assigned.");
const SUBCATEGORY: Field =
    optional("subcategory", Kind::Text, "The failure subcategory that the executor assigned.");
const GRACE: Field = optional(
    "terminationGracePeriodSeconds",
    Kind::Whole { min: 0, max: 9_000_000_000, code: Code::OutOfRange },
    "Seconds the pod may take to end; absent or 0 means the scheduler's minimum.",
);
const CONFIRMED: Field =
    optional("terminationConfirmedAt", Kind::Time, "When the pod was confirmed to have ended.");

const CONTAINER_LIST: Kind = Kind::List { item: &CONTAINER_KIND, min: 0 };
static CONTAINER_KIND: Kind = Kind::Object(&CONTAINER);
static JOB_KIND: Kind = Kind::Object(&JOB);
static RUN_KIND: Kind = Kind::Object(&RUN);
static EVENT_KIND: Kind = Kind::Object(&EVENT);
static QUEUE_KIND: Kind = Kind::Object(&QUEUE_FIELDS);
static ANYTHING: Kind = Kind::Anything;

static OUTCOMES: Choices = Choices {
    name: "outcome",
    values: &[
        choice("Succeeded", "It did its work."),
        choice("Failed", "Its pod failed."),
        choice("Preempted", "The scheduler preempted it."),
        choice("LeaseReturned", "The executor gave the lease back; it spends no budget."),
        choice("LeaseExpired", "The executor was not heard of any more; a failure."),
        choice("Cancelled", "Somebody cancelled the job."),
        choice("Stopped", "It ended because its gang did; only in a gang."),
    ],
    any_case: false,
    elsewhere: &[],
};

static CONTAINER: Shape = Shape {
    name: "container",
    doc: "One container of a run's pod.",
    fields: &[
        required("name", Kind::SomeText, "Its name, unique in the pod."),
        optional("init", Kind::Boolean, "Whether it is an init container."),
        optional(
            "exitCode",
            Kind::Whole { min: i64::MIN as i128, max: i64::MAX as i128, code: Code::OutOfRange },
            "Its exit code; absent if it did not end.",
        ),
        optional("reason", Kind::Text, "Why it ended, such as OOMKilled, Error or Completed."),
        optional("message", Kind::Text, "What it wrote to its termination log."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static RESOURCES_SHAPE: Shape = Shape {
    name: "list of resources",
    doc: "What a job asked for.",
    fields: &[
        optional("cpu", Kind::Quantity, "Cores."),
        optional("memory", Kind::Quantity, "Memory; a retry's growth starts from here."),
        optional("nvidia.com/gpu", Kind::Quantity, "Devices."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[("gpu", "write `nvidia.com/gpu`")],
};

static GANG_SHAPE: Shape = Shape {
    name: "gang",
    doc: "Jobs that run together or not at all.",
    fields: &[
        required("id", Kind::SomeText, "The gang's id, unique in its queue and job set."),
        required(
            "cardinality",
            Kind::Whole { min: 1, max: u32::MAX as i128, code: Code::OutOfRange },
            "How many jobs it has; 1 is no gang.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

/// A run in a document. Job-level fields may stand on a job's first run as well.
pub static RUN: Shape = Shape {
    name: "run",
    doc: "One run of a job: when, where and how it ended.",
    fields: &[
        RUN_INDEX,
        STARTED,
        FINISHED,
        NODE,
        CLUSTER,
        OUTCOME,
        CONDITIONS,
        CONTAINERS,
        CATEGORY,
        SUBCATEGORY,
        GRACE,
        CONFIRMED,
        QUEUE,
        JOB_SET,
        ANNOTATIONS,
        RESOURCES,
        GANG,
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

/// A record of JSON Lines: one run, with its job's fields beside it. Unknown fields are ignored.
pub static RECORD: Shape = Shape {
    name: "record",
    doc: "One run of a job, as one line of a JSON Lines history.",
    fields: &[
        required("jobId", Kind::SomeText, "The job the run belongs to."),
        QUEUE,
        JOB_SET,
        ANNOTATIONS,
        RESOURCES,
        GANG,
        RUN_INDEX,
        STARTED,
        FINISHED,
        NODE,
        CLUSTER,
        OUTCOME,
        CONDITIONS,
        CONTAINERS,
        CATEGORY,
        SUBCATEGORY,
        GRACE,
        CONFIRMED,
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

const JOB_ID: Field = required("jobId", Kind::SomeText, "The job's id.");

static JOB: Shape = Shape {
    name: "job",
    doc: "A job and its runs.",
    fields: &[
        JOB_ID,
        QUEUE,
        JOB_SET,
        ANNOTATIONS,
        RESOURCES,
        GANG,
        required("runs", Kind::List { item: &RUN_KIND, min: 1 }, "Its runs, in time order."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

/// A job without a look at its runs: a bad run is one bad record, not a bad history.
pub(super) static JOB_ITSELF: Shape = Shape {
    name: "job",
    doc: "A job and its runs.",
    fields: &[
        JOB_ID,
        QUEUE,
        JOB_SET,
        ANNOTATIONS,
        RESOURCES,
        GANG,
        optional("runs", Kind::List { item: &ANYTHING, min: 0 }, "Its runs."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static EVENT: Shape = Shape {
    name: "event",
    doc: "Something that changed while the history ran.",
    fields: &[
        required("at", Kind::Time, "When; a run at the very time sees the change."),
        required("reload", Kind::Object(&RELOAD), "The scheduler's settings that changed."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static RELOAD: Shape = Shape {
    name: "reload",
    doc: "The scheduler's settings that changed.",
    fields: &[
        optional("globalMaxRetries", COUNT, "The new globalMaxRetries; 0 stops all retries."),
        optional("enabled", Kind::Boolean, "Whether the engine runs from now on."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

const START: Field =
    optional("start", Kind::Date, "What offsets count from; absent means 1970-01-01T00:00:00Z.");
const QUEUES: Field = optional(
    "queues",
    Kind::List { item: &QUEUE_KIND, min: 0 },
    "The queues and their policies, for what no --queue-policies and no Queue document says.",
);
const EVENTS: Field = optional(
    "events",
    Kind::List { item: &EVENT_KIND, min: 0 },
    "Reloads of the scheduler's settings.",
);
const VERSION: Field =
    required("apiVersion", Kind::Exactly("armadaproject.io/v1"), "The form: armadaproject.io/v1.");
const KIND: Field = required("kind", Kind::Exactly("FailureHistory"), "The kind: FailureHistory.");
const METADATA: Field = optional("metadata", Kind::Anything, "Not read.");

/// A failure history as one document.
pub static FAILURE_HISTORY: Shape = Shape {
    name: "FailureHistory",
    doc: "What happened to jobs: their runs, and how each ended.",
    fields: &[VERSION, KIND, METADATA, required("spec", Kind::Object(&SPEC), "The history.")],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static SPEC: Shape = Shape {
    name: "spec",
    doc: "The history.",
    fields: &[
        START,
        QUEUES,
        required("jobs", Kind::List { item: &JOB_KIND, min: 0 }, "The jobs."),
        EVENTS,
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

/// A history without a look at its jobs.
pub(super) static HISTORY_ITSELF: Shape = Shape {
    name: "FailureHistory",
    doc: "What happened to jobs: their runs, and how each ended.",
    fields: &[
        VERSION,
        KIND,
        METADATA,
        required("spec", Kind::Object(&SPEC_ITSELF), "The history."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static SPEC_ITSELF: Shape = Shape {
    name: "spec",
    doc: "The history.",
    fields: &[
        START,
        QUEUES,
        required("jobs", Kind::List { item: &ANYTHING, min: 0 }, "The jobs."),
        EVENTS,
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};
