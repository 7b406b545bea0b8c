"""The jobs and the cost of retries by queue, category and day of `summary`, by the meanings of docs/fleet.md."""

from __future__ import annotations

import collections
from typing import Any, Hashable

from answer import Job, Values, costs
from recorded import Run, time_text
from replayed import Grant

Reports = dict[str, list[dict[str, Any]]]
GROUPS = {"byQueue": "queue", "byCategory": "category", "byDay": "day"}
HOURS = {"hours": "hours", "cpuHours": "core-hours", "gpuHours": "GPU-hours"}


def keys(queue: str, run: Run | None) -> dict[str, Hashable]:
    """The groups that count a job, or a retry, with this last decided run."""
    found: dict[str, Hashable] = {"byQueue": queue}
    if run is not None:
        found["byCategory"] = run.category
        if run.time is not None:
            found["byDay"] = time_text(run.time)[:10]
    return found


def last_decided(job: Job, report: dict[str, Any], key_of: Any) -> Run | None:
    if not report["decisions"]:
        return None
    decision = report["decisions"][-1]
    [member] = [one for one in job.members if len(job.members) == 1 or one.key == key_of(decision)]
    return next(run for run in member.records if run.index == decision["runIndex"])


def count(jobs: list[Job], reports: Reports, key_of: Any) -> dict[tuple[str, Hashable], Values]:
    found: dict[tuple[str, Hashable], Values] = collections.defaultdict(lambda: {"jobs": 0, "recovered": 0, "unresolved": 0})
    retries: dict[tuple[str, Hashable], list[Run]] = collections.defaultdict(list)
    for job in jobs:
        [report] = reports[job.members[0].unit]
        for group in keys(report["queue"], last_decided(job, report, key_of)).items():
            found[group]["jobs"] += 1
            found[group]["recovered"] += job.outcome == "succeeded" and report["retries"] > 0
            found[group]["unresolved"] += job.outcome == "unresolved"
        grants: list[Grant] = [grant for replay in job.replays for grant in replay.grants + replay.continued]
        for grant in grants:
            if grant.run is None:
                continue
            for group in keys(report["queue"], grant.after).items():
                retries[group].append(grant.run)
    for group, runs in retries.items():
        both = {unit: costs(runs, unit) for unit in HOURS.values()}
        for name, is_succeeded in (("lostHours", False), ("succeededHours", True)):
            own = [run for run in runs if (run.ending == "succeeded") == is_succeeded]
            hours = {field: float(both[unit][is_succeeded]) for field, unit in HOURS.items()}
            hours = {field: amount if field == "hours" or amount else None for field, amount in hours.items()}
            found[group][name] = {"runs": len(own), "untimed": sum(run.untimed for run in own), **hours}
    return found
