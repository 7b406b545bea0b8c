//! The shape of a workload file.

use super::cluster_shape::{AMOUNTS, COUNT, DISTRIBUTION, EFFECTS, LABELS};
use super::failure_shape::{CHECKPOINT, DURATION, FAILURE_CAUSE};
use document::diag::Code;
use document::{Kind, choices, shapes};
use replay::history::RELOAD;

/// The maximum number of jobs in a workload, unless it has `maxJobs`. All of them may be queued at once, and take
/// up to 200 bytes each: not more than 1 GB.
pub(super) const MAX_JOBS: u64 = 5_000_000;
/// The maximum of the estimated bytes of the copies of all templates, so that no file exhausts the memory.
pub(super) const MAX_COPIES_BYTES: usize = 256 << 20;

const TEXTS: Kind = Kind::List { item: &Kind::SomeText, min: 0 };
const UNSIGNED: Kind = Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };

shapes! {
    /// The queues of a simulation, and the jobs that are submitted to them.
    /// It is the file that Armada's own simulator takes with `--workloads`.
    pub static WORKLOAD_FILE = "workload file" {
        #[doc = "What the file is called in reports."]
        optional name: Kind::Text,
        /// The seed of random draws; absent or 0 means 1.
        optional randomSeed: Kind::Whole { min: i64::MIN as i128, max: i64::MAX as i128, code: Code::OutOfRange },
        /// The queues.
        required queues: Kind::List { item: &Kind::Object(&QUEUE), min: 1 },
        /// Whether a preempted run keeps its resources until its pod is gone, so that the run in its place starts then.
        /// Absent means true.
        optional graceHoldsNode: Kind::Boolean,
        /// The maximum number of jobs, which keeps the simulation within the memory: each takes up to 200 bytes.
        /// Absent means 5000000, for 1 GB.
        optional maxJobs: COUNT,
        /// Reloads of the settings of the retry engine during the simulation.
        optional events: Kind::List { item: &Kind::Object(&EVENT), min: 0 },
    }

    /// A change of settings during the simulation.
    static EVENT = "event" {
        /// When, from the start; a run that ends at exactly this time has the new settings.
        required at: Kind::ProtoDuration,
        /// The scheduler's settings that changed.
        required reload: Kind::Object(&RELOAD),
    }

    /// A queue, and the jobs that are submitted to it.
    static QUEUE = "queue" {
        /// The queue's name.
        required name: Kind::SomeText,
        /// The queue's weight in fair share: 1 / priorityFactor.
        required weight: Kind::Number { min: 0.0, above: true, code: Code::OutOfRange },
        /// The jobs.
        optional jobTemplates: Kind::List { item: &Kind::Object(&TEMPLATE), min: 0 },
    }

    /// Jobs with the same properties.
    static TEMPLATE = "job template" {
        /// The template's id, unique among all queues.
        /// Absent: `<queue>-<index>`.
        optional id: Kind::Text,
        /// How many of its jobs have to succeed.
        required number: COUNT,
        /// The job set, which only records have; the scheduler does not depend on it.
        optional jobSet: Kind::Text,
        /// The priority in the queue; lower goes first. Absent means 0.
        optional queuePriority: UNSIGNED,
        /// The priority class. An unknown or empty name means the default class.
        optional priorityClassName: Kind::Text,
        #[doc = "What each job needs."]
        required requirements: Kind::Object(&REQUIREMENTS),
        /// The ids of templates all of whose jobs have to succeed first.
        optional dependencies: TEXTS,
        /// When the jobs are submitted, counted from the start; with dependencies, from when the last of them has succeeded.
        optional earliestSubmitTime: Kind::ProtoDuration,
        /// The same, from when the last dependency has succeeded. The later of both counts.
        optional earliestSubmitTimeFromDependencyCompletion: Kind::ProtoDuration,
        /// How long a job runs; absent means 0. Gangs need it, and have no tail.
        optional runtimeDistribution: Kind::Object(&DISTRIBUTION),
        /// How many jobs form a gang; it divides `number`. 0 or 1 means no gang.
        optional gangCardinality: UNSIGNED,
        /// The label by which the nodes of a gang must agree.
        /// Absent: `armadaproject.io/clusterName`.
        optional gangNodeUniformityLabel: Kind::Text,
        /// The causes for which attempts of its jobs fail; absent means none.
        optional failures: Kind::List { item: &Kind::Object(&FAILURE_CAUSE), min: 0 },
        /// How a job saves its progress; absent means that every attempt starts from zero.
        optional checkpoint: Kind::Object(&CHECKPOINT),
        /// The longest time that an attempt may run, after which it fails.
        /// Absent: the default of the scheduler's configuration.
        optional activeDeadline: Kind::ProtoDuration,
        /// How long the pod of a preempted run may take to end, in whole seconds.
        /// Absent or 0s: the least that the scheduler's configuration allows, 1s without one.
        optional terminationGracePeriod: Kind::ProtoDuration,
        /// The time from the signal until the pod is gone, at most its grace period. Absent: it is gone at once.
        optional exitAfterSignal: Kind::Object(&DURATION),
        /// Submits the template several times, with the ids `<id>-repeat-<i>` from 0.
        optional repeat: Kind::Object(&REPEAT),
    }

    /// Copies of a template.
    static REPEAT = "repeat" {
        /// How many copies there are.
        required numTimes: COUNT,
        /// The time from one copy to the next.
        optional period: Kind::ProtoDuration,
    }

    #[doc = "What a job needs."]
    static REQUIREMENTS = "requirements" {
        /// Its resources.
        required resourceRequirements: Kind::Object(&RESOURCES),
        /// The labels that its node must have.
        optional nodeSelector: LABELS,
        /// Further conditions on the labels.
        optional affinity: Kind::Object(&AFFINITY),
        /// The taints that its node may have.
        optional tolerations: Kind::List { item: &Kind::Object(&TOLERATION), min: 0 },
        /// Annotations, on which only retry policies depend: `armadaproject.io/retry-policy` and `failFast`.
        optional annotations: LABELS,
        /// The scheduler does not depend on it.
        optional preemptionPolicy: Kind::Text,
    }

    /// The resources of a job.
    static RESOURCES = "resourceRequirements" {
        /// Amounts by resource, such as `cpu: 1`.
        required requests: AMOUNTS,
        /// The scheduler does not depend on them.
        optional limits: AMOUNTS,
    }

    /// Taints that a job tolerates.
    pub(super) static TOLERATION = "toleration" {
        /// The key of the taints; absent means any.
        optional key: Kind::Text,
        /// Absent means `Equal`.
        optional operator: Kind::OneOf(&TOLERATION_OPERATORS),
        /// The value of the taints.
        optional value: Kind::Text,
        /// The effect of the taints; absent means any.
        optional effect: Kind::OneOf(&EFFECTS),
        /// The scheduler does not depend on it.
        optional tolerationSeconds: Kind::Finite,
    }

    /// Conditions on the labels of a job's node.
    pub(super) static AFFINITY = "affinity" (elsewhere: &[
        ("podAffinity", "remove it: Armada's scheduler does not take it into account"),
        ("podAntiAffinity", "remove it: Armada's scheduler does not take it into account"),
    ]) {
        /// The conditions.
        optional nodeAffinity: Kind::Object(&NODE_AFFINITY),
    }

    /// Conditions on the labels of a job's node.
    static NODE_AFFINITY = "nodeAffinity" {
        #[doc = "What must hold."]
        optional requiredDuringSchedulingIgnoredDuringExecution: Kind::Object(&SELECTOR),
        /// The scheduler does not depend on it.
        optional preferredDuringSchedulingIgnoredDuringExecution: Kind::Anything,
    }

    /// Terms of which one must hold.
    static SELECTOR = "node selector" {
        /// The terms.
        required nodeSelectorTerms: Kind::List { item: &Kind::Object(&TERM), min: 1 },
    }

    /// Expressions that must all hold.
    static TERM = "term" {
        /// The expressions.
        required matchExpressions: Kind::List { item: &Kind::Object(&EXPRESSION), min: 1 },
    }

    /// A condition on a label.
    static EXPRESSION = "expression" {
        /// The label.
        required key: Kind::SomeText,
        /// How its value is compared.
        required operator: Kind::OneOf(&OPERATORS),
        /// The values.
        optional values: Kind::List { item: &Kind::Text, min: 0 },
    }
}

choices! {
    static TOLERATION_OPERATORS = "operator" {
        /// The taint has this value.
        "Equal",
        /// The taint has any value.
        "Exists",
    }

    static OPERATORS = "operator" {
        /// The value is one of these.
        "In",
        /// The label is absent, or its value is none of these.
        "NotIn",
        /// The label is present.
        "Exists",
        /// The label is absent.
        "DoesNotExist",
        /// The value is a whole number above the one given.
        "Gt",
        /// The value is a whole number below the one given.
        "Lt",
    }
}
