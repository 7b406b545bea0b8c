//! Rows of Armada: the releases in which its retry policies landed, and what the design (`v1`) has beyond them.
//!
//! Read in armadaproject/armada at its tags to v0.22.7. The engine is the same in v0.22.5, v0.22.6 and v0.22.7 (`engine.go`,
//! `matcher.go`, `convert.go` and `types.go` are identical). The form of a document chooses the engine: `v1beta1` is what landed,
//! `v1` is the design.

use super::difference::{Difference, DifferenceKind, Model};
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
) -> Difference {
    Difference { id, from: Version::DESIGN, kind, sentence, source, model: BY_FORM, ..ROW }
}

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
        model: BEFORE,
        ..ROW
    },
    Difference {
        id: "policies-decide",
        from: Version::patch(0, 22, 5),
        kind: Decision,
        sentence: "The scheduler evaluates policies if `scheduling.retryPolicy.enabled` is set. Before, a failed job fails.",
        source: "armada v0.22.5 internal/scheduler/scheduler.go evaluateRetryPolicy, config/scheduler/config.yaml (#5001)",
        model: BEFORE,
        ..ROW
    },
    Difference {
        id: "mutate",
        from: Version::patch(0, 22, 5),
        kind: Decision,
        sentence: "A rule may `mutate` the next run (memory, avoidSameNode). Before, REST drops the field without an error.",
        source: "armada v0.22.4 and v0.22.5: pkg/api/submit.proto, internal/scheduler/retry/convert.go (#5012)",
        model: BEFORE,
        ..ROW
    },
    Difference {
        id: "pod-events-category",
        from: Version::patch(0, 22, 5),
        sentence: "The executor's categories can match pod events too, so that other rules match.",
        source: "armada v0.22.5 internal/executor/categorizer (#5081, #5080)",
        ..ROW
    },
    design(
        "matchers",
        Validation,
        "Rules match conditions, exit codes, messages, categories and containers. What landed matches `onCategory` and `onSubcategory`.",
        PROTO,
    ),
    design(
        "several-policies",
        Decision,
        "All policies of a queue apply, in order. What landed takes the first.",
        EVALUATE,
    ),
    design(
        "job-annotation",
        Decision,
        "The annotation `armadaproject.io/retry-policy` adds policies. What landed ignores it.",
        EVALUATE,
    ),
    design(
        "counts",
        Decision,
        "Retries are counted for each rule, and in all. What landed has one count, of all failures of the job.",
        ENGINE,
    ),
    design(
        "absent-limit",
        Decision,
        "A rule without a limit has that of its policy, then the global one. What landed reads 0, which never retries.",
        ENGINE,
    ),
    design(
        "absent-default",
        Validation,
        "A policy without `defaultAction` fails. What landed refuses it.",
        "armada v0.22.7 internal/server/retrypolicy/validation.go ValidatePolicy",
    ),
    design(
        "global-default",
        Decision,
        "The global limit is 20 by default. What landed has 5.",
        "armada v0.22.7 config/scheduler/config.yaml",
    ),
    design(
        "preempted",
        Decision,
        "A preempted run is evaluated as any failure. What landed never evaluates it: the job ends.",
        EVALUATE,
    ),
    design(
        "gangs",
        Decision,
        "Failures of a gang are decided together, and all of it runs again. What landed leaves gangs to the scheduler without policies.",
        EVALUATE,
    ),
    design(
        "fail-fast",
        Note,
        "A job with the annotation `failFast` has a reason of its own. What landed names no policy; both end.",
        EVALUATE,
    ),
    design(
        "missing-policy",
        Decision,
        "A queue that names a policy that does not exist is an error. What landed decides without policies.",
        EVALUATE,
    ),
    design(
        "backoff",
        Decision,
        "A retry waits: `initialDelay`, `multiplier`, `maxDelay`. What landed retries at once.",
        PROTO,
    ),
    design(
        "graceful",
        Decision,
        "A retry after a preemption waits until the pod has ended. What landed does not retry preempted runs.",
        EVALUATE,
    ),
    design(
        "anti-affinity",
        Decision,
        "`antiAffinity: node` avoids the last node. What landed avoids every node that was tried (`avoidSameNode`).",
        "armada v0.22.7 pkg/api/submit.proto RetryAffinityMutation",
    ),
    design(
        "retry-unschedulable",
        Decision,
        "A retry is granted for good. What landed may take it back if the grown job fits no node.",
        "armada v0.22.7 internal/scheduler/retry/types.go DecisionRetryUnschedulable",
    ),
    design(
        "pod-name",
        Note,
        "The name of a pod ends in the number of the run. What landed ends it in 0.",
        "docs/semantics.md",
    ),
    design(
        "document",
        Validation,
        "A document has `metadata` and `spec`. What landed has flat fields.",
        "docs/semantics.md",
    ),
];
