"""Recorded runs of the six systems, read from the records that are passed to armadactl.

Written from docs/semantics.md, docs/jobs.md, docs/iris.md, docs/backendai.md and docs/airflow.md.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from figures import BARE, KNOWN_CONDITIONS, has_failed, quantity, shape

Record = dict[str, Any]
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)

# How each outcome counts; absent: failed.
ENDINGS = {
    "Succeeded": "succeeded",
    "SUCCEEDED": "succeeded",
    "Cancelled": "cancelled",
    "LeaseReturned": "unresolved",
    "Running": "unresolved",
}
# Events of a job or a task, which are no attempts.
EVENTS = {"CANCEL_JOB": "cancelled", "UNSCHEDULABLE": "failed"}
# Systems of which records have what a job or a pod requested.
WITH_REQUESTS = ("armada",)
# Systems of which a job is a unit with all its members, and the fields that tell the members apart.
UNIT_KEYS = {"job": ("podIndex",), "jobset": ("jobName", "podIndex"), "iris": ("task",), "backendai": (), "airflow": ()}


@dataclass
class Run:
    index: int
    # Nanoseconds from 1970.
    started: int | None
    finished: int | None
    outcome: str
    ending: str
    kind: str
    category: str | None
    # Whether it is an attempt that has ended.
    counts: bool
    gpu: Fraction
    cpu: Fraction

    @property
    def time(self) -> int | None:
        return self.started if self.finished is None else self.finished

    @property
    def untimed(self) -> bool:
        return self.started is None or self.finished is None

    def cost(self, unit: str) -> Fraction:
        if unit == "retries":
            return Fraction(1)
        hours = Fraction(0) if self.untimed else Fraction(self.finished - self.started, 3600 * 10**9)
        return hours * {"GPU-hours": self.gpu, "core-hours": self.cpu, "hours": 1}[unit]


@dataclass
class Member:
    """A job of Armada, or a pod, a task or the chain of sessions of a unit."""

    unit: str
    key: tuple[Any, ...]
    queue: str
    gang: str | None = None
    # All records, also those that are no runs.
    records: list[Run] = field(default_factory=list)

    @property
    def runs(self) -> list[Run]:
        return [run for run in self.records if run.counts]


def read(system: str, records: list[Record]) -> list[list[Member]]:
    """The units in the order of the history, each with its members: for Armada gangs and single jobs."""
    members: dict[tuple[Any, ...], Member] = {}
    requests: dict[tuple[Any, ...], Record] = {}
    for record in records:
        key = tuple(record.get(name) or 0 for name in UNIT_KEYS.get(system, ()))
        name = (record["jobId"], *key)
        member = members.get(name)
        if member is None:
            gang = record.get("gang") or {}
            is_gang = gang.get("cardinality", 1) > 1
            of_gang = f"{record.get('queue')}/{record.get('jobSet')}/{gang['id']}" if is_gang else None
            member = Member(record["jobId"], key, record.get("queue", ""), of_gang)
            members[name] = member
            requests[name] = record.get("resources") or {}
        # Pods have requests of their own, jobs those of their first record.
        resources = (record.get("resources") or {}) if system in ("job", "jobset") else requests[name]
        member.records.append(read_run(system, record, len(member.records), resources))
    units: dict[Any, list[Member]] = {}
    for name, member in members.items():
        unit = (member.gang or name) if system == "armada" else member.unit
        units.setdefault(unit, []).append(member)
    return list(units.values())


def read_run(system: str, record: Record, position: int, resources: Record) -> Run:
    outcome = record["outcome"]
    index = record.get("runIndex")
    ending = EVENTS.get(outcome) or ENDINGS.get(outcome, "failed")
    return Run(
        index=position if index is None else index,
        started=read_time(record.get("startedAt")),
        finished=read_time(record.get("finishedAt")),
        outcome=outcome,
        ending=ending,
        # A run that succeeded has no failure, whatever its containers and conditions say.
        kind=outcome if ending == "succeeded" else KINDS[system](record),
        category=category(system, record),
        counts=outcome not in EVENTS and outcome != "Running",
        gpu=quantity(resources.get("nvidia.com/gpu")),
        cpu=quantity(resources.get("cpu")),
    )


def read_time(text: str | None) -> int | None:
    """Nanoseconds from 1970 of an RFC 3339 time in UTC, or of an offset in milliseconds."""
    if text is None:
        return None
    if text.endswith("ms"):
        return int(text[:-2]) * 10**6
    seconds, _, fraction = text.removesuffix("Z").partition(".")
    time = datetime.datetime.fromisoformat(seconds).replace(tzinfo=datetime.timezone.utc)
    return (time - EPOCH) // datetime.timedelta(seconds=1) * 10**9 + int(fraction.ljust(9, "0"))


def armada_kind(record: Record) -> str:
    outcome = record["outcome"]
    if record.get("category"):
        subcategory = record.get("subcategory")
        return f"{record['category']}/{subcategory}" if subcategory else record["category"]
    if outcome == "LeaseExpired":
        return "internal/lease-expired"
    mains = [] if outcome in BARE else [one for one in record.get("containers", []) if not one.get("init")]
    failed = next((one for one in mains if has_failed(one)), {})
    reason = failed.get("reason")
    conditions = record.get("conditions", [])
    known = [name for name in conditions if name in KNOWN_CONDITIONS]
    known += ["Preempted"] * (outcome == "Preempted") + [reason] * (reason in KNOWN_CONDITIONS)
    named = known + [name for name in conditions if name not in KNOWN_CONDITIONS]
    if reason not in (None, "", "Error", "Completed"):
        named.append(reason)
    if named:
        return named[0]
    if "exitCode" in failed:
        return f"exit {failed['exitCode']}"
    message = next((one["message"] for one in mains if one.get("message")), "")
    return shape(message) or outcome


# Conditions that healthy pods have too.
HEALTHY = ("PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready", "PodScheduled")


def pod_kind(record: Record) -> str:
    if record.get("failureReason"):
        return record["failureReason"]
    failed = [one for one in record.get("containers", []) if has_failed(one)]
    failed.sort(key=lambda one: one.get("init", False))
    container = failed[0] if failed else {}
    conditions = [one["type"] for one in record.get("podConditions", []) if one.get("status", "True") == "True"]
    reason = container.get("reason")
    named = [reason] if reason not in (None, "", "Error", "Completed", "ContainerStatusUnknown") else []
    named += [name for name in ("DisruptionTarget", "TerminationTarget") if name in conditions]
    named += [record["podReason"]] if record.get("podReason") else []
    named += [name for name in conditions if name not in HEALTHY]
    if named:
        return named[0]
    return f"exit {container['exitCode']}" if "exitCode" in container else record["outcome"]


def session_kind(record: Record) -> str:
    return record.get("cause", "unknown") if record["outcome"] == "Failed" else record["outcome"]


def try_kind(record: Record) -> str:
    exceptions = record.get("exceptions") or [record["outcome"]]
    is_builtin = bool(record.get("exceptions")) and "." not in exceptions[0]
    return f"builtins.{exceptions[0]}" if is_builtin else exceptions[0]


def category(system: str, record: Record) -> str | None:
    """The category by which failures are counted."""
    if system == "airflow":
        return try_kind(record) if record.get("exceptions") else None
    if system == "backendai":
        return session_kind(record) if record["outcome"] == "Failed" else None
    return record.get({"armada": "category", "jobset": "failureReason"}.get(system, "")) or None


KINDS = {
    "armada": armada_kind,
    "job": pod_kind,
    "jobset": pod_kind,
    "iris": lambda record: record["outcome"],
    "backendai": session_kind,
    "airflow": try_kind,
}


def time_text(time: int) -> str:
    """RFC 3339 in UTC with as many digits as the time has."""
    seconds, rest = divmod(time, 10**9)
    text = (EPOCH + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")
    return text + (re.sub("0+$", "", f".{rest:09}") if rest else "") + "Z"
