"""Who is measured: a command line each, what it reads, and how its answer is read."""
from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import sys
from typing import Callable

import answers
import build
import measuring

POLICY, SCHEDULER = str(build.HERE / "policy.yaml"), str(build.HERE / "scheduler.yaml")


def no_answer(_: str) -> dict:
    """For reports that cannot be held against others."""
    return {}


def sizes(text: str) -> dict:
    """The answer of a report with other rules: events and jobs only."""
    answer = answers.of_report(text)
    return {key: answer[key] for key in ("events", "jobs")}


@dataclasses.dataclass
class Contender:
    """A program to measure. Contenders with the same `question` must give the same answer."""

    name: str
    command: list[str]
    reads: str
    question: str
    answer: Callable[[str], dict]
    piped: bool = False

    def run(self) -> measuring.Run:
        """One run with the history in memory."""
        measuring.warm(self.reads)
        return measuring.measure(self.command, self.reads if self.piped else None)

    def try_out(self) -> measuring.Run:
        """One run that says in plain words what is missing."""
        if self.name == "DuckDB" and importlib.util.find_spec("duckdb") is None:
            raise measuring.Failed("needs `pip install duckdb`")
        if not self.reads:
            raise measuring.Failed("needs the command `zstd`")
        return self.run()

    def size(self, events: int) -> tuple[float, float]:
        """Millions of events and of bytes that it reads, if the plain history has so many events."""
        share = {"small": 0.1, "large": 1.6}.get(self.question, 1)
        return events * share / 1e6, os.path.getsize(self.reads) / 1e6


def ours(program: str, history: str, policy: str = POLICY) -> list[str]:
    """The command line of a replay."""
    return [program, "simulate", "-f", policy, "--scheduler-config", SCHEDULER, *read(history)]


def read(history: str) -> list[str]:
    """The options of a replay that gives one report, without proposals: they are replays of their own."""
    return ["--history", history, "--advice", "none", "-o", "json"]


def all_of(programs: build.Programs, data: build.Histories) -> list[Contender]:
    """All contenders, for histories of one size."""
    long, variants = build.made_policies()
    tool, of_report = programs.armadactl, answers.of_report
    plain = ours(tool, data.plain)
    named = [word for number, path in enumerate(variants, 2) for word in ("--variant", f"v{number}={path}")]
    two, silent = [*plain, *named[:2]], ["--samples", "0"]
    found = [
        Contender("armadactl", plain, data.plain, "plain", of_report),
        Contender("armadactl, 1 thread", [*plain, "--threads", "1"], data.plain, "plain", of_report),
        Contender("armadactl, 2 threads", [*plain, "--threads", "2"], data.plain, "plain", of_report),
        Contender("armadactl, shuffled", ours(tool, data.shuffled), data.shuffled, "plain", of_report),
        Contender("armadactl, record", [tool, "simulate", *read(data.plain)], data.plain, "plain", no_answer),
        Contender("armadactl, gz", ours(tool, data.gzip), data.gzip, "plain", of_report),
        Contender("armadactl, zst", ours(tool, data.zstd), data.zstd, "plain", of_report),
        Contender("armadactl, pipe", ours(tool, "-"), data.plain, "plain", of_report, piped=True),
        Contender(f"armadactl, {build.VARIANTS} variants", [*plain, *named, *silent], data.plain, "plain", no_answer),
        Contender("armadactl, 2 variants", [*two, *silent], data.plain, "plain", no_answer),
        Contender("armadactl, 2 compared", two, data.plain, "plain", no_answer),
        Contender(f"armadactl, {build.LONG_RULES} rules", ours(tool, data.plain, long), data.plain, "plain", sizes),
        Contender("armadactl, small", ours(tool, data.small), data.small, "small", of_report),
        Contender("armadactl, large", ours(tool, data.large), data.large, "large", of_report),
        Contender("parse loop, 1 thread", [programs.parse, "1", data.plain], data.plain, "plain", json.loads),
        Contender("parse loop, 2 threads", [programs.parse, "2", data.plain], data.plain, "plain", json.loads),
        peer("Python, small", "peer_python.py", data.small, "small"),
        peer("DuckDB", "peer_duckdb.py", data.plain, "plain"),
    ]
    return found


def peer(name: str, script: str, history: str, question: str) -> Contender:
    """A script of this folder, in the Python that runs this one."""
    return Contender(name, [sys.executable, str(build.HERE / script), history], history, question, json.loads)
