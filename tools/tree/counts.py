"""The counts that may only fall, and the comparison with the file that holds them."""

from __future__ import annotations

import json
import pathlib
import re

from modules import Workspace
from tokens import PAIRS, closing, tokens

FILE = pathlib.Path(__file__).resolve().parent / "counts.json"
# The traits of engines: what one of them gets, every system has.
TRAITS = {"Engine": "engine.rs", "Units": "units.rs", "SummaryFacts": "summary_facts.rs", "ReportTexts": "report_texts.rs"}
DOC_LINE = re.compile(r"^\s*//[/!] What\b", re.MULTILINE)
OF_FUNCTION = re.compile(r"\bfn of_\w+")


def members(source: str, name: str) -> int:
    """How many functions, types and constants a trait declares."""
    found = tokens(source)
    at = next((at for at in range(len(found)) if found[at : at + 2] == ["trait", name]), None)
    if at is None:
        return 0
    at = found.index("{", at)
    end, count = closing(found, at), 0
    while (at := at + 1) < end:
        if found[at] in ("fn", "type", "const"):
            count += 1
        elif found[at] in PAIRS:
            at = closing(found, at)
    return count


def counts(workspace: Workspace, circles: dict) -> dict[str, int]:
    """All counts of a checkout: circles of files by folder, and signs of names and comments that hide what they mean."""
    found = {}
    for folder, sets in circles.items():
        if sets:
            found[f"sets of circles in {folder}"] = len(sets)
            found[f"files in circles in {folder}"] = sum(len(circle["files"]) for circle in sets)
    texts = [path.read_text() for path in workspace.paths.values()]
    for name, file in TRAITS.items():
        # Before the packages the folder was in `src`.
        paths = [workspace.paths.get(pathlib.Path(folder, file)) for folder in ("replay/simulate", "simulate")]
        found[f"members of {name}"] = sum(members(path.read_text(), name) for path in paths if path)
    found["doc lines that open with What"] = sum(len(DOC_LINE.findall(text)) for text in texts)
    found["functions named of_*"] = sum(len(OF_FUNCTION.findall(text)) for text in texts)
    return found


def compare(committed: dict[str, int], now: dict[str, int]) -> list[str]:
    """What rose, a line each. A count that the file does not have is 0."""
    return [
        f"{name}: {committed.get(name, 0)} before, {count} now" for name, count in now.items() if count > committed.get(name, 0)
    ]


def check(now: dict[str, int]) -> int:
    """Compares with the file, and writes what fell into it; 1 if the file has to be committed or a count rose."""
    committed = json.loads(FILE.read_text())
    if risen := compare(committed, now):
        print("counts of tools/tree/counts.json may only fall:", *risen, sep="\n  ")
        return 1
    if now != committed:
        FILE.write_text(json.dumps(now, indent=1) + "\n")
        print("counts fell, and tools/tree/counts.json has them now; commit it")
        return 1
    print("no count of tools/tree/counts.json rose")
    return 0
