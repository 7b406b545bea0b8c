//! Rows of JobSet: its failure policy, and what its custom resource definition keeps of a template.
//!
//! Read in kubernetes-sigs/jobset at the tags v0.5.2, v0.6.0, v0.7.0, v0.7.3, v0.8.0, v0.8.2, v0.9.1, v0.10.0, v0.10.1, v0.11.0, v0.11.1
//! and v0.12.0. A field that a release does not have is pruned without an error; only a client that asks for strict validation,
//! as kubectl does by default, sees one. So a newer policy on an older release changes its meaning.

use super::difference::{
    Difference, DifferenceKind, Effect, EffectAction, Example, InPlace, Model, Needs, Owner,
};
use super::program::Program;
use super::version::Version;

const ROW: Difference = Difference::row_of(Program::JobSet);

const STRATEGY: &str = "failurePolicy.restartStrategy";

const fn effect(path: &'static str, action: EffectAction) -> Effect {
    Effect { path, of: Owner::SetSpec, action }
}

const fn effect_on_job(path: &'static str, action: EffectAction) -> Effect {
    Effect { path, of: Owner::JobSpecOfSet, action }
}

/// The rows, in the order of versions.
pub(super) const ROWS: &[Difference] = &[
    Difference {
        id: "rules",
        from: Version::since(0, 6),
        kind: DifferenceKind::Decision,
        sentence: "`failurePolicy.rules` decide about a failed Job. Before, they are dropped: every failure restarts the set \
                   while `restarts` is below `maxRestarts`.",
        source: "jobset v0.5.2 pkg/controllers/jobset_controller.go executeFailurePolicy; v0.6.0 \
                 pkg/controllers/failure_policy.go executeFailurePolicy",
        effects: &[effect("failurePolicy.rules", EffectAction::Prune)],
        model: Model::Engine(Example {
            policy: "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a}, spec: {failurePolicy: \
                     {maxRestarts: 1, rules: [{action: FailJobSet}]}, replicatedJobs: [{name: w, template: {spec: {template: \
                     {spec: {containers: [{name: main, image: a}]}}}}}]}}",
            failures: &[r#"{"failureReason": "BackoffLimitExceeded"}"#],
            before: "restart_jobset",
            since: "fail_rule",
        }),
        ..ROW
    },
    Difference {
        id: "ignore-max-restarts",
        from: Version::since(0, 6),
        kind: DifferenceKind::Decision,
        sentence: "`RestartJobSetAndIgnoreMaxRestarts` restarts the set without counting it (`restartsCountTowardsMax`). \
                   Before, there is one count, of all restarts.",
        source: "jobset v0.5.2 pkg/controllers/jobset_controller.go executeFailurePolicy; v0.6.0 \
                 pkg/controllers/failure_policy.go restartJobSetAndIgnoreMaxRestartsActionApplier",
        // The rule that has the action is dropped as a whole, by the row `rules`.
        needs: &[Needs::in_set(&[
            "failurePolicy.rules[].action=RestartJobSetAndIgnoreMaxRestarts",
        ])],
        model: Model::NotModelled(
            "it is part of the row `rules`: the rule that has the action is dropped",
        ),
        ..ROW
    },
    Difference {
        id: "validation-of-rules",
        from: Version::since(0, 6),
        kind: DifferenceKind::Validation,
        sentence: "Names, reasons and targets of rules are checked. Before, rules are dropped unread.",
        source: "jobset v0.6.0 pkg/webhooks/jobset_webhook.go validateFailurePolicy",
        model: Model::NotModelled("a mistake in a rule is reported for all releases"),
        ..ROW
    },
    Difference {
        id: "job-success-policy-in-set",
        from: Version::since(0, 6),
        kind: DifferenceKind::Decision,
        sentence: "`successPolicy` of a Job in a set is kept, and the release of Kubernetes decides about it. Before, it is \
                   dropped.",
        source: "jobset v0.5.2 and v0.6.0 (k8s.io/api 0.30): config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml",
        effects: &[effect_on_job("successPolicy", EffectAction::Prune)],
        failures: &[&[
            r#"{"podIndex": 0, "outcome": "Succeeded"}"#,
            r#"{"podIndex": 1, "exitCode": 1}"#,
        ]],
        model: Model::Engine(Example {
            policy: "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a}, spec: {replicatedJobs: [{name: w, \
                     template: {spec: {completionMode: Indexed, completions: 2, parallelism: 2, backoffLimit: 0, successPolicy: \
                     {rules: [{succeededIndexes: '0'}]}, template: {spec: {restartPolicy: Never, containers: [{name: main, \
                     image: a}]}}}}}]}}",
            failures: &[
                r#"{"podIndex": 0, "outcome": "Succeeded"}"#,
                r#"{"podIndex": 1, "exitCode": 1}"#,
            ],
            before: "Failed",
            since: "Succeeded",
        }),
        ..ROW
    },
    Difference {
        id: "suspended-template",
        from: Version::since(0, 6),
        sentence: "The pod template may be changed as a set is being suspended. Before, only once it is.",
        source: "jobset v0.6.0 pkg/webhooks/jobset_webhook.go ValidateUpdate",
        ..ROW
    },
    Difference {
        id: "restart-strategy",
        from: Version::since(0, 7),
        sentence: "`restartStrategy: BlockingRecreate` makes new Jobs when all old ones are gone. Before, the field is dropped, \
                   and each Job is made again as its own old one goes.",
        source: "jobset v0.6.0 and v0.7.0: api/jobset/v1alpha2/jobset_types.go, \
                 pkg/controllers/jobset_controller.go constructJobsFromTemplate",
        effects: &[effect(STRATEGY, EffectAction::Prune)],
        ..ROW
    },
    Difference {
        id: "depends-on",
        from: Version::since(0, 8),
        sentence: "`dependsOn` makes a replicated Job only when another is Ready or Complete. Before, it is dropped.",
        source: "jobset v0.8.0 pkg/controllers/jobset_controller.go reconcileReplicatedJobs",
        effects: &[effect("replicatedJobs[].dependsOn", EffectAction::Prune)],
        ..ROW
    },
    Difference {
        id: "lost-status-update",
        from: Version::since(0, 8),
        until: Some(Version::since(0, 12)),
        sentence: "A status update that fails other than by a conflict is not tried again, so a decision is made again only at \
                   the next event.",
        source: "jobset v0.8.0 to v0.12.0: pkg/controllers/jobset_controller.go Reconcile",
        ..ROW
    },
    Difference {
        id: "message-patterns",
        from: Version::since(0, 10),
        kind: DifferenceKind::Decision,
        sentence: "`onJobFailureMessagePatterns` of a rule is compared with the message of the failed Job. Before, it is dropped, \
                   so that the rule matches every message.",
        source: "jobset v0.9.1 and v0.10.0: pkg/controllers/failure_policy.go ruleIsApplicable, \
                 config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml",
        effects: &[effect(
            "failurePolicy.rules[].onJobFailureMessagePatterns",
            EffectAction::Prune,
        )],
        model: Model::Engine(Example {
            policy: "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a}, spec: {failurePolicy: \
                     {maxRestarts: 3, rules: [{action: FailJobSet, onJobFailureMessagePatterns: ['exit code 3 ']}]}, \
                     replicatedJobs: [{name: w, template: {spec: {template: {spec: {containers: [{name: main, image: a}]}}}}}]}}",
            failures: &[r#"{"failureReason": "BackoffLimitExceeded"}"#],
            before: "fail_rule",
            since: "restart_jobset",
        }),
        ..ROW
    },
    Difference {
        id: "container-rules-in-set",
        from: Version::since(0, 10),
        kind: DifferenceKind::Decision,
        sentence: "`restartPolicyRules` of a container in a set are kept. Before, they are dropped, whatever the release of \
                   Kubernetes.",
        source: "jobset v0.9.1 and v0.10.0 (k8s.io/api 0.34): config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml",
        effects: &[effect_on_job(
            "template.spec.containers[].restartPolicyRules",
            EffectAction::Prune,
        )],
        model: Model::InPlace(InPlace {
            policy: "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a}, spec: {replicatedJobs: [{name: w, \
                     template: {spec: {backoffLimit: 0, template: {spec: {restartPolicy: Never, containers: [{name: main, image: a, \
                     restartPolicy: Never, restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [42]}}]}]}}}}}]}}",
            exit: r#"{"replicatedJob": "w", "exitCode": 42}"#,
            before: "fail_backoff_limit",
            reason: "a record has the last exit of a container and the number of restarts, not each restart in place",
        }),
        ..ROW
    },
    Difference {
        id: "in-place-restart",
        from: Version::since(0, 11),
        kind: DifferenceKind::Validation,
        sentence: "`restartStrategy: InPlaceRestart` is accepted with the gate InPlaceRestart (alpha, off). Before, it is refused, \
                   and dropped up to 0.6.",
        source: "jobset v0.10.1 and v0.11.0: config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml, \
                 pkg/webhooks/jobset_webhook.go, pkg/controllers/in_place_restart.go",
        effects: &[effect(STRATEGY, EffectAction::Refuse(&["InPlaceRestart"]))],
        model: Model::Engine(Example {
            policy: "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a}, spec: {failurePolicy: \
                     {maxRestarts: 3, restartStrategy: InPlaceRestart}, replicatedJobs: [{name: w, template: {spec: \
                     {backoffLimit: 2147483647, podReplacementPolicy: Failed, completions: 1, parallelism: 1, template: {spec: \
                     {containers: [{name: main, image: a}]}}}}}]}}",
            failures: &[r#"{"failureReason": "BackoffLimitExceeded"}"#],
            before: "refused",
            since: "restart_jobset",
        }),
        ..ROW
    },
    Difference {
        id: "condition-status-required",
        from: Version::since(0, 11),
        kind: DifferenceKind::Validation,
        sentence: "In a set's Job, a pattern of `onPodConditions` without `status` means True. Before, the custom resource \
                   definition refuses it.",
        source: "jobset v0.10.1 and v0.11.0 (k8s.io/api 0.35): config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml",
        effects: &[effect_on_job(
            "podFailurePolicy.rules[].onPodConditions[]",
            EffectAction::Require("status"),
        )],
        model: Model::Engine(Example {
            policy: "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a}, spec: {replicatedJobs: [{name: w, \
                     template: {spec: {podFailurePolicy: {rules: [{action: FailJob, onPodConditions: [{type: \
                     DisruptionTarget}]}]}, template: {spec: {restartPolicy: Never, containers: [{name: main, image: a}]}}}}}]}}",
            failures: &[r#"{"failureReason": "BackoffLimitExceeded"}"#],
            before: "refused",
            since: "fail_no_policy",
        }),
        ..ROW
    },
    Difference {
        id: "jobs-by-uid",
        from: Version::patch(0, 11, 1),
        kind: DifferenceKind::Decision,
        sentence: "Child Jobs are found by the UID of their set. Before, by its name: a set that is made again under the same name \
                   takes failed Jobs of the deleted one for its own.",
        source: "jobset v0.11.0 and v0.11.1: pkg/controllers/jobset_controller.go SetupJobSetIndexes (commit 92b5737f)",
        model: Model::NotModelled(
            "it is a race between the garbage collector and whoever makes the set again",
        ),
        ..ROW
    },
    Difference {
        id: "restart-job",
        from: Version::since(0, 12),
        kind: DifferenceKind::Validation,
        sentence: "The actions `RestartJob` and `RestartJobAndIgnoreMaxRestarts` are accepted with the gate RestartJob (alpha, \
                   off). Before, they are refused.",
        source: "jobset v0.11.1 and v0.12.0: config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml, \
                 pkg/controllers/failure_policy.go restartJobActionApplier",
        effects: &[effect(
            "failurePolicy.rules[].action",
            EffectAction::Refuse(&["RestartJob", "RestartJobAndIgnoreMaxRestarts"]),
        )],
        model: Model::Engine(Example {
            policy: "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a}, spec: {failurePolicy: \
                     {maxRestarts: 1, rules: [{action: RestartJob}]}, replicatedJobs: [{name: w, template: {spec: {template: \
                     {spec: {containers: [{name: main, image: a}]}}}}}]}}",
            failures: &[r#"{"failureReason": "BackoffLimitExceeded"}"#],
            before: "refused",
            since: "restart_job",
        }),
        ..ROW
    },
    Difference {
        id: "in-place-failed-pods",
        from: Version::since(0, 12),
        kind: DifferenceKind::Decision,
        sentence: "With InPlaceRestart, the attempt of a pod that has failed is not compared any more. Before, a failed pod that is \
                   still there counts.",
        source: "jobset v0.11.1 and v0.12.0: pkg/controllers/in_place_restart.go getPodInPlaceRestartAttempts",
        needs: &[Needs::in_set(&["failurePolicy.restartStrategy=InPlaceRestart"])],
        model: Model::NotModelled("records do not have the attempts that failed pods report"),
        ..ROW
    },
    Difference {
        id: "restarting-condition",
        from: Version::since(0, 12),
        sentence: "The condition `RestartingJobSet` has the rule that restarted the set. Before, only events have the action.",
        source: "jobset v0.12.0 pkg/controllers/failure_policy.go failurePolicyRecreateAll",
        ..ROW
    },
];
