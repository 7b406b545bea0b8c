#!/usr/bin/env python3
"""The question of policy.yaml in plain Python: peer_python.py HISTORY

Prints the answer as JSON: {"events", "jobs", "rules": {rule: [matched, retried]}}. The way anybody would write it in an
afternoon: the standard library, a record after the other, an early way out where there is one.
"""
import json
import re
import sys

LIMITS = {"0": 5, "2": 2, "3": 3, "4": 3}
MOST_RETRIES = 4
CODES = frozenset((74, 75, 137, 143))
CATEGORIES = frozenset(("node", "network", "infrastructure"))
TROUBLE = re.compile("(nccl|cuda) error|nccl timeout|i/o timeout|connection re(set|fused)|no space left", re.IGNORECASE)


def first_rule(run: dict) -> str:
    """The rule that decides about a failed run: the first that matches, else the default."""
    if run["outcome"] == "Preempted":
        return "0"
    containers = run["containers"]
    for container in containers:
        if container["exitCode"] or container["reason"] != "Completed":
            if container["reason"] == "OOMKilled":
                return "1"
            break
    for container in containers:
        if container["name"] == "main" and container["exitCode"] in CODES:
            return "2"
    for container in containers:
        if TROUBLE.search(container["message"]):
            return "3"
    return "4" if run["category"] in CATEGORIES else "default"


def replay(path: str) -> dict:
    """What becomes of every job, counted by rule. A job is the retries it was granted, by rule, or None: it has ended."""
    jobs: dict[str, dict[str, int] | None] = {}
    rules = {rule: [0, 0] for rule in ("0", "1", "2", "3", "4", "default")}
    events = 0
    with open(path, "rb") as lines:
        for line in lines:
            run = json.loads(line)
            events += 1
            job = run["jobId"]
            granted = jobs.setdefault(job, {})
            if granted is None:
                continue
            if run["outcome"] == "Succeeded":
                jobs[job] = None
                continue
            rule = first_rule(run)
            used = granted.get(rule, 0)
            rules[rule][0] += 1
            if used < LIMITS.get(rule, 0) and sum(granted.values()) < MOST_RETRIES:
                granted[rule] = used + 1
                rules[rule][1] += 1
            else:
                jobs[job] = None
    return {"events": events, "jobs": len(jobs), "rules": rules}


if __name__ == "__main__":
    print(json.dumps(replay(sys.argv[1])))
