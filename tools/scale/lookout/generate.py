"""Makes jobs with runs of all states, as rows of Lookout's database and as the pages in which its API lists them.

    generate.py JOBS FOLDER [--seed N] [--odd]

Writes job.copy and job_run.copy, rows of the tables, and load.sql, which loads them from the current folder; bare.json,
the pages that `POST /api/v1/jobs` answers for the jobs that have ended; texts.json, the same pages with what
`POST /api/v1/jobRunDebugMessage` and `jobRunError` answer for each run. Prints what was made.

With --odd some of the jobs that have ended have runs that have not, runs of unknown outcome, and runs whose exit code or
node is not in their texts or row: what a run a line cannot hold.
"""

from __future__ import annotations

import argparse
import json
import random
import zlib
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

JOB = (
    "job_id queue owner jobset cpu memory ephemeral_storage gpu priority submitted cancelled state "
    "last_transition_time last_transition_time_seconds priority_class latest_run_id cancel_reason namespace annotations cancel_user"
).split()
RUN = (
    "run_id job_id cluster node pending started finished job_run_state error exit_code leased debug pool "
    "failure_category failure_subcategory"
).split()

JOB_STATES = "- QUEUED PENDING RUNNING SUCCEEDED FAILED CANCELLED PREEMPTED LEASED REJECTED".split()
RUN_STATES = (
    "- RUN_PENDING RUN_RUNNING RUN_SUCCEEDED RUN_FAILED RUN_TERMINATED RUN_PREEMPTED RUN_UNABLE_TO_SCHEDULE "
    "RUN_LEASE_RETURNED RUN_LEASE_EXPIRED RUN_MAX_RUNS_EXCEEDED RUN_LEASED RUN_CANCELLED"
).split()
ENDED = {"SUCCEEDED", "FAILED", "CANCELLED", "PREEMPTED", "REJECTED"}

START = datetime(2026, 10, 1, tzinfo=UTC)
# Jobs are submitted within these days, and end within one more.
DAYS = 3
MICROSECOND = timedelta(microseconds=1)
# As `take` of a request.
PAGE = 1000
# `minJobSpecCompressionSize` of the ingester: texts up to it are stored within zlib uncompressed.
COMPRESS_ABOVE = 1024

QUEUES = ["ml", "vision", "speech", "batch", "web", "équipe-données", 'quo"te', "back\\slash"]
JOB_SETS = [
    "nightly",
    "sweep-2026",
    "réseau",
    'say "A\\B"',
    "o'brien",
    "tab\tand\nline",
    "\x01quote\x02delimiter",
    "夜間",
]
ANNOTATIONS = [
    {},
    {"team": "vision"},
    {"note": 'quotes " and \\ and \\n', "path": "C:\\new\\table"},
    {"armadaproject.io/": "", "emoji": "🙂\u2028\x7f", "delimiter": "\x01\x02"},
    {"example.com/json": '{"a": [1, "b"]}'},
]
# Lookout takes the prefix `armadaproject.io/` off, unless another one is configured.
KNOWN = [{"failFast": "true"}, {"retry-policy": "infra"}, {"armadaproject.io/failFast": "true"}]
SHAPES = [(0, 0, 0), (500, 1 << 30, 0), (4000, 16 << 30, 1), (1250, 3_000_000_001, 0), (64000, 512 << 30, 8)]
CATEGORIES = [(None, None), ("", ""), ("gpu", "cuda"), ("oom", None), ("user", "bad-input"), ("network", "")]
MESSAGES = [
    "",
    "CUDA error: device-side assert triggered",
    "TRANSIENT: checkpoint store answered 503",
    'file "C:\\data\\new.txt" is missing, it\'s said',
    "Traceback:\n  line 1\n\n\n  line 2\r\n\tKeyError: '\\u0041'",
    "mémoire épuisée, 内存不足 🙂\u2028",
    '{"code": 7, "text": "a\\\\b"}',
    "\x1b[31mred\x1b[0m and \x07 and \x00 and \x7f",
    "Container main failed with exit code 1 because Error: again",
    "step " * 700,
]
STATUS_MESSAGES = ["The node was low on resource: ephemeral-storage.", 'Pod was active on the node longer than "1h"']
PREEMPTIONS = [
    "Preempted - preemption requested via API",
    "Preempted by scheduler using fair share preemption - preempting job 01k9",
    "Preempted by scheduler using urgency preemption",
    "",
]
Row = dict[str, Any]
# Name, exit code if it ended, reason.
Container = tuple[str, int | None, str]


class Job(NamedTuple):
    """A row of `job`, and of `job_run` with texts instead of what is stored."""

    row: Row
    runs: list[Row]


class Maker:
    """Makes jobs from random numbers."""

    def __init__(self, seed: int, is_odd: bool) -> None:
        self.rng = random.Random(seed)
        self.is_odd = is_odd
        self.number = 0

    def jobs(self, count: int) -> Iterator[Job]:
        while count > 0:
            size = min(count, self.rng.choice([2, 3, 4])) if self.rng.random() < 0.04 else 1
            yield from self.gang(size)
            count -= size

    def gang(self, size: int) -> Iterator[Job]:
        """Jobs of a gang; a single job if `size` is 1."""
        rng = self.rng
        submitted = START + MICROSECOND * rng.randrange(DAYS * 86_400_000_000)
        common = {"queue": rng.choice(QUEUES), "jobset": rng.choice(JOB_SETS)}
        annotations = dict(rng.choice(ANNOTATIONS))
        if size > 1:
            prefix = rng.choice(["", "", "", "armadaproject.io/"])
            annotations |= {f"{prefix}gangId": f"gang-{self.number}", f"{prefix}gangCardinality": str(size)}
        elif rng.random() < 0.1:
            annotations |= rng.choice(KNOWN)
        if size == 1 and rng.random() < 0.05:
            annotations |= {"failFast": "true", "armadaproject.io/failFast": "false"}
        attempts = min(1 + int(rng.expovariate(0.7)), 8)
        end = rng.choices(["SUCCEEDED", "FAILED", "CANCELLED", "PREEMPTED"], [60, 25, 9, 6])[0]
        has_ended = size > 1 or rng.random() < 0.96
        for member in range(size):
            yield self.job(submitted, common, annotations, attempts, end, member, has_ended)

    def job(
        self, submitted: datetime, common: Row, annotations: Row, attempts: int, end: str, member: int, has_ended: bool
    ) -> Job:
        rng = self.rng
        self.number += 1
        cpu, memory, gpu = rng.choice(SHAPES)
        job_id = f"01k9{self.number:022x}"
        runs: list[Row] = []
        at = submitted
        is_single = not any(key.endswith("gangId") for key in annotations)
        is_rejected = is_single and attempts == 1 and rng.random() < 0.02
        never_ran = is_rejected or (is_single and end == "CANCELLED" and rng.random() < 0.2)
        for attempt in range(0 if never_ran else attempts):
            last = attempt + 1 == attempts
            state = self.end_of_run(end if last else None, member)
            runs.append(self.run(job_id, attempt, at, state))
            at = max(at, *(runs[-1][key] or at for key in ("leased", "pending", "started", "finished")))
        state = "REJECTED" if is_rejected else end
        at += MICROSECOND * rng.randrange(2_000_000)
        if not has_ended:
            state = rng.choice(["QUEUED", "PENDING", "RUNNING", "LEASED"])
        row = common | {
            "job_id": job_id,
            "owner": rng.choice(["ada", "o'brien", "zoë"]),
            "cpu": cpu,
            "memory": memory,
            "ephemeral_storage": rng.choice([0, 10 << 30]),
            "gpu": gpu,
            "priority": rng.choice([0, 1, 1000]),
            "submitted": submitted,
            "cancelled": at if state == "CANCELLED" else None,
            "state": state,
            "last_transition_time": at,
            "last_transition_time_seconds": int(at.timestamp()),
            "priority_class": rng.choice([None, "default"]),
            "latest_run_id": runs[-1]["run_id"] if runs else None,
            "cancel_reason": "no longer needed" if state == "CANCELLED" else None,
            "namespace": "ml",
            "annotations": annotations,
            "cancel_user": "ada" if state == "CANCELLED" else None,
        }
        return Job(row, runs)

    def end_of_run(self, end: str | None, member: int) -> str:
        rng = self.rng
        if end == "SUCCEEDED" or end == "PREEMPTED":
            return f"RUN_{end}"
        if end == "CANCELLED":
            if not self.is_odd:
                return "RUN_CANCELLED"
            return rng.choices(["RUN_CANCELLED", "RUN_LEASED", "RUN_PENDING", "RUN_RUNNING"], [94, 2, 2, 2])[0]
        if end == "FAILED":
            return rng.choices(["RUN_FAILED", "RUN_LEASE_EXPIRED", "RUN_MAX_RUNS_EXCEEDED"], [90, 8, 2])[0]
        if member:
            return "RUN_PREEMPTED"
        states = ["RUN_FAILED", "RUN_PREEMPTED", "RUN_LEASE_RETURNED", "RUN_LEASE_EXPIRED"]
        return rng.choices([*states, "RUN_UNABLE_TO_SCHEDULE", "RUN_TERMINATED"], [65, 15, 10, 7, 2, self.is_odd])[0]

    def run(self, job_id: str, attempt: int, after: datetime, state: str) -> Row:
        rng = self.rng
        leased = after + MICROSECOND * rng.randrange(900_000_000)
        pending = leased + MICROSECOND * rng.randrange(3_000_000)
        started = pending + MICROSECOND * rng.randrange(60_000_000)
        finished = started + MICROSECOND * int(rng.lognormvariate(6.5, 1.5) * 1_000_000)
        has_started = state not in ("RUN_LEASED", "RUN_PENDING", "RUN_UNABLE_TO_SCHEDULE", "RUN_LEASE_RETURNED")
        is_open = state in ("RUN_LEASED", "RUN_PENDING", "RUN_RUNNING")
        node = f"node-{rng.randrange(400):03}"
        category, subcategory = rng.choice(CATEGORIES)
        row: Row = {
            "run_id": f"{job_id}-{attempt}",
            "job_id": job_id,
            "cluster": rng.choice(["west", "east", "süd"]),
            "node": rng.choices([node, "UNKNOWN", None, ""], [95, 2, 2 * self.is_odd, self.is_odd])[0],
            # Runs from before migration 003 have no lease time, and some have only that.
            "leased": None if rng.random() < 0.01 else leased,
            "pending": pending if rng.random() < 0.97 else None,
            "started": started if has_started and rng.random() < 0.98 else None,
            "finished": None if is_open or rng.random() < 0.005 else finished,
            "job_run_state": state,
            "error": None,
            "exit_code": 0 if state == "RUN_SUCCEEDED" else None,
            "debug": None,
            "pool": rng.choice([None, "gpu"]),
            "failure_category": None,
            "failure_subcategory": None,
        }
        if state == "RUN_FAILED":
            row |= self.failure() | {"failure_category": category, "failure_subcategory": subcategory}
        elif state == "RUN_PREEMPTED":
            row["error"] = rng.choice(PREEMPTIONS)
            if rng.random() < 0.2:
                row["debug"] = self.debug("preempted", "Running", "", [("main", None, "")])
        elif state == "RUN_LEASE_EXPIRED":
            row |= {"error": "Lease expired", "failure_category": category}
        elif state in ("RUN_LEASE_RETURNED", "RUN_UNABLE_TO_SCHEDULE", "RUN_MAX_RUNS_EXCEEDED"):
            row["error"] = 'pod is stuck: ContainerCreating, "ImagePullBackOff"'
            row["debug"] = self.debug("stuckTerminating", "Pending", "", [("main", None, "ContainerCreating")])
        return row

    def failure(self) -> Row:
        """The error, debug message and exit code of a pod that failed."""
        rng = self.rng
        code = rng.choice([1, 2, 74, 137, 143, 255])
        reason = "OOMKilled" if code == 137 and rng.random() < 0.5 else "Error"
        containers: list[Container] = [("main", code, reason)]
        if rng.random() < 0.2:
            containers.append(("proxy", rng.choice([0, 143]), "Error"))
        hint = rng.choice(["", "", "", "\n\nAsk for more memory.", '\n\nSee "docs\\oom".'])
        kind = rng.choices(["json", "text", "status", "lost", "unknown", "bare"], [50, 25, 12, 4, 4, 5])[0]
        if kind == "json":
            debug = self.debug("podFailed", "Failed", "", containers)
            return {"error": self.error(containers, MESSAGES) + hint, "debug": debug, "exit_code": code}
        if kind == "text":
            # The executor's debug messages are off, or of an older release. Of one container that failed the exit code
            # is in the error, unless that can be read in two ways.
            if not self.is_odd:
                containers, hint = containers[:1], ""
            error = self.error(containers, MESSAGES if self.is_odd else MESSAGES[:4])
            old = rng.choice([None, "", 'Events:\n  Warning  BackOff  "main"\\n', "pod failed"])
            return {"error": error + hint, "debug": old, "exit_code": code}
        if kind == "status":
            # The text of the status replaces those of the containers.
            evicted = rng.choice([None, self.debug("podFailed", "Failed", "Evicted", containers)])
            has_code = evicted is not None or self.is_odd
            return {"error": rng.choice(STATUS_MESSAGES), "debug": evicted, "exit_code": code if has_code else 0}
        if kind == "lost":
            trigger = rng.choice(["undeletable", "externallyDeleted", "activeDeadlineExceeded"])
            debug = self.debug(trigger, "Running", "", [("main", None, "")])
            return {"error": "", "debug": debug, "exit_code": code if self.is_odd else 0}
        if kind == "unknown":
            return {"error": "Unknown error", "debug": None, "exit_code": None}
        return {"error": None, "debug": None, "exit_code": code}

    def error(self, containers: list[Container], messages: list[str]) -> str:
        """A line for each container that failed."""
        return "".join(
            f"Container {name} failed with exit code {code} because {reason}: {self.rng.choice(messages)}\n"
            for name, code, reason in containers
            if code
        )

    def debug(self, trigger: str, phase: str, reason: str, containers: list[Container]) -> str:
        rng = self.rng
        listed = [
            {"name": name, "state": "waiting", "reason": reason}
            if code is None
            else {"name": name, "state": "terminated", "exitCode": code, "reason": reason, "runSeconds": 60}
            for name, code, reason in containers
        ]
        warnings = [
            'Failed to pull image "registry/é\\x": not found',
            'MountVolume.SetUp failed for volume "data"',
            "Allocate failed due to requested number of devices unavailable for nvidia.com/gpu",
        ]
        event = {"type": "Warning", "reason": "Failed", "from": "kubelet", "message": rng.choice(warnings)}
        events = [event | {"timestamp": "2026-10-01T10:00:00Z"}] * rng.choice([0, 1, 10])
        pod: Row = {"phase": phase, "restartPolicy": "Never", "containers": listed, "events": events}
        if reason:
            pod["reason"] = reason
        node = {"name": f"node-{rng.randrange(400):03}", "exists": True, "ready": "True", "readyReason": "KubeletReady"}
        document = {"schemaVersion": 1, "trigger": trigger, "pod": pod, "node": node}
        return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def stored(text: str | None) -> bytes | None:
    """What the ingester stores of a text."""
    if text is None:
        return None
    data = text.encode()
    return zlib.compress(data, 1 if len(data) > COMPRESS_ABOVE else 0)


def copy_line(row: Row, columns: list[str]) -> str:
    """A line of the text format of `copy`."""
    return "\t".join(copy_value(row[column]) for column in columns) + "\n"


def copy_value(value: Any) -> str:
    match value:
        case None:
            return r"\N"
        case bytes():
            return r"\\x" + value.hex()
        case datetime():
            return value.strftime("%Y-%m-%d %H:%M:%S.%f")
        case dict():
            value = json.dumps(value, ensure_ascii=False)
    escapes = {"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"}
    return "".join(escapes.get(letter, letter) for letter in str(value))


def answer(value: Any) -> Any:
    """A value as the API answers it: it cuts times to milliseconds."""
    if not isinstance(value, datetime):
        return value
    return value.strftime("%Y-%m-%dT%H:%M:%S.") + f"{value.microsecond // 1000:03}Z"


def page_run(run: Row, with_texts: bool) -> Row:
    names = {"run_id": "runId", "job_run_state": "jobRunState", "exit_code": "exitCode"}
    names |= {"failure_category": "failureCategory", "failure_subcategory": "failureSubcategory"}
    left_out = {"job_id"} if with_texts else {"job_id", "error", "debug"}
    shown = {names.get(key, key): answer(value) for key, value in run.items() if key not in left_out}
    # Fields without a value are left out, and so are empty categories.
    return {key: it for key, it in shown.items() if it is not None and (it or not key.startswith("failure"))}


def page_job(job: Job, with_texts: bool) -> Row:
    row = job.row
    # The API orders by this, and leaves runs without either time at the end.
    by_time = sorted(job.runs, key=lambda run: run["leased"] or run["pending"] or datetime.max.replace(tzinfo=UTC))
    runs = [page_run(run, with_texts) for run in by_time]
    last = runs[-1] if runs else {}
    shown = {
        "annotations": row["annotations"],
        "cancelReason": row["cancel_reason"],
        "cancelUser": row["cancel_user"],
        "cancelled": row["cancelled"],
        "cluster": last.get("cluster", ""),
        "cpu": row["cpu"],
        "duplicate": False,
        "ephemeralStorage": row["ephemeral_storage"],
        "exitCode": last.get("exitCode"),
        "gpu": row["gpu"],
        "jobId": row["job_id"],
        "jobSet": row["jobset"],
        "lastActiveRunId": row["latest_run_id"],
        "lastTransitionTime": row["last_transition_time"],
        "memory": row["memory"],
        "namespace": row["namespace"],
        "node": last.get("node"),
        "owner": row["owner"],
        "pool": last.get("pool"),
        "priority": row["priority"],
        "priorityClass": row["priority_class"],
        "queue": row["queue"],
        "runs": runs,
        "runtimeSeconds": 0,
        "state": row["state"],
        "submitted": row["submitted"],
    }
    return {key: answer(value) for key, value in shown.items() if value is not None}


def write_pages(path: Path, jobs: list[Job], with_texts: bool) -> None:
    with path.open("w", encoding="utf-8") as file:
        for begin in range(0, len(jobs), PAGE):
            page = {"jobs": [page_job(job, with_texts) for job in jobs[begin : begin + PAGE]]}
            file.write(json.dumps(page, ensure_ascii=False, separators=(",", ":")) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes jobs as rows of Lookout's database and as pages of its API.")
    parser.add_argument("jobs", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--odd", action="store_true")
    args = parser.parse_args()
    jobs = list(Maker(args.seed, args.odd).jobs(args.jobs))
    with (args.folder / "job.copy").open("w", encoding="utf-8", newline="") as file:
        for job in jobs:
            file.write(copy_line(job.row | {"state": JOB_STATES.index(job.row["state"])}, JOB))
    with (args.folder / "job_run.copy").open("w", encoding="utf-8", newline="") as file:
        for run in (run for job in jobs for run in job.runs):
            values = {key: stored(run[key]) for key in ("error", "debug")}
            file.write(copy_line(run | values | {"job_run_state": RUN_STATES.index(run["job_run_state"])}, RUN))
    with (args.folder / "load.sql").open("w", encoding="utf-8") as file:
        for table, columns in (("job", JOB), ("job_run", RUN)):
            file.write(f"\\copy {table} ({', '.join(columns)}) from '{table}.copy' with (encoding 'UTF8')\n")
    ended = [job for job in jobs if job.row["state"] in ENDED]
    write_pages(args.folder / "bare.json", ended, with_texts=False)
    write_pages(args.folder / "texts.json", ended, with_texts=True)
    states = Counter(run["job_run_state"] for job in ended for run in job.runs)
    in_gangs = sum(any(key.endswith("gangId") for key in job.row["annotations"]) for job in ended)
    print(f"{len(jobs)} jobs, {len(ended)} of them ended ({in_gangs} in gangs), with {states.total()} runs:")
    print("  " + ", ".join(f"{state} {count}" for state, count in sorted(states.items())))


if __name__ == "__main__":
    main()
