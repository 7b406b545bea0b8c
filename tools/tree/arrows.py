"""Who uses whom, and the circles in it."""

from __future__ import annotations

import collections
import pathlib
import re

from modules import Module, Workspace

# From one file or folder to another: the names that are used.
Arrows = dict[tuple[str, str], set[str]]


def used(workspace: Workspace, module: Module) -> list[tuple[str, ...]]:
    """The paths that a module uses itself. A re-export is a use only if its name stands elsewhere in the file too."""
    own = {word for inner in workspace.modules.values() if inner.file == module.file for word in inner.words}
    found = [path for path in module.paths]
    for use in module.uses:
        if use.name == "*":
            target = workspace.named(module.path, use.path)
            if target is not None:
                found += [use.path + (word,) for word in sorted(module.words) if workspace.has(target, word, frozenset())]
        elif not use.is_public or use.name in own:
            inner = [path for path in module.paths if path[0] == use.name]
            is_module = workspace.named(module.path, use.path) in workspace.modules and len(inner) > 0
            # Of an imported module its paths count, `fields::RECORD`, which may be re-exports.
            found += [use.path + path[1:] for path in inner] if is_module else [use.path]
    return found


def between_files(workspace: Workspace) -> Arrows:
    """The files whose definitions a file uses."""
    arrows: Arrows = collections.defaultdict(set)
    for module in workspace.modules.values():
        for path in used(workspace, module):
            target = workspace.file(module.path, path)
            if target and target[0] != module.file:
                arrows[str(module.file), str(target[0])].add(path[-1])
    return arrows


def folder(module: tuple[str, ...], table: list[str]) -> str:
    """The folder of a module: the row of the table that it is in, else the top folder."""
    inner = "::".join(module[:2])
    return inner if inner in table else module[0]


def between_folders(workspace: Workspace, table: list[str]) -> Arrows:
    """The folders that a folder names in its paths; each with the files that do."""
    arrows: Arrows = collections.defaultdict(set)
    for module in workspace.modules.values():
        for path in [use.path for use in module.uses] + module.paths:
            target = workspace.named(module.path, path)
            if target and module.path and (ends := (folder(module.path, table), folder(target, table))):
                if ends[0] != ends[1]:
                    arrows[ends].add(str(module.file))
    return arrows


def order(lib: pathlib.Path) -> list[str]:
    """The folders of `lib.rs`'s table, from the top."""
    rows = re.findall(r"^//! \|([^|]*)\|", lib.read_text(), re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([\w:]+)`", row)]


def upward(arrows: Arrows, table: list[str]) -> list[tuple[str, str]]:
    """The arrows from a folder to one above it in the table."""
    place = {name: number for number, name in enumerate(table)}
    return sorted(arrow for arrow in arrows if all(end in place for end in arrow) and place[arrow[0]] > place[arrow[1]])


def circles(arrows: Arrows) -> list[list[str]]:
    """The strongly connected sets of more than one, the largest first (Tarjan's algorithm, without recursion)."""
    following: dict[str, list[str]] = collections.defaultdict(list)
    for source, target in sorted(arrows):
        following[source].append(target)
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []
    for root in sorted(following):
        if root in number:
            continue
        work = [(root, iter(following[root]))]
        number[root] = low[root] = len(number)
        stack.append(root)
        while work:
            node, rest = work[-1]
            for target in rest:
                if target not in number:
                    number[target] = low[target] = len(number)
                    stack.append(target)
                    work.append((target, iter(following[target])))
                    break
                if target in stack:
                    low[node] = min(low[node], number[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    place = stack.index(node)
                    found.append(sorted(stack[place:]))
                    del stack[place:]
    return sorted((circle for circle in found if len(circle) > 1), key=lambda circle: (-len(circle), circle))


def inside(arrows: Arrows, folder: str) -> Arrows:
    """The arrows between files of one folder."""
    return {arrow: names for arrow, names in arrows.items() if all(end.startswith(folder + "/") for end in arrow)}


def within(arrows: Arrows, circle: list[str]) -> Arrows:
    """The arrows between members of one circle."""
    return {arrow: names for arrow, names in arrows.items() if all(end in circle for end in arrow)}
