"""Writes failed pods with events, and an executor's configuration whose rules look at all of them."""
from __future__ import annotations

import json
import pathlib
import random
import re

PATTERNS = pathlib.Path(__file__).resolve().parent.parent / "support" / "patterns.rs"
RULES = 50
MESSAGES = [
    "RuntimeError: CUDA error: an illegal memory access was encountered",
    "requests.exceptions.ConnectionError: connect: connection refused",
    "KeyError: 'labels'",
    "Traceback (most recent call last):\n  File \"train.py\", line 412, in <module>\nValueError: invalid literal for int()",
    "NCCL timeout after 1800s on rank 3",
    "",
]
CODES = [1, 1, 1, 2, 74, 134, 137, 139]


def pod(number: int, draw: random.Random) -> dict:
    """A pod of a job of Armada's that failed."""
    code = draw.choice(CODES)
    ended = {
        "exitCode": code,
        "reason": "OOMKilled" if code == 137 else "Error",
        "message": draw.choice(MESSAGES),
        "startedAt": "2026-01-05T08:00:00Z",
        "finishedAt": f"2026-01-05T09:{draw.randrange(60):02}:{draw.randrange(60):02}Z",
    }
    if not ended["message"]:
        del ended["message"]
    job = f"job-{number:07}"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"armada-{job}-0",
            "namespace": "ml",
            "creationTimestamp": "2026-01-05T07:59:58Z",
            "labels": {"armada_job_id": job, "armada_job_run_id": f"run-{number:07}", "armada_queue_id": f"queue-{number % 20}"},
            "annotations": {"armada_jobset_id": f"set-{number % 500}"},
        },
        "spec": {"nodeName": f"node-{draw.randrange(2000):04}", "containers": [{"name": "main", "image": "example/train:1"}]},
        "status": {
            "phase": "Failed",
            "startTime": "2026-01-05T08:00:00Z",
            "containerStatuses": [{"name": "main", "ready": False, "restartCount": 0, "state": {"terminated": ended}}],
        },
    }


def event(about: dict, draw: random.Random) -> dict:
    """An event about a pod."""
    metadata = about["metadata"]
    place = {"kind": "Pod", "name": metadata["name"], "namespace": metadata["namespace"]}
    message = draw.choice(["Back-off restarting failed container main", "Error: failed to mount volume data-0"])
    return {"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "BackOff", "message": message, "involvedObject": place}


def write_pods(path: pathlib.Path, count: int) -> None:
    """Writes a list of so many pods; one of three has an event."""
    draw = random.Random(7)
    with open(path, "w", buffering=1 << 20) as out:
        out.write('{"apiVersion":"v1","kind":"List","items":[\n')
        for number in range(count):
            own = pod(number, draw)
            items = [own] if number % 3 else [own, event(own, draw)]
            out.write(",\n" if number else "")
            out.write(",\n".join(json.dumps(item, separators=(",", ":")) for item in items))
        out.write("\n]}\n")


def write_config(path: pathlib.Path) -> None:
    """Writes a configuration: rules of each kind in turn, categories of five, of which half delete the pod."""
    patterns = iter(re.findall(r'r"(.*)",$', PATTERNS.read_text(), re.M) * 2)
    kinds = [
        lambda number: {"onConditions": ["Evicted", "DeadlineExceeded"]},
        lambda number: {"onExitCodes": {"operator": "In", "values": [150 + number]}},
        lambda number: {"onTerminationMessage": {"pattern": next(patterns)}},
        lambda number: {"onPodError": {"pattern": next(patterns)}},
        lambda number: {"onPodEvents": {"regexp": next(patterns), "type": "Warning"}},
    ]
    rules = [kinds[number % 5](number) for number in range(RULES)]
    categories = [
        {"name": f"c{start // 5}", "action": "Delete" if start % 10 else "Retain", "rules": rules[start : start + 5]}
        for start in range(0, RULES, 5)
    ]
    block = {"enabled": True, "defaultCategory": "other", "categories": categories}
    # JSON is YAML.
    path.write_text(json.dumps({"application": {"errorCategories": block}}, indent=2))
