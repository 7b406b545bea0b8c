"""Records of runs as each system has them, drawn without mistakes."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Callable

Record = dict
SECOND = 1_000_000
DAY = 86_400 * SECOND


@dataclass(frozen=True)
class Time:
    """Microseconds since the history's start; spelling.py writes it as a date or as an offset."""

    micros: int


def common(draw: random.Random, unit: str, start: int, end: int) -> Record:
    """The fields that all systems have."""
    record: Record = {"jobId": unit}
    if draw.random() < 0.6:
        record["startedAt"] = Time(start)
    if draw.random() < 0.97:
        record["finishedAt"] = Time(end)
    if draw.random() < 0.7:
        record["node"] = f"node-{draw.randrange(40)}"
    if draw.random() < 0.3:
        record["cluster"] = draw.choice(["east", "west", "tpu-1"])
    return record


def container(draw: random.Random, name: str) -> Record:
    """A container that ended, with what rules of several policies look at."""
    code = draw.choice([0, 1, 2, 3, 42, 74, 75, 134, 137, 139, 143, 255])
    one: Record = {"name": name}
    if draw.random() < 0.95:
        one["exitCode"] = code
    if draw.random() < 0.7:
        one["reason"] = draw.choice(["OOMKilled", "Error", "Completed", "DeadlineExceeded", ""])
    if draw.random() < 0.5:
        one["message"] = draw.choice(
            [
                "",
                "TRANSIENT: try again",
                "NCCL error on rank 3",
                "i/o timeout (120ms)",
                'Traceback\n  File "a.py"',
                "CUDA error: an uncorrectable ECC error was found",
                "été 日本 \U0001f600",
                "a\\b\t\x01",
                "x" * draw.randrange(200),
            ]
        )
    if draw.random() < 0.1:
        one["init"] = draw.random() < 0.5
    return one


def containers(draw: random.Random, restarts: bool = False) -> list[Record]:
    """The containers of a pod."""
    names = draw.sample(["main", "log-shipper", "fetch"], draw.choice([1, 1, 1, 2, 3]))
    found = [container(draw, name) for name in names]
    if restarts and draw.random() < 0.1:
        found[0]["restarts"] = draw.randrange(4)
    return found


def armada(draw: random.Random, record: Record, is_last: bool, _member: int) -> Record:
    """A run of an Armada job."""
    outcome = (
        "Succeeded"
        if is_last and draw.random() < 0.6
        else draw.choice(["Failed"] * 8 + ["Preempted", "Preempted", "LeaseReturned", "LeaseExpired", "Cancelled"])
    )
    record["outcome"] = outcome
    if outcome != "Succeeded":
        if draw.random() < 0.7:
            record["category"] = draw.choice(["oom", "node", "network", "infrastructure", "application", "gpu", ""])
        if draw.random() < 0.2:
            record["subcategory"] = draw.choice(["disk", "ecc"])
        if draw.random() < 0.4:
            record["conditions"] = draw.choice(
                [[], ["Evicted"], ["OOMKilled"], ["DeadlineExceeded"], ["Evicted", "NotOne"]]
            )
        if draw.random() < 0.8:
            record["containers"] = containers(draw)
        if draw.random() < 0.3:
            record["terminationGracePeriodSeconds"] = draw.choice([0, 5, 30, 60, 300])
        if draw.random() < 0.1 and "finishedAt" in record:
            record["terminationConfirmedAt"] = Time(record["finishedAt"].micros + draw.randrange(30) * SECOND)
    return record


def pod(draw: random.Random, record: Record, is_last: bool, _member: int) -> Record:
    """A pod of a Job."""
    outcome = (
        "Succeeded"
        if is_last and draw.random() < 0.6
        else draw.choice(["Failed"] * 10 + ["Running", "Stopped", "Cancelled"])
    )
    record["outcome"] = outcome
    if outcome == "Failed":
        if draw.random() < 0.8:
            record["containers"] = containers(draw, restarts=True)
        if draw.random() < 0.25:
            record["podConditions"] = [
                draw.choice(
                    [
                        {"type": "DisruptionTarget"},
                        {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"},
                        {"type": "Ready", "status": "False"},
                        {"type": "DisruptionTarget", "status": "False"},
                    ]
                )
            ]
        if draw.random() < 0.1:
            record["podReason"] = "Evicted"
        if draw.random() < 0.05:
            record["restarts"] = draw.randrange(5)
    if draw.random() < 0.2:
        record["podName"] = f"ml/{record['jobId']}-{draw.randrange(99)}"
    return record


def indexed_pod(draw: random.Random, record: Record, is_last: bool, member: int) -> Record:
    """A pod of a Job of several."""
    if member or draw.random() < 0.7:
        record["podIndex"] = member
    if draw.random() < 0.05:
        record |= {"indexFailureCount": draw.randrange(3), "indexIgnoredFailureCount": draw.randrange(2)}
    return pod(draw, record, is_last, member)


def set_pod(replicated: list[str]) -> Callable:
    """A pod, or a failed Job, of a JobSet with these replicated Jobs."""

    def make(draw: random.Random, record: Record, is_last: bool, member: int) -> Record:
        name, index = replicated[member % len(replicated)], member // len(replicated)
        record |= {"jobName": f"{record['jobId']}-{name}-{index}", "replicatedJob": name, "jobIndex": index}
        if draw.random() < 0.1:
            record.pop(draw.choice(["replicatedJob", "jobIndex"]))
        record = pod(draw, record, is_last, member)
        if record["outcome"] == "Failed" and len(replicated) > 1 and draw.random() < 0.3:
            record["failureReason"] = draw.choice(
                ["BackoffLimitExceeded", "DeadlineExceeded", "PodFailurePolicy", "FailedIndexes"]
            )
            if draw.random() < 0.5:
                record["failureMessage"] = (
                    "Container main for pod default/a-0 failed with exit code 3 matching FailJob rule at index 0"
                )
        if draw.random() < 0.1:
            record[draw.choice(["restartAttempt", "inPlaceRestartAttempt"])] = draw.randrange(3)
        return record

    return make


def iris(draw: random.Random, record: Record, is_last: bool, member: int) -> Record:
    """An attempt of an Iris task."""
    record["outcome"] = (
        "SUCCEEDED"
        if is_last and draw.random() < 0.6
        else draw.choice(
            ["FAILED"] * 5
            + ["WORKER_FAILED"] * 3
            + ["PREEMPTED"] * 3
            + ["WORKER_REPORTED_KILLED", "CANCEL_JOB", "TIMEOUT", "UNSCHEDULABLE"]
        )
    )
    if member or draw.random() < 0.5:
        record["task"] = member
    if draw.random() < 0.3:
        record["phase"] = draw.choice(["ASSIGNED", "BUILDING", "RUNNING"])
    return record


def session(draw: random.Random, record: Record, is_last: bool, _member: int) -> Record:
    """A session of the BEP-1053 draft."""
    record["outcome"] = "Succeeded" if is_last and draw.random() < 0.6 else draw.choice(["Failed"] * 8 + ["Cancelled"])
    if record["outcome"] == "Failed" and draw.random() < 0.9:
        record["cause"] = draw.choice(
            [
                "agent_transient",
                "scheduler_timeout",
                "image_pull_failure",
                "kernel_nonzero_exit",
                "oom_killed",
                "unknown",
                "user_cancelled",
                "validation_error",
                "quota_exceeded",
            ]
        )
    if draw.random() < 0.7:
        record["sessionId"] = f"{draw.getrandbits(64):016x}"
    if draw.random() < 0.1:
        record["sessionType"] = draw.choice(["batch", "interactive", "inference", "system"])
    if draw.random() < 0.1:
        record["retryCount"] = draw.randrange(4)
    return record


def attempt(draw: random.Random, record: Record, is_last: bool, _member: int) -> Record:
    """A try of an Airflow task instance."""
    record["outcome"] = "Succeeded" if is_last and draw.random() < 0.6 else draw.choice(["Failed"] * 8 + ["Cancelled"])
    if draw.random() < 0.8:
        record |= {
            "dagId": "etl",
            "taskId": draw.choice(["load", "tägliche.gruppe"]),
            "logicalDate": draw.choice(
                [
                    "2026-05-04T00:00:00Z",
                    "2026-05-04 00:00:00+02:00",
                    "2026-05-04T00:00:00.123456",
                    "None",
                    "1900-01-01T00:00:00Z",
                ]
            ),
        }
    for key, share, value in [
        ("tryNumber", 0.1, draw.randrange(1, 6)),
        ("maxTries", 0.05, draw.randrange(8)),
        ("state", 0.1, draw.choice(["running", "restarting", "queued", "deferred"])),
        ("forceFail", 0.05, draw.random() < 0.5),
        ("retryDelayOverride", 0.05, draw.choice([0, 12.5, 3600])),
    ]:
        if draw.random() < share:
            record[key] = value
    return record
