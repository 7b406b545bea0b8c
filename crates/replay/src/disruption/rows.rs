//! The rows, in the order in which they are compared: of the signs of a record, the first decides. A reason that
//! explains another sign comes first.

use super::Sign;
use super::kind::{Kind, Source, System};
use super::row::Row;
use Kind::{
    ApiPreemption, Eviction, FairSharePreemption, Kill, LeaseExpiry, LeaseReturn, NodeLoss,
    Preemption, UrgencyPreemption,
};
use Source::{ArmadaEvents, Lookout, Pods, Records, Sacct};
use System::{Airflow, Armada, AwsBatch, BackendAi, Iris, Kubernetes, Kueue, Slurm};
use armada_retry::policy::Condition::{self, Evicted, Preempted};

type Of = (System, Source);

const KUBELET: &str = "pkg/kubelet/eviction, pkg/kubelet/nodeshutdown, pkg/kubelet/preemption";
const DISRUPTION: &str = "k8s.io/api/core/v1: reasons of the pod condition DisruptionTarget";
const KUEUE: &str = "kueue pkg/controller/jobframework: StopReason, WorkloadEvicted";
const PREEMPTION: &str = "armada internal/scheduler/scheduling/preemption_description.go";
const SLURM: &str = "sacct(1), JOB STATE CODES";
const SIGNAL: &str =
    "128 and the number of SIGKILL or SIGTERM; the program, its user or the node may have sent it";
const MODEL: &str = "docs/semantics.md, section 10";
const RECORDED: &str = "a record that was made of pods or of sacct";

const fn on(
    (system, source): Of,
    sign: Sign,
    kind: Kind,
    condition: Option<Condition>,
    rule: &'static str,
) -> Row {
    Row { system, source, sign, kind, condition, enabled: true, rule, hint: None }
}

const fn off(row: Row, hint: Option<[&'static str; 2]>) -> Row {
    Row { enabled: false, hint, ..row }
}

const fn target(reason: Option<&'static str>) -> Sign {
    Sign::PodCondition { kind: "DisruptionTarget", reason }
}

const fn kueue(reason: Option<&'static str>) -> Sign {
    Sign::PodCondition { kind: "TerminationTarget", reason }
}

const fn field(name: &'static str, value: &'static str) -> Sign {
    Sign::Field { name, value }
}

const fn text(name: &'static str, begins: &'static str) -> Sign {
    Sign::Text { name, begins }
}

const BY_API: &str = "Preempted - preemption requested via API";
const BY_FAIR_SHARE: &str = "Preempted by scheduler using fair share preemption";
const BY_OPTIMISER: &str = "Preempted by scheduler using fairness optimiser";
const BY_URGENCY: &str = "Preempted by scheduler using urgency preemption";
const KUBERNETES_PODS: Of = (Kubernetes, Pods);
const KUEUE_PODS: Of = (Kueue, Pods);
const SACCT: Of = (Slurm, Sacct);
const EVENTS: Of = (Armada, ArmadaEvents);
const LOOKOUT: Of = (Armada, Lookout);
const RECORDS: Of = (Armada, Records(Armada));

/// The hint of jobs that Slurm cancelled before they began.
const CANCELLED: [&str; 2] = [
    "job was cancelled by uid 0 before it began, which is what Slurm does to a --no-requeue job that it preempts; count it as preempted with --disruptions",
    "jobs were cancelled by uid 0 before they began, which is what Slurm does to --no-requeue jobs that it preempts; count them as preempted with --disruptions",
];

/// The value of the field `State` of such a job.
pub(crate) const CANCELLED_BEFORE_IT_BEGAN: &str = "CANCELLED by 0, Elapsed 00:00:00";
/// The value of the field `State` of an attempt that was cancelled, and after which the job has another one.
pub(crate) const CANCELLED_AND_QUEUED: &str = "CANCELLED, and another attempt";

#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    on(KUBERNETES_PODS, Sign::PodReason("Preempting"), Preemption, Some(Preempted), KUBELET),
    on(KUBERNETES_PODS, Sign::PodReason("NodeShutdown"), NodeLoss, Some(Evicted), KUBELET),
    on(KUBERNETES_PODS, Sign::PodReason("Shutdown"), NodeLoss, Some(Evicted), KUBELET),
    on(KUBERNETES_PODS, Sign::PodReason("Terminated"), NodeLoss, Some(Evicted), KUBELET),
    on(KUBERNETES_PODS, Sign::PodReason("NodeLost"), NodeLoss, Some(Evicted), "k8s.io/kubernetes pkg/util/node: NodeUnreachablePodReason"),
    on(KUBERNETES_PODS, target(Some("PreemptionByScheduler")), Preemption, Some(Preempted), DISRUPTION),
    on(KUBERNETES_PODS, target(Some("EvictionByEvictionAPI")), Eviction, Some(Evicted), DISRUPTION),
    on(KUBERNETES_PODS, target(Some("DeletionByTaintManager")), NodeLoss, Some(Evicted), DISRUPTION),
    on(KUBERNETES_PODS, target(Some("DeletionByPodGC")), NodeLoss, Some(Evicted), DISRUPTION),
    on(KUBERNETES_PODS, target(Some("TerminationByKubelet")), Eviction, Some(Evicted), DISRUPTION),
    on(KUBERNETES_PODS, target(None), Eviction, Some(Evicted), DISRUPTION),
    // Kueue evicts workloads, not pods: it takes their place, as Armada's scheduler does.
    on(KUEUE_PODS, kueue(Some("WorkloadEvictedDueToPreempted")), Preemption, Some(Preempted), KUEUE),
    on(KUEUE_PODS, kueue(Some("WorkloadEvictedDueToNodeFailures")), NodeLoss, Some(Preempted), KUEUE),
    on(KUEUE_PODS, kueue(Some("WorkloadEvictedDueToAdmissionCheck")), Eviction, Some(Preempted), KUEUE),
    on(KUEUE_PODS, kueue(Some("WorkloadEvictedDueToPodsReadyTimeout")), Eviction, Some(Preempted), KUEUE),
    on(KUEUE_PODS, kueue(Some("WorkloadEvictedDueToClusterQueueStopped")), Eviction, Some(Preempted), KUEUE),
    on(KUEUE_PODS, kueue(Some("WorkloadEvictedDueToLocalQueueStopped")), Eviction, Some(Preempted), KUEUE),
    on(KUEUE_PODS, kueue(Some("WorkloadEvicted")), Preemption, Some(Preempted), KUEUE),
    off(on(KUEUE_PODS, kueue(Some("WorkloadEvictedDueToDeactivated")), Eviction, Some(Preempted), KUEUE), None),
    off(on(KUEUE_PODS, kueue(Some("WorkloadEvictedDueToDeactivatedDueToAdmissionCheck")), Eviction, Some(Preempted), KUEUE), None),
    off(on(KUEUE_PODS, kueue(Some("WorkloadEvictedDueToDeactivatedDueToMaximumExecutionTimeExceeded")), Eviction, Some(Preempted), KUEUE), None),
    off(on(KUEUE_PODS, kueue(Some("WorkloadEvictedDueToDeactivatedDueToRequeuingLimitExceeded")), Eviction, Some(Preempted), KUEUE), None),
    off(on(KUEUE_PODS, kueue(Some("WorkloadEvictedDueToInactiveWorkload")), Eviction, Some(Preempted), KUEUE), None),
    off(on(KUEUE_PODS, kueue(Some("WorkloadDeleted")), Eviction, Some(Preempted), KUEUE), None),
    off(on(KUEUE_PODS, kueue(Some("NoMatchingWorkload")), Eviction, Some(Preempted), KUEUE), None),
    off(on(KUEUE_PODS, kueue(Some("NotAdmitted")), Eviction, Some(Preempted), KUEUE), None),
    on(KUEUE_PODS, kueue(None), Preemption, Some(Preempted), KUEUE),
    on(KUBERNETES_PODS, Sign::PodReason("Evicted"), Eviction, Some(Evicted), KUBELET),
    on(KUBERNETES_PODS, Sign::ExitCode(137), Kill, None, SIGNAL),
    on(KUBERNETES_PODS, Sign::ExitCode(143), Kill, None, SIGNAL),
    on(SACCT, field("State", "PREEMPTED"), Preemption, Some(Preempted), SLURM),
    on(SACCT, field("State", "NODE_FAIL"), NodeLoss, None, SLURM),
    on(SACCT, field("State", "BOOT_FAIL"), NodeLoss, None, SLURM),
    on(SACCT, field("State", "LAUNCH_FAILED"), NodeLoss, None, SLURM),
    on(SACCT, field("State", "RECONFIG_FAIL"), NodeLoss, None, SLURM),
    on(SACCT, field("State", "REQUEUED"), LeaseReturn, None, SLURM),
    on(SACCT, field("State", CANCELLED_AND_QUEUED), LeaseReturn, None, "sacct(1), --duplicates: an attempt before a requeue"),
    off(on(SACCT, field("State", CANCELLED_BEFORE_IT_BEGAN), Preemption, Some(Preempted), "slurm.conf(5), PreemptMode=REQUEUE: jobs that cannot be requeued are cancelled"), Some(CANCELLED)),
    on(SACCT, Sign::ExitCode(137), Kill, None, SIGNAL),
    on(SACCT, Sign::ExitCode(143), Kill, None, SIGNAL),
    on(EVENTS, text("preempted.reason", BY_API), ApiPreemption, Some(Preempted), "armada internal/scheduler/scheduler.go: generateUpdateMessagesFromJob"),
    on(EVENTS, text("preempted.reason", BY_FAIR_SHARE), FairSharePreemption, Some(Preempted), PREEMPTION),
    on(EVENTS, text("preempted.reason", BY_OPTIMISER), FairSharePreemption, Some(Preempted), "armada internal/scheduler/scheduling/optimiser"),
    on(EVENTS, text("preempted.reason", BY_URGENCY), UrgencyPreemption, Some(Preempted), PREEMPTION),
    on(EVENTS, field("event", "preempted"), Preemption, Some(Preempted), "armada pkg/api/event.proto: JobPreemptedEvent"),
    on(EVENTS, field("event", "leaseExpired"), LeaseExpiry, None, "armada pkg/api/event.proto: JobLeaseExpiredEvent"),
    on(EVENTS, field("event", "leaseReturned"), LeaseReturn, None, "armada pkg/api/event.proto: JobLeaseReturnedEvent"),
    on(EVENTS, field("failed.cause", "Evicted"), Eviction, Some(Evicted), "armada pkg/api/event.proto: Cause"),
    on(EVENTS, Sign::ExitCode(137), Kill, None, SIGNAL),
    on(EVENTS, Sign::ExitCode(143), Kill, None, SIGNAL),
    on(LOOKOUT, text("error", BY_API), ApiPreemption, Some(Preempted), "armada internal/scheduler/scheduler.go: generateUpdateMessagesFromJob"),
    on(LOOKOUT, text("error", BY_FAIR_SHARE), FairSharePreemption, Some(Preempted), PREEMPTION),
    on(LOOKOUT, text("error", BY_OPTIMISER), FairSharePreemption, Some(Preempted), "armada internal/scheduler/scheduling/optimiser"),
    on(LOOKOUT, text("error", BY_URGENCY), UrgencyPreemption, Some(Preempted), PREEMPTION),
    on(LOOKOUT, field("jobRunState", "RUN_PREEMPTED"), Preemption, Some(Preempted), "armada internal/lookout: states of runs"),
    on(LOOKOUT, field("jobRunState", "RUN_LEASE_EXPIRED"), LeaseExpiry, None, "armada internal/lookout: states of runs"),
    on(LOOKOUT, field("jobRunState", "RUN_LEASE_RETURNED"), LeaseReturn, None, "armada internal/lookout: states of runs"),
    on(LOOKOUT, Sign::PodReason("Evicted"), Eviction, Some(Evicted), KUBELET),
    on(LOOKOUT, Sign::ExitCode(137), Kill, None, SIGNAL),
    on(LOOKOUT, Sign::ExitCode(143), Kill, None, SIGNAL),
    on(RECORDS, text("error", BY_API), ApiPreemption, Some(Preempted), "armada internal/scheduler/scheduler.go: generateUpdateMessagesFromJob"),
    on(RECORDS, text("error", BY_FAIR_SHARE), FairSharePreemption, Some(Preempted), PREEMPTION),
    on(RECORDS, text("error", BY_OPTIMISER), FairSharePreemption, Some(Preempted), "armada internal/scheduler/scheduling/optimiser"),
    on(RECORDS, text("error", BY_URGENCY), UrgencyPreemption, Some(Preempted), PREEMPTION),
    on(RECORDS, field("outcome", "Preempted"), Preemption, Some(Preempted), MODEL),
    on(RECORDS, field("outcome", "LeaseExpired"), LeaseExpiry, None, MODEL),
    on(RECORDS, field("outcome", "LeaseReturned"), LeaseReturn, None, MODEL),
    on(RECORDS, field("conditions", "Preempted"), Preemption, Some(Preempted), MODEL),
    on(RECORDS, field("conditions", "PreemptionByScheduler"), Preemption, None, RECORDED),
    on(RECORDS, field("conditions", "Preempting"), Preemption, None, RECORDED),
    on(RECORDS, field("conditions", "DeletionByTaintManager"), NodeLoss, None, RECORDED),
    on(RECORDS, field("conditions", "DeletionByPodGC"), NodeLoss, None, RECORDED),
    on(RECORDS, field("conditions", "NodeLost"), NodeLoss, None, RECORDED),
    on(RECORDS, field("conditions", "NODE_FAIL"), NodeLoss, None, RECORDED),
    on(RECORDS, field("conditions", "BOOT_FAIL"), NodeLoss, None, RECORDED),
    on(RECORDS, field("conditions", "Evicted"), Eviction, Some(Evicted), MODEL),
    on(RECORDS, field("conditions", "EvictionByEvictionAPI"), Eviction, None, RECORDED),
    on(RECORDS, field("conditions", "TerminationByKubelet"), Eviction, None, RECORDED),
    on(RECORDS, Sign::ExitCode(137), Kill, None, SIGNAL),
    on(RECORDS, Sign::ExitCode(143), Kill, None, SIGNAL),
    on((Iris, Records(Iris)), field("outcome", "PREEMPTED"), Preemption, Some(Preempted), "iris: TaskState PREEMPTED; on Kubernetes also DisruptionTarget and TerminationTarget"),
    on((Iris, Records(Iris)), field("outcome", "WORKER_REPORTED_KILLED"), Eviction, Some(Evicted), "iris: TaskState KILLED, as its worker reports it"),
    on((Iris, Records(Iris)), field("outcome", "WORKER_FAILED"), NodeLoss, None, "iris: TaskState WORKER_FAILED"),
    on((Airflow, Records(Airflow)), field("workerDied", "true"), Kill, None, "airflow: heartbeat timeout; an OOM kill, a preemption or a drain"),
    on((Airflow, Records(Airflow)), field("exceptions", "airflow.exceptions.AirflowTaskTerminated"), Kill, None, "airflow: SIGTERM to the process of the task"),
    on((BackendAi, Records(BackendAi)), field("cause", "agent_transient"), NodeLoss, None, "BEP-1053 draft: loss or restart of the agent"),
    on((AwsBatch, Records(AwsBatch)), text("statusReason", "Host EC2"), NodeLoss, None, "aws-cdk, aws-batch: Reason.SPOT_INSTANCE_RECLAIMED; a Spot reclaim or another end of the instance"),
];
