"""Runs the cases, each in a process of its own, and compares their reports with that of one process."""

from __future__ import annotations

import argparse
import hashlib
import pathlib
import subprocess
import sys
import time

import data

import armadactl

CASES = ("parquet", "lines", "killed", "speculation", "ray")
# Forms of a report, by the name of the file.
FORMS = {"report.json": "json", "report.table": "table", "report.wide": "wide"}


def arguments_of(history: data.History) -> list[str]:
    """Return the arguments of the command line that every case replays."""
    policies = ["-f", str(history.policies), "--scheduler-config", str(history.settings)]
    return [*policies, "--variant", f"more={history.variant}", "--variant", "no-retries", "--samples", "5"]


def one_process(history: data.History, folder: pathlib.Path) -> None:
    """Write the reports of one process."""
    for name, form in FORMS.items():
        whole = ["--history", str(history.lines), "--advice", "none", "--timelines", "none", "-o", form]
        with open(folder / name, "wb") as out:
            command = [str(armadactl.binary()), "simulate", *arguments_of(history), *whole]
            subprocess.run(command, stdout=out, check=True)


def run_case(name: str, history: data.History, folder: pathlib.Path) -> None:
    """Write the reports of a case."""
    if name == "ray":
        import ray_case

        report = ray_case.tasks(history, arguments_of(history))
    else:
        import spark_cases

        report = getattr(spark_cases, name)(history)
    (folder / "report.table").write_text(report.table())
    (folder / "report.wide").write_text(report.wide())
    report.save(folder / "report.json")
    report.save(folder / "report.partial")


def differences(folder: pathlib.Path, reference: pathlib.Path) -> list[str]:
    """Return the forms that differ from those of one process."""
    return [name for name in FORMS if (folder / name).read_bytes() != (reference / name).read_bytes()]


def digest(path: pathlib.Path) -> str:
    """Return the start of a file's digest."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def arguments() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(
        prog="tools/scale/run", description="Compares reports of engines with that of one process."
    )
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--generate", required=True)
    parser.add_argument("--events", type=int, required=True)
    parser.add_argument("--only", choices=CASES, help=argparse.SUPPRESS)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"cases: {', '.join(CASES)} (default: all)")
    given = parser.parse_args()
    unknown = set(given.cases) - set(CASES)
    if unknown:
        parser.error(f"unknown case {', '.join(sorted(unknown))}: there are {', '.join(CASES)}")
    return given


def main() -> None:
    """Run all cases, or one in this process."""
    given = arguments()
    history = data.make(given.generate, given.events, given.work)
    folder = given.work / f"reports-{given.events}"
    if given.only:
        run_case(given.only, history, folder / given.only)
        return
    (folder / "one").mkdir(parents=True, exist_ok=True)
    one_process(history, folder / "one")
    failed = 0
    for name in given.cases or CASES:
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "report.partial").unlink(missing_ok=True)
        begin = time.monotonic()
        # A process of its own: it can have one session of Spark only.
        done = subprocess.run([sys.executable, *sys.argv[: sys.argv.index("--")], "--only", name], check=False)
        seconds = time.monotonic() - begin
        differ = ["the case ended with an error"] if done.returncode else differences(folder / name, folder / "one")
        failed += bool(differ)
        print(f"{name}: {', '.join(differ) or 'equal'} ({seconds:.0f} s)", flush=True)
    # Repeated tasks have to give the same bytes. Ray's summary has other shards.
    paths = [folder / name / "report.partial" for name in given.cases or CASES if name != "ray"]
    summaries = {digest(path) for path in paths if path.exists()}
    if len(summaries) > 1:
        print(f"the merged summaries of Spark's cases differ: {', '.join(sorted(summaries))}")
    sys.exit(1 if failed or len(summaries) > 1 else 0)


if __name__ == "__main__":
    main()
