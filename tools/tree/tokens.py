"""Rust source as tokens: without comments, texts as one token, and without what only tests compile."""

from __future__ import annotations

import re

# A block comment nests, so its end is searched by hand. A lifetime has no closing quote.
PATTERN = re.compile(
    r"""
    (?P<space>\s+ | //[^\n]*)
  | (?P<block>/\*)
  | (?P<text>[bc]?r(?P<hashes>\#*)".*?"(?P=hashes) | [bc]?"(?:\\.|[^"\\])*"
           | b?'(?:\\(?:x[0-9a-fA-F]{2}|u\{[^}]*\}|.)|[^\\'])')
  | (?P<word>'\w+ | (?:r\#)?[A-Za-z_]\w* | \d\w*)
  | (?P<mark>::|.)
""",
    re.VERBOSE | re.DOTALL,
)
# A line of comment that is neither `///` nor `//!`.
REASON = re.compile(r"^[ \t]*//(?![/!])", re.MULTILINE)
TEXT = '""'
PAIRS = {"(": ")", "[": "]", "{": "}"}
# What an item begins with; a field, a variant or an arm begins otherwise and ends with a comma.
ITEM = {
    "pub",
    "fn",
    "struct",
    "enum",
    "union",
    "trait",
    "impl",
    "type",
    "use",
    "mod",
    "const",
    "static",
    "unsafe",
    "async",
    "extern",
    "macro_rules",
    "let",
}


def located(source: str) -> list[tuple[str, int]]:
    """All tokens, each with the offset of its end; a text or a character is `""`."""
    found, at = [], 0
    while at < len(source):
        match = PATTERN.match(source, at)
        at = match.end()
        if match["block"]:
            at = end_of_comment(source, at)
        elif match["text"]:
            found.append((TEXT, at))
        elif not match["space"]:
            found.append((match[0].removeprefix("r#"), at))
    return found


def tokens(source: str) -> list[str]:
    """All tokens; a text or a character is `""`."""
    return [token for token, _ in located(source)]


def end_of_comment(source: str, at: int) -> int:
    """Where a block comment ends whose text begins here."""
    depth = 1
    for mark in re.compile(r"/\*|\*/").finditer(source, at):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(source)


def closing(found: list[str], at: int) -> int:
    """The place of the bracket that closes the one here."""
    depth = 0
    for place in range(at, len(found)):
        if found[place] in PAIRS:
            depth += 1
        elif found[place] in PAIRS.values():
            depth -= 1
            if depth == 0:
                return place
    return len(found) - 1


def end_of_item(found: list[str], at: int) -> int:
    """The place behind the item, field, variant or statement that begins here, its attributes before it."""
    while found[at : at + 2] == ["#", "["]:
        at = closing(found, at + 1) + 1
    is_item = at < len(found) and found[at] in ITEM
    while at < len(found):
        token = found[at]
        if token in PAIRS.values():
            return at
        if token in PAIRS:
            at = closing(found, at)
            if token == "{" and is_item and found[at + 1 : at + 2] != [";"]:
                return at + 1
        elif token == ";" or token == "," and not is_item:
            return at + 1
        at += 1
    return at


def is_for_tests(attribute: list[str]) -> bool:
    """Whether what has this attribute is compiled for tests alone: `cfg(test)`, `cfg(all(test, ..))`, `test`."""
    return (
        attribute[:3] == ["cfg", "(", "test"]
        or attribute[:5] == ["cfg", "(", "all", "(", "test"]
        or attribute == ["test"]
    )


def items_of_tests(found: list[str]) -> list[tuple[int, int]]:
    """Where the items begin and end that only tests compile, their attributes in them."""
    items, at = [], 0
    while at < len(found):
        if found[at : at + 2] == ["#", "["] and is_for_tests(found[at + 2 : closing(found, at + 1)]):
            items.append((at, end_of_item(found, at)))
            at = items[-1][1]
        else:
            at += 1
    return items


def split_tests(found: list[str]) -> tuple[list[str], list[str]]:
    """The tokens that are compiled always, without attributes of files, and the files' modules that only tests have."""
    kept, modules, at = [], [], 0
    for start, end in items_of_tests(found):
        kept += found[at:start]
        item = found[start:end]
        if item[-3:-2] == ["mod"] and item[-1] == ";":
            modules.append(item[-2])
        at = end
    return kept + found[at:], modules


def spans_of_tests(source: str) -> list[tuple[int, int]]:
    """The offsets between which items are that only tests compile."""
    found = located(source)
    items = items_of_tests([token for token, _ in found])
    return [(found[start][1], found[end - 1][1]) for start, end in items]


def lines_of_tests(source: str) -> int:
    """How many lines hold items that only tests compile."""
    return sum(source.count("\n", start, end) + 1 for start, end in spans_of_tests(source))


def lines_of_reasons(source: str) -> int:
    """How many lines are comments that are no documentation, outside of items that only tests compile."""
    spans = spans_of_tests(source)
    return sum(not any(start <= line.start() < end for start, end in spans) for line in REASON.finditer(source))
