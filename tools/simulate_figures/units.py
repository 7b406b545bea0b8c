"""Random histories of the systems besides Armada, each with two sets of policies."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

from recorded import WITH_REQUESTS, time_text

SECOND = 10**9
START = 1_777_852_800 * SECOND
CAUSES = ["agent_transient", "scheduler_timeout", "kernel_nonzero_exit", "oom_killed", "unknown", "user_cancelled"]
EXCEPTIONS = ["builtins.ValueError", "ConnectionError", "shop.errors.Busy", "airflow.exceptions.AirflowFailException"]
ATTEMPTS = ["FAILED"] * 5 + ["WORKER_FAILED"] * 3 + ["PREEMPTED"] * 3 + ["WORKER_REPORTED_KILLED", "TIMEOUT"]
JOB_REASONS = ["BackoffLimitExceeded", "DeadlineExceeded", "PodFailurePolicy"]
CONDITIONS = [
    {"type": "DisruptionTarget", "reason": "EvictionByEvictionAPI"},
    {"type": "DisruptionTarget", "status": "False"},
    {"type": "Ready", "status": "False"},
    {"type": "Initialized"},
    {"type": "ConfigIssue"},
]
Record = dict[str, Any]


@dataclass
class UnitWorld:
    system: str
    policies: list[str]
    # Members of a unit.
    members: int
    records: list[Record]
    # Of Iris.
    is_gang: bool = False
    cascades: tuple[str, ...] = ()


def generate_units(rng: random.Random, system: str) -> UnitWorld:
    members = rng.choice([1, 1, 2, 3]) if system in ("job", "jobset", "iris") else 1
    specs = [POLICIES[system](rng, members) for _ in range(2)]
    world = UnitWorld(system, [json.dumps(spec) + "\n" for spec in specs], members, [])
    if system == "iris":
        for spec in specs:
            # Whether tasks restart together is the same in both.
            spec["spec"]["profile"] = specs[0]["spec"]["profile"]
            spec["spec"]["policy"]["coscheduled"] = specs[0]["spec"]["policy"]["coscheduled"]
        world.policies = [json.dumps(spec) + "\n" for spec in specs]
        coscheduled = specs[0]["spec"]["policy"]["coscheduled"]
        is_upstream = specs[0]["spec"]["profile"] == "upstream"
        world.is_gang = coscheduled and is_upstream
        if coscheduled:
            world.cascades = tuple(set(ATTEMPTS)) if is_upstream else ("FAILED", "WORKER_FAILED")
    timed: list[tuple[int, int, Record]] = []
    for number in range(rng.randint(1, 30)):
        timed += unit_records(rng, world, f"u{number}", rng.randint(0, 3000) * SECOND)
    world.records = [record for *_, record in sorted(timed, key=lambda one: one[:2])]
    return world


def unit_records(rng: random.Random, world: UnitWorld, name: str, begin: int) -> list[tuple[int, int, Record]]:
    """The records of a unit, each with its place in time."""
    found: list[tuple[int, int, Record]] = []
    clocks = [begin] * world.members
    generations = rng.choice([1, 1, 2, 3, 4])
    restarts = rng.random() < 0.6
    resources = {"cpu": rng.choice(["1", "500m"]), "nvidia.com/gpu": rng.choice(["1", "8"])}
    resources = {key: value for key, value in resources.items() if rng.random() < 0.4}
    for generation in range(generations):
        for member in range(world.members):
            if generation and rng.random() < 0.2:
                continue
            start = clocks[member] + rng.randint(0, 200) * SECOND
            minutes = rng.randint(1, 60) * 60_000
            end = start + rng.choice([rng.randint(0, 7_200_000), minutes]) * 10**6
            clocks[member] = end
            record: Record = {"jobId": name, "queue": "q"}
            if rng.random() < 0.9:
                record["startedAt"] = time_text(START + start)
            if rng.random() < 0.97:
                record["finishedAt"] = time_text(START + end)
            if rng.random() < 0.3:
                record["node"] = rng.choice(["n1", "n2"])
            if resources and world.system in WITH_REQUESTS:
                record["resources"] = resources
            is_last = generation == generations - 1
            record |= MAKE[world.system](rng, name, member, rng.random() < (0.6 if is_last else 0.15))
            found.append((end, len(found), record))
        if restarts:
            clocks = [max(clocks)] * world.members
    return found


def pod(rng: random.Random, name: str, member: int, succeeds: bool) -> Record:
    outcome = "Succeeded" if succeeds else rng.choice(["Failed"] * 12 + ["Running", "Stopped", "Cancelled"])
    record: Record = {"outcome": outcome}
    if member or rng.random() < 0.5:
        record["podIndex"] = member
    if outcome == "Failed":
        record["containers"] = [container(rng, one) for one in ("init", "main", "side") if rng.random() < 0.6]
        if rng.random() < 0.3:
            record["podConditions"] = rng.sample(CONDITIONS, rng.choice([1, 2]))
        if rng.random() < 0.1:
            record["podReason"] = "Evicted"
    return record


def container(rng: random.Random, name: str) -> Record:
    fields = {
        "name": name,
        "init": name == "init",
        "exitCode": rng.choice([0, 1, 2, 42, 137]),
        "reason": rng.choice(["", "Error", "Completed", "OOMKilled"]),
    }
    kept = {key: value for key, value in fields.items() if value is not False and value != ""}
    if rng.random() < 0.1:
        del kept["exitCode"]
    return kept


def set_record(rng: random.Random, name: str, member: int, succeeds: bool) -> Record:
    """A pod, or a failed Job, of a set with Jobs of one pod: a driver and workers."""
    job = "driver" if member == 0 else "worker"
    record = {"jobName": f"{name}-{job}-{max(member - 1, 0)}", "replicatedJob": job, "jobIndex": max(member - 1, 0)}
    record |= {**pod(rng, name, 0, succeeds)}
    if record["outcome"] == "Failed" and rng.random() < 0.4:
        record["failureReason"] = rng.choice(JOB_REASONS)
    return record


def attempt(rng: random.Random, name: str, member: int, succeeds: bool) -> Record:
    outcome = "SUCCEEDED" if succeeds else rng.choice(ATTEMPTS * 3 + ["CANCEL_JOB", "UNSCHEDULABLE"])
    record: Record = {"outcome": outcome, "task": member}
    if rng.random() < 0.2:
        record["phase"] = rng.choice(["ASSIGNED", "BUILDING"])
    return record


def session(rng: random.Random, name: str, member: int, succeeds: bool) -> Record:
    record: Record = {"outcome": "Succeeded" if succeeds else rng.choice(["Failed"] * 10 + ["Cancelled"])}
    if record["outcome"] == "Failed" and rng.random() < 0.9:
        record["cause"] = rng.choice(CAUSES)
    if rng.random() < 0.05:
        record["sessionType"] = "interactive"
    if rng.random() < 0.1:
        record["retryCount"] = rng.randrange(3)
    return record


def task_try(rng: random.Random, name: str, member: int, succeeds: bool) -> Record:
    record: Record = {"outcome": "Succeeded" if succeeds else rng.choice(["Failed"] * 10 + ["Cancelled"])}
    if record["outcome"] == "Failed" and rng.random() < 0.6:
        record["exceptions"] = [rng.choice(EXCEPTIONS)]
    if rng.random() < 0.1:
        record["state"] = rng.choice(["restarting", "queued"])
    if rng.random() < 0.05:
        record["forceFail"] = True
    return record


def job_policy(rng: random.Random, members: int) -> Record:
    spec: Record = {"completions": members, "parallelism": members, "template": template()}
    if members > 1 or rng.random() < 0.3:
        spec["completionMode"] = "Indexed"
    if spec.get("completionMode") and rng.random() < 0.5:
        spec["backoffLimitPerIndex"] = rng.randint(0, 3)
        if rng.random() < 0.5:
            spec["maxFailedIndexes"] = rng.randint(0, min(2, members))
    else:
        spec["backoffLimit"] = rng.randint(0, 4)
    if rng.random() < 0.2:
        spec["activeDeadlineSeconds"] = rng.randint(60, 12_000)
    spec["podFailurePolicy"] = {"rules": pod_rules(rng, "backoffLimitPerIndex" in spec)}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "job"}, "spec": spec}


def pod_rules(rng: random.Random, per_index: bool) -> list[Record]:
    actions = ["Ignore", "FailJob", "Count"] + ["FailIndex"] * per_index
    rules = [
        {"action": rng.choice(actions), "onPodConditions": [{"type": "DisruptionTarget"}]},
        {"action": rng.choice(actions), "onExitCodes": {"operator": "In", "values": [rng.choice([2, 42, 137])]}},
    ]
    return rng.sample(rules, rng.randint(0, 2))


def template() -> Record:
    containers = [{"name": "main", "image": "busybox"}]
    return {"spec": {"restartPolicy": "Never", "containers": containers}}


def set_policy(rng: random.Random, members: int) -> Record:
    actions = ["FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts", "RestartJob"]
    rules = [
        {"name": "one", "action": rng.choice(actions), "onJobFailureReasons": [rng.choice(JOB_REASONS)]},
        {"name": "two", "action": rng.choice(actions), "targetReplicatedJobs": ["driver"]},
    ]
    job = lambda: {
        "completions": 1,
        "parallelism": 1,
        "backoffLimit": rng.randint(0, 2),
        "podFailurePolicy": {"rules": pod_rules(rng, False)},
        "template": template(),
    }
    replicated = [{"name": "driver", "replicas": 1, "template": {"spec": job()}}]
    if members > 1:
        replicated.append({"name": "worker", "replicas": members - 1, "template": {"spec": job()}})
    spec: Record = {"replicatedJobs": replicated}
    if rng.random() < 0.9:
        spec["failurePolicy"] = {"maxRestarts": rng.randint(0, 4), "rules": rng.sample(rules, rng.randint(0, 2))}
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "set"}, "spec": spec}


def profile(system: str, **spec: Any) -> Record:
    fields = {"system": system, **spec}
    return {"apiVersion": "armadaproject.io/v1", "kind": "RetryProfile", "metadata": {"name": "p"}, "spec": fields}


def iris_policy(rng: random.Random, members: int) -> Record:
    policy = {
        "max_retries_failure": rng.randint(0, 3),
        "max_retries_preemption": rng.choice([0, 1, 2, 100]),
        "max_task_failures": rng.randint(0, 5),
        "replicas": members,
        "coscheduled": rng.random() < 0.5,
    }
    return profile("iris", profile=rng.choice(["upstream", "seed"]), policy=policy)


def session_policy(rng: random.Random, members: int) -> Record:
    policy = {
        "max_retries": rng.randint(0, 4),
        "retry_delay": rng.choice([1, 60, 600]),
        "backoff": rng.choice(["fixed", "exponential"]),
    }
    if rng.random() < 0.5:
        policy["eligible_causes"] = rng.sample(CAUSES[:5], rng.randint(1, 4))
    return profile("backendai", layers={"session": policy})


def task_policy(rng: random.Random, members: int) -> Record:
    policy: Record = {"retries": rng.randint(0, 4), "retry_delay_seconds": rng.choice([0, 60, 600])}
    if rng.random() < 0.5:
        action = rng.choice(["fail", "retry", "reschedule"])
        rule = {"exception": rng.choice(["builtins.ValueError", "builtins.ConnectionError"]), "action": action}
        policy["retry_policy"] = {"rules": [{**rule, **({"max_reschedules": 2} if action == "reschedule" else {})}]}
    return profile("airflow", profile="3.4", policy=policy)


MAKE = {
    "job": pod,
    "jobset": set_record,
    "iris": attempt,
    "backendai": session,
    "airflow": task_try,
}
POLICIES = {
    "job": job_policy,
    "jobset": set_policy,
    "iris": iris_policy,
    "backendai": session_policy,
    "airflow": task_policy,
}
SYSTEMS = tuple(MAKE)
