//! The shapes of the blocks that describe failures, in cluster and workload files.

use document::diag::Code;
use document::{Constraint, Kind, shapes};

const POSITIVE: Kind = Kind::Number { min: 0.0, above: true, code: Code::OutOfRange };
const NOT_NEGATIVE: Kind = Kind::Number { min: 0.0, above: false, code: Code::OutOfRange };
/// An exit code of a failed container.
const EXIT_CODE: Kind = Kind::Whole { min: 1, max: 2_147_483_647, code: Code::BadExitCode };

shapes! {
    /// A duration that is drawn: exactly one distribution.
    /// Drawn durations are rounded up to whole milliseconds.
    pub(super) static DURATION = "distribution" (constraints: &[Constraint::ExactlyOne {
        fields: &["fixed", "exponential", "weibull", "lognormal", "uniform"],
        code: Code::MissingField,
        none: "the distribution is empty",
        several: "the distribution has more than one form",
        help: "write one of `fixed`, `exponential`, `weibull`, `lognormal` and `uniform`",
    }]) {
        /// Always this duration.
        optional fixed: Kind::ProtoDuration,
        /// An exponential distribution: the rate of the event is constant.
        optional exponential: Kind::Object(&EXPONENTIAL),
        /// A Weibull distribution: with a shape below 1 the rate of the event decreases with age.
        optional weibull: Kind::Object(&WEIBULL),
        /// A lognormal distribution: the logarithm is normally distributed.
        optional lognormal: Kind::Object(&LOGNORMAL_DURATION),
        /// A uniform distribution between two durations.
        optional uniform: Kind::Pair(&Kind::ProtoDuration),
    }

    /// A factor that is drawn: exactly one distribution.
    static FACTOR = "distribution" (constraints: &[Constraint::ExactlyOne {
        fields: &["fixed", "lognormal", "uniform"],
        code: Code::MissingField,
        none: "the distribution is empty",
        several: "the distribution has more than one form",
        help: "write one of `fixed`, `lognormal` and `uniform`",
    }]) {
        /// Always this factor.
        optional fixed: NOT_NEGATIVE,
        /// A lognormal distribution: the logarithm is normally distributed.
        optional lognormal: Kind::Object(&LOGNORMAL_FACTOR),
        /// A uniform distribution between two factors.
        optional uniform: Kind::Pair(&NOT_NEGATIVE),
    }

    /// An exponential distribution.
    static EXPONENTIAL = "exponential distribution" {
        /// The mean; more than 0.
        required mean: Kind::ProtoDuration,
    }

    /// A Weibull distribution.
    static WEIBULL = "Weibull distribution" {
        /// The shape: below 1 the rate decreases with age.
        required shape: POSITIVE,
        /// The scale: the 63rd percentile; more than 0.
        required scale: Kind::ProtoDuration,
    }

    /// A lognormal distribution of durations.
    static LOGNORMAL_DURATION = "lognormal distribution" {
        /// The median; more than 0.
        required median: Kind::ProtoDuration,
        /// The standard deviation of the natural logarithm.
        required sigma: NOT_NEGATIVE,
    }

    /// A lognormal distribution of factors.
    static LOGNORMAL_FACTOR = "lognormal distribution" {
        /// The median.
        required median: POSITIVE,
        /// The standard deviation of the natural logarithm.
        required sigma: NOT_NEGATIVE,
    }

    /// How the nodes of the template fail. Absent: they do not.
    pub(super) static NODE_FAILURE = "failure" (constraints: &[
        Constraint::Needs {
            field: "up",
            needs: "repair",
            code: Code::MissingField,
            message: "`up` has no `repair`",
            help: "add `repair`, such as `repair: {fixed: 1h}`",
        },
        Constraint::Needs {
            field: "repair",
            needs: "up",
            code: Code::MissingField,
            message: "`repair` has no effect without `up`",
            help: "add `up`, such as `up: {exponential: {mean: 1000h}}`, or remove `repair`",
        },
        Constraint::Needs {
            field: "lemons",
            needs: "up",
            code: Code::MissingField,
            message: "`lemons` has no effect without `up`",
            help: "add `up`, such as `up: {exponential: {mean: 1000h}}`, or remove `lemons`",
        },
    ]) {
        /// The time from the start of a new or repaired node to its failure, at least 1s.
        /// Every node is new at the beginning. A failed node ends its jobs with the category `node-failure`.
        optional up: Kind::Object(&DURATION),
        /// The time from the failure of a node to the end of its repair.
        /// Until then its resources are no part of the pool.
        optional repair: Kind::Object(&DURATION),
        /// Nodes that fail more often than the others.
        optional lemons: Kind::Object(&LEMONS),
        /// The mean time until a GPU that is in use fails.
        /// It ends the job that holds the GPU, with the category `gpu`; the node stays up.
        optional gpuMtbf: Kind::ProtoDuration,
        /// How spot nodes are lost.
        /// Their jobs end with the condition Evicted and the category `spot`.
        optional spot: Kind::Object(&SPOT),
    }

    /// Nodes that fail more often than the others. The mean rate of failure of all nodes is kept.
    static LEMONS = "lemons" {
        /// Their share of the template's nodes, rounded to whole nodes.
        required fraction: Kind::Share,
        /// Their share of the failures.
        required rateShare: Kind::Share,
    }

    /// How spot nodes are lost.
    static SPOT = "spot" {
        /// How often a node is lost in an hour, at most 60, those in batches included.
        required hazardPerHour: POSITIVE,
        /// How long before its loss a node takes no more jobs; absent means 0.
        optional warning: Kind::ProtoDuration,
        /// How many nodes of the template are lost together; absent means one.
        optional batch: Kind::Object(&BATCH),
        /// The time until a lost node is replaced by a new one; absent means that it is not.
        optional replaceAfter: Kind::Object(&DURATION),
    }

    /// The number of nodes that are lost together.
    static BATCH = "batch" {
        /// The probability p of a single node, above 0 and at most 1: k nodes have p(1 - p)^(k - 1).
        required geometric: POSITIVE,
    }

    /// A cause for which attempts of the template's jobs fail.
    /// At equal times the first cause in the file counts.
    pub(super) static FAILURE_CAUSE = "failure cause" (constraints: &[
        Constraint::ExactlyOne {
            fields: &["perAttempt", "need", "hazardPerHour"],
            code: Code::MissingField,
            none: "the cause never occurs",
            several: "the cause occurs in more than one way",
            help: "write one of `perAttempt`, `need` and `hazardPerHour`",
        },
        Constraint::Needs {
            field: "firstAttempt",
            needs: "perAttempt",
            code: Code::MissingField,
            message: "`firstAttempt` has no effect without `perAttempt`",
            help: "add `perAttempt`, or remove `firstAttempt`",
        },
        Constraint::Needs {
            field: "perAttempt",
            needs: "at",
            code: Code::MissingField,
            message: "`perAttempt` has no `at`",
            help: "add the time of the failure, such as `at: {uniform: [0s, 30m]}`",
        },
        Constraint::Needs {
            field: "need",
            needs: "at",
            code: Code::MissingField,
            message: "`need` has no `at`",
            help: "add the time of the failure, such as `at: {uniform: [0s, 30m]}`",
        },
    ], elsewhere: &[(
        "condition",
        "remove it: the condition is OOMKilled by `reason`; others come with preemptions, deadlines and lost nodes",
    )]) {
        /// The cause's name in reports, unique in the template. Draws depend on it.
        required name: Kind::SomeText,
        /// The probability that an attempt fails by this cause.
        /// With `beta` it is drawn once a job, so that bad jobs remain bad.
        optional perAttempt: Kind::ShareOr(&BETA),
        /// The probability for the first attempt, which replaces `perAttempt` there.
        optional firstAttempt: Kind::Share,
        #[doc = "What a job needs: an attempt with less fails."]
        optional need: Kind::Object(&NEED),
        /// How often it occurs in an hour of running.
        optional hazardPerHour: POSITIVE,
        /// When the attempt fails, counted from the start of running.
        /// A time after the end of the work means 1 ms before it. Needed with `perAttempt` and `need`.
        optional at: Kind::Object(&DURATION),
        /// How the cause returns on the node where it occurred.
        optional sticksToNode: Kind::Object(&STICKINESS),
        /// The container's exit code, as a policy sees it.
        optional exitCode: EXIT_CODE,
        /// The container's reason, such as OOMKilled.
        optional reason: Kind::SomeText,
        /// The container's termination message.
        optional message: Kind::SomeText,
        /// The failure category.
        optional category: Kind::SomeText,
        /// The failure subcategory.
        optional subcategory: Kind::SomeText,
    }

    /// A probability that is drawn once a job.
    static BETA = "probability" {
        /// The two parameters of a beta distribution.
        required beta: Kind::Pair(&POSITIVE),
    }

    #[doc = "What a job needs."]
    static NEED = "need" {
        /// The memory, as a factor on the request, drawn once a job.
        /// Every attempt fails while it is more than the job has.
        required memory: Kind::Object(&FACTOR),
    }

    /// How a cause returns on the node where it occurred.
    static STICKINESS = "sticksToNode" {
        /// The probability that it does.
        required probability: Kind::Share,
        /// For how long it fails the attempts of the same template that start on the node.
        required for: Kind::ProtoDuration,
        /// When it fails them, counted from the start of running.
        required again: Kind::Object(&DURATION),
    }

    /// How a job saves its progress.
    pub(super) static CHECKPOINT = "checkpoint" {
        /// The work between two saves; more than 0.
        required interval: Kind::ProtoDuration,
        /// The time that a save takes; absent means 0.
        optional cost: Kind::ProtoDuration,
        /// The time that a start from a save takes; absent means 0.
        optional restart: Kind::ProtoDuration,
    }
}
