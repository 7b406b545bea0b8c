"""The events of ../replay's generator with the fields of other systems."""
from __future__ import annotations

import json
import pathlib

DISRUPTED = [{"type": "DisruptionTarget", "status": "True"}]
SYSTEMS = ("job", "jobset", "iris")


def attempt(event: dict) -> str:
    """How an event ends an attempt, in Iris's words."""
    if event["outcome"] == "Succeeded":
        return "SUCCEEDED"
    if event["outcome"] == "Preempted":
        return "PREEMPTED"
    return "WORKER_FAILED" if "Evicted" in event.get("conditions", []) else "FAILED"


def record(event: dict, system: str) -> dict:
    """One event as a pod of a Job of one pod, or of a JobSet's only Job, or of an Iris job's task."""
    own = {key: event[key] for key in ("jobId", "queue", "runIndex", "finishedAt", "node") if key in event}
    if system == "iris":
        return own | {"task": 0, "outcome": attempt(event)}
    if system == "jobset":
        own |= {"jobName": f"{event['jobId']}-main-0", "replicatedJob": "main", "jobIndex": 0}
    if event["outcome"] == "Succeeded":
        return own | {"outcome": "Succeeded"}
    if event["outcome"] == "Preempted" or "Evicted" in event.get("conditions", []):
        own["podConditions"] = DISRUPTED
    return own | {"podIndex": 0, "outcome": "Failed", "containers": event["containers"]}


def write(events: str, system: str) -> str:
    """The history of a system, made if it is not there yet; where it is."""
    path = pathlib.Path(events)
    made = path.with_name(f"{path.stem}-{system}.jsonl")
    if not made.exists():
        unfinished = made.with_suffix(".part")
        with open(events) as lines, open(unfinished, "w", buffering=1 << 20) as out:
            for line in lines:
                json.dump(record(json.loads(line), system), out, separators=(",", ":"))
                out.write("\n")
        unfinished.rename(made)
    return str(made)
