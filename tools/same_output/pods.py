"""Runs of Jobs and JobSets as pods, as `kubectl get pods -o json` prints them."""

from __future__ import annotations

import random

import spelling
from records import Record, Time

BATCH, SET = "batch.kubernetes.io/", "jobset.sigs.k8s.io/"


def labels(record: Record) -> dict:
    """The labels that controllers put on a pod."""
    if "jobName" not in record:
        return {BATCH + "job-name": record["jobId"], "job-name": record["jobId"]}
    found = {BATCH + "job-name": record["jobName"], SET + "jobset-name": record["jobId"]}
    if "restartAttempt" in record:
        found[SET + "restart-attempt"] = str(record["restartAttempt"])
    if "replicatedJob" in record:
        found[SET + "replicatedjob-name"] = record["replicatedJob"]
    if "jobIndex" in record:
        found[SET + "job-index"] = str(record["jobIndex"])
    return found


def status(record: Record, end: str | None) -> dict:
    """The status of a pod that ended so."""
    containers = []
    for one in record.get("containers", []):
        ended = {
            "exitCode": one.get("exitCode", 0),
            "reason": one.get("reason", "Error"),
            "message": one.get("message", ""),
            "finishedAt": end,
        }
        containers.append(
            {
                "name": one["name"],
                "restartCount": one.get("restarts", 0),
                "state": {"terminated": ended} if "exitCode" in one else {"running": {}},
            }
        )
    conditions = [{"status": "True", "lastTransitionTime": end} | one for one in record.get("podConditions", [])]
    phase = record["outcome"] if record["outcome"] in ("Succeeded", "Failed", "Running") else "Failed"
    return {"phase": phase, "containerStatuses": containers, "conditions": conditions} | (
        {"reason": record["podReason"]} if "podReason" in record else {}
    )


def pod(record: Record, number: int, draw: random.Random) -> dict:
    """One run as a pod."""
    times = {key: spelling.time(value, draw, False) for key, value in record.items() if isinstance(value, Time)}
    end = times.get("finishedAt")
    # Jobs of a set are Indexed: a pod without an index is not counted.
    index = record.get("podIndex", 0 if "jobName" in record and draw.random() < 0.9 else None)
    annotations = {} if index is None else {BATCH + "job-completion-index": str(index)}
    if "indexFailureCount" in record:
        annotations[BATCH + "job-index-failure-count"] = str(record["indexFailureCount"])
    whole = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"pod-{number}",
            "namespace": "ml",
            "uid": f"uid-{number}",
            "labels": labels(record),
            "annotations": annotations,
        },
        "spec": {
            "nodeName": record.get("node"),
            "restartPolicy": "Never",
            "containers": [{"name": one["name"]} for one in record.get("containers", [])],
        },
        "status": status(record, end),
    }
    if "startedAt" in times:
        whole["status"]["startTime"] = times["startedAt"]
    return whole


def listing(found: list[Record], draw: random.Random) -> dict:
    """All of them as a list."""
    return {
        "apiVersion": "v1",
        "kind": "List",
        "items": [pod(record, number, draw) for number, record in enumerate(found)],
    }
