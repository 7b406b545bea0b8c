"""Clean histories of very many events, of every system: those of benches/replay with each system's fields."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import typing

from commands import Command, JSON
from inputs import ROOT
from worlds import WORLDS, World

sys.path += [str(ROOT / "benches" / "replay"), str(ROOT / "benches" / "systems")]

import build
import fields

if typing.TYPE_CHECKING:
    from run import Comparison

# What benches/replay calls a failure, in the words of the BEP-1053 draft.
CAUSES = {
    "oom": "oom_killed",
    "node": "agent_transient",
    "network": "image_pull_failure",
    "infrastructure": "agent_transient",
    "deadline": "scheduler_timeout",
    "application": "kernel_nonzero_exit",
    "gpu": "unknown",
}


def generator(program: str | None) -> str:
    """The program that writes the events; built if none is named."""
    if program:
        return str(pathlib.Path(program).resolve())
    build.cargo("build", "--release", "--features", "tools", "--example", "replay_generate")
    return str(
        pathlib.Path(json.loads(build.cargo("metadata", "--format-version", "1", "--no-deps"))["target_directory"])
        / "release"
        / "examples"
        / "replay_generate"
    )


def record(event: dict, system: str) -> dict:
    """One event as a session of a chain, or as a try of a task instance; the other systems are those of benches/systems."""
    if system not in ("backendai", "airflow"):
        return fields.record(event, system)
    own = {key: event[key] for key in ("jobId", "queue", "runIndex", "finishedAt", "node") if key in event}
    own["outcome"] = "Succeeded" if event["outcome"] == "Succeeded" else "Failed"
    if system == "airflow":
        return own | {"dagId": event["queue"], "taskId": event["jobId"], "tryNumber": event["runIndex"] + 1}
    own["sessionId"] = f"{event['jobId']}:{event['runIndex']}"
    return own | ({"cause": CAUSES.get(event.get("category"), "unknown")} if own["outcome"] == "Failed" else {})


def write(events: pathlib.Path, system: str) -> pathlib.Path:
    """The history of a system."""
    made = events.with_name(f"{events.stem}-{system}.jsonl")
    with events.open() as lines, made.open("w", buffering=1 << 20) as out:
        for line in lines:
            out.write(json.dumps(record(json.loads(line), system), separators=(",", ":")) + "\n")
    return made


def of_history(world: World, path: pathlib.Path) -> list[Command]:
    """The replays of a history that is clean: nothing is skipped."""
    start = ["simulate", "-f", *world.policies, *world.options]
    sets = [
        [*JSON, "--threads", "2"],
        ["-o", "table", "--threads", "1", "--strict-records"],
        [*JSON, "--variant", world.variant, "--assume", "observed"],
    ]
    label = f"events {path.stem.split('-', 1)[-1]}"
    return [Command([*start, *options, "--history", str(path)], [path], label=label) for options in sets]


def compare(comparison: Comparison, count: int, program: str | None) -> None:
    """Compares over histories of so many events, one system after another: each is deleted before the next."""
    generate = generator(program)
    world_of = {world.name: world for world in WORLDS}
    for name, options in (("shuffled", ["--shuffled"]), ("armada", [])):
        events = comparison.folder / f"events-{name}.jsonl"
        subprocess.run([generate, str(count), str(events), *options], check=True)
        found = of_history(world_of["armada"], events)
        if options:
            # The generator's shuffled records have keys that nothing reads.
            found = [command for command in found if "--strict-records" not in command.arguments]
        comparison.compare(found)
        if options:
            events.unlink()
    for system in ("job", "jobset", "iris", "backendai", "airflow"):
        history = write(events, system)
        comparison.compare(of_history(world_of[system], history))
        history.unlink()
    events.unlink()
