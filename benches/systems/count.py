"""What job.yaml, jobset.yaml and iris.yaml come to over a history, counted without armadactl."""
from __future__ import annotations

import collections
import json
from typing import Callable, Iterable

Pod = dict
# What a failure leads to: the run is over for good, or another follows, which is counted or not.
FAIL, COUNTED, FREE = "fail", "counted", "free"
LIMIT = 3


def code(pod: Pod, container: str) -> int:
    """A container's exit code; 0 if there is none."""
    return next((one["exitCode"] for one in pod["containers"] if one["name"] == container), 0)


def job(pod: Pod) -> str:
    """By job.yaml."""
    main = code(pod, "main")
    if "podConditions" in pod:
        return FREE
    if main in (134, 139):
        return FAIL
    if main in (74, 75, 137, 143):
        return COUNTED
    if code(pod, "log-shipper") == 143 or main not in (0, 1, 2, 255):
        return FAIL
    return COUNTED


def jobset(pod: Pod) -> str:
    """By jobset.yaml."""
    main = code(pod, "main")
    if "podConditions" in pod:
        return FREE
    if main in (134, 139):
        return FAIL
    if main in (74, 75, 137, 143):
        return COUNTED
    return FAIL if code(pod, "log-shipper") == 143 else COUNTED


def iris(attempt: Pod) -> str:
    """By iris.yaml: no task is preempted so often that its budget is spent."""
    return COUNTED if attempt["outcome"] == "FAILED" else FREE


RULES: dict[str, Callable[[Pod], str]] = {"job": job, "jobset": jobset, "iris": iris}


def unit(pods: Iterable[Pod], rule: Callable[[Pod], str]) -> tuple[str, int, int, int]:
    """A unit's outcome, its failures decided, its retries granted, and its pods not reached."""
    failures = retries = counted = 0
    rest = iter(pods)
    for pod in rest:
        if pod["outcome"].capitalize() == "Succeeded":
            return "Succeeded", failures, retries, len(list(rest))
        failures += 1
        said = rule(pod)
        if said == FAIL or said == COUNTED and counted == LIMIT:
            return "Failed", failures, retries, len(list(rest))
        counted += said == COUNTED
        retries += 1
    return "Unresolved", failures, retries, 0


def count(history: str, system: str) -> dict:
    """The figures of a whole history."""
    units: dict[str, list[Pod]] = collections.defaultdict(list)
    with open(history) as lines:
        for line in lines:
            pod = json.loads(line)
            units[pod["jobId"]].append(pod)
    answer: collections.Counter[str] = collections.Counter(jobs=len(units))
    for pods in units.values():
        outcome, failures, retries, not_reached = unit(pods, RULES[system])
        answer.update({outcome: 1, "failures": failures, "retries": retries, "notReached": not_reached})
    return dict(answer)


def of_report(text: str) -> dict:
    """The same figures, as a report has them."""
    summary = json.loads(text)["summary"]
    return {key: summary[key] for key in ("jobs", "failures", "retries", "notReached")} | summary["outcomes"]
