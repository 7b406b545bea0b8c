"""The verdict on a set of policies and what changes under another one, counted from the timelines of both."""

from __future__ import annotations

import collections
from typing import Any, Iterator

from figures import Figures, Hours, Outcomes, wilson

Timelines = list[dict[str, Any]]


def verdict(figures: Figures, timelines: Timelines) -> dict[str, Any]:
    outcomes = Outcomes()
    for retries in figures.by_rule.values():
        outcomes += sum(retries.by_number.values(), Outcomes())
    lost = outcomes.failed + outcomes.other
    cost = outcomes.succeeded + lost
    ends = collections.Counter(timeline["outcome"] for timeline in timelines)
    return {
        "granted": outcomes.granted,
        "recorded": cost.runs,
        "succeeded": outcomes.succeeded.runs,
        "successRate": wilson(outcomes.succeeded.runs, cost.runs),
        "cost": cost.report(),
        "lost": lost.report(),
        "recoveredJobs": sum(retries.recovered for retries in figures.by_rule.values()),
        "failedJobs": ends["Failed"],
        "unresolvedJobs": ends["Unresolved"],
    }


def difference(own: dict[str, Any], first: dict[str, Any]) -> dict[str, Any]:
    granted = own["granted"] - first["granted"]
    counts = ("granted", "recorded", "succeeded", "recoveredJobs", "failedJobs", "unresolvedJobs")
    hours = {name: subtract(own["cost"][name], first["cost"][name]) for name in Hours().cost(1)}
    return {
        **{name: own[name] - first[name] for name in counts},
        "grantedShare": granted / first["granted"] if first["granted"] else None,
        **hours,
    }


def subtract(own: float | None, first: float | None) -> float | None:
    return None if own is None and first is None else (own or 0.0) - (first or 0.0)


def changes(first: Timelines, own: Timelines) -> dict[str, Any]:
    """The figures of `changes` that need nothing but timelines: they do not tell why a run has no decision."""
    by_job = {timeline["jobId"]: timeline for timeline in own}
    figures: collections.Counter[str] = collections.Counter()
    codes: collections.Counter[tuple[str, str]] = collections.Counter()
    outcomes: collections.Counter[tuple[str, str]] = collections.Counter()
    queues: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    for timeline in first:
        other = by_job[timeline["jobId"]]
        for one, two in pairs(timeline, other):
            figures["compared"] += 1
            if one is None or two is None or one["decision"] != two["decision"]:
                figures["decisions"] += 1
                queues[timeline["queue"]][0] += 1
                if one is not None and two is not None:
                    codes[one["decision"], two["decision"]] += 1
            elif one["delaySeconds"] != two["delaySeconds"]:
                figures["otherWait"] += 1
            elif rule(one) != rule(two):
                figures["otherRule"] += 1
        if timeline["outcome"] != other["outcome"]:
            figures["jobs"] += 1
            queues[timeline["queue"]][1] += 1
            outcomes[timeline["outcome"], other["outcome"]] += 1
    return {
        **{name: figures[name] for name in ("compared", "decisions", "jobs", "otherWait", "otherRule")},
        "codes": dict(codes),
        "outcomes": dict(outcomes),
        "queues": {queue: tuple(counts) for queue, counts in queues.items()},
    }


def reported_changes(report: dict[str, Any]) -> dict[str, Any]:
    """The same figures of a report."""
    undecided = ("not_reached", "cut_off", "no_decision")
    rows = [row for row in report["byDecision"] if row["from"] not in undecided and row["to"] not in undecided]
    return {
        **{name: report[name] for name in ("compared", "decisions", "jobs", "otherWait", "otherRule")},
        "codes": {(row["from"], row["to"]): row["count"] for row in rows},
        "outcomes": {(row["from"], row["to"]): row["jobs"] for row in report["byOutcome"]},
        "queues": {row["queue"]: (row["decisions"], row["jobs"]) for row in report["byQueue"]},
    }


def pairs(first: dict[str, Any], own: dict[str, Any]) -> Iterator[tuple[dict[str, Any] | None, dict[str, Any] | None]]:
    """The decisions about each run under both, in their order; None where one has none."""
    runs: dict[int, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = collections.defaultdict(lambda: ([], []))
    for side, timeline in enumerate((first, own)):
        for decision in timeline["decisions"]:
            runs[decision["runIndex"]][side].append(decision)
    for one, two in runs.values():
        for place in range(max(len(one), len(two))):
            yield (one[place] if place < len(one) else None, two[place] if place < len(two) else None)


def rule(decision: dict[str, Any]) -> tuple[Any, Any]:
    return decision["policy"], decision["ruleIndex"]
