"""Compares the figures of retries that armadactl reports with those counted from its timelines.

The exit status is 1 if a figure differs, or if the summary depends on the timelines or on how the history is read.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from figures import Figures, Retries, count
from histories import World, generate
from verdict import changes, difference, reported_changes, verdict

# More bytes than the program reads into memory before it replays lines as a stream.
STREAMED = 9 << 20


class Comparison:
    def __init__(self) -> None:
        self.figures = 0
        self.differences: list[str] = []
        self.seen: collections.Counter[str] = collections.Counter()

    def compare(self, path: str, own: Any, reported: Any) -> None:
        if isinstance(own, dict) and isinstance(reported, dict):
            for key in own:
                self.compare(f"{path}.{key}", own[key], reported.get(key, "absent"))
        elif isinstance(own, list) and isinstance(reported, list) and len(own) == len(reported):
            for place, (one, other) in enumerate(zip(own, reported)):
                self.compare(f"{path}[{place}]", one, other)
        else:
            self.figures += 1
            if not equal(own, reported):
                self.differences.append(f"{path}: counted {own}, reported {reported}")


def equal(own: Any, reported: Any) -> bool:
    if isinstance(own, float) and isinstance(reported, (int, float)):
        return abs(own - reported) <= 1e-12 + 1e-9 * abs(own)
    return own == reported


def simulate(
    armadactl: Path, directory: Path, world: World, history: str, *flags: str, policies: str = "policies.yaml"
) -> dict[str, Any]:
    command = [str(armadactl), "simulate", "-f", policies, "--queue-policies", ",".join(world.names)]
    command += ["--scheduler-config", "scheduler.yaml", "--history", history, "-o", "json", *flags]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode} of {' '.join(command)}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def compare_figures(comparison: Comparison, figures: Figures, summary: dict[str, Any]) -> None:
    policies: dict[str, Retries] = collections.defaultdict(Retries)
    for row in summary["byRule"]:
        retries = figures.by_rule[(row["policy"], row["ruleIndex"])]
        policies[row["policy"]] += retries
        comparison.compare(f"byRule {row['policy']} {row['ruleIndex']}", retries.report(), row)
        comparison.seen["rules with retries"] += row["granted"] > 0
    for row in summary["byPolicy"]:
        comparison.compare(f"byPolicy {row['policy']}", policies[row["policy"]].report(), row)
    no_rule = figures.by_rule.pop(None, Retries())
    if no_rule.by_number:
        comparison.compare("byNoRule", no_rule.report(), summary.get("byNoRule"))
        comparison.seen["retries by no rule"] += 1
    else:
        comparison.compare("byNoRule", None, summary.get("byNoRule"))
    everything = sum(policies.values(), no_rule)
    comparison.compare("byRetry", everything.number_rows(), summary["byRetry"])
    comparison.compare("recovered", everything.recovered, summary["recovered"])
    comparison.seen["retries from the 21st on"] += sum(row["granted"] for row in summary["byRetry"] if row["retry"] == 21)
    nodes = {(row["cluster"], row["node"]): row for row in summary["nodes"]["worst"]}
    failed = {place: counts for place, counts in figures.nodes.items() if counts[1]}
    comparison.compare("nodes.count", len(failed), summary["nodes"]["count"])
    for place, (retries, failures, again) in failed.items():
        own = {"retries": retries, "failed": failures, "failedAgain": again}
        comparison.compare(f"nodes {place}", own, nodes.get(place))
        comparison.seen["nodes that fail again"] += again > 0
    uncaught = summary["uncaught"]
    comparison.compare("uncaught.failures", sum(row[0] for row in figures.uncaught.values()), uncaught["failures"])
    comparison.compare("uncaught.groups", min(len(figures.uncaught), 20), len(uncaught["groups"]))
    for row in uncaught["groups"]:
        kind = (row["category"], row["exitCode"], row["condition"], row["message"])
        failures, recorded, succeeded, failed_runs = figures.uncaught.get(kind, [0, 0, 0, 0])
        own = {"recorded": recorded, "succeeded": succeeded, "failed": failed_runs}
        comparison.compare(f"uncaught {kind}", {"failures": failures, "retries": own}, row)
        comparison.seen["kinds of uncaught failures with later runs"] += recorded > 0


def compare_variant(
    comparison: Comparison, armadactl: Path, directory: Path, world: World, first: dict[str, Any], own: dict[str, Any]
) -> None:
    """Compares the verdict on another set of policies and what changes under it with its timelines alone."""
    (directory / "variant.yaml").write_text(world.variant, encoding="utf-8")
    alone = simulate(armadactl, directory, world, "history.json", "--timelines", "all", policies="variant.yaml")["jobs"]
    of_variant = verdict(count(world, alone), alone)
    flags = ("--variant", "other=variant.yaml")
    reported = simulate(armadactl, directory, world, "history.json", *flags)["variants"][1]
    comparison.compare("variant.verdict", of_variant, reported["verdict"])
    comparison.compare("variant.difference", difference(of_variant, own), reported["verdict"]["difference"])
    counted, found = changes(first["jobs"], alone), reported_changes(reported["changes"])
    comparison.compare("changes", {name: counted[name] for name in found}, found)
    comparison.compare("changes", {name: found[name] for name in counted}, counted)
    comparison.seen["changed decisions"] += counted["decisions"]
    comparison.seen["changed jobs"] += counted["jobs"]
    comparison.seen["decisions by another rule"] += counted["otherRule"]


def compare_world(comparison: Comparison, armadactl: Path, directory: Path, seed: int) -> None:
    rng = random.Random(seed)
    world = generate(rng)
    (directory / "policies.yaml").write_text(world.policies, encoding="utf-8")
    (directory / "scheduler.yaml").write_text(world.scheduler, encoding="utf-8")
    (directory / "history.json").write_text(world.document(), encoding="utf-8")
    report = simulate(armadactl, directory, world, "history.json", "--timelines", "all")
    summary = report["summary"]
    own = verdict(count(world, report["jobs"]), report["jobs"])
    comparison.compare("verdict", own, report["verdict"])
    compare_variant(comparison, armadactl, directory, world, report, own)
    compare_figures(comparison, count(world, report["jobs"]), summary)
    comparison.seen[f"engine {world.engine}"] += 1
    comparison.seen["gangs"] += sum(job.gang is not None for job in world.jobs)
    comparison.seen["decisions"] += sum(summary["byDecision"].values())
    others = [("history.json", "none"), ("history.json", "auto")]
    if not world.reloads:
        (directory / "history.jsonl").write_text(world.lines(rng), encoding="utf-8")
        others += [("history.jsonl", "none"), ("history.jsonl", "all")]
        if seed % 10 == 0:
            runs = sum(len(job.runs) for job in world.jobs)
            lines = world.lines(rng, STREAMED // runs)
            (directory / "stream.jsonl").write_text(lines, encoding="utf-8")
            others.append(("stream.jsonl", "none"))
            comparison.seen["streams"] += 1
    for history, timelines in others:
        other = simulate(armadactl, directory, world, history, "--timelines", timelines)["summary"]
        # Examples are the first by their position in the history, and the order of jobs differs.
        for one in (other, summary):
            one.pop("contradictionExamples", None)
        comparison.figures += 1
        if other != summary:
            comparison.differences.append(f"the summary of {history} differs with --timelines {timelines}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--armadactl", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--histories", type=int, default=300)
    options = parser.parse_args()
    comparison, differing = Comparison(), 0
    with tempfile.TemporaryDirectory() as directory:
        for seed in range(options.seed, options.seed + options.histories):
            before = len(comparison.differences)
            compare_world(comparison, options.armadactl.resolve(), Path(directory), seed)
            new = comparison.differences[before:]
            differing += bool(new)
            for difference in new[:5]:
                print(f"seed {seed}: {difference}")
    print(f"{options.histories} histories, {comparison.figures} figures, {len(comparison.differences)} differ")
    print(", ".join(f"{what} {number}" for what, number in sorted(comparison.seen.items())))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
