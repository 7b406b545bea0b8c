"""Compares the figures of two reports in JSON: compare.py FIRST SECOND. Exits with 1 if some differ, and prints them.

Left out is what depends on the form of a history and not on what is in it: notes, the place in the table of disruptions
by which each was recognised, and the example of a variant, which is of a job that is held in memory.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SHOWN = 20


def figures(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The paths and values of a report."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from figures(item, f"{path}[{number}]")
    elif isinstance(value, dict):
        is_disruption = path.rpartition(".")[2].startswith("disruptions[")
        for key, item in value.items():
            if key not in ("notes", "example") and not (is_disruption and key in ("source", "sign", "rule")):
                yield from figures(item, f"{path}.{key}")
    else:
        yield path, value


def main() -> None:
    first, second = (dict(figures(json.loads(Path(name).read_text(encoding="utf-8")))) for name in sys.argv[1:])
    paths = first | second
    others = [path for path in paths if path not in first or path not in second or first[path] != second[path]]
    for path in others[:SHOWN]:
        print(f"{path}: {first.get(path)} and {second.get(path)}")
    if others:
        sys.exit(f"{len(others)} of {len(paths)} figures differ")


if __name__ == "__main__":
    main()
