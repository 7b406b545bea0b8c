#!/usr/bin/env python3
"""Compares Argo's decisions about failed attempts with those of `armadactl simulate`.

Usage: compare.py CASES_PROGRAM ARMADACTL DIRECTORY CASES SEED VERSION [VECTORS]
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

BATCH = 500


def made(program, count, seed):
    """The cases, with Argo's answers."""
    arguments = [program, "-cases", str(count), "-seed", str(seed)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def unit(case):
    return f"ml/{case['name']}.main"


def simulated(armadactl, directory, cases):
    """The decisions of each case."""
    manifests = {"apiVersion": "v1", "kind": "List", "items": [case["workflow"] for case in cases]}
    (directory / "workflows.json").write_text(json.dumps(manifests))
    with (directory / "runs.jsonl").open("w") as history:
        for case in cases:
            for attempt in case["attempts"]:
                history.write(json.dumps({"jobId": unit(case), "template": "main", **attempt["record"]}) + "\n")
    command = [armadactl, "simulate", "-f", "workflows.json", "--history", "runs.jsonl", "--timelines", "all"]
    command += ["-o", "json"]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return {job["jobId"]: job["decisions"] for job in json.loads(done.stdout)["jobs"]}


def difference(attempt, decision):
    """What differs in a decision; empty if nothing does."""
    expected = attempt["expected"]
    wait = round((decision.get("backoffSeconds") or 0) * 1e9)
    # A number of seconds with 53 bits has the nanoseconds of waits up to some months.
    if abs(wait - expected["waitNanos"]) > abs(expected["waitNanos"]) * 1e-12:
        return f"waits {wait}, not {expected['waitNanos']} ns"
    if (decision["action"] == "Retry") != expected["retry"]:
        return f"{decision['action']}, not {'a retry' if expected['retry'] else 'the end'}"
    if decision["nodePhase"] != expected["phase"]:
        return f"phase {decision['nodePhase']}, not {expected['phase']}"
    if expected["retry"]:
        return ""
    if expected["isFault"] != (decision["decision"] == "error_expression"):
        return f"{decision['decision']}, and Argo's error is {expected['isFault']}"
    message = decision.get("nodeMessage") or ""
    if not expected["isFault"] and message != expected["message"]:
        return f"message `{message}`, not `{expected['message']}`"
    return ""


def main():
    program, armadactl, directory, count, seed, version, vectors = sys.argv[1:]
    directory, count, seed = Path(directory), int(count), int(seed)
    if vectors:
        cases = made(program, count, seed)
        source = f"argo-workflows {version} (Apache-2.0), its own code, run by tools/argo"
        lines = ",\n".join(json.dumps({**case, "source": source}) for case in cases)
        Path(vectors).write_text(f"[\n{lines}\n]\n")
        return
    codes, differences, decisions = Counter(), [], 0
    for first in range(seed, seed + count, BATCH):
        cases = made(program, min(BATCH, seed + count - first), first)
        ours = simulated(armadactl, directory, cases)
        for case in cases:
            own = ours.get(unit(case), [])
            if len(own) != len(case["attempts"]):
                differences.append(f"{case['name']}: {len(own)} decisions, not {len(case['attempts'])}")
                continue
            for number, (attempt, decision) in enumerate(zip(case["attempts"], own)):
                decisions += 1
                codes[decision["decision"]] += 1
                if found := difference(attempt, decision):
                    differences.append(f"{case['name']}, attempt {number}: {found}")
                    break
    print(f"{count} cases, {decisions} decisions compared: {dict(codes.most_common())}")
    for line in differences[:20]:
        print(line)
    print(f"{len(differences)} differ")
    sys.exit(bool(differences))


if __name__ == "__main__":
    main()
