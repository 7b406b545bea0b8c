"""The files that both programs read: drawn histories, changed texts of other programs, and the project's own."""

from __future__ import annotations

import gzip
import json
import pathlib
import random
import re
from dataclasses import dataclass

import documents
import pods
import records
import worlds
import spelling
from worlds import World
from spelling import Dirt

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# The program does not hold longer histories of lines in memory.
SHORT = 8 << 20
# Of every source, the ids of jobs: a long text is the short one many times, each time with other ids.
IDS = {
    "armada-events": rb"01k[0-9a-z]",
    "armada-events-recorded": rb"01[a-z][0-9a-z]",
    "lookout": rb"01k[0-9a-z]",
    "pods": rb'01k[0-9a-z]|etl|(?<="uid": ")[0-9a-z]',
    "sacct": rb"^10(?=\d\d)",
}


@dataclass(frozen=True)
class Input:
    """A history for a world; `kind` decides the command lines (commands.py)."""

    world: World
    path: pathlib.Path
    kind: str
    # A job that is in it.
    job: str


# Name, runs, share of records with other spellings, of those with mistakes.
SHORT_LINES = [
    ("spelt", 60, 0.7, 0),
    ("some", 120, 0.3, 0.03),
    ("many", 50, 0.4, 0.3),
    ("few", 4, 0.5, 0.3),
    ("worse", 40, 0.4, 0.5),
    ("huge-lines", 30, 0.3, 0.05),
]


def job_of(found: list[records.Record], draw: random.Random) -> str:
    """A job of a history."""
    return draw.choice(found)["jobId"]


def other_runs(world: World, draw: random.Random) -> list[records.Record]:
    """Some runs of another system."""
    return worlds.history(draw.choice([one for one in worlds.WORLDS if one.system != world.system]), draw, 20)


def short_lines(world: World, folder: pathlib.Path, draw: random.Random) -> list[Input]:
    """Short histories of lines; one of them has lines that are longer than a piece."""
    made = []
    others = other_runs(world, draw)
    for name, runs, spelt, mistakes in SHORT_LINES:
        found = worlds.history(world, draw, runs)
        dirt = Dirt(spelt, mistakes, draw.random() < 0.2, draw.choice([b"\n", b"\n", b"\r\n"]))
        path = folder / f"{world.name}-{name}.jsonl"
        path.write_bytes(spelling.lines(found, others, draw, dirt, 3 if name == "huge-lines" else 0))
        made.append(Input(world, path, "rare" if name in ("worse", "huge-lines") else "lines", job_of(found, draw)))
    return made


def long_lines(world: World, folder: pathlib.Path, draw: random.Random, name: str, mistakes: float) -> Input:
    """A history of lines that is too long to be held in memory."""
    found = worlds.history(world, draw, 2000)
    dirt = Dirt(0.03, mistakes, False, draw.choice([b"\n", b"\r\n"]))
    others = other_runs(world, draw)
    path = folder / f"{world.name}-{name}.jsonl"
    with path.open("wb") as out:
        number = 0
        while out.tell() < SHORT + (SHORT >> 3):
            if number:
                found = worlds.history(world, draw, 2000)
            for record in found:
                # Each part has units of its own and follows the one before in time.
                record["jobId"] = f"{number}.{record['jobId']}"
                if "jobName" in record:
                    record["jobName"] = f"{number}.{record['jobName']}"
                if "gang" in record:
                    record["gang"]["id"] = f"{number}.{record['gang']['id']}"
                for key in ("startedAt", "finishedAt", "terminationConfirmedAt"):
                    if key in record:
                        record[key] = records.Time(record[key].micros + number * 9 * records.DAY)
            huge = 1 if mistakes and number % 4 == 1 else 0
            text = spelling.lines(found, others, draw, dirt, huge, out.tell())
            out.write(text.rstrip(b"\r\n") + dirt.ending)
            number += 1
    return Input(world, path, "long", job_of(found, draw))


def short_documents(world: World, folder: pathlib.Path, draw: random.Random) -> list[Input]:
    """Documents, with few mistakes and many; two of one file in one."""
    made = []
    for name, runs, mistakes in [("clean", 40, 0), ("some", 60, 0.03), ("many", 15, 0.3)]:
        found = worlds.history(world, draw, runs)
        text, ending = documents.render(documents.document(found, draw, mistakes, world.system == "armada"), draw)
        if mistakes and draw.random() < 0.2:
            text = documents.change_lines(text.encode("utf-8", "replace"), draw, 2).decode("utf-8", "replace")
        if ending == ".yaml" and draw.random() < 0.2:
            text += (
                "---\n"
                + documents.render(
                    documents.document(found[:10], draw, mistakes, world.system == "armada"), random.Random(1)
                )[0]
            )
        path = folder / f"{world.name}-{name}{ending}"
        path.write_bytes(text.encode("utf-8", "replace"))
        made.append(Input(world, path, "document", job_of(found, draw)))
    return made


def sources() -> list[pathlib.Path]:
    """What the tests have of other programs' output."""
    return sorted(
        path
        for path in (ROOT / "testdata" / "sources").glob("*/*")
        if path.suffix != ".md" and path.name != "policy.yaml"
    )


def worlds_of(source: pathlib.Path) -> list[World]:
    """Who replays a source: Armada, and of pods a system that has pods too."""
    names = ["armada-two"] + (["job-parallel"] if source.parent.name == "pods" else [])
    return [world for world in worlds.WORLDS if world.name in names]


def changed_sources(folder: pathlib.Path, draw: random.Random) -> list[Input]:
    """Every text of another program as it is, and changed in several ways."""
    made = []
    for source in sources():
        data = source.read_bytes()
        has_values = bool(documents.values(data.decode()))
        texts = [
            ("as-is", data),
            ("one", documents.change_lines(data, draw, 1)),
            ("lines", documents.change_lines(data, draw, 6)),
            ("cut", data[: draw.randrange(len(data))]),
            ("crlf", b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")),
        ]
        if has_values:
            texts += [
                (f"values-{changes}", documents.change_values(data.decode(), draw, changes).encode("utf-8", "replace"))
                for changes in (1, 2, 5, 20)
            ]
        for name, text in texts:
            path = folder / f"{source.parent.name}-{source.stem}-{name}{source.suffix}"
            path.write_bytes(text)
            made += [Input(world, path, "source", "01k6a") for world in worlds_of(source)]
    return made


def drawn_pods(world: World, folder: pathlib.Path, draw: random.Random) -> list[Input]:
    """Pods of a Job or a JobSet, as JSON and as YAML, as they are and with changed values."""
    made = []
    for name, changes in [("clean", 0), ("one", 1), ("several", 6)]:
        found = worlds.history(world, draw, 40)
        whole = json.dumps(pods.listing(found, draw))
        text = documents.change_values(whole, draw, changes) if changes else whole
        path = folder / f"{world.name}-pods-{name}.json"
        path.write_bytes(text.encode("utf-8", "replace"))
        made.append(Input(world, path, "source", "ml/" + job_of(found, draw)))
        if documents.values(text):
            path = path.with_suffix(".yaml")
            path.write_bytes(documents.yaml(documents.values(text)[0], draw).lstrip("\n").encode("utf-8", "replace"))
            made.append(Input(world, path, "source", "ml/" + job_of(found, draw)))
    return made


def long_sources(folder: pathlib.Path, draw: random.Random) -> list[Input]:
    """A text of each source many times over, more than 8 MiB of it, some of it changed."""
    made = []
    for name in [
        "armada-events/gateway.jsonl",
        "armada-events/watch-raw.txt",
        "lookout/pages.json",
        "pods/stream.json",
        "sacct/duplicates.txt",
    ]:
        source = ROOT / "testdata" / "sources" / name
        data = source.read_bytes()
        ids = re.compile(IDS[source.parent.name], re.MULTILINE)
        header = data.split(b"\n")[0] + b"\n" if source.suffix == ".txt" and data.startswith(b"JobID") else b""
        path = folder / f"{source.parent.name}-{source.stem}-long{source.suffix}"
        with path.open("wb") as out:
            out.write(header)
            number = 0
            while out.tell() < SHORT + (SHORT >> 3):
                part = data[len(header) :]
                # A mistake in JSON over several lines would hide all that follows.
                part = documents.change_lines(part, draw, 2) if number % 50 == 7 and source.suffix != ".json" else part
                out.write(ids.sub(lambda match: b"%s%d" % (match[0], 1000 + number), part))
                number += 1
        made += [Input(world, path, "long", "01k61000a") for world in worlds_of(source)[:1]]
    return made


def drawn(folder: pathlib.Path, seed: int) -> list[Input]:
    """All inputs of a seed."""
    draw = random.Random(f"same output {seed}")
    made = []
    for number, world in enumerate(worlds.WORLDS):
        made += short_lines(world, folder, draw)
        made += short_documents(world, folder, draw)
        if world.system in ("job", "jobset"):
            made += drawn_pods(world, folder, draw)
        # Writing long ones takes the time: each world has one with mistakes, or one without, in turn.
        mistakes = 0 if (number + seed) % 3 == 0 else 0.004
        made.append(long_lines(world, folder, draw, "long", mistakes))
    made += changed_sources(folder, draw)
    made += long_sources(folder, draw)
    return made


def compressed(path: pathlib.Path) -> pathlib.Path:
    """The same with gzip."""
    there = path.with_name(path.name + ".gz")
    if not there.exists():
        there.write_bytes(gzip.compress(path.read_bytes(), 1, mtime=0))
    return there
