"""The command lines of each input."""

from __future__ import annotations

import pathlib
import random
from dataclasses import dataclass, field, replace

import inputs
import worlds
from inputs import Input, ROOT

SKIP = ["--on-bad-record", "skip"]
JSON = ["-o", "json"]


@dataclass(frozen=True)
class Command:
    """A command line without the program, and the files that are its own."""

    arguments: list[str]
    files: list[pathlib.Path] = field(default_factory=list)
    stdin: pathlib.Path | None = None
    # What it is counted under.
    label: str = "no history"


def replay(one: Input, *options: str) -> list[str]:
    """The replay of an input, without its history."""
    return ["simulate", "-f", *one.world.policies, *one.world.options, *options]


def option_sets(one: Input) -> list[list[str]]:
    """What a short history is replayed with."""
    sets = [
        [*SKIP, *JSON],
        JSON,
        [*SKIP, "-o", "table", "--timelines", "all"],
        [*SKIP, *JSON, "--timelines", "all", "--threads", "1"],
        [*SKIP, "-o", "table", "--timelines", "none", "--threads", "2"],
        [*SKIP, *JSON, "--job", one.job],
        [*SKIP, *JSON, "--assume", "observed"],
        [*SKIP, "--strict-records", "--error-format", "json", *JSON],
        [*SKIP, "-o", "wide", "--variant", one.world.variant],
        [
            *SKIP,
            *JSON,
            "--variant",
            one.world.variant,
            "--variant",
            "same=" + ",".join(one.world.policies),
            "--timelines",
            "all",
        ],
        ["-o", "yaml", "--exit-code", "--error-format", "short", "--allow-empty"],
    ]
    if one.world.sweep:
        sets += [[*SKIP, *JSON, "--sweep", one.world.sweep], [*SKIP, "-o", "table", "--sweep", one.world.sweep]]
    return sets


def of_lines(one: Input, beside: Input, draw: random.Random) -> list[Command]:
    """Of a short history of lines, also in the other ways that a history is given."""
    path = str(one.path)
    made = [Command([*replay(one, *options), "--history", path], [one.path]) for options in option_sets(one)]
    assumed, options = draw.choice(["succeed", "fail"]), [*SKIP, *JSON, "--timelines", draw.choice(["all", "none"])]
    gz = inputs.compressed(one.path)
    made += [
        Command([*replay(one, *SKIP, "-o", "table", "--assume", assumed), "--history", path], [one.path]),
        Command([*replay(one, *options), "--history", "-"], [one.path], one.path),
        Command([*replay(one, *options, "--format", "jsonl"), "--history", str(gz)], [gz]),
        Command([*replay(one, *options), "--history", path, str(beside.path)], [one.path, beside.path]),
        Command([*replay(one, *JSON), "--history", str(beside.path), str(gz)], [gz, beside.path]),
    ]
    pattern = f"{one.world.name}-s*.jsonl"
    files = sorted(one.path.parent.glob(pattern))
    made.append(Command([*replay(one, *options), "--history", str(one.path.parent / pattern)], files))
    return made


def of_long(one: Input) -> list[Command]:
    """Of a history that is read as a stream; `--timelines all` holds it in memory."""
    path = str(one.path)
    sets = [
        [*SKIP, *JSON, "--threads", "1"],
        [*SKIP, "-o", "table", "--threads", "2"],
        [*JSON, "--threads", "2"],
        [*SKIP, *JSON, "--job", one.job],
        [*SKIP, *JSON, "--threads", "2", "--variant", one.world.variant, "--assume", "observed"],
    ]
    sets += [[*SKIP, *JSON, "--sweep", one.world.sweep]] if one.world.sweep else []
    made = [Command([*replay(one, *options), "--history", path], [one.path]) for options in sets]
    if one.path.suffix == ".jsonl":
        # Held in memory; of one job, since a report with all timelines is longer than the history.
        made.append(
            Command([*replay(one, *SKIP, *JSON, "--timelines", "all", "--job", one.job), "--history", path], [one.path])
        )
        made.append(
            Command(
                [*replay(one, *SKIP, *JSON, "--strict-records", "--error-format", "short"), "--history", "-"],
                [one.path],
                one.path,
            )
        )
    return made


def of_document(one: Input) -> list[Command]:
    """Of a document, which `validate` reads as well."""
    path = str(one.path)
    made = [Command([*replay(one, *options), "--history", path], [one.path]) for options in option_sets(one)[:9]]
    return made + [
        Command(["validate", "-f", path], [one.path]),
        Command([*replay(one, *JSON, "--format", "yaml"), "--history", "-"], [one.path], one.path),
    ]


def of_source(one: Input) -> list[Command]:
    """Of another program's output."""
    sets = [
        [*SKIP, *JSON, "--timelines", "all"],
        [*JSON, "--error-format", "json"],
        [*SKIP, "-o", "table", "--strict-records"],
        [*SKIP, *JSON, "--variant", one.world.variant, "--threads", "2"],
    ]
    return [Command([*replay(one, *options), "--history", str(one.path)], [one.path]) for options in sets]


def of_inputs(found: list[Input], seed: int) -> list[Command]:
    """Of all inputs of a seed."""
    draw = random.Random(f"commands {seed}")
    made = []
    for number, one in enumerate(found):
        if one.kind == "lines":
            more = of_lines(
                one,
                draw.choice(
                    [other for other in found if other.world == one.world and other.kind in ("lines", "document")]
                ),
                draw,
            )
        elif one.kind == "rare":
            more = of_lines(one, one, draw)[:6]
        else:
            more = {"long": of_long, "document": of_document, "source": of_source}[one.kind](one)
        made += [replace(command, label=f"{one.kind} {one.world.name}") for command in more]
    return made


def of_policies(draw: random.Random) -> list[Command]:
    """Decisions that are explained, and policies that are checked and converted; they read no history."""
    made = []
    for world in worlds.WORLDS:
        files = [word for file in world.policies for word in ("-f", file)]
        options = [] if world.options[:1] == ("--seed",) else list(world.options)
        drawn = [[failure] for failure in world.failures] + [draw.sample(world.failures, 2) for _ in range(6)]
        for pairs in drawn:
            needed = world.failures[-1:] if world.system == "jobset" and world.failures[-1] not in pairs else ()
            failures = [word for pair in (*pairs, *needed) for word in ("--failure", pair)]
            used = ["--retries-used", str(draw.randrange(6)), "-o", draw.choice(["json", "table", "yaml"])]
            made.append(Command(["explain", "decision", *files, *options, *failures, *used]))
        made += [Command(["validate", *files]), Command(["validate", *files, "--error-format", "json"])]
        made += [
            Command(["convert", *files, "--to", name])
            for name in ("v1", "v1beta1", "job", "jobset", "iris", "backendai", "airflow")
        ]
    return made


def of_the_project() -> list[Command]:
    """Over files that the project has: its examples of mistakes and its seeds for fuzzing."""
    relative = lambda pattern: sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(pattern) if path.is_file())
    made = [
        Command(["validate", "-f", path])
        for path in relative("testdata/diagnostics/*/*") + relative("examples/**/*.yaml")
    ]
    made += [Command(["validate", "-f", path]) for path in relative("fuzz/corpus/policy/*")]
    histories = (
        relative("testdata/history/*.yaml") + relative("testdata/history/*.jsonl") + relative("testdata/cli/*history*")
    )
    histories += [path for folder in ("history", "line", "source") for path in relative(f"fuzz/corpus/{folder}/*")]
    armada, job = (
        next(world for world in worlds.WORLDS if world.name == name) for name in ("armada-two", "job-parallel")
    )
    for path in histories:
        made += [
            Command(
                ["simulate", "-f", *world.policies, *world.options, *JSON, "--timelines", "all", "--history", path],
                label="project",
            )
            for world in (armada, job)
        ]
    for history in relative("examples/*/*.history.yaml") + relative("examples/*/*.jsonl"):
        manifest = history.replace(".history", "").replace(".jsonl", ".yaml")
        if (ROOT / manifest).exists():
            made += [
                Command(
                    ["simulate", "-f", manifest, "--history", history, "-o", form, "--timelines", "all"],
                    label="project",
                )
                for form in ("table", "json")
            ]
    for cluster in relative("examples/cluster/*/cluster.yaml"):
        files = ["--cluster", cluster, "--workload", cluster.removesuffix("cluster.yaml") + "workload.yaml"]
        made += [Command(["simulate", *files, "--until", "2h", "-o", form]) for form in ("table", "json")]
    for state in relative("examples/scheduler/*.yaml"):
        made += [Command(["explain", "round", "--state", state, "-o", form]) for form in ("table", "json")]
    return made
