//! Rows of Armada: the releases in which its retry policies landed, and what the design (`v1`) has beyond them.
//!
//! Read in armadaproject/armada at its tags to v0.22.7. The engine is the same in v0.22.5, v0.22.6 and v0.22.7 (`engine.go`,
//! `matcher.go`, `convert.go` and `types.go` are identical). The form of a document chooses the engine: `v1beta1` is what landed,
//! `v1` is the design.

use super::difference::{Difference, DifferenceKind, Model, Needs};
use super::program::Program;
use super::version::Version;

const ROW: Difference = Difference::row_of(Program::Armada);

const BY_FORM: Model = Model::NotModelled(
    "the form of a document chooses the engine: v1beta1 is what landed, v1 is the design (docs/semantics.md)",
);

const BEFORE: Model =
    Model::NotModelled("there is no engine for servers that decide without policies");

const fn design(
    id: &'static str,
    kind: DifferenceKind,
    sentence: &'static str,
    source: &'static str,
    needs: &'static [Needs],
) -> Difference {
    Difference { id, from: Version::DESIGN, kind, sentence, source, needs, model: BY_FORM, ..ROW }
}

/// Differences that concern queues, jobs or the scheduler, and no field of a policy.
const NONE: &[Needs] = &[];

/// A policy in the form that landed.
const LANDED: &[Needs] = &[Needs::in_document(&["!spec"])];

/// Rules that decide about preempted runs: those of the design, which can name them.
const PREEMPTED: &[Needs] = &[Needs::in_document(&["spec.rules[].onConditions[]=Preempted"])];

/// Changes of the next run.
const MUTATE: &[Needs] =
    &[Needs::in_document(&["rules[].mutate"]), Needs::in_document(&["spec.rules[].mutate"])];

use DifferenceKind::{Decision, Note, Validation};

const EVALUATE: &str = "armada v0.22.7 internal/scheduler/scheduler.go evaluateRetryPolicy";
const ENGINE: &str = "armada v0.22.7 internal/scheduler/retry/engine.go Evaluate";
const PROTO: &str = "armada v0.22.7 pkg/api/submit.proto RetryRule";

/// The rows, in the order of versions.
pub(super) const ROWS: &[Difference] = &[
    Difference {
        id: "policies-stored",
        from: Version::patch(0, 22, 4),
        kind: Validation,
        sentence: "Policies can be created and attached; the scheduler does not read them. Before, `/v1/retry-policies` is unknown \
                   (404).",
        source: "armada v0.22.3 and v0.22.4: internal/server/retrypolicy (#5049, #5048)",
        needs: LANDED,
        model: BEFORE,
        ..ROW
    },
    Difference {
        id: "policies-decide",
        from: Version::patch(0, 22, 5),
        kind: Decision,
        sentence: "The scheduler evaluates policies if `scheduling.retryPolicy.enabled` is set. Before, a failed job fails.",
        source: "armada v0.22.5 internal/scheduler/scheduler.go evaluateRetryPolicy, config/scheduler/config.yaml (#5001)",
        needs: LANDED,
        model: BEFORE,
        ..ROW
    },
    Difference {
        id: "mutate",
        from: Version::patch(0, 22, 5),
        kind: Decision,
        sentence: "A rule may `mutate` the next run (memory, avoidSameNode). Before, REST drops the field without an error.",
        source: "armada v0.22.4 and v0.22.5: pkg/api/submit.proto, internal/scheduler/retry/convert.go (#5012)",
        needs: MUTATE,
        model: BEFORE,
        ..ROW
    },
    Difference {
        id: "pod-events-category",
        from: Version::patch(0, 22, 5),
        sentence: "The executor's categories can match pod events too, so that other rules match.",
        source: "armada v0.22.5 internal/executor/categorizer (#5081, #5080)",
        needs: &[Needs::in_document(&["rules[].onCategory"])],
        ..ROW
    },
    design(
        "matchers",
        Validation,
        "Rules match conditions, exit codes, messages, categories and containers. What landed matches `onCategory` and `onSubcategory`.",
        PROTO,
        &[
            Needs::in_document(&["spec.rules[].onExitCodes"]),
            Needs::in_document(&["spec.rules[].onConditions"]),
            Needs::in_document(&["spec.rules[].onTerminationMessage"]),
            Needs::in_document(&["spec.rules[].containerName"]),
        ],
    ),
    design(
        "several-policies",
        Decision,
        "All policies of a queue apply, in order. What landed takes the first.",
        EVALUATE,
        NONE,
    ),
    design(
        "job-annotation",
        Decision,
        "The annotation `armadaproject.io/retry-policy` adds policies. What landed ignores it.",
        EVALUATE,
        NONE,
    ),
    design(
        "counts",
        Decision,
        "Retries are counted for each rule, and in all. What landed has one count, of all failures of the job.",
        ENGINE,
        &[
            Needs::in_document(&["spec.rules[].retryLimit"]),
            Needs::in_document(&["!spec", "rules[]"]),
        ],
    ),
    design(
        "absent-limit",
        Decision,
        "A rule without a limit has that of its policy, then the global one. What landed reads 0, which never retries.",
        ENGINE,
        &[
            Needs::in_document(&["spec", "!spec.retryLimit"]),
            Needs::in_document(&["!spec", "!retryLimit"]),
        ],
    ),
    design(
        "absent-default",
        Validation,
        "A policy without `defaultAction` fails. What landed refuses it.",
        "armada v0.22.7 internal/server/retrypolicy/validation.go ValidatePolicy",
        &[Needs::in_document(&["spec", "!spec.defaultAction"])],
    ),
    design(
        "global-default",
        Decision,
        "The global limit is 20 by default. What landed has 5.",
        "armada v0.22.7 config/scheduler/config.yaml",
        NONE,
    ),
    design(
        "preempted",
        Decision,
        "A preempted run is evaluated as any failure. What landed never evaluates it: the job ends.",
        EVALUATE,
        PREEMPTED,
    ),
    design(
        "gangs",
        Decision,
        "Failures of a gang are decided together, and all of it runs again. What landed leaves gangs to the scheduler without policies.",
        EVALUATE,
        NONE,
    ),
    design(
        "fail-fast",
        Note,
        "A job with the annotation `failFast` has a reason of its own. What landed names no policy; both end.",
        EVALUATE,
        NONE,
    ),
    design(
        "missing-policy",
        Decision,
        "A queue that names a policy that does not exist is an error. What landed decides without policies.",
        EVALUATE,
        NONE,
    ),
    design(
        "backoff",
        Decision,
        "A retry waits: `initialDelay`, `multiplier`, `maxDelay`. What landed retries at once.",
        PROTO,
        &[Needs::in_document(&["spec.backoff"]), Needs::in_document(&["spec.rules[].backoff"])],
    ),
    design(
        "graceful",
        Decision,
        "A retry after a preemption waits until the pod has ended. What landed does not retry preempted runs.",
        EVALUATE,
        PREEMPTED,
    ),
    design(
        "anti-affinity",
        Decision,
        "`antiAffinity: node` avoids the last node. What landed avoids every node that was tried (`avoidSameNode`).",
        "armada v0.22.7 pkg/api/submit.proto RetryAffinityMutation",
        &[
            Needs::in_document(&["spec.antiAffinity"]),
            Needs::in_document(&["spec.rules[].antiAffinity"]),
            Needs::in_document(&["rules[].mutate.affinity"]),
        ],
    ),
    design(
        "retry-unschedulable",
        Decision,
        "A retry is granted for good. What landed may take it back if the grown job fits no node.",
        "armada v0.22.7 internal/scheduler/retry/types.go DecisionRetryUnschedulable",
        MUTATE,
    ),
    design(
        "pod-name",
        Note,
        "The name of a pod ends in the number of the run. What landed ends it in 0.",
        "docs/semantics.md",
        NONE,
    ),
    design(
        "document",
        Validation,
        "A document has `metadata` and `spec`. What landed has flat fields.",
        "docs/semantics.md",
        &[Needs::in_document(&["spec"])],
    ),
];
