"""Draws tasks with retry policies, and their failures, from a seed, and sets our answers beside a release's.

    python3 policies.py PROFILE SDK_WHEEL CORE_WHEEL SEED CASES ARMADACTL [ANSWERS]

A case is one end of a try: its exception, or what happened in place of one, at its place in the task's
tries. The release's own worker and scheduler functions answer it (worker.py, released.py), and carry
the task on to the next; ours is a replay of the same tries. Exits 1 if an answer differs. ANSWERS is a
file for the cases with the release's answers, as vectors.
"""

import collections
import json
import random
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace

import released
import worker as workers

SHOP = '''
class Error(Exception): pass
class Down(Error, ConnectionError): pass
class Throttled(Error): pass
class Denied(PermissionError): pass
class Abort(BaseException): pass
class Both(ValueError, KeyError): pass
class Late(Both, TimeoutError): pass
'''
ROUNDS = 12
TASKS = 4


def raised(worker: workers.Worker) -> list[BaseException]:
    """One exception of each class that tasks raise here."""
    shop = workers.module("shop.errors")
    exec(SHOP, vars(shop))
    shop.Ended = type("Ended", (worker.exceptions.AirflowFailException,), {"__module__": "shop.errors"})
    own = [getattr(shop, name)() for name in ("Error", "Down", "Throttled", "Denied", "Abort", "Both", "Late", "Ended")]
    built_in = [
        ConnectionResetError(), ConnectionError(), TimeoutError(), PermissionError(), OSError(), ValueError(),
        KeyError(), IndexError(), MemoryError(), RuntimeError(), NotImplementedError(), KeyboardInterrupt(),
        SystemExit(1), StopIteration(), UnicodeError(), ZeroDivisionError(), ExceptionGroup("", [ValueError()]),
        UnicodeDecodeError("ascii", b"", 0, 0, ""),
    ]
    names = ["AirflowException", "AirflowFailException", "AirflowSensorTimeout", "AirflowTaskTimeout",
             "AirflowTaskTerminated", "TaskDeferralError", "AirflowNotFoundException"]
    return [*own, *own, *built_in, *built_in, *(getattr(worker.exceptions, name)() for name in names)]


def path(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


ALIASES = [
    "builtins.IOError", "builtins.EnvironmentError", "os.error", "socket.error", "socket.timeout", "asyncio.TimeoutError",
    "concurrent.futures.TimeoutError", "airflow.exceptions.AirflowException", "airflow.exceptions.AirflowTaskTimeout",
]
MISSING = ["nowhere.Missing", "builtins.Nope", "shop.errors.Gone"]


def rule(draw: random.Random, profile: str, exceptions: list[BaseException]) -> dict:
    classes = [path(kind) for exception in exceptions for kind in type(exception).__mro__]
    name = lambda: draw.choice(ALIASES if draw.random() < 0.15 else MISSING if draw.random() < 0.1 else classes)
    names = [name() for _ in range(draw.choice([1, 1, 2, 3]))]
    made = {"exception": names[0] if len(names) == 1 and draw.random() < 0.8 else names}
    actions = ["retry", "retry", "fail", "default"] + (["reschedule"] * 3 if profile == "3.4" else [])
    made["action"] = draw.choice(actions)
    if made["action"] == "reschedule":
        bounds = draw.choice([["max_reschedules"], ["reschedule_timeout"], ["max_reschedules", "reschedule_timeout"]])
        if "max_reschedules" in bounds:
            made["max_reschedules"] = draw.randrange(1, 4)
        if "reschedule_timeout" in bounds:
            made["reschedule_timeout"] = draw.choice([0.5, 60, 600.0, 3600, 90_000, 100_000.25])
    if draw.random() < 0.6:
        made["retry_delay"] = draw.choice([0, 0.0, 0.5, 30, 600.000001, 100_000])
    if draw.random() < 0.4:
        made["reason"] = draw.choice(["", "quota", "Überlast", "x" * 600])
    if draw.random() < 0.4:
        made["match_subclasses"] = draw.random() < 0.5
    return made


def listed(draw: random.Random, profile: str, exceptions: list[BaseException]) -> dict:
    made = {"rules": [rule(draw, profile, exceptions) for _ in range(draw.randrange(0, 5))]}
    if draw.random() < 0.5:
        made["__type"] = "ExceptionRetryPolicy"
    if draw.random() < 0.4:
        made["default"] = draw.choice(["retry", "fail", "default", "default"])
    return made


def policy(draw: random.Random, profile: str, exceptions: list[BaseException]) -> dict:
    if profile == "3.4" and draw.random() < 0.6:
        return {"policies": [listed(draw, profile, exceptions) for _ in range(draw.randrange(1, 4))]}
    return listed(draw, profile, exceptions)


def settings(draw: random.Random) -> dict:
    made = {"retries": draw.choice([0, 1, 2, 3, 3, 6]), "retry_delay_seconds": draw.choice([300, 0, 0.25, 45.5, 7200])}
    if draw.random() < 0.4:
        made["retry_exponential_backoff"] = draw.choice([2, 1.5, 3])
    if draw.random() < 0.3:
        made["max_retry_delay_seconds"] = draw.choice([60, 900])
    return made


def built(worker: workers.Worker, form: dict) -> object:
    """The policy as the release builds it from this form."""
    if "policies" in form:
        return worker.policies.ChainRetryPolicy([built(worker, one) for one in form["policies"]])
    return worker.policies.ExceptionRetryPolicy.deserialize(form)


def record(row: SimpleNamespace, unit: str, began: datetime, ended: datetime) -> dict:
    stamp = lambda at: at.isoformat().replace("+00:00", "Z")
    return {
        "jobId": unit, "queue": "q", "outcome": "Failed", "dagId": "shop", "taskId": unit,
        "logicalDate": "2026-01-01T00:00:00Z", "startedAt": stamp(began), "finishedAt": stamp(ended),
    }


class Task:
    """A task instance, with what the server keeps of it."""

    def __init__(self, unit: str, made: dict, retry_policy: object) -> None:
        self.unit = unit
        self.backoff = made.get("retry_exponential_backoff", 0)
        self.retries = made["retries"]
        cap = made.get("max_retry_delay_seconds")
        self.fields = {"retry_delay": made["retry_delay_seconds"], "max_retry_delay": cap}
        self.task = SimpleNamespace(
            retry_policy=retry_policy, retry_delay=timedelta(seconds=made["retry_delay_seconds"]), retries=self.retries,
        )
        self.row = SimpleNamespace(
            try_number=1, max_tries=self.retries, reschedules=0, first_reschedule=None, override=None,
        )

    def scheduler(self, kind: type, state: str) -> dict:
        """The scheduler's answer for a try that ended in this state: whether it is retried, and after how
        long."""
        return released.answer(kind, {
            "dag_id": "shop", "task_id": self.unit, "logical_date": "2026-01-01T00:00:00+00:00",
            "try_number": self.row.try_number, "max_tries": self.row.max_tries, "state": state,
            "retries": self.retries, "retry_delay_override": self.row.override, "max_task_retry_delay": 86400,
            **self.fields,
        }, float(self.backoff))


def end(draw: random.Random, worker: workers.Worker, kind: type, task: Task, exceptions: list, at: datetime) -> tuple[dict, dict]:
    """Ends a run of a task: the fields of its record, and the release's answer."""
    row, workers.Clock.instant = task.row, at
    how = draw.choice(["raised"] * 16 + ["died", "died", "queued", "restarting"])
    if how != "queued":
        row.override = None
    if how == "raised":
        exception = draw.choice(exceptions)
        classes = [path(one) for one in type(exception).__mro__]
        if draw.random() < 0.3:
            # Bases of Python's own exceptions may be left out.
            last = next(number for number, name in enumerate(classes) if name.startswith("builtins."))
            if not any(name.startswith("shop.errors.") for name in classes):
                classes = classes[: last + 1]
        fields = {"exceptions": classes}
        said = worker.fail(task.task, row, exception)
        if said["state"] == "up_for_retry":
            row.override = said["delay"]
    else:
        fields = {"workerDied": True} if how == "died" else {"state": how}
        eligible = task.scheduler(kind, "running" if how == "died" else how)["eligible"]
        said = {"state": "up_for_retry" if eligible else "failed", "reason": None, "reschedule": None}
    micros = said["reschedule"]
    if said["state"] == "up_for_retry":
        micros = task.scheduler(kind, "running")["micros"]
    return fields, {"state": said["state"], "micros": micros, "reason": said["reason"], "try_number": row.try_number}


def advance(row: SimpleNamespace, state: str, at: datetime) -> None:
    """Carries the row on, as the server does: a retry has a new one, with none of the reschedules."""
    if state == "up_for_reschedule":
        row.reschedules += 1
        row.first_reschedule = row.first_reschedule or at
    else:
        row.try_number += 1
        row.reschedules, row.first_reschedule = 0, None


def history(draw: random.Random, worker: workers.Worker, kind: type, task: Task, exceptions: list) -> tuple[list, list]:
    at, records, answers = datetime(2026, 3, 1, tzinfo=timezone.utc), [], []
    favourites = draw.sample(exceptions, 3)
    numbered = draw.random() < 0.5
    for _ in range(ROUNDS):
        began, at = at, at + timedelta(microseconds=draw.choice([1, 500_000, 60_000_000, 3_000_000_000]))
        number = task.row.try_number
        fields, answer = end(draw, worker, kind, task, draw.choice([favourites, favourites, exceptions]), at)
        if numbered:
            fields["tryNumber"] = number
        records.append(record(task.row, task.unit, began, at) | fields)
        answers.append(answer)
        if answer["state"] == "failed":
            break
        advance(task.row, answer["state"], at)
        at += timedelta(microseconds=answer["micros"] + 1)
    return records, answers


def ours(command: str, folder: Path, spec: dict, records: list) -> dict:
    """The decisions of a replay, by task."""
    document = {"apiVersion": "armadaproject.io/v1", "kind": "RetryProfile", "metadata": {"name": "p"}, "spec": spec}
    (folder / "profile.json").write_text(json.dumps(document))
    (folder / "tries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    line = [command, "simulate", "-f", str(folder / "profile.json"), "--history", str(folder / "tries.jsonl"),
            "--timelines", "all", "-o", "json"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(line)} exits {done.returncode}\n{json.dumps(spec)}\n{done.stderr}")
    report = json.loads(done.stdout)
    if report["notes"]:
        sys.exit(f"notes: {report['notes']}")
    return {
        job["jobId"]: [
            {
                "state": one["action"],
                "micros": None if one["delaySeconds"] is None else round(one["delaySeconds"] * 1e6),
                "reason": one.get("retryReason"),
                "try_number": one["counts"]["try_number"],
            }
            for one in job["decisions"]
        ]
        for job in report["jobs"]
    }


def vectors(spec: dict, records: list, answers: dict, wheel: str) -> list:
    """The cases as `testdata/vectors` has them: one a task."""
    return [
        {
            "name": f"{spec['profile']} {unit}",
            "system": "airflow",
            "kind": "retry_policy",
            "source": f"tools/airflow/policies.py with {wheel}",
            "profile": spec["profile"],
            "policy": spec["policy"],
            "records": [one for one in records if one["jobId"] == unit],
            "expected": expected,
        }
        for unit, expected in answers.items()
    ]


def main() -> int:
    profile, sdk, core, seed, count, command, *file = sys.argv[1:]
    worker, kind = workers.Worker(sdk, core), released.task_instance(core)
    draw, exceptions = random.Random(f"{seed} {profile}"), raised(worker)
    states, cases, differing, kept = collections.Counter(), 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        while cases < int(count):
            made = settings(draw)
            form = policy(draw, profile, exceptions)
            spec = {"system": "airflow", "profile": profile, "policy": {**made, "retry_policy": form}}
            theirs, records = {}, []
            for number in range(TASKS):
                task = Task(f"t{number}", made, built(worker, form))
                own, theirs[task.unit] = history(draw, worker, kind, task, exceptions)
                records += own
            kept += vectors(spec, records, theirs, Path(sdk).name)
            answered = ours(command, Path(folder), spec, records)
            for unit, expected in theirs.items():
                cases += len(expected)
                states.update(one["state"] + (" reason" if one["reason"] else "") for one in expected)
                if answered.get(unit) != expected:
                    differing.append((spec, [one for one in records if one["jobId"] == unit], answered.get(unit), expected))
    if file:
        Path(file[0]).write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n")
    told = ", ".join(f"{state} {number}" for state, number in sorted(states.items()))
    print(f"{profile}: {cases} cases, {len(differing)} differ ({told})")
    for spec, records, answered, expected in differing[:3]:
        print(json.dumps(spec))
        for number, one in enumerate(records):
            got = answered[number] if answered and number < len(answered) else None
            print(f"  {json.dumps(one)}\n    ours   {got}\n    theirs {expected[number]}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
