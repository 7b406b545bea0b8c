#!/usr/bin/env python3
"""Prints a made-up month of runs, the same each time: history.py RUNS

Causes of failure differ in how often the next run fails for the same one, so that a policy has something to decide. Not
a real fleet."""
import datetime
import json
import random
import sys

QUEUES = [
    "language-models", "vision", "speech", "ranking", "protein-folding", "robotics", "nightly-evaluations",
    "data-preparation", "weather-downscaling-of-the-northern-hemisphere", "genomics", "search", "maps",
] + [f"team-{number:02}" for number in range(24)]

# By cause: its weight, the chance that the next run fails for it again, its mean hours, and the fields of the record.
CAUSES = {
    "preempted": (22, 0.05, 2.5, {"outcome": "Preempted"}),
    "evicted": (5, 0.10, 2.0, {"conditions": ["Evicted"], "exitCode": 137}),
    "node": (8, 0.08, 5.0, {"category": "infrastructure", "exitCode": 255}),
    "ecc": (5, 0.55, 3.0, {"category": "gpu", "exitCode": 1, "message": "CUDA error: uncorrectable ECC error"}),
    "nccl": (6, 0.25, 3.5, {"category": "gpu", "exitCode": 1, "message": "NCCL timeout after {} s on rank {}"}),
    "network": (7, 0.18, 0.6, {"category": "network", "exitCode": 75, "message": "connection refused by 10.0.{}.{}"}),
    "memory": (19, 0.93, 0.9, {"category": "memory", "exitCode": 137, "reason": "OOMKilled"}),
    "bug": (20, 0.98, 0.2, {"category": "application", "exitCode": 1, "message": "ValueError: invalid literal 'x{}'"}),
    "crash": (5, 0.90, 0.7, {"category": "application", "exitCode": 139, "message": "Segmentation fault"}),
    "quota": (3, 0.35, 1.2, {"category": "storage", "exitCode": 1, "message": "Disk quota exceeded: /scratch/{}"}),
}
START = datetime.datetime(2026, 10, 1)
DAYS = 31


def time_text(hours):
    return (START + datetime.timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")


def run_fields(cause, random_):
    if cause is None:
        return {"outcome": "Succeeded"}
    fields = dict(CAUSES[cause][3])
    if "outcome" in fields:
        return fields
    container = {"name": "main", "exitCode": fields.pop("exitCode")}
    if "reason" in fields:
        container["reason"] = fields.pop("reason")
    if "message" in fields:
        numbers = [random_.randrange(100) for _ in range(2)]
        container["message"] = fields.pop("message").format(*numbers)
    return {"outcome": "Failed", **fields, "containers": [container]}


def job(number, random_):
    """The runs of a job, until it succeeds, somebody gives up, or the month ends."""
    names = list(CAUSES)
    weights = [CAUSES[name][0] for name in names]
    queue = random_.choices(QUEUES, [1 / (at + 1.5) for at in range(len(QUEUES))])[0]
    gpus = random_.choice([1, 1, 2, 4, 8])
    hour = random_.uniform(0, DAYS * 24)
    # A day on which a switch fails.
    if random_.random() < 0.12:
        hour = 16 * 24 + random_.uniform(0, 30)
    cause = random_.choices(names, weights)[0] if random_.random() < 0.61 else None
    for index in range(9):
        mean = CAUSES[cause][2] if cause else 4.0
        end = hour + random_.expovariate(1 / mean)
        if end > DAYS * 24:
            return
        yield end, {
            "jobId": f"job-{number:05}", "queue": queue, "runIndex": index,
            "startedAt": time_text(hour), "finishedAt": time_text(end),
            "node": f"gpu-{int(random_.paretovariate(0.6)) % 900:03}",
            "resources": {"cpu": str(gpus * 12), "nvidia.com/gpu": str(gpus)},
            **run_fields(cause, random_),
        }
        if cause is None or random_.random() < 0.08:
            return
        if random_.random() >= CAUSES[cause][1]:
            cause = random_.choices(names, weights)[0] if random_.random() < 0.14 else None
        hour = end + 1 / 60 + random_.expovariate(12)


def main():
    random_ = random.Random(7)
    runs, number = [], 0
    while len(runs) < int(sys.argv[1]):
        runs.extend(job(number, random_))
        number += 1
    for _, record in sorted(runs, key=lambda run: run[0]):
        print(json.dumps(record, separators=(",", ":")))


if __name__ == "__main__":
    main()
