"""The figures of retry budgets, counted from the files of the trace, without armadactl and without a history.

It shares no code with history.py, so that a mistake there is a difference here. All sums are whole GPU-seconds.
"""
from __future__ import annotations

import calendar
import csv
import dataclasses
import itertools
import json
import pathlib
import time

BUDGETS = range(5)
STATUSES = ("Pass", "Failed", "Killed")
BEGIN = "2017-08-07 10:03:01"


@dataclasses.dataclass
class Attempts:
    """A job: when it was submitted, in seconds since 1970, its GPUs, its status, and how long each attempt ran."""

    submitted: int
    gpus: int
    status: str
    seconds: list[int]


@dataclasses.dataclass
class Figures:
    """What a budget of retries comes to."""

    jobs: int
    # Jobs that succeeded on record, but only after more retries than the budget has.
    lost: int
    # Attempts that the budget does not let happen, and their GPU-seconds, by the job's status.
    runs: dict[str, int]
    seconds: dict[str, int]


def since_1970(text: str) -> int:
    """Seconds since 1970 of a time, taken for UTC."""
    return calendar.timegm(time.strptime(text, "%Y-%m-%d %H:%M:%S"))


def of_rows(path: pathlib.Path) -> list[Attempts]:
    """The jobs of the first file."""
    with path.open(newline="") as file:
        table = list(csv.reader(file))[1:]
    times = itertools.accumulate((int(row[5]) for row in table), initial=since_1970(BEGIN))
    next(times)
    rows = sorted((at, row[1], int(row[2]), row[8], int(row[0]), int(row[6])) for at, row in zip(times, table))
    return [Attempts(key[0], key[2], key[3], [row[5] for row in job])
            for key, job in itertools.groupby(rows, lambda row: row[:4])]


def of_document(path: pathlib.Path) -> list[Attempts]:
    """The jobs of the second file."""
    return [Attempts(since_1970(job["submitted_time"]), job["num_gpus"], "Pass",
                     [since_1970(one["end_time"]) - since_1970(one["start_time"]) for one in job["attempts"]])
            for job in json.loads(path.read_text())]


def total(jobs: list[Attempts]) -> int:
    """The GPU-seconds of all attempts."""
    return sum(sum(job.seconds) * job.gpus for job in jobs)


def figures(jobs: list[Attempts], budget: int) -> Figures:
    """What a budget comes to: the first `budget + 1` attempts of each job happen."""
    found = Figures(len(jobs), 0, dict.fromkeys(STATUSES, 0), dict.fromkeys(STATUSES, 0))
    for job in jobs:
        cut = job.seconds[budget + 1:]
        found.lost += job.status == "Pass" and bool(cut)
        found.runs[job.status] += len(cut)
        found.seconds[job.status] += sum(cut) * job.gpus
    return found


def agreement(rows: list[Attempts], document: list[Attempts]) -> tuple[int, int]:
    """How many jobs of the second file were submitted in the time of the first, and how many have the same attempts."""
    found = {(job.submitted, job.gpus, tuple(job.seconds)) for job in rows}
    first, last = (edge(job.submitted for job in rows) for edge in (min, max))
    shared = [job for job in document if first <= job.submitted <= last]
    return len(shared), sum((job.submitted, job.gpus, tuple(job.seconds)) in found for job in shared)
