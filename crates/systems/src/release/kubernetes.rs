//! Rows of Kubernetes: the Job controller, the API server's handling of Jobs, and restarts in place.
//!
//! Read in the Go modules `k8s.io/kubernetes` 1.30.4, 1.30.14, 1.31.0, 1.31.14, 1.32.2, 1.32.13, 1.33.6, 1.33.13, 1.34.0, 1.34.2,
//! 1.34.3, 1.34.4, 1.35.4, 1.36.1, 1.36.3 and 1.37.2. Gates have their defaults (`pkg/features/kube_features.go`). The constants of
//! the wait, the match of `podFailurePolicy`, the arithmetic of limits and the bounds of validation are the same in all.

use super::difference::{
    Difference, DifferenceKind, Effect, EffectAction, Example, InPlace, Model, Needs, Owner,
};
use super::program::Program;
use super::version::Version;

const ROW: Difference = Difference::row_of(Program::Kubernetes);

const CONTAINERS: &str = "template.spec.containers[].restartPolicyRules";

const IN_PLACE: &str = "a record has the last exit of a container and the number of restarts, not each restart in place";

const fn prune(path: &'static str) -> Effect {
    Effect { path, of: Owner::JobSpec, action: EffectAction::Prune }
}

const fn refuse(path: &'static str, values: &'static [&'static str]) -> Effect {
    Effect { path, of: Owner::JobSpec, action: EffectAction::Refuse(values) }
}

/// The rows, in the order of versions.
pub(super) const ROWS: &[Difference] = &[
    Difference {
        id: "job-success-policy",
        from: Version::since(1, 31),
        kind: DifferenceKind::Decision,
        sentence: "A Job's `successPolicy` ends it early. Before, the API server drops the field, and the Job needs all of \
                   its indexes.",
        source: "k8s.io/kubernetes 1.30.14 and 1.31.14: pkg/registry/batch/job/strategy.go PrepareForCreate, \
                 pkg/controller/job/success_policy.go matchSuccessPolicy (gate JobSuccessPolicy)",
        effects: &[prune("successPolicy")],
        failures: &[&[
            r#"{"podIndex": 0, "outcome": "Succeeded"}"#,
            r#"{"podIndex": 1, "exitCode": 1}"#,
        ]],
        model: Model::Engine(Example {
            policy: "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {completionMode: Indexed, completions: 2, \
                     parallelism: 2, backoffLimit: 0, successPolicy: {rules: [{succeededIndexes: '0'}]}, template: {spec: \
                     {restartPolicy: Never, containers: [{name: main, image: a}]}}}}",
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
        id: "sidecar-finish-time",
        from: Version::since(1, 31),
        kind: DifferenceKind::Decision,
        is_about_waits: true,
        sentence: "The wait for a replacement counts from the end of the last container. Before, sidecars (init containers \
                   with `restartPolicy: Always`) are left out.",
        source: "k8s.io/kubernetes 1.30.14 and 1.31.14: pkg/controller/job/backoff_utils.go getFinishTimeFromContainers, \
                 latestFinishTime",
        needs: &[Needs::in_job(&["template.spec.initContainers[].restartPolicy=Always"])],
        model: Model::NotModelled("a record has the end of the pod, not that of each container"),
        ..ROW
    },
    Difference {
        id: "terminal-after-pods",
        from: Version::since(1, 31),
        kind: DifferenceKind::Decision,
        sentence: "A Job that fails is `Failed` when none of its pods terminates any more, so a JobSet may see another Job \
                   fail first. Before, it is `Failed` at once.",
        source: "k8s.io/kubernetes 1.30.14 and 1.31.14: pkg/controller/job/job_controller.go newFailureCondition, \
                 delayTerminalCondition, enactJobFinished (gate JobPodReplacementPolicy)",
        needs: &[Needs::in_set(&["failurePolicy.rules"])],
        model: Model::NotModelled(
            "records of pods that were stopped do not have the time at which the Job became Failed",
        ),
        ..ROW
    },
    Difference {
        id: "condition-sticky",
        from: Version::since(1, 31),
        sentence: "The reason of a failure is settled at the first sync (`FailureTarget`). Before, a refused update may let \
                   another reason win.",
        source: "k8s.io/kubernetes 1.30.14 and 1.31.14: pkg/controller/job/job_controller.go newFailureCondition",
        ..ROW
    },
    Difference {
        id: "managed-by",
        from: Version::since(1, 32),
        kind: DifferenceKind::Validation,
        sentence: "A Job with `managedBy` of another controller is left to that controller. Before, the field is dropped, and \
                   the Job controller runs the Job.",
        source: "k8s.io/kubernetes 1.31.14 and 1.32.13: pkg/registry/batch/job/strategy.go PrepareForCreate, \
                 pkg/controller/job/job_controller.go managedByExternalController (gate JobManagedBy)",
        effects: &[prune("managedBy")],
        model: Model::NotModelled("the other controller decides, and its rules are not here"),
        ..ROW
    },
    Difference {
        id: "status-late",
        from: Version::since(1, 32),
        until: Some(Version::patch(1, 36, 3)),
        sentence: "While a wait runs and another pod is ready, a status update is refused, so `status.failed` stays as it was \
                   until the wait is over (fixed in 1.36.3).",
        source: "k8s.io/kubernetes 1.32.13 to 1.36.3: pkg/controller/job/job_controller.go manageJob; \
                 pkg/apis/batch/validation/validation.go RejectMoreReadyThanActivePods",
        ..ROW
    },
    Difference {
        id: "backoff-survives-deletion",
        from: Version::since(1, 33),
        kind: DifferenceKind::Decision,
        is_about_waits: true,
        sentence: "The count of the wait is dropped when a Job is deleted (1.31.14 and 1.32.13 too). Before, a Job that is \
                   made again at once under the same name may inherit it.",
        source: "k8s.io/kubernetes 1.31.0, 1.31.14, 1.32.2, 1.32.13, 1.33.6: pkg/controller/job/job_controller.go deleteJob \
                 (removeBackoffRecord)",
        model: Model::NotModelled(
            "it is a race between the controller and whoever makes the Job again",
        ),
        ..ROW
    },
    Difference {
        id: "orphans-not-adopted",
        from: Version::since(1, 34),
        until: Some(Version::patch(1, 34, 2)),
        sentence: "Pods that match the selector but have no owner are not adopted (fixed in 1.34.2).",
        source: "k8s.io/kubernetes 1.34.0 and 1.34.2: pkg/controller/job/job_controller.go getPodsForJob",
        ..ROW
    },
    Difference {
        id: "cronjob-condition-status",
        from: Version::since(1, 34),
        kind: DifferenceKind::Validation,
        sentence: "In a CronJob's template, a pattern of `onPodConditions` without `status` means True. Before, it is refused. \
                   In a Job it is True in all releases.",
        source: "k8s.io/kubernetes 1.33.13 and 1.34.4: pkg/apis/batch/v1/defaults.go \
                 SetDefaults_PodFailurePolicyOnPodConditionsPattern",
        model: Model::NotModelled("CronJobs are not read"),
        ..ROW
    },
    Difference {
        id: "container-restart-policy-accepted",
        from: Version::since(1, 34),
        kind: DifferenceKind::Validation,
        sentence: "`restartPolicy` of a container that is no init container is accepted, and dropped up to 1.34. Before 1.34 it \
                   is refused.",
        source: "k8s.io/kubernetes 1.33.13 and 1.34.4: pkg/apis/core/validation/validation.go validateContainers, \
                 pkg/api/pod/util.go dropContainerRestartRules",
        effects: &[refuse("template.spec.containers[].restartPolicy", &[])],
        model: Model::Engine(Example {
            policy: "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {backoffLimit: 0, template: {spec: \
                     {restartPolicy: Never, containers: [{name: main, image: a, restartPolicy: Never}]}}}}",
            failures: &[r#"{"exitCode": 1}"#],
            before: "refused",
            since: "fail_backoff_limit",
        }),
        ..ROW
    },
    Difference {
        id: "container-restart-rules",
        from: Version::since(1, 35),
        kind: DifferenceKind::Decision,
        sentence: "`restartPolicyRules` of a container restart it in place: the pod does not fail, so that neither \
                   `podFailurePolicy` nor the count of failed pods sees the exit, and with `restartPolicy: Never` no limit \
                   counts it. Before, the rules are dropped, and the exit is a failed pod.",
        source: "k8s.io/kubernetes 1.34.4 and 1.36.0: pkg/api/v1/pod/util.go ContainerShouldRestart, \
                 pkg/kubelet/kubelet_pods.go getPhase, pkg/api/pod/util.go dropContainerRestartRules (gate \
                 ContainerRestartRules, beta)",
        effects: &[prune(CONTAINERS), prune("template.spec.containers[].restartPolicy")],
        model: Model::InPlace(InPlace {
            policy: "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {backoffLimit: 0, template: {spec: \
                     {restartPolicy: Never, containers: [{name: main, image: a, restartPolicy: Never, restartPolicyRules: \
                     [{action: Restart, exitCodes: {operator: In, values: [42]}}]}]}}}}",
            exit: r#"{"exitCode": 42}"#,
            before: "fail_backoff_limit",
            reason: IN_PLACE,
        }),
        ..ROW
    },
    Difference {
        id: "rules-hide-fail-job",
        from: Version::since(1, 35),
        kind: DifferenceKind::Decision,
        sentence: "A rule of `podFailurePolicy` for an exit code that a container's rule restarts is never consulted. Before, it \
                   decides.",
        source: "k8s.io/kubernetes 1.36.0: pkg/api/v1/pod/util.go FindMatchingContainerRestartRule",
        needs: &[Needs::in_job(&[CONTAINERS, "podFailurePolicy.rules[].onExitCodes"])],
        model: Model::NotModelled(IN_PLACE),
        ..ROW
    },
    Difference {
        id: "not-in-restarts-success",
        from: Version::since(1, 35),
        kind: DifferenceKind::Decision,
        sentence: "`NotIn` of a container's rule matches the exit code 0 too, so a container that succeeded is restarted.",
        source: "k8s.io/kubernetes 1.36.0: pkg/api/v1/pod/util.go FindMatchingContainerRestartRule",
        needs: &[Needs::in_job(&[
            "template.spec.containers[].restartPolicyRules[].exitCodes.operator=NotIn",
        ])],
        model: Model::NotModelled(IN_PLACE),
        ..ROW
    },
    Difference {
        id: "rules-of-init",
        from: Version::since(1, 35),
        kind: DifferenceKind::Validation,
        sentence: "Rules of an init container without `restartPolicy` are refused. Before, they are accepted, and without \
                   effect.",
        source: "k8s.io/kubernetes 1.34.4, 1.35.4, 1.36.3: pkg/apis/core/validation/validation.go \
                 validateInitContainerRestartPolicy",
        needs: &[Needs::in_job(&["template.spec.initContainers[].restartPolicyRules"])],
        model: Model::NotModelled("older releases accept what newer ones refuse, and drop it"),
        ..ROW
    },
    Difference {
        id: "kubelet-wait",
        from: Version::since(1, 35),
        sentence: "The kubelet's setting `maxContainerRestartPeriod` is read by default. The wait before a restart in place is \
                   10s doubled to 300s in all releases unless it is set.",
        source: "k8s.io/kubernetes 1.30.14, 1.33.13, 1.35.4, 1.37.2: pkg/kubelet/kubelet.go newCrashLoopBackOff",
        ..ROW
    },
    Difference {
        id: "restart-all-containers",
        from: Version::since(1, 36),
        kind: DifferenceKind::Decision,
        sentence: "The action `RestartAllContainers` ends and restarts all containers of a pod in place. Before, it is refused, \
                   and dropped with the rules up to 1.34.",
        source: "k8s.io/kubernetes 1.35.4 and 1.36.3: pkg/kubelet/container/helpers.go ShouldAllContainersRestart \
                 (gate RestartAllContainersOnContainerExits, beta)",
        effects: &[refuse(
            "template.spec.containers[].restartPolicyRules[].action",
            &["RestartAllContainers"],
        )],
        model: Model::InPlace(InPlace {
            policy: "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {backoffLimit: 0, template: {spec: \
                     {restartPolicy: Never, containers: [{name: main, image: a, restartPolicy: Never, restartPolicyRules: \
                     [{action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}]}]}}}}",
            exit: r#"{"exitCode": 42}"#,
            before: "refused",
            reason: IN_PLACE,
        }),
        ..ROW
    },
    Difference {
        id: "resources-of-suspended",
        from: Version::since(1, 36),
        sentence: "Requests and limits of a suspended Job may be changed. Before, they are immutable.",
        source: "k8s.io/kubernetes 1.35.4 and 1.36.3: pkg/apis/batch/validation/validation.go \
                 validatePodResourceUpdatesOnly (gate MutablePodResourcesForSuspendedJobs)",
        needs: &[Needs::in_job(&["suspend=true"])],
        ..ROW
    },
];
