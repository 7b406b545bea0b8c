"""Histories as `FailureHistory` documents, and changed texts of other programs."""

from __future__ import annotations

import json
import random
import re

import spelling
from records import Record

PLAIN = re.compile(r"[A-Za-z][\w./-]*")
# Plain words that YAML reads as something else than a text.
NOT_TEXTS = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}


def document(found: list[Record], draw: random.Random, mistakes: float, is_armada: bool) -> dict:
    """A document with these runs; its times are offsets from `start`, or dates."""
    offsets = draw.random() < 0.5
    jobs: dict[str, dict] = {}
    for record in found:
        run = {key: spelling.written(value, draw, offsets) for key, value in record.items()}
        if draw.random() < mistakes:
            spelling.spoil(run, draw)
        if draw.random() < mistakes / 4:
            spelling.add_harmless(run, draw)
        name = run.pop("jobId", None)
        job = jobs.setdefault(str(name), {"jobId": name, "runs": []})
        of_job = {key: run.pop(key) for key in ("queue", "gang", "annotations", "resources", "jobSet") if key in run}
        job.update({key: value for key, value in of_job.items() if key not in job})
        job["runs"].append(run)
    spec: dict = {"jobs": list(jobs.values())}
    if offsets:
        spec["start"] = "2026-10-01T09:00:00Z"
    if is_armada and draw.random() < 0.3:
        at = "20m" if offsets else "2026-10-01T09:20:00Z"
        spec["events"] = [
            {
                "at": at,
                "reload": draw.choice([{"globalMaxRetries": 1}, {"enabled": False}, {}, {"globalMaxRetries": -1}]),
            }
        ]
    whole = {"apiVersion": "armadaproject.io/v1", "kind": "FailureHistory", "metadata": {"name": "drawn"}, "spec": spec}
    if draw.random() < mistakes:
        draw.choice([whole, spec])[draw.choice(["kind", "jobs", "spec", "unknown", "start"])] = draw.choice(
            spelling.ODD_VALUES
        )
    return whole


def scalar(value: object) -> str:
    """A scalar of YAML, plain where that is a text too."""
    is_plain = isinstance(value, str) and PLAIN.fullmatch(value) and value.lower() not in NOT_TEXTS
    return value if is_plain else json.dumps(value)


def yaml(value: object, draw: random.Random, indent: int = 0, may_flow: bool = False) -> str:
    """A value as YAML behind `key:` or `-`: block style, deep down also flow style."""
    if not isinstance(value, (dict, list)) or not value:
        return " " + scalar(value) + "\n"
    if may_flow and draw.random() < 0.6:
        return " " + json.dumps(value) + "\n"
    margin = "  " * indent
    if isinstance(value, dict):
        return "\n" + "".join(
            f"{margin}{scalar(key)}:{yaml(one, draw, indent + 1, indent > 1)}" for key, one in value.items()
        )
    return "\n" + "".join(f"{margin}-{yaml(one, draw, indent + 1, indent > 0)}" for one in value)


def render(whole: dict, draw: random.Random) -> tuple[str, str]:
    """The document's text, and how its file's name ends."""
    what = draw.random()
    if what < 0.3:
        return json.dumps(whole, indent=draw.choice([None, 2])), ".json"
    return yaml(whole, draw).lstrip("\n"), ".yaml"


def values(text: str) -> list:
    """The JSON values that follow one another in a text; none if it is not JSON."""
    found, at, decoder = [], 0, json.JSONDecoder()
    while True:
        at = re.compile(r"\s*").match(text, at).end()
        if at == len(text):
            return found
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            return []
        found.append(value)


def places(value: object) -> list[tuple]:
    """Every key of an object, and every place of a list, at any depth."""
    keys = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    return [place for key, one in keys for place in [(value, key)] + places(one)]


def change_values(text: str, draw: random.Random, changes: int) -> str:
    """The JSON of another program with some values changed, left out, or there twice."""
    found = values(text)
    for _ in range(changes):
        container, key = draw.choice(places(found))
        what = draw.randrange(4)
        if what == 0 and isinstance(container, dict):
            del container[key]
        elif what == 1 and isinstance(container, list):
            container.insert(draw.randrange(len(container) + 1), container[key])
        elif what == 2 and isinstance(container, dict):
            container[draw.choice(spelling.UNKNOWN)] = container[key]
        else:
            container[key] = draw.choice(spelling.ODD_VALUES + spelling.ODD_TIMES)
    one = draw.choice(
        [
            lambda value: json.dumps(value),
            lambda value: json.dumps(value, indent=4),
            lambda value: spelling.spell(value, draw),
        ]
    )
    return "\n".join(one(value) for value in found) + "\n"


def change_lines(data: bytes, draw: random.Random, changes: int) -> bytes:
    """A text with some lines damaged, doubled, left out, in another place, and cells or scalars replaced."""
    found = data.splitlines(keepends=True)
    for _ in range(changes):
        place = draw.randrange(len(found))
        what = draw.randrange(6)
        if what == 0:
            del found[place : place + 1]
        elif what == 1:
            found.insert(draw.randrange(len(found) + 1), found[place])
        elif what == 2:
            found[place] = spelling.break_line(found[place].rstrip(b"\n"), draw) + b"\n"
        elif what == 3:
            other = draw.randrange(len(found))
            found[place], found[other] = found[other], found[place]
        else:
            words = re.split(rb"([|:,= \"]+)", found[place])
            odd = draw.choice(
                spelling.ODD_TEXTS
                + spelling.ODD_TIMES
                + ["NODE_FAIL", "FAILED", "0:9", "0:125", "300:0", "None", "Unknown"]
            )
            words[draw.randrange(len(words))] = odd.encode()
            found[place] = b"".join(words)
        if not found:
            return b""
    return b"".join(found)
