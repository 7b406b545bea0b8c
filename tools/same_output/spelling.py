"""Records as lines of JSON: in other spellings that mean the same, and with mistakes."""

from __future__ import annotations

import datetime
import json
import random
from dataclasses import dataclass

from records import SECOND, Record, Time

EPOCH = datetime.datetime(2026, 10, 1, tzinfo=datetime.timezone.utc)
# The size of the pieces that the program reads a long history in.
PIECE = 1 << 20
ODD_VALUES = [
    None,
    True,
    False,
    -1,
    0,
    1,
    1.5,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**32,
    2**63 - 1,
    2**63,
    2**64,
    -(2**31),
    -(2**63),
    -(2**63) - 1,
    "",
    " ",
    "x",
    "137",
    "null",
    "Failed",
    [],
    {},
    [None],
    [[]],
    {"a": 1},
    ["Evicted", 3],
    [{"name": ""}],
    "\u0000",
    "\ud800",
]
# What JSON has, or has not, and Python does not write.
ODD_TEXTS = [
    "1e400",
    "-0",
    "1.0",
    "1e2",
    "0.1e1",
    "01",
    "+1",
    "NaN",
    "Infinity",
    "tru",
    "'x'",
    '"\\x"',
    '"\\ud83d"',
    '"\\ud83d\\ude00"',
    '"a\tb"',
    "[1,]",
    '{"a":1,}',
    "123456789012345678901234567890",
    "1.7976931348623157e308",
]
ODD_TIMES = [
    "9999-12-31T23:59:59.999999999Z",
    "0001-01-01T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-10-01T10:00:00",
    "2026-10-01 10:00:00Z",
    "2026-12-31T23:59:60Z",
    "2026-10-01T10:00:00.1234567890Z",
    "2026-10-01t10:00:00z",
    "2026-10-01T10:00:00+24:00",
    "-10m",
    "2562047h47m16s",
    "2562048h",
    "1h-5m",
    "5",
    "10m5",
    "",
    "1970-01-01T00:00:00Z",
    "+10m",
    "1.5h",
    "1µs",
    "-2562047h",
    "12345-01-01T00:00:00Z",
]
# A run of a member that its policy has not is refused for the whole history, so these are changed less often.
MEMBER = {"replicatedJob", "jobIndex", "jobName", "podIndex", "task"}
UNKNOWN = [
    "exitcode",
    "Outcome",
    "finished_at",
    "podindex",
    "jobID",
    "attempt",
    "labels",
    "é",
    "",
    "conditons",
    "dagid",
    "phases",
    "x" * 300,
]


@dataclass
class Dirt:
    """How often a record, or a line, is changed."""

    # Spelt otherwise, with the same meaning.
    spelling: float
    # Wrong.
    mistakes: float
    # Times are offsets from the start.
    offsets: bool = False
    ending: bytes = b"\n"


def time(value: Time, draw: random.Random, offsets: bool) -> str:
    """A time as a date or an offset, in one of its spellings."""
    if offsets:
        seconds, rest = divmod(value.micros, SECOND)
        return f"{seconds}s" if not rest else f"{value.micros}us"
    zone = draw.choice([0] * 8 + [120, -330])
    date = EPOCH + datetime.timedelta(microseconds=value.micros)
    if zone:
        return date.astimezone(datetime.timezone(datetime.timedelta(minutes=zone))).isoformat()
    return date.strftime("%Y-%m-%dT%H:%M:%S") + (f".{date.microsecond:06}" if date.microsecond else "") + "Z"


def written(value: object, draw: random.Random, offsets: bool) -> object:
    """The value with its times as texts."""
    if isinstance(value, Time):
        return time(value, draw, offsets)
    return value


def escape(text: str, draw: random.Random) -> str:
    """A text in quotes with some of its letters as escapes."""
    out = []
    for letter in text:
        if draw.random() < 0.2 and ord(letter) < 0x10000:
            out.append(f"\\u{ord(letter):04x}" if draw.random() < 0.5 else f"\\u{ord(letter):04X}")
        elif letter == "/" and draw.random() < 0.5:
            out.append("\\/")
        else:
            out.append(json.dumps(letter, ensure_ascii=draw.random() < 0.5)[1:-1])
    return '"' + "".join(out) + '"'


def spell(value: object, draw: random.Random) -> str:
    """A value with its keys in any order, blanks, and escapes."""
    blank = lambda: draw.choice(["", "", "", "", " ", "\t", "  "])
    if isinstance(value, str):
        return escape(value, draw) if draw.random() < 0.3 else json.dumps(value, ensure_ascii=draw.random() < 0.5)
    if isinstance(value, list):
        return "[" + ",".join(blank() + spell(item, draw) + blank() for item in value) + "]"
    if isinstance(value, dict):
        keys = list(value)
        draw.shuffle(keys)
        return (
            "{"
            + ",".join(
                f"{blank()}{spell(key, draw)}{blank()}:{blank()}{spell(value[key], draw)}{blank()}" for key in keys
            )
            + "}"
        )
    return json.dumps(value)


def add_harmless(record: Record, draw: random.Random) -> None:
    """Adds what a reader passes over: unknown keys, nulls in the place of what may be absent."""
    what = draw.random()
    if what < 0.5:
        record[draw.choice(UNKNOWN)] = draw.choice(
            [1, "x", None, {"node": "n", "b": [1, {"outcome": 3}]}, [1, 'a"b]}', []]]
        )
    else:
        record[draw.choice(["node", "cluster", "queue", "startedAt"])] = draw.choice([None, ""])


def spoil(record: Record, draw: random.Random) -> None:
    """Makes one mistake in a record's values."""
    inner = [record] + [
        one for one in record.get("containers", []) + record.get("podConditions", []) if isinstance(one, dict)
    ]
    target = draw.choice(inner)
    key = draw.choice(list(target) or ["node"])
    if key in MEMBER and draw.random() < 0.95:
        key = "finishedAt"
    what = draw.randrange(8)
    if what == 0:
        target.pop(key, None)
    elif what in (1, 2):
        target[key] = draw.choice(ODD_VALUES)
    elif what == 3:
        record[draw.choice(["startedAt", "finishedAt", "terminationConfirmedAt"])] = draw.choice(ODD_TIMES)
    elif what == 4:
        record["startedAt"], record["finishedAt"] = record.get("finishedAt"), record.get("startedAt")
    elif what == 5:
        record["runIndex"] = draw.choice([0, 1, 2, 7, -1, 2**32, 2**32 - 1, 1.0, "1"])
    elif what == 6:
        record["outcome"] = draw.choice(
            ["failed", "FAILED", "Failed", "KILLED", "Stopped", "", "Running", "SUCCEEDED", "Succeeded"]
        )
    else:
        name = draw.choice(
            [
                "containers",
                "podConditions",
                "conditions",
                "gang",
                "annotations",
                "resources",
                "tryNumber",
                "podIndex",
                "task",
            ]
        )
        if name in MEMBER and draw.random() < 0.95:
            return
        record[name] = record[name] * 2 if isinstance(record.get(name), list) else draw.choice(ODD_VALUES)


def double(text: str, record: Record, draw: random.Random) -> str:
    """The record's text with a key twice, the second time perhaps spelt with escapes."""
    key = draw.choice(list(record) or ["jobId"])
    value = json.dumps(draw.choice([record.get(key), record.get(key), "Failed", None, 3]), default=str)
    spelt = escape(key, draw) if draw.random() < 0.5 else json.dumps(key)
    return (
        text[:-1] + "," + spelt + ":" + value + "}"
        if draw.random() < 0.5
        else "{" + spelt + ":" + value + "," + text[1:]
    )


def break_line(line: bytes, draw: random.Random) -> bytes:
    """Damages a line's bytes."""
    place = draw.randrange(len(line)) if line else 0
    return draw.choice(
        [
            lambda: line[:place],
            lambda: line[place:],
            lambda: line + b" " + line,
            lambda: line + b",",
            lambda: b"[" + line + b"]",
            lambda: b"\xef\xbb\xbf" + line,
            lambda: line[:place] + b"\xff" + line[place:],
            lambda: line[:place] + b"\x00" + line[place:],
            lambda: line[:place] + b"\n" + line[place:],
            lambda: line[:place] + b"\r" + line[place:],
            lambda: b"level=warn this is no record",
            lambda: b'""',
            lambda: b"{}",
            lambda: b"null",
            lambda: b"---",
            lambda: b"# comment",
        ]
    )()


def line(record: Record, draw: random.Random, dirt: Dirt) -> bytes:
    """One record as a line, without its end."""
    record = {key: written(value, draw, dirt.offsets) for key, value in record.items()}
    for name in ("containers", "podConditions"):
        if name in record:
            record[name] = [dict(one) for one in record[name]]
    is_wrong = draw.random() < dirt.mistakes
    what = draw.randrange(6) if is_wrong else -1
    if draw.random() < dirt.spelling / 2:
        add_harmless(record, draw)
    if what in (0, 1, 2):
        spoil(record, draw)
    if draw.random() < dirt.spelling:
        text = spell(record, draw)
    else:
        text = json.dumps(record, separators=(",", ":"), ensure_ascii=False)
    if what == 3:
        text = double(text, record, draw)
    if what == 4:
        value = draw.choice(ODD_TEXTS)
        text = (
            text.replace(":", f':{value},"later":', 1)
            if draw.random() < 0.3
            else text[:-1] + f',"{draw.choice(list(record))}":{value}}}'
        )
    # A lone surrogate cannot be written as UTF-8.
    data = text.encode("utf-8", "replace")
    return break_line(data, draw) if what == 5 else data


def pad(data: bytes, more: int) -> bytes:
    """The line of an object, longer by so many bytes, if that can be."""
    filler = b',"padding":"'
    if more < len(filler) + 1 or not data.endswith(b"}"):
        return data
    return data[:-1] + filler + b"x" * (more - len(filler) - 1) + b'"}'


def lines(
    found: list[Record], others: list[Record], draw: random.Random, dirt: Dirt, huge: int = 0, at: int = 0
) -> bytes:
    """A history of records: some in the wrong place, between them blank lines and lines of other systems.

    `huge` lines are longer than a piece. Where a piece of 1 MiB of the file ends, a line ends as well, to within a few
    bytes; `at` is the byte of the file that the text begins at.
    """
    found = list(found)
    for _ in range(round(len(found) * dirt.mistakes / 4)):
        place, other = draw.randrange(len(found)), draw.randrange(len(found))
        found[place], found[other] = found[other], found[place]
    places = set(draw.sample(range(len(found)), min(huge, len(found))))
    out, size = [], at
    if not at and draw.random() < dirt.spelling / 3:
        out.append(b"\xef\xbb\xbf")
        size = 3
    for number, record in enumerate(found):
        if others and draw.random() < dirt.mistakes / 8:
            record = draw.choice(others)
        data = line(record, draw, dirt)
        left = -size % PIECE
        if number in places:
            data = pad(data, PIECE + draw.randrange(PIECE // 4))
        elif 0 < left - len(data) < 4096:
            data = pad(data, left - len(data) + draw.randint(-4, 2))
        end = dirt.ending
        if draw.random() < dirt.spelling / 20:
            end = draw.choice([b"\n\n", b"\r\n", b"\n \t\n", b"\n\r\n", b" \n"])
        out += [data, end]
        size += len(data) + len(end)
    text = b"".join(out)
    return text.rstrip(b"\r\n") if draw.random() < 0.3 else text
