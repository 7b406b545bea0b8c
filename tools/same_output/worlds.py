"""Policies, each with what draws histories for them: units in order of time, without mistakes."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Callable

from records import DAY, SECOND, Record, armada, attempt, common, indexed_pod, iris, pod, session, set_pod


@dataclass(frozen=True)
class World:
    """Policies, and how histories for them are drawn."""

    name: str
    system: str
    # Files relative to the repository, and what else a replay needs.
    policies: tuple[str, ...]
    make: Callable
    options: tuple[str, ...] = ()
    variant: str = ""
    # Members of a unit at the most.
    members: int = 1
    sweep: str = ""
    # Pairs of `explain decision --failure`; of a JobSet the last one is always needed.
    failures: tuple[str, ...] = ()


ARMADA = (
    "exitCode=137",
    "exitCode=1",
    "reason=OOMKilled",
    "category=oom",
    "category=node",
    "condition=Preempted",
    "condition=Evicted",
    "message=TRANSIENT: x",
    "message=i/o timeout",
    "container=main",
    "outcome=LeaseExpired",
    "outcome=Preempted",
    "node=n1",
    "nothing=1",
)
POD = (
    "exitCode=42",
    "exitCode=137",
    "exitCode=2",
    "exitCode=0",
    "podCondition=DisruptionTarget",
    "podCondition=Ready=False",
    "container=main",
    "outcome=Failed",
    "podIndex=1",
    "podReason=Evicted",
    "nothing=1",
)
SET = POD + (
    "failureReason=BackoffLimitExceeded",
    "failureReason=PodFailurePolicy",
    "failureMessage=has condition DisruptionTarget",
    "jobIndex=0",
    "jobName=a-main-0",
)
IRIS = (
    "outcome=WORKER_FAILED",
    "outcome=FAILED",
    "outcome=PREEMPTED",
    "outcome=TIMEOUT",
    "outcome=CANCEL_JOB",
    "phase=ASSIGNED",
    "task=1",
    "outcome=x",
)
BACKENDAI = (
    "cause=oom_killed",
    "cause=agent_transient",
    "cause=quota_exceeded",
    "sessionType=interactive",
    "outcome=Cancelled",
    "sessionId=a",
    "retryCount=1",
)
AIRFLOW = (
    "state=restarting",
    "state=queued",
    "tryNumber=2",
    "tryNumber=9",
    "maxTries=3",
    "forceFail=true",
    "retryDelayOverride=60",
    "dagId=etl",
    "taskId=load",
    "logicalDate=2026-05-04T00:00:00Z",
)
GATES = ("--feature-gates", "RestartJob=true,InPlaceRestart=true")

WORLDS = (
    World(
        "armada",
        "armada",
        ("benches/replay/policy.yaml",),
        armada,
        ("--scheduler-config", "benches/replay/scheduler.yaml"),
        "other=examples/policies/infra.yaml",
        sweep="retryLimit=0..3",
        failures=ARMADA,
    ),
    World(
        "armada-two",
        "armada",
        ("examples/policies",),
        armada,
        ("--queue-policies", "infra,ml-training"),
        "other=tools/same_output/policies/armada.yaml,examples/policies",
        sweep="globalMaxRetries=0..4",
        failures=ARMADA,
    ),
    World(
        "armada-all",
        "armada",
        ("tools/same_output/policies/armada.yaml",),
        armada,
        ("--scheduler-config", "testdata/cli/scheduler.yaml"),
        "other=benches/replay/policy.yaml",
        sweep="all-matchers.rules[2].retryLimit=0..2",
        failures=ARMADA,
    ),
    World(
        "armada-v1beta1",
        "armada",
        ("testdata/cli/beta.yaml",),
        armada,
        (),
        "other=benches/replay/policy.yaml",
        failures=ARMADA,
    ),
    World(
        "armada-gangs",
        "armada",
        ("examples/policies/infra.yaml",),
        armada,
        (),
        "other=testdata/cli/beta.yaml",
        members=4,
        failures=ARMADA,
    ),
    World("job", "job", ("benches/systems/job.yaml",), pod, (), "other=examples/job/disruption.yaml", failures=POD),
    World(
        "job-indexed",
        "job",
        ("examples/job/per-index.yaml",),
        indexed_pod,
        (),
        "other=examples/job/disruption.yaml",
        members=8,
        failures=POD,
    ),
    World(
        "job-parallel",
        "job",
        ("examples/job/disruption.yaml",),
        indexed_pod,
        ("--pod-backoff-cap", "6m"),
        "other=benches/systems/job.yaml",
        members=3,
        failures=POD,
    ),
    World(
        "jobset",
        "jobset",
        ("benches/systems/jobset.yaml",),
        set_pod(["main"]),
        (),
        "other=benches/systems/jobset.yaml",
        failures=(*SET, "replicatedJob=main"),
    ),
    World(
        "jobset-several",
        "jobset",
        ("examples/jobset/different-policies-for-different-replicated-jobs.yaml",),
        set_pod(["workers", "parameter-server"]),
        (),
        "other=tools/same_output/policies/jobset-several.yaml",
        members=5,
        failures=(*SET, "replicatedJob=workers"),
    ),
    World(
        "jobset-gates",
        "jobset",
        ("examples/jobset/restart-replicated-job-today.yaml",),
        set_pod(["gpu-workers", "driver"]),
        GATES,
        "other=tools/same_output/policies/jobset-in-place.yaml",
        members=5,
        failures=(*SET, "replicatedJob=gpu-workers"),
    ),
    World(
        "jobset-in-place",
        "jobset",
        ("tools/same_output/policies/jobset-in-place.yaml",),
        set_pod(["gpu-workers", "driver"]),
        GATES,
        "other=examples/jobset/restart-replicated-job-today.yaml",
        members=3,
        failures=(*SET, "replicatedJob=gpu-workers"),
    ),
    World("iris", "iris", ("benches/systems/iris.yaml",), iris, (), "other=examples/iris/seed.yaml", failures=IRIS),
    World(
        "iris-gang",
        "iris",
        ("examples/iris/nightly.yaml",),
        iris,
        (),
        "other=examples/iris/seed.yaml",
        members=4,
        failures=IRIS,
    ),
    World(
        "backendai",
        "backendai",
        ("benches/systems/backendai.yaml",),
        session,
        (),
        "other=examples/backendai/persistent.yaml",
        failures=BACKENDAI,
    ),
    World(
        "backendai-random",
        "backendai",
        ("examples/backendai/persistent.yaml",),
        session,
        ("--seed", "7"),
        "other=examples/backendai/training.yaml",
        failures=BACKENDAI,
    ),
    World(
        "airflow",
        "airflow",
        ("benches/systems/airflow.yaml",),
        attempt,
        (),
        "other=examples/airflow/growing-2.9.yaml",
        failures=AIRFLOW,
    ),
    World(
        "airflow-fixed",
        "airflow",
        ("examples/airflow/fixed.yaml",),
        attempt,
        (),
        "other=examples/airflow/growing.yaml",
        failures=AIRFLOW,
    ),
)


def shared(world: World, draw: random.Random, number: int) -> Record:
    """What all records of a unit say, since a later one that says something else is a warning."""
    found: Record = {"queue": f"queue-{number % 5}"} if draw.random() < 0.9 else {}
    if world.system == "armada":
        if draw.random() < 0.2:
            found["resources"] = {
                "cpu": draw.choice(["4", "500m", 2]),
                "memory": "16Gi",
                "nvidia.com/gpu": draw.choice(["1", 8]),
            }
        if draw.random() < 0.1:
            found["annotations"] = {"armadaproject.io/failFast": draw.choice(["true", "false"]), "team": "vision"}
        if draw.random() < 0.3:
            found["jobSet"] = "nightly"
    return found


def unit_of(world: World, draw: random.Random, number: int, begin: int) -> list[tuple[int, Record]]:
    """The runs of one unit, each with its end."""
    members = draw.randint(1, world.members)
    is_gang = world.system == "armada" and members > 1
    unit, found = f"{world.system}-{number:05}", []
    rounds, of_unit = draw.choice([1, 2, 2, 3, 4, 6]), shared(world, draw, number)
    for member in range(members):
        name = f"{unit}-{member}" if is_gang else unit
        at = begin
        for run in range(rounds if is_gang else draw.randint(1, rounds)):
            start = at + draw.randrange(1, 900) * SECOND
            at = start + draw.randrange(1, 7200 * SECOND) // draw.choice([1, SECOND]) * SECOND % DAY
            record = world.make(draw, common(draw, name, start, at), run + 1 == rounds, member) | of_unit
            if draw.random() < 0.01:
                record["queue"] = "another"
            if draw.random() < 0.3:
                record["runIndex"] = run
            if is_gang:
                record["gang"] = {"id": unit, "cardinality": members}
                if member and draw.random() < 0.6 and record["outcome"] != "Succeeded":
                    record["outcome"] = "Stopped"
            found.append((at, record))
    return found


def history(world: World, draw: random.Random, runs: int) -> list[Record]:
    """So many runs of units, or a few more, by their ends."""
    found: list[tuple[int, Record]] = []
    number = 0
    while len(found) < runs:
        found += unit_of(world, draw, number, draw.randrange(runs // 20 + 1) * 1800 * SECOND)
        number += 1
    return [record for _, record in sorted(found, key=lambda pair: pair[0])]
