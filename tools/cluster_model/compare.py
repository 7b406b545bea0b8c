"""Compares the events of armadactl with those of the model on random small worlds.

Events of one instant are compared as a multiset, everything else exactly: time, event, queue, template, job, run, node,
cause and decision. The exit status is 1 if a world differs.
"""

from __future__ import annotations

import argparse
import collections
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from inputs import SECOND, Draws, MissingDraw, duration, load_yaml, read_world
from model import Model, Options
from retries import Engine, read_policies
from worlds import FEATURES, generate

FIELDS = ("event", "queue", "template", "jobId", "runIndex", "node", "cause", "decision")
# How far the draws reach at first, and at most.
ATTEMPTS, PERIODS = (40, 640), (200, 3200)


@dataclass
class Difference:
    time: int
    only_program: list[tuple[Any, ...]]
    only_model: list[tuple[Any, ...]]


class ProgramError(Exception):
    """The program refused the world, or ended in another way than it should."""


def read_flags(directory: Path) -> dict[str, str]:
    words = (directory / "flags").read_text(encoding="utf-8").split()
    return {name.removeprefix("--"): value for name, value in zip(words[::2], words[1::2])}


def run_program(armadactl: Path, directory: Path, flags: dict[str, str]) -> list[dict[str, Any]]:
    events = directory / "events.jsonl"
    command = [
        str(armadactl),
        "simulate",
        "--cluster",
        str(directory / "cluster.yaml"),
        "--workload",
        str(directory / "workload.yaml"),
        "--events",
        str(events),
        "--threads",
        "1",
        "-o",
        "json",
    ]
    if (directory / "config.yaml").exists():
        command += ["--scheduler-config", str(directory / "config.yaml")]
    if (directory / "policies.yaml").exists():
        command += ["-f", str(directory / "policies.yaml")]
    for name, value in flags.items():
        command += [f"--{name}", value]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise ProgramError(f"exit status {done.returncode}: {done.stderr.strip()}")
    result = []
    for line in events.read_text(encoding="utf-8").splitlines():
        event = json.loads(line, parse_float=Decimal)
        # The model has no starts: each follows from a lease and its delay.
        if event["event"] == "Started":
            continue
        event["time"] = int(Decimal(event["time"]) * SECOND)
        result.append(event)
    return result


def run_model(draws_program: Path, directory: Path, flags: dict[str, str]) -> Model:
    cluster, workload = directory / "cluster.yaml", directory / "workload.yaml"
    for attempts, periods in zip(ATTEMPTS, PERIODS):
        done = subprocess.run(
            [str(draws_program), str(cluster), str(workload), flags["seed"], str(attempts), str(periods)],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        try:
            return run_model_on(directory, Draws(done.stdout.splitlines()), flags)
        except MissingDraw:
            if attempts == ATTEMPTS[-1]:
                raise
    raise AssertionError("unreachable")


def run_model_on(directory: Path, draws: Draws, flags: dict[str, str]) -> Model:
    cluster, workload, config = (directory / f"{name}.yaml" for name in ("cluster", "workload", "config"))
    world = read_world(cluster, workload, config if config.exists() else None, flags["scheduler"])
    policies = directory / "policies.yaml"
    engine = None
    if policies.exists():
        names = [name for name in flags.get("queue-policies", "").split(",") if name]
        engine = Engine(read_policies(policies), names, world.settings, flags.get("engine") == "v1beta1")
    requeue = flags.get("requeue") or ("front" if flags["scheduler"] == "seed" else "original")
    options = Options(flags["scheduler"], requeue, engine, duration(flags["until"]))
    model = Model(world, draws, options)
    model.run()
    return model


def by_time(events: list[dict[str, Any]]) -> dict[int, collections.Counter[tuple[Any, ...]]]:
    result: dict[int, collections.Counter[tuple[Any, ...]]] = collections.defaultdict(collections.Counter)
    for event in events:
        result[event["time"]][tuple(event[name] for name in FIELDS)] += 1
    return result


def first_difference(program: list[dict[str, Any]], model: list[dict[str, Any]]) -> Difference | None:
    left, right = by_time(program), by_time(model)
    for time in sorted({*left, *right}):
        if left.get(time) != right.get(time):
            ours, theirs = left.get(time, collections.Counter()), right.get(time, collections.Counter())
            return Difference(
                time, sorted((ours - theirs).elements(), key=str), sorted((theirs - ours).elements(), key=str)
            )
    return None


def coverage(events: list[dict[str, Any]]) -> collections.Counter[str]:
    counts: collections.Counter[str] = collections.Counter()
    for event in events:
        counts[event["event"]] += 1
        if event["event"] in ("Failed", "Preempted", "NodeDown", "Stopped"):
            counts[f"{event['event']} {event['cause']}"] += 1
        if event["event"] in ("Failed", "Preempted") and event["decision"]:
            counts[f"decision {event['decision']}"] += 1
    return counts


def show(difference: Difference) -> None:
    print(f"  first difference at {difference.time / SECOND} s")
    for name, rows in (("program", difference.only_program), ("model", difference.only_model)):
        for row in rows[:8]:
            print(
                f"    {name + ' only:':14} {' '.join('-' if value is None else str(value) for value in row)}"
            )


def compare_world(
    directory: Path, arguments: argparse.Namespace, counts: collections.Counter[str]
) -> Difference | str | None:
    flags = read_flags(directory)
    try:
        program = run_program(arguments.armadactl, directory, flags)
    except ProgramError as error:
        return f"program: {error}"
    counts.update(coverage(program))
    try:
        model = run_model(arguments.draws, directory, flags)
    except Exception as error:  # The world is worth a look whatever went wrong.
        if arguments.debug:
            raise
        return f"model: {type(error).__name__}: {error}"
    (directory / "model.jsonl").write_text(
        "".join(json.dumps({**event, "time": event["time"] / SECOND}) + "\n" for event in model.events),
        encoding="utf-8",
    )
    return first_difference(program, model.events)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--armadactl", type=Path, required=True, help="the program")
    parser.add_argument(
        "--draws", type=Path, required=True, help="the program that prints the draws of a world"
    )
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first world")
    parser.add_argument("--worlds", type=int, default=100, help="how many worlds")
    parser.add_argument("--stage", type=int, default=4, choices=(1, 2, 3, 4), help="which features occur")
    parser.add_argument(
        "--without", action="append", default=[], choices=FEATURES, help="a feature to leave out"
    )
    parser.add_argument(
        "--only", action="append", default=[], choices=FEATURES, help="skip worlds without it"
    )
    parser.add_argument("--keep", type=Path, help="keep the files of worlds that differ here")
    parser.add_argument(
        "--answers", type=Path, help="append the worlds and the events of the model to this file"
    )
    parser.add_argument("--world", type=Path, help="compare the world of this directory only")
    parser.add_argument("--debug", action="store_true", help="stop at an error of the model")
    arguments = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    if arguments.world:
        result = compare_world(arguments.world, arguments, counts)
        report(f"world {arguments.world}", result)
        return 1 if result else 0
    features: collections.Counter[str] = collections.Counter()
    compared, differing = 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(arguments.seed, arguments.seed + arguments.worlds):
            world = generate(seed, arguments.stage, set(arguments.without))
            if not set(arguments.only) <= world.features:
                continue
            directory = Path(scratch) / f"world-{seed}"
            world.write(directory)
            result = compare_world(directory, arguments, counts)
            compared += 1
            features.update(world.features)
            if arguments.answers:
                with arguments.answers.open("a", encoding="utf-8") as file:
                    file.write(answer(directory) + "\n")
            if result:
                differing += 1
                report(f"world {seed} ({', '.join(sorted(world.features))})", result)
                if arguments.keep:
                    shutil.copytree(directory, arguments.keep / f"world-{seed}", dirs_exist_ok=True)
            shutil.rmtree(directory)
    print(f"{compared} worlds compared, {differing} differ")
    print("worlds with:", ", ".join(f"{name} {number}" for name, number in sorted(features.items())))
    print("events:", ", ".join(f"{name} {number}" for name, number in sorted(counts.items())))
    return 1 if differing else 0


def answer(directory: Path) -> str:
    """A world and the events of the model, as a line of JSON; of an event the fields that are compared."""
    paths = sorted(path for path in directory.iterdir() if path.suffix != ".jsonl")
    lines = (directory / "model.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line, parse_float=Decimal) for line in lines]
    rows = ([event["time"].normalize(), *(event[name] for name in FIELDS)] for event in events)
    words = (("-" if value is None else text(value) for value in row) for row in rows)
    answered = {
        "world": directory.name,
        **{path.name: path.read_text(encoding="utf-8") for path in paths},
        "events": [" ".join(row) for row in words],
    }
    return json.dumps(answered)


def text(value: Any) -> str:
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def report(name: str, result: Difference | str | None) -> None:
    print(f"{name}: {'agrees' if result is None else 'differs'}")
    if isinstance(result, Difference):
        show(result)
    elif result:
        print(f"  {result}")


if __name__ == "__main__":
    sys.exit(main())
