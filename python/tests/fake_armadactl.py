#!/usr/bin/env python3
"""A program with the flags of `armadactl simulate` that the package uses, for tests without a build.

A partial summary is JSON with the lines themselves, so that a test sees which process read which line. It refuses what
the program refuses: invalid records, other settings, a shard twice or missing, a unit that was cut in two.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any, NoReturn

MAGIC = b"fake partial\n"


def refuse(text: str) -> NoReturn:
    """Exit as the program does for invalid input."""
    print(f"error: {text}", file=sys.stderr)
    sys.exit(3)


def arguments() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["simulate"])
    parser.add_argument("-f", action="append", default=[])
    parser.add_argument("--scheduler-config")
    parser.add_argument("--variant", action="append", default=[])
    parser.add_argument("--disruptions")
    parser.add_argument("--history", nargs="+")
    parser.add_argument("--shard")
    parser.add_argument("--threads")
    parser.add_argument("--partial")
    parser.add_argument("--report")
    for flag in ("--format", "--assume", "--advice", "--timelines", "--samples"):
        parser.add_argument(flag)
    parser.add_argument("-o", default="table")
    return parser.parse_args()


def texts_of(path: str) -> list[str]:
    """Return the contents of a file, or of the policies in a directory."""
    if not Path(path).is_dir():
        return [Path(path).read_text()]
    files = sorted(file for file in Path(path).rglob("*.y*ml") if not file.name.startswith("."))
    return [file.read_text() for file in files]


def settings_of(given: argparse.Namespace) -> list[str]:
    """Return the contents of all files that the flags name, in their order."""
    paths = [*given.f, *[path for path in (given.scheduler_config, given.disruptions) if path]]
    for variant in given.variant:
        paths += variant.partition("=")[2].split(",") if "=" in variant else []
    texts = [text for path in paths for text in texts_of(path)]
    if "invalid" in texts:
        refuse("the policy is invalid")
    return texts


def unit_of(record: dict[str, Any], gangs: dict[str, str]) -> str:
    """Return the unit of a record; the first record of a job names its gang."""
    job = record["jobId"]
    if job not in gangs:
        gang = record.get("gang")
        names = [record.get("queue") or "", record.get("jobSet") or "", gang["id"] if gang else ""]
        gangs[job] = "\0".join(names) if gang and gang["cardinality"] > 1 else job
    return gangs[job]


def replay(given: argparse.Namespace) -> dict[str, Any]:
    """Read records of standard input, or of files."""
    shard, shards = map(int, (given.shard or "0/1").split("/"))
    part: dict[str, Any] = {"shards": [shard], "of": shards, "lines": [], "skipped": 0, "settings": settings_of(given)}
    gangs: dict[str, str] = {}
    last: dict[str, int] = {}
    for line in (
        sys.stdin if given.history == ["-"] else "".join(map(Path.read_text, map(Path, given.history))).split("\n")
    ):
        if not line.strip():
            continue
        record = json.loads(line)
        if record["outcome"] == "Invalid":
            refuse(f"{record['jobId']}: the record is invalid\n  a second line")
        digest = hashlib.sha256(unit_of(record, gangs).encode()).digest()
        if int.from_bytes(digest[:4], "big") % shards != shard:
            part["skipped"] += 1
            continue
        if record.get("runIndex", 0) <= last.get(record["jobId"], -1):
            refuse(f"{record['jobId']}: the runs are not in order")
        last[record["jobId"]] = record.get("runIndex", 0)
        # Null means absent.
        present = {key: value for key, value in record.items() if value is not None}
        part["lines"].append(json.dumps(present, sort_keys=True))
    part["lines"].sort()
    if last:
        print(f"warning: {len(last)} jobs", file=sys.stderr)
    return part


def merge(given: argparse.Namespace) -> dict[str, Any]:
    """Read partial summaries."""
    merged: dict[str, Any] = {"shards": [], "lines": [], "skipped": 0, "settings": settings_of(given)}
    for path in given.history:
        part = json.loads(Path(path).read_bytes()[len(MAGIC) :])
        if part["settings"] != merged["settings"]:
            refuse(f"{path}: other settings")
        if set(part["shards"]) & set(merged["shards"]):
            refuse(f"{path}: a shard is given twice")
        merged = {key: merged[key] + part[key] for key in ("shards", "lines", "skipped")} | {
            "settings": merged["settings"],
            "of": part["of"],
        }
    return merged | {"shards": sorted(merged["shards"]), "lines": sorted(merged["lines"])}


def report(part: dict[str, Any], output: str) -> bytes:
    """Return a report, which must not depend on the number of shards."""
    if part["skipped"]:
        refuse(f"{part['skipped']} records were in parts of other shards")
    if len(part["shards"]) < part["of"]:
        refuse(f"the parts have {len(part['shards'])} of {part['of']} shards")
    figures = {"lines": part["lines"], "settings": part["settings"]}
    return json.dumps(figures).encode() if output == "json" else f"{output}: {len(part['lines'])} records\n".encode()


def main() -> None:
    """Run the command."""
    given = arguments()
    is_partial = given.history != ["-"] and Path(given.history[0]).read_bytes().startswith(MAGIC)
    part = merge(given) if is_partial else replay(given)
    if given.partial:
        sys.stdout.buffer.write(MAGIC + json.dumps(part).encode())
        return
    if given.report:
        Path(given.report.partition("=")[2]).write_bytes(b"# " + report(part, given.report.partition("=")[0]))
    sys.stdout.buffer.write(report(part, given.o))


if __name__ == "__main__":
    main()
