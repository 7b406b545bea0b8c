"""Random histories and policies of Armada's, small enough that most rules, limits and gangs occur in each."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any

SECOND = 10**9
CATEGORIES = ["", "", "infra", "user", "gpu"]
EXIT_CODES = [1, 2, 137, 143, 3, 0]
REASONS = ["", "Error", "OOMKilled"]
MESSAGES = ["", "", "TRANSIENT", "dial tcp 10.0.0.7:443: refused", "step 17 of 90\nmore"]
CONDITIONS = ["OOMKilled", "Evicted", "Preempted", "DeadlineExceeded", "Unschedulable", "NodeLost", "NODE_FAIL"]
OUTCOMES = ["Failed"] * 8 + ["Preempted", "LeaseExpired", "LeaseReturned"]
CPUS = [None, "1", "500m", "2.5"]
GPUS = [None, None, "1", "8"]


@dataclass
class Run:
    """A run as its record describes it; times are nanoseconds from the start of the history."""

    index: int
    started: int | None
    finished: int | None
    outcome: str
    node: str | None
    cluster: str | None
    conditions: list[str]
    containers: list[dict[str, Any]]
    category: str
    subcategory: str

    def record(self) -> dict[str, Any]:
        fields = {
            "runIndex": self.index,
            "startedAt": None if self.started is None else offset(self.started),
            "finishedAt": None if self.finished is None else offset(self.finished),
            "node": self.node,
            "cluster": self.cluster,
            "outcome": self.outcome,
            "conditions": self.conditions,
            "containers": self.containers,
            "category": self.category,
            "subcategory": self.subcategory,
        }
        return {name: value for name, value in fields.items() if value not in (None, [], "")}


@dataclass
class Job:
    id: str
    queue: str
    cpu: str | None
    gpu: str | None
    gang: dict[str, Any] | None
    annotations: dict[str, str]
    runs: list[Run] = field(default_factory=list)

    def record(self) -> dict[str, Any]:
        resources = {"cpu": self.cpu, "nvidia.com/gpu": self.gpu}
        resources = {name: amount for name, amount in resources.items() if amount is not None}
        fields = {
            "jobId": self.id,
            "queue": self.queue,
            "jobSet": "set",
            "annotations": self.annotations,
            "resources": resources,
            "gang": self.gang,
        }
        return {name: value for name, value in fields.items() if value not in (None, {})}


@dataclass
class World:
    engine: str
    policies: str
    # Another set of policies of the same names.
    variant: str
    names: list[str]
    scheduler: str
    jobs: list[Job]
    reloads: list[dict[str, Any]]

    def document(self) -> str:
        jobs = [{**job.record(), "runs": [run.record() for run in job.runs]} for job in self.jobs]
        spec = {"jobs": jobs, "events": self.reloads}
        return json.dumps({"apiVersion": "armadaproject.io/v1", "kind": "FailureHistory", "spec": spec})

    def lines(self, rng: random.Random, padding: int = 0) -> str:
        """The records in an order that keeps each job's. Each has an unread field of `padding` bytes."""
        queues = [[{**job.record(), **run.record()} for run in job.runs] for job in self.jobs]
        lines = []
        while queues:
            queue = rng.choice(queues)
            record = queue.pop(0)
            if padding:
                record["padding"] = "x" * padding
            lines.append(json.dumps(record))
            queues = [queue for queue in queues if queue]
        return "\n".join(lines) + "\n"


def offset(nanoseconds: int) -> str:
    return f"{nanoseconds // 10**6}ms"


def generate(rng: random.Random) -> World:
    engine = rng.choice(["v1", "v1", "v1beta1"])
    names = ["a", "b"] if engine == "v1" else ["a"]
    jobs = [one for number in range(rng.randint(1, 40)) for one in jobs_of(rng, number)]
    reloads = []
    if rng.random() < 0.3:
        limit = rng.choice([0, 1, 3, 50])
        reloads.append({"at": offset(rng.randint(0, 4000) * SECOND), "reload": {"globalMaxRetries": limit}})
    if rng.random() < 0.1:
        is_enabled = rng.random() < 0.5
        reloads.append({"at": offset(rng.randint(0, 4000) * SECOND), "reload": {"enabled": is_enabled}})
    limit, enabled = rng.choice([3, 6, 60]), "true" if rng.random() < 0.9 else "false"
    settings = f"enabled: {enabled}\n    globalMaxRetries: {limit}"
    scheduler = f"scheduling:\n  maxRetries: 4\n  retryPolicy:\n    {settings}\n"
    policies = "---\n".join(policy(rng, engine, name) for name in names)
    variant = "---\n".join(policy(rng, engine, name) for name in names)
    return World(engine, policies, variant, names, scheduler, jobs, reloads)


def jobs_of(rng: random.Random, number: int) -> list[Job]:
    """A job, or the jobs of a gang."""
    size = rng.choice([1, 1, 1, 1, 2, 3])
    gang = {"id": f"gang-{number}", "cardinality": size} if size > 1 else None
    queue = rng.choice(["ml", "batch"])
    jobs = []
    clock = rng.randint(0, 1000) * SECOND
    # Some jobs fail often enough for the row of the 21st retry and later ones.
    most = rng.choice([1, 2, 3, 5]) if rng.random() < 0.95 else 30
    for member in range(size):
        annotations = {"armadaproject.io/failFast": "true"} if rng.random() < 0.03 else {}
        job = Job(f"j{number}-{member}", queue, rng.choice(CPUS), rng.choice(GPUS), gang, annotations)
        runs = rng.randint(1, most) if most < 30 else 30
        time, index = clock, rng.choice([0, 0, 0, 2])
        for place in range(runs):
            is_last = place == runs - 1
            success = 0.6 if is_last else 0.1 if most < 30 else 0.0
            run = random_run(rng, index, time, success, size > 1)
            job.runs.append(run)
            time = (run.finished or time) + rng.randint(0, 200) * SECOND
            index += rng.choice([1, 1, 1, 2])
        jobs.append(job)
    return jobs


def random_run(rng: random.Random, index: int, time: int, success: float, is_member: bool) -> Run:
    # A lease is returned 4 times at most, and no policy of `v1beta1` retries a preempted run.
    outcome = rng.choice(OUTCOMES) if success else "Failed"
    if rng.random() < success:
        outcome = rng.choice(["Succeeded"] * 6 + ["Cancelled"])
    elif is_member and rng.random() < 0.1:
        outcome = rng.choice(["Stopped", "Succeeded"])
    # A history without some times, nodes and clusters is a history too.
    started = time if rng.random() < 0.9 else None
    finished = time + rng.randint(0, 7_200_000) * 10**6 if rng.random() < 0.97 else None
    is_failure = outcome not in ("Succeeded", "Cancelled", "Stopped")
    conditions = [rng.choice(CONDITIONS)] if is_failure and rng.random() < 0.3 else []
    containers = [container(rng, name) for name in ("setup", "main", "side") if rng.random() < 0.6]
    category = rng.choice(CATEGORIES) if is_failure else ""
    return Run(
        index=index,
        started=started,
        finished=finished,
        outcome=outcome,
        node=rng.choice([None, "n1", "n2", "n3"]),
        cluster=rng.choice([None, "c1", "c1"]),
        conditions=conditions,
        containers=containers if is_failure else [],
        category=category,
        subcategory=rng.choice(["", "", "disk"]) if category else "",
    )


def container(rng: random.Random, name: str) -> dict[str, Any]:
    fields = {
        "name": name,
        "init": name == "setup",
        "exitCode": rng.choice(EXIT_CODES),
        "reason": rng.choice(REASONS),
        "message": rng.choice(MESSAGES),
    }
    return {name: value for name, value in fields.items() if value not in ("", False)}


def policy(rng: random.Random, engine: str, name: str) -> str:
    rules = [rule(rng, engine) for _ in range(rng.randint(0, 3))]
    body = {"retryLimit": rng.choice([1, 3, 50]), "defaultAction": rng.choice(["Retry", "Retry", "Fail"]), "rules": rules}
    if engine == "v1":
        metadata: dict[str, Any] = {"metadata": {"name": name}, "spec": body}
    else:
        metadata = {"name": name, **body}
    return json.dumps({"apiVersion": f"armadaproject.io/{engine}", "kind": "RetryPolicy", **metadata}) + "\n"


def rule(rng: random.Random, engine: str) -> dict[str, Any]:
    rule: dict[str, Any] = {"action": rng.choice(["Retry", "Retry", "Fail"])}
    if engine == "v1beta1":
        return {**rule, "onCategory": rng.choice(CATEGORIES[2:])}
    matchers = [
        {"onConditions": rng.sample(CONDITIONS[:5], 3)},
        {"onExitCodes": {"operator": "In", "values": rng.sample(EXIT_CODES[:5], 3)}},
        {"onFailureCategory": [rng.choice(CATEGORIES[2:])]},
        {"onTerminationMessage": {"pattern": "TRANSIENT"}},
    ]
    if rng.random() < 0.4:
        rule["retryLimit"] = rng.choice([1, 2])
    return {**rule, **rng.choice(matchers)}
