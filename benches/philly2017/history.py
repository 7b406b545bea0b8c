"""The attempts of the Philly trace as histories that `armadactl simulate` reads.

A job is failed attempts and a last one that ended as the job did: Pass is Succeeded, Failed is Failed, Killed is
Cancelled. The cause, node and exit code of an attempt are not in the data, and none is made up.
"""
from __future__ import annotations

import collections
import csv
import dataclasses
import datetime
import json
import pathlib
import sys
from typing import Iterable, Iterator

COLUMNS = ["u_id", "user", "gpu_num", "cpu_num", "node_num", "interval", "run_time", "wall_time", "new_status"]
OUTCOMES = {"Pass": "Succeeded", "Failed": "Failed", "Killed": "Cancelled"}
# The second that the intervals of the first file begin at. At it every job of the second file that falls into the
# time of the first has rows in the second of its submission.
START = datetime.datetime(2017, 8, 7, 10, 3, 1, tzinfo=datetime.timezone.utc)
# Jobs of so many GPUs are large: the second file holds no others.
LARGE = 4


@dataclasses.dataclass
class Job:
    """A job and the start and end of its attempts, in their order."""

    name: str
    queue: str
    gpus: int
    status: str
    attempts: list[tuple[datetime.datetime, datetime.datetime]]

    @property
    def group(self) -> str:
        """The name of the history that the job belongs to: all its jobs ended alike and are large, or are not."""
        return f"{self.status.lower()}-{'large' if self.gpus >= LARGE else 'small'}"

    def lines(self) -> Iterator[str]:
        """A run record for each attempt."""
        for index, (start, end) in enumerate(self.attempts):
            last = index == len(self.attempts) - 1
            yield json.dumps({
                "jobId": self.name, "queue": self.queue, "resources": {"nvidia.com/gpu": str(self.gpus)},
                "runIndex": index, "startedAt": written(start), "finishedAt": written(end),
                "outcome": OUTCOMES[self.status] if last else "Failed"}, separators=(",", ":"))


def written(time: datetime.datetime) -> str:
    """A time as RFC 3339 has it."""
    return time.isoformat().replace("+00:00", "Z")


def rows_of(path: pathlib.Path) -> Iterator[dict[str, str]]:
    """The rows of the first file; ends the script if it is another file."""
    with path.open(newline="") as file:
        rows = csv.DictReader(file)
        if rows.fieldnames != COLUMNS:
            sys.exit(f"{path}: the columns are {rows.fieldnames}, not {COLUMNS}")
        yield from rows


def jobs_of_rows(path: pathlib.Path) -> list[Job]:
    """The jobs of the first file.

    A job's attempts are the rows of one second with the same user, GPUs and status, in the order of their numbers: the
    file has the rows of a second in no order. They follow one another without a gap from the submission on, since
    neither the time in the queue nor a gap is in the data.
    """
    groups: dict[tuple[int, str, int, str], list[tuple[int, int]]] = collections.defaultdict(list)
    second = 0
    for row in rows_of(path):
        second += int(row["interval"])
        key = second, row["user"], int(row["gpu_num"]), row["new_status"]
        groups[key].append((int(row["u_id"]), int(row["run_time"])))
    jobs = []
    for (second, user, gpus, status), rows in groups.items():
        if status not in OUTCOMES:
            sys.exit(f"{path}: the status {status} is none of {', '.join(OUTCOMES)}")
        rows.sort()
        start, attempts = START + datetime.timedelta(seconds=second), []
        for _, run_time in rows:
            end = start + datetime.timedelta(seconds=run_time)
            attempts.append((start, end))
            start = end
        jobs.append(Job(f"philly-{rows[0][0]}", f"user-{user}", gpus, status, attempts))
    return jobs


def jobs_of_document(path: pathlib.Path) -> list[Job]:
    """The jobs of the second file. All have the status Pass; their times have no zone, and are taken for UTC."""
    def time(text: str) -> datetime.datetime:
        return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc)

    return [Job(job["id"], "philly", job["num_gpus"], "Pass",
                [(time(one["start_time"]), time(one["end_time"])) for one in job["attempts"]])
            for job in json.loads(path.read_text())]


def write(jobs: Iterable[Job], folder: pathlib.Path, source: str) -> dict[str, pathlib.Path]:
    """Writes a history for each group of jobs, `SOURCE-GROUP.jsonl`, and returns their paths by group."""
    lines: dict[str, list[str]] = collections.defaultdict(list)
    for job in jobs:
        lines[job.group] += job.lines()
    folder.mkdir(parents=True, exist_ok=True)
    paths = {group: folder / f"{source}-{group}.jsonl" for group in sorted(lines)}
    for group, path in paths.items():
        path.write_text("\n".join(lines[group]) + "\n")
    return paths
