"""The rows, differences and reasons of the answer, from recorded runs and what a replay reaches of them."""

from __future__ import annotations

import collections
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Callable, Iterable

from recorded import Member, Run, time_text
from replayed import CUT_OFF, NOT_REACHED, REACHED, Grant, MemberReplay

MINUTE = 60 * 10**9
UNITS = ("GPU-hours", "core-hours", "hours")
OUTCOMES = {
    "succeeded": "jobsSucceeded",
    "failed": "jobsFailed",
    "cancelled": "jobsCancelled",
    "unresolved": "jobsUnresolved",
}
REASONS = 20
# A run that is cut off is not reached to the end that is on record.
UNREACHED = (NOT_REACHED, CUT_OFF)
Values = dict[str, Any]


@dataclass
class Job:
    """What is one job in reports: a job of Armada, or a unit with all its members."""

    members: list[Member]
    on_record: str
    # Under policies.
    outcome: str = ""
    replays: list[MemberReplay] = field(default_factory=list)
    end: tuple[Run, dict[str, Any]] | None = None
    is_past_deadline: bool = False


def outcomes_on_record(system: str, unit: list[Member]) -> list[str]:
    """The outcome of each member of a gang, or that of the unit in each place."""
    last = [member.records[-1].ending for member in unit]
    if system == "armada" and unit[0].gang is not None:
        generations = max(len(member.runs) for member in unit)
        in_last = [member.runs[-1] for member in unit if len(member.runs) == generations]
        if any(run.ending == "cancelled" for run in in_last):
            last = [ending if ending == "succeeded" else "cancelled" for ending in last]
    if system == "armada":
        return last
    order = ("cancelled", "failed", "unresolved", "succeeded")
    return [min(last, key=order.index)] * len(unit)


def all_runs(jobs: list[Job]) -> list[Run]:
    return [run for job in jobs for member in job.members for run in member.runs]


def unit_of(jobs: list[Job]) -> str:
    runs = all_runs(jobs)
    return next((unit for unit in UNITS if sum(run.cost(unit) for run in runs) > 0), "retries")


def facts(jobs: list[Job], unit: str, base: int) -> Values:
    """The figures of the answer that stand outside of its rows."""
    runs = all_runs(jobs)
    grants, _ = retries_on_record(jobs)
    times = [run.time for run in runs if run.time is not None]
    period = {"from": time_text(min(times)), "to": time_text(max(times))} if times else None
    return {"runs": len(runs), "untimed": sum(run.untimed for run in runs), "unit": unit, "period": period} | {
        "uncounted": uncounted(jobs, unit),
        "load": load(grants),
        "base": base,
    }


def retries_on_record(jobs: list[Job]) -> tuple[list[Grant], list[Run]]:
    both = [
        pair for job in jobs for member in job.members for pair in zip(member.runs, member.runs[1:])
    ]
    grants = [Grant(before.time, before.time, run) for before, run in both if run.time is not None]
    return grants, [run for _, run in both]


def uncounted(jobs: list[Job], unit: str) -> Values | None:
    """The retries on record that cost nothing in a unit."""
    _, retries = retries_on_record(jobs)
    amount = {"GPU-hours": lambda run: run.gpu, "core-hours": lambda run: run.cpu}.get(unit)
    hours = sum(run.cost("hours") for run in retries)
    if amount is None or not hours:
        return None
    without = [run for run in retries if not amount(run)]
    own = sum(run.cost("hours") for run in without)
    return {"retries": len(without), "hours": float(own), "share": float(own / hours)}


def of_record(jobs: list[Job], unit: str) -> Values:
    grants, retries = retries_on_record(jobs)
    has_retries = lambda job: any(len(member.runs) > 1 for member in job.members)
    return {
        **outcomes(jobs, lambda job: job.on_record),
        "failedSucceededOnRecord": None,
        "jobsRecovered": sum(job.on_record == "succeeded" and has_retries(job) for job in jobs),
        "retries": len(retries),
        **retry_costs(retries, unit),
        "savedHours": None,
        "lostWorkHours": None,
        "peakRetries": peak(grants, len(retries)),
    }


def of_policies(jobs: list[Job], unit: str) -> Values:
    both = [pair for job in jobs for pair in zip(job.members, job.replays)]
    retries = [run for pair in both for run in retries_of(*pair)]
    unreached = [run for pair in both for run in runs_of(*pair, UNREACHED)]
    grants = [grant for _, replay in both for grant in replay.grants]
    saved, lost = costs(unreached, unit)
    return {
        **outcomes(jobs, lambda job: job.outcome),
        "failedSucceededOnRecord": sum(job.outcome == "failed" and job.on_record == "succeeded" for job in jobs),
        "jobsRecovered": sum(job.outcome == "succeeded" and is_retried(job) for job in jobs),
        "retries": len(grants),
        **retry_costs(retries, unit),
        "savedHours": saved,
        "lostWorkHours": lost,
        "peakRetries": peak(grants, len(grants)),
    }


def runs_of(member: Member, replay: MemberReplay, reaches: tuple[str, ...]) -> list[Run]:
    return [run for run, reach in zip(member.records, replay.reach) if run.counts and reach in reaches]


def retries_of(member: Member, replay: MemberReplay) -> list[Run]:
    """The reached runs that are not the first one on record."""
    return [run for run in runs_of(member, replay, (REACHED,)) if run is not member.runs[0]]


def is_retried(job: Job) -> bool:
    return any(retries_of(*pair) for pair in zip(job.members, job.replays))


def outcomes(jobs: list[Job], outcome: Callable[[Job], str]) -> Values:
    counts = collections.Counter(map(outcome, jobs))
    values = {row: counts[name] for name, row in OUTCOMES.items()}
    return {**values, "jobsSucceededAtMost": counts["succeeded"] + counts["unresolved"]}


def costs(runs: Iterable[Run], unit: str) -> tuple[Fraction, Fraction]:
    """The cost of the runs that did not succeed, and of those that did."""
    sums = [Fraction(0), Fraction(0)]
    for run in runs:
        sums[run.ending == "succeeded"] += run.cost(unit)
    return sums[0], sums[1]


def retry_costs(retries: list[Run], unit: str) -> Values:
    failed, succeeded = costs(retries, unit)
    return {
        "retriesSucceeded": sum(run.ending == "succeeded" for run in retries),
        "failedRetryHours": failed,
        "succeededRetryHours": succeeded,
    }


def changes_of(grants: list[Grant]) -> collections.Counter[int]:
    """By how much the retries that wait or run change, by minute."""
    changes: collections.Counter[int] = collections.Counter()
    for grant in grants:
        if grant.before is not None:
            ends = (grant.before, grant.wait_end, grant.run and grant.run.time)
            changes[grant.before // MINUTE] += 1
            changes[max(end for end in ends if end is not None) // MINUTE + 1] -= 1
    return changes


BINS = 240


def load(grants: list[Grant]) -> Values | None:
    """The retries in each minute from the first to the last, in bins."""
    changes = changes_of(grants)
    changes = collections.Counter({minute: by for minute, by in changes.items() if by})
    if not changes:
        return None
    first, end = min(changes), max(changes)
    minutes, now = [], 0
    for minute in range(first, end):
        now += changes[minute]
        minutes.append(now)
    size = -(-len(minutes) // BINS)
    bins = [minutes[at : at + size] for at in range(0, len(minutes), size)]
    return {
        "from": time_text(first * MINUTE),
        "binMinutes": size,
        "most": [max(one) for one in bins],
        "mean": [sum(one) / size for one in bins],
    }


def peak(grants: list[Grant], retries: int) -> int | None:
    changes = changes_of(grants)
    now = most = 0
    for minute in sorted(changes):
        now += changes[minute]
        most = max(most, now)
    return most if most or not retries else None


def rows(jobs_of_columns: list[list[Job]], unit: str, has_policies: bool, base: int) -> dict[str, Values]:
    """Each row with its values and differences. The record is counted from the jobs of the first column."""
    columns = [of_record(jobs_of_columns[0], unit)]
    columns += [of_policies(jobs, unit) for jobs in jobs_of_columns] if has_policies else []
    for column in columns:
        recovered = column["jobsRecovered"]
        column["price"] = column["failedRetryHours"] / recovered if recovered else None
    table = {}
    for row in columns[0]:
        values = [column[row] for column in columns]
        is_compared = lambda at: at > base and values[at] is not None and values[base] is not None
        differences = [values[at] - values[base] if is_compared(at) else None for at in range(len(values))]
        table[row] = {"values": numbers(values), "differences": numbers(differences)}
    return table


def numbers(values: list[Any]) -> list[float | None]:
    return [None if value is None else float(value) for value in values]


Key = tuple[str, str | None, int | None, str | None]


def reasons(jobs: list[Job], unit: str) -> dict[Key, Values]:
    """The failures that ended jobs whose record goes on, by kind and by what decided."""
    groups: dict[Key, list[tuple[Job, list[Run]]]] = collections.defaultdict(list)
    for job in jobs:
        both = zip(job.members, job.replays)
        unreached = [run for pair in both for run in runs_of(*pair, UNREACHED)]
        if job.outcome == "failed" and job.end is not None and unreached:
            run, decision = job.end
            kind = "DeadlineExceeded" if job.is_past_deadline else run.kind
            groups[kind, *decided_by(decision)].append((job, unreached))
    report = {}
    for key, ended in groups.items():
        runs = [run for _, unreached in ended for run in unreached]
        saved, lost = costs(runs, unit)
        report[key] = {
            "failedJobs": len(ended),
            "jobs": sum(job.on_record == "succeeded" for job, _ in ended),
            "retries": len(runs),
            "succeeded": sum(run.ending == "succeeded" for run in runs),
            "savedHours": float(saved),
            "lostWorkHours": float(lost),
        }
    return report


def decided_by(decision: Values) -> tuple[str | None, int | None, str | None]:
    """The rule or default of a decision, else its code. No rule sets a deadline; a set without a policy has a default."""
    policy, code = decision["policy"], decision["decision"]
    if code == "fail_no_policy":
        return "set", None, None
    if policy is None or code == "fail_deadline":
        return None, None, code
    return policy, decision["ruleIndex"], None


def reasons_on_record(jobs: list[Job], unit: str) -> dict[Key, Values]:
    """The retries on record, by the kind of the failure before."""
    kinds: dict[str, list[Run]] = collections.defaultdict(list)
    for job in jobs:
        for member in job.members:
            for before, run in zip(member.runs, member.runs[1:]):
                kinds[before.kind].append(run)
    report = {}
    for kind, runs in kinds.items():
        values = retry_costs(runs, unit)
        report[kind, None, None, None] = {
            "retries": len(runs),
            "succeeded": values["retriesSucceeded"],
            "failedRetryHours": float(values["failedRetryHours"]),
            "succeededRetryHours": float(values["succeededRetryHours"]),
        }
    return report
