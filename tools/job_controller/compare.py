#!/usr/bin/env python3
"""Compares the ends of Jobs by Kubernetes' Job controller with those that `armadactl simulate` derives from the pods.

Usage: compare.py CONTROLLER ARMADACTL DIRECTORY JOBS SEED BATCH RELEASE
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path


def simulated(armadactl, directory, release):
    """The outcome of each Job: its reason, and status.failed, if a pod failed."""
    histories = [name for name in ("pods.json", "lines.jsonl") if (directory / name).stat().st_size > 0]
    command = [armadactl, "simulate", "-f", "jobs.json", "--timelines", "all", "-o", "json", "--release", release]
    for name in histories:
        command += ["--history", name]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} in {directory}: {done.stderr}")
    jobs = {}
    for job in json.loads(done.stdout)["jobs"]:
        decisions = job["decisions"]
        failed = decisions[-1]["counts"]["failed"] if decisions else 0
        jobs[job["jobId"].removeprefix("d/")] = (job.get("systemOutcome") or job["outcome"], failed)
    return jobs


def main():
    controller, armadactl, directory, jobs, seed, batch, release = sys.argv[1:]
    directory = Path(directory)
    reasons, differences, compared = Counter(), [], 0
    for first in range(int(seed), int(seed) + int(jobs), int(batch)):
        count = min(int(batch), int(seed) + int(jobs) - first)
        arguments = ["-jobs", str(count), "-seed", str(first), "-out", str(directory)]
        subprocess.run([controller, *arguments], check=True)
        ended = json.loads((directory / "ended.json").read_text())
        ours = simulated(armadactl, directory, release)
        for name, end in ended.items():
            compared += 1
            reasons[end["reason"]] += 1
            theirs = (end["reason"], end["failed"])
            if ours.get(name) != theirs:
                differences.append(f"{name} (seed {name.removeprefix('job-')}): {ours.get(name)}, not {theirs}")
    print(f"{compared} Jobs compared, {int(jobs) - compared} left out: {dict(reasons)}")
    for difference in differences[:20]:
        print(difference)
    print(f"{len(differences)} differ")
    sys.exit(bool(differences))


if __name__ == "__main__":
    main()
