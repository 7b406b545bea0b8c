"""Compares the answer that armadactl gives with one that is counted from the histories, for all six systems.

The exit status is 1 if a figure differs.
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

import answer
import groups
from compare import STREAMED, Comparison
from histories import generate
from recorded import Member, read
from replayed import CUT_OFF, NOT_REACHED, UnitWalk, of_job
from units import SYSTEMS, generate_units
from without_retries import of_gang, of_unit

Reports = dict[str, list[dict[str, Any]]]
# The values of --unit, and the units of cost.
UNITS = {"gpu": "GPU-hours", "core": "core-hours", "run": "hours", "retries": "retries"}


class Case:
    """A history with two sets of policies, and the command line that replays it."""

    def __init__(self, armadactl: Path, directory: Path, system: str, seed: int):
        self.armadactl, self.directory, self.system = armadactl, directory, system
        rng = random.Random(f"{system} {seed}")
        # Every tenth history is so long that it is replayed as a stream.
        is_stream = seed % 10 == 0
        self.engine, self.is_gang, self.cascades = system, False, ()
        if system == "armada":
            world = generate(rng)
            runs = sum(len(job.runs) for job in world.jobs)
            is_document = bool(world.reloads) or not is_stream and rng.random() < 0.5
            text = world.document() if is_document else world.lines(rng, STREAMED // runs if is_stream else 0)
            self.engine = world.engine
            self.flags = ["--queue-policies", ",".join(world.names), "--scheduler-config", "scheduler.yaml"]
            policies = [world.policies, world.variant]
            (directory / "scheduler.yaml").write_text(world.scheduler, encoding="utf-8")
        else:
            units, is_document = generate_units(rng, system), False
            # The first bytes tell the system of a history without policies.
            padding = {"padding": "x" * STREAMED} if is_stream else {}
            records = [*units.records[:-1], {**units.records[-1], **padding}]
            text = "".join(json.dumps(record) + "\n" for record in records)
            self.flags = ["--feature-gates", "RestartJob=true"] if system == "jobset" else []
            self.is_gang, self.cascades = units.is_gang, units.cascades
            policies = units.policies
        self.file = "history.json" if is_document else "history.jsonl"
        (directory / self.file).write_text(text, encoding="utf-8")
        for name, policy in zip(("policies.yaml", "variant.yaml"), policies):
            (directory / name).write_text(policy, encoding="utf-8")
        if is_document:
            jobs = json.loads(text)["spec"]["jobs"]
            records = [{**job, **run} for job in jobs for run in job["runs"]]
        else:
            records = [json.loads(line) for line in text.splitlines()]
        self.units = read(system, records)
        self.job, self.rng = rng.choice(records)["jobId"], rng

    def simulate(self, *flags: str) -> dict[str, Any]:
        command = [str(self.armadactl), "simulate", "--history", self.file, "--allow-empty", "-o", "json", *flags]
        command += self.flags if "-f" in flags else []
        done = subprocess.run(command, cwd=self.directory, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"exit code {done.returncode} of {' '.join(command)}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def jobs(self, reports: Reports | None, only: str | None = None) -> list[answer.Job]:
        """The jobs with their outcomes on record, and with what a replay made of them."""
        found: list[answer.Job] = []
        for unit in self.units:
            on_record = answer.outcomes_on_record(self.system, unit)
            if self.system == "armada":
                jobs = [answer.Job([member], outcome) for member, outcome in zip(unit, on_record)]
                if reports is not None:
                    self.add_replays(jobs, unit, reports)
            else:
                jobs = [answer.Job(unit, on_record[0])]
                if reports is not None:
                    self.add_walk(jobs[0], reports)
            found += [job for job in jobs if only in (None, job.members[0].unit)]
        return found

    def add_replays(self, jobs: list[answer.Job], unit: list[Member], reports: Reports) -> None:
        of_unit = []
        for job, member in zip(jobs, unit):
            [report] = reports[member.unit]
            replay = of_job(self.system, member, report["decisions"])
            job.outcome, job.replays = report["outcome"].lower(), [replay]
            of_unit.append(replay.end)
        # A gang ends for the failure that is decided by itself: of several for that of the job with the first id.
        ends = sorted(zip((member.unit for member in unit), of_unit), key=lambda pair: pair[0])
        others = [end for _, end in ends if end is not None and end[1]["decision"] != "fail_gang"]
        for job, end in zip(jobs, of_unit):
            is_with_gang = unit[0].gang is not None and (end is None or end[1]["decision"] == "fail_gang")
            if is_with_gang and self.engine == "v1":
                end = others[0] if others else None
            job.end = end

    def jobs_without_retries(self, is_alone: bool = False, only: str | None = None) -> list[answer.Job]:
        """The jobs under the variant `no-retries`. Gangs are units, unless the engine beside it has none."""
        found: list[answer.Job] = []
        for unit in self.units:
            on_record = answer.outcomes_on_record(self.system, unit)
            if self.system != "armada":
                outcome, replays, end = of_unit(self.system, unit)
                found.append(answer.Job(unit, on_record[0], outcome, replays, end))
                continue
            is_gang = is_alone or self.engine == "v1"
            judged = of_gang(unit) if is_gang else [one for member in unit for one in of_gang([member])]
            found += [
                answer.Job([member], recorded, outcome, [replay], end)
                for member, recorded, (outcome, replay, end) in zip(unit, on_record, judged)
            ]
        return [job for job in found if only in (None, job.members[0].unit)]

    def add_walk(self, job: answer.Job, reports: Reports) -> None:
        [report] = reports[job.members[0].unit]
        walk = UnitWalk(self.system, job.members, report, self.is_gang, self.cascades).replay()
        job.outcome, job.replays, job.end = report["outcome"].lower(), walk.members, walk.end
        job.is_past_deadline = walk.is_past_deadline
        if job.outcome != "failed":
            job.end = None


def compare_case(comparison: Comparison, case: Case) -> None:
    seen = lambda what, number=1: comparison.seen.update({what: number})
    alone = case.simulate()["answer"]
    compare(comparison, "record", case, alone, [case.jobs(None)], has_policies=False)
    reports, columns = [], []
    for file in ("policies.yaml", "variant.yaml"):
        report = case.simulate("-f", file, "--timelines", "all")
        by_id: Reports = collections.defaultdict(list)
        for job in report["jobs"]:
            by_id[job["jobId"]].append(job)
        reports.append(by_id)
        columns.append(case.jobs(by_id))
        compare_reach(comparison, f"reach {file}", case, columns[-1], by_id)
        compare(comparison, file, case, report["answer"], columns[-1:])
        compare_groups(comparison, file, case, report["summary"], columns[-1], by_id)
    both = case.simulate("-f", "policies.yaml", "--variant", "other=variant.yaml")["answer"]
    compare(comparison, "both", case, both, columns)
    of_one = case.simulate("-f", "policies.yaml", "--variant", "other=variant.yaml", "--job", case.job)["answer"]
    compare(comparison, "job", case, of_one, [case.jobs(one, case.job) for one in reports])
    alone = case.simulate("--job", case.job)["answer"]
    compare(comparison, "job's record", case, alone, [case.jobs(None, case.job)], has_policies=False)
    compare_without_retries(comparison, case, reports[0], columns[0])
    for job in columns[0]:
        seen(f"{case.system} {job.outcome}")
        seen(f"{case.system} retries", sum(len(replay.grants) for replay in job.replays))
        for replay in job.replays:
            for reach in (NOT_REACHED, CUT_OFF):
                seen(f"{case.system} {reach}", replay.reach.count(reach))


def compare_without_retries(comparison: Comparison, case: Case, reports: Reports, first: list[answer.Job]) -> None:
    """The variant `no-retries` alone, beside policies and of one job; and units of cost that are chosen."""
    flags = ["--variant", "no-retries"]
    alone = case.simulate(*flags, "--timelines", "all")
    jobs = case.jobs_without_retries(is_alone=True)
    by_id: Reports = collections.defaultdict(list)
    for job in alone["jobs"]:
        by_id[job["jobId"]].append(job)
    compare_reach(comparison, "reach no-retries", case, jobs, by_id)
    compare(comparison, "no-retries", case, alone["answer"], [jobs])
    unit = case.rng.choice(list(UNITS))
    columns = [first, case.jobs_without_retries()]
    beside = case.simulate("-f", "policies.yaml", *flags, "--unit", unit)["answer"]
    compare(comparison, f"no-retries beside {unit}", case, beside, columns, unit=UNITS[unit])
    against = case.simulate("-f", "policies.yaml", *flags, "--against-record")["answer"]
    compare(comparison, "against the record", case, against, columns, base=0)
    of_one = case.simulate(*flags, "--job", case.job)["answer"]
    compare(comparison, "job no-retries", case, of_one, [case.jobs_without_retries(True, case.job)])
    comparison.seen.update({f"{case.system} no-retries {job.outcome}": 1 for job in jobs})


def compare_reach(
    comparison: Comparison, path: str, case: Case, jobs: list[answer.Job], reports: Reports
) -> None:
    """The runs that are not reached, against the numbers in the timelines: the decisions do not show them."""
    for job in jobs:
        [report] = reports[job.members[0].unit]
        own = {
            "notReached": sum(replay.reach.count(NOT_REACHED) for replay in job.replays),
            "cutOff": sum(replay.reach.count(CUT_OFF) for replay in job.replays),
        }
        reported = {"notReached": report["notReached"], "cutOff": report.get("cutOff", 0)}
        comparison.compare(f"{path} {report['jobId']}", own, reported)


def compare(
    comparison: Comparison,
    path: str,
    case: Case,
    reported: dict[str, Any],
    columns: list[list[answer.Job]],
    has_policies: bool = True,
    unit: str | None = None,
    base: int | None = None,
) -> None:
    base = int(len(columns) > 1) if base is None else base
    facts = answer.facts(columns[0], unit or answer.unit_of(columns[0]), base)
    comparison.compare(path, facts, reported)
    rows = {row["id"]: row for row in reported["rows"]}
    own = answer.rows(columns, facts["unit"], has_policies, base)
    comparison.compare(f"{path}.rows", sorted(own), sorted(rows))
    comparison.compare(f"{path}.rows", own, rows)
    find = answer.reasons if has_policies else answer.reasons_on_record
    compare_reasons(comparison, f"{path}.reasons", find(columns[0], facts["unit"]), reported["reasons"])


def compare_groups(
    comparison: Comparison,
    path: str,
    case: Case,
    summary: dict[str, Any],
    jobs: list[answer.Job],
    reports: Reports,
) -> None:
    """The jobs and the cost of retries by queue, category and day, and the retries over time."""
    own = groups.count(jobs, reports, UnitWalk(case.system, jobs[0].members, NOTHING, False, ()).key)
    for list_name, name in groups.GROUPS.items():
        for row in summary[list_name]:
            comparison.compare(f"{path} {list_name} {row[name]}", own[list_name, row[name]], row)
            comparison.seen[f"{case.system} {list_name}"] += 1
    failures = [(-row["failures"], row["queue"]) for row in summary["byQueue"]]
    comparison.compare(f"{path} byQueue", sorted(failures), failures)
    grants = [grant for job in jobs for replay in job.replays for grant in replay.grants]
    comparison.compare(f"{path} load", answer.load(grants), summary["load"])


# No decision about a unit.
NOTHING: dict[str, Any] = {"decisions": [], "outcome": ""}
SIZES = ("savedHours", "lostWorkHours", "failedRetryHours", "succeededRetryHours", "retries")


def compare_reasons(
    comparison: Comparison, path: str, own: dict[answer.Key, Any], reported: list[dict[str, Any]]
) -> None:
    names = ("kind", "policy", "ruleIndex", "decision")
    of_key = {tuple(row[name] for name in names): row for row in reported}
    comparison.compare(f"{path} number", min(len(own), answer.REASONS), len(reported))
    for key, figures in own.items():
        if key in of_key or len(own) <= answer.REASONS:
            comparison.compare(f"{path} {key}", figures, of_key.get(key))
    comparison.compare(f"{path} unknown", [], [key for key in of_key if key not in own])
    # Nearly equal hours may be in either order.
    sizes = [[round(row[size] or 0, 9) for size in SIZES] for row in reported]
    comparison.compare(f"{path} order", sorted(sizes, reverse=True), sizes)
    if len(own) > answer.REASONS:
        largest = sorted((figures.get("savedHours", figures.get("failedRetryHours")) for figures in own.values()))
        least = reported[-1]["savedHours" if reported[-1]["savedHours"] is not None else "failedRetryHours"]
        comparison.compare(f"{path} least", largest[-answer.REASONS], least)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--armadactl", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--histories", type=int, default=300)
    parser.add_argument("--system", choices=("armada", *SYSTEMS), action="append")
    parser.add_argument("--keep", type=Path, help="leave the files of the last history here")
    options = parser.parse_args()
    comparison = Comparison()
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.keep or Path(temporary)
        directory.mkdir(exist_ok=True)
        for system in options.system or ("armada", *SYSTEMS):
            for seed in range(options.seed, options.seed + options.histories):
                before = len(comparison.differences)
                compare_case(comparison, Case(options.armadactl.resolve(), directory, system, seed))
                for difference in comparison.differences[before:][:8]:
                    print(f"{system} seed {seed}: {difference}")
    print(f"answers: {comparison.figures} figures, {len(comparison.differences)} differ")
    print(", ".join(f"{what} {number}" for what, number in sorted(comparison.seen.items())))
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
