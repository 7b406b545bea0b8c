"""Policies that are made for a measure: a long one, and variants of a short one. The same text for the same seed."""
from __future__ import annotations

import random
import re

WHERE = ["nvlink", "infiniband", "mlx5", "cublas", "cudnn", "nvme", "lustre", "ceph", "kubelet", "containerd", "etcd",
         "vault", "kafka", "redis", "postgres", "rendezvous", "dataloader", "tokenizer", "checkpoint", "scheduler"]
WHAT = ["timeout", "handshake failed", "quota exceeded", "out of order", "checksum mismatch", "not responding",
        "permission denied", "version mismatch", "link down", "lease lost"]
# Failures that a generated history has, beside the many that it has not.
FOUND = [r"device-side assert", r"NCCL error on rank \d+", r"uncorrectable ECC", r"i/o timeout \(\d+ms\)",
         r"connection (refused|reset)", r"core dumped", r"KeyError: 'weights", r"ran low on a resource"]
CATEGORIES = ["gpu", "network", "node", "infrastructure", "application", "deadline"]


def pattern(draw: random.Random, number: int) -> str:
    """A pattern of its own: a fault of one place, often with other words for it; one in eight can be found."""
    if number % 8 == 0:
        return f"{draw.choice(FOUND)}|{WHERE[number // 8 % len(WHERE)]} fault {number}"
    where, first, second = WHERE[number % len(WHERE)], *draw.sample(WHAT, 2)
    forms = [f"(?i){where}[- ]?{number}: ({first}|{second})", f"{where}: {first} after \\d+s \\(code {number}\\)",
             f"(?i){first}|{second} (on|of) {where}{number}"]
    if number % 5:
        forms.pop()
    return draw.choice(forms)


def plain(draw: random.Random, number: int) -> list[str]:
    """A matcher without a pattern: mostly an exit code or a category that is rare."""
    kind = draw.random()
    if kind < 0.6:
        # Under the codes that are common: those of signals, from 128 on.
        codes = sorted(draw.sample(range(3, 128), 3))
        container = draw.choice([[], ["containerName: main"], ["containerName: worker"]])
        return [f"onExitCodes: {{operator: In, values: {codes}}}", *container]
    if kind < 0.9:
        return [f"onFailureCategory: [team-{number}, {draw.choice(WHERE)}-{number}]"]
    return [f"onFailureCategory: [{draw.choice(CATEGORIES)}]", f"onFailureSubcategory: [cause-{number}]"]


def long_policy(rules: int, patterns: int, seed: int = 1) -> str:
    """A policy of so many rules, of which so many have a pattern, spread over all of it."""
    draw = random.Random(seed)
    lines = ["apiVersion: armadaproject.io/v1", "kind: RetryPolicy", "metadata: {name: long}", "spec:",
             "  defaultAction: Retry", "  retryLimit: 3", "  rules:"]
    every = rules // patterns
    for number in range(rules):
        if number % every == every - 1:
            matcher = ["onTerminationMessage: {pattern: '" + pattern(draw, number // every).replace("'", "''") + "'}"]
        else:
            matcher = plain(draw, number)
        action = "Fail" if draw.random() < 0.2 else f"Retry\n    retryLimit: {draw.randint(1, 5)}"
        lines += ["  - " + "\n    ".join([*matcher, f"action: {action}"])]
    return "\n".join(lines) + "\n"


def variant(policy: str, number: int) -> str:
    """The same policy with other limits and another exit code."""
    limits = re.sub(r"retryLimit: (\d+)", lambda found: f"retryLimit: {(int(found[1]) + number) % 7}", policy)
    return limits.replace("74, 75,", f"74, 75, {76 + number},")
