"""Figures of retries, counted from the decisions of timelines and the records that they are about.

Written from the meanings that docs/fleet.md gives the fields of the report.
"""

from __future__ import annotations

import collections
import re
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt
from typing import Any

from histories import Job, Run, World

# Decisions that grant a job a retry. `gang_rerun` lets a member run again with its gang.
RETRIES = ("retry", "legacy_retry")
FAILED = ("Failed", "LeaseExpired")
BARE = ("Preempted", "LeaseReturned", "LeaseExpired")
KNOWN_CONDITIONS = ("OOMKilled", "Evicted", "Preempted", "DeadlineExceeded", "Unschedulable")
# Conditions that no rule matches and that the table of disruptions has.
DISRUPTIONS = ("NodeLost", "NODE_FAIL")
LAST_NUMBER = 21
HOUR = 3600 * 10**9

Rule = tuple[str, int | None] | None


@dataclass
class Hours:
    runs: int = 0
    untimed: int = 0
    time: Fraction = Fraction(0)
    cpu: Fraction = Fraction(0)
    gpu: Fraction = Fraction(0)

    def add(self, run: Run, job: Job) -> None:
        self.runs += 1
        if run.started is None or run.finished is None:
            self.untimed += 1
            return
        length = Fraction(run.finished - run.started)
        self.time += length
        self.cpu += length * quantity(job.cpu)
        self.gpu += length * quantity(job.gpu)

    def __add__(self, other: Hours) -> Hours:
        return Hours(
            self.runs + other.runs,
            self.untimed + other.untimed,
            self.time + other.time,
            self.cpu + other.cpu,
            self.gpu + other.gpu,
        )

    def report(self) -> dict[str, Any]:
        figures = self.cost(1)
        return {"runs": self.runs, "untimed": self.untimed, **figures}

    def cost(self, jobs: int) -> dict[str, Any]:
        each = lambda time: float(time / HOUR / jobs)
        return {
            "hours": each(self.time),
            "cpuHours": each(self.cpu) if self.cpu else None,
            "gpuHours": each(self.gpu) if self.gpu else None,
        }


@dataclass
class Outcomes:
    """The retries of one rule, or of one number."""

    granted: int = 0
    unrecorded: int = 0
    succeeded: Hours = field(default_factory=Hours)
    failed: Hours = field(default_factory=Hours)
    other: Hours = field(default_factory=Hours)

    def add(self, run: Run, job: Job) -> None:
        if run.outcome == "Succeeded":
            self.succeeded.add(run, job)
        elif run.outcome in FAILED:
            self.failed.add(run, job)
        else:
            self.other.add(run, job)

    def __add__(self, other: Outcomes) -> Outcomes:
        return Outcomes(
            self.granted + other.granted,
            self.unrecorded + other.unrecorded,
            self.succeeded + other.succeeded,
            self.failed + other.failed,
            self.other + other.other,
        )

    def report(self) -> dict[str, Any]:
        recorded = self.succeeded.runs + self.failed.runs + self.other.runs
        return {
            "granted": self.granted,
            "recorded": recorded,
            "unrecorded": self.unrecorded,
            "succeeded": self.succeeded.runs,
            "failed": self.failed.runs,
            "other": self.other.runs,
            "successRate": wilson(self.succeeded.runs, recorded),
            "succeededHours": self.succeeded.report(),
            "lostHours": (self.failed + self.other).report(),
        }


@dataclass
class Retries:
    """The retries of a rule, a policy or no rule."""

    by_number: dict[int | None, Outcomes] = field(default_factory=lambda: collections.defaultdict(Outcomes))
    recovered: int = 0
    disruptions: collections.Counter[str] = field(default_factory=collections.Counter)

    def __add__(self, other: Retries) -> Retries:
        sum_ = Retries(recovered=self.recovered + other.recovered, disruptions=self.disruptions + other.disruptions)
        for numbers in (self.by_number, other.by_number):
            for number, outcomes in numbers.items():
                sum_.by_number[number] += outcomes
        return sum_

    def report(self) -> dict[str, Any]:
        outcomes = sum(self.by_number.values(), Outcomes())
        kinds = ("preempted", "evicted", "nodeLost", "killed")
        succeeded = outcomes.succeeded.runs
        all_runs = outcomes.succeeded + outcomes.failed + outcomes.other
        return {
            **outcomes.report(),
            "succeededRange": {"least": succeeded, "most": succeeded + outcomes.unrecorded},
            "recoveredJobs": self.recovered,
            "costPerRecoveredJob": all_runs.cost(self.recovered) if self.recovered else None,
            "disruptions": {kind: self.disruptions[kind] for kind in kinds},
            "byRetry": self.number_rows(),
        }

    def number_rows(self) -> list[dict[str, Any]]:
        order = sorted(self.by_number, key=lambda number: LAST_NUMBER + 1 if number is None else number)
        return [{"retry": number, **self.by_number[number].report()} for number in order]


@dataclass
class Figures:
    by_rule: dict[Rule, Retries] = field(default_factory=lambda: collections.defaultdict(Retries))
    # By cluster and node: retries, failed, failed again.
    nodes: dict[tuple[str | None, str], list[int]] = field(default_factory=dict)
    # By kind of failure: failures, recorded runs after them, succeeded, failed.
    uncaught: dict[tuple[Any, ...], list[int]] = field(default_factory=dict)


def count(world: World, timelines: list[dict[str, Any]]) -> Figures:
    figures = Figures()
    jobs = {job.id: job for job in world.jobs}
    for timeline in timelines:
        count_job(figures, jobs[timeline["jobId"]], timeline)
    return figures


def count_job(figures: Figures, job: Job, timeline: dict[str, Any]) -> None:
    places = {run.index: place for place, run in enumerate(job.runs)}
    retries, last_rule = 0, None
    for decision in timeline["decisions"]:
        place = places[decision["runIndex"]]
        run = job.runs[place]
        following = job.runs[place + 1] if place + 1 < len(job.runs) else None
        rule: Rule = None
        if decision["policy"] is not None:
            rule = (decision["policy"], decision["ruleIndex"])
        if rule is not None and rule[1] is None:
            counts = figures.uncaught.setdefault(kind_of(run), [0, 0, 0, 0])
            counts[0] += 1
            if following is not None:
                counts[1] += 1
                counts[2] += following.outcome == "Succeeded"
                counts[3] += following.outcome in FAILED
        if decision["action"] != "Retry":
            continue
        number = None
        of_rule = figures.by_rule[rule]
        if decision["decision"] in RETRIES:
            retries += 1
            last_rule = rule
            number = min(retries, LAST_NUMBER)
            of_rule.by_number[number].granted += 1
            cause = disruption(run)
            if rule is not None and cause:
                of_rule.disruptions[cause] += 1
        if following is None:
            of_rule.by_number[number].unrecorded += 1
            continue
        of_rule.by_number[number].add(following, job)
        if following.node is not None:
            place_of = (following.cluster, following.node)
            node = figures.nodes.setdefault(place_of, [0, 0, 0])
            has_failed = following.outcome in FAILED
            node[0] += 1
            node[1] += has_failed
            node[2] += has_failed and place_of == (run.cluster, run.node)
    if timeline["outcome"] == "Succeeded" and retries:
        figures.by_rule[last_rule].recovered += 1


def has_failed(container: dict[str, Any]) -> bool:
    reason = container.get("reason", "")
    return container.get("exitCode", 0) != 0 or reason not in ("", "Completed")


def disruption(run: Run) -> str | None:
    # By the order of the rows of the table.
    names = set(run.conditions)
    if run.outcome == "Preempted":
        return "preempted"
    if run.outcome == "LeaseExpired":
        return "nodeLost"
    if "Preempted" in names:
        return "preempted"
    if names & set(DISRUPTIONS):
        return "nodeLost"
    if "Evicted" in names:
        return "evicted"
    if run.outcome in BARE:
        return None
    failed = [container for container in run.containers if has_failed(container)]
    # Init containers come last.
    failed.sort(key=lambda container: container.get("init", False))
    named = names | {failed[0].get("reason")} if failed else set()
    if not failed or named & {"OOMKilled", "DeadlineExceeded"}:
        return None
    return "killed" if failed[0].get("exitCode") in (137, 143) else None


def kind_of(run: Run) -> tuple[Any, ...]:
    """Category, exit code, condition and shape of the message."""
    containers = [] if run.outcome in BARE else [one for one in run.containers if not one.get("init")]
    failed = next((one for one in containers if has_failed(one)), {})
    condition = next((name for name in run.conditions if name in KNOWN_CONDITIONS), None)
    if condition is None and run.outcome == "Preempted":
        condition = "Preempted"
    if condition is None and failed.get("reason") in KNOWN_CONDITIONS:
        condition = failed["reason"]
    if condition is None:
        condition = next((name for name in run.conditions if name in DISRUPTIONS), None)
    message = next((one["message"] for one in containers if one.get("message")), "")
    return (run.category or None, failed.get("exitCode"), condition, shape(message) or None)


def shape(message: str) -> str:
    words = re.sub(r"\w*\d\w*", "#", message.split("\n")[0])
    return re.sub(r"#(\.#)+", "#", words)


def quantity(text: str | None) -> Fraction:
    if text is None:
        return Fraction(0)
    return Fraction(text[:-1]) / 1000 if text.endswith("m") else Fraction(text)


def wilson(succeeded: int, runs: int) -> dict[str, float] | None:
    """The shares p for which |share - p| <= z * sqrt(p * (1 - p) / runs): the roots of a quadratic equation."""
    if runs == 0:
        return None
    z, share = 1.959963984540054, succeeded / runs
    a = 1 + z * z / runs
    b = -(2 * share + z * z / runs)
    c = share * share
    root = sqrt(max(b * b - 4 * a * c, 0))
    return {"share": share, "low": (-b - root) / (2 * a), "high": (-b + root) / (2 * a)}
