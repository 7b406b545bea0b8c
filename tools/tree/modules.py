"""The modules of a workspace, what each defines, and which file a path leads to.

The modules of a package below `crates` have its name before them: `document::diag`, in `document/diag/mod.rs`.
"""

from __future__ import annotations

import pathlib
from dataclasses import dataclass, field

import tokens

Path = tuple[str, ...]
NAMED = {"fn", "struct", "enum", "union", "trait", "type", "static", "mod", "const"}


@dataclass
class Use:
    """One name of a `use` declaration."""

    path: Path
    # The name it has here; `*` for all names, `_` for none.
    name: str
    # Whether others may reach it through this module.
    is_public: bool


@dataclass
class Module:
    """A module: a file, or one inside of a file."""

    path: Path
    file: pathlib.Path
    items: set[str] = field(default_factory=set)
    uses: list[Use] = field(default_factory=list)
    # Paths of two or more words outside of `use`, and all words.
    paths: list[Path] = field(default_factory=list)
    words: set[str] = field(default_factory=set)


def is_test_name(file: pathlib.Path) -> bool:
    """Whether the name of a file makes it a file of tests."""
    folders = file.parts[:-1]
    return (
        file.name == "tests.rs"
        or file.stem.endswith("_tests")
        or any(folder == "tests" or folder.endswith("_tests") for folder in folders)
    )


class Workspace:
    """The files of the packages of a checkout: those compiled always, and those for tests."""

    def __init__(self, tree: pathlib.Path) -> None:
        sources = {folder.parent.name.replace("-", "_"): folder for folder in tree.glob("crates/*/src")}
        self.packages = set(sources)
        self.paths = {path.relative_to(tree / "src"): path for path in (tree / "src").rglob("*.rs")}
        for name, folder in sources.items():
            self.paths |= {name / path.relative_to(folder): path for path in folder.rglob("*.rs")}
        files = sorted(self.paths)
        self.lines = {file: self.paths[file].read_bytes().count(b"\n") for file in files}
        self.test_lines = {file: tokens.lines_of_tests(self.paths[file].read_text()) for file in files}
        self.reasons = {file: tokens.lines_of_reasons(self.paths[file].read_text()) for file in files}
        parsed = {file: tokens.split_tests(tokens.tokens(self.paths[file].read_text())) for file in files}
        self.tests = {file for file in files if is_test_name(file)}
        declared = [module_of(file) + (name,) for file, (_, names) in parsed.items() for name in names]
        for file in files:
            if any(module_of(file)[: len(path)] == path for path in declared):
                self.tests.add(file)
        self.modules: dict[Path, Module] = {}
        for file in files:
            if file not in self.tests and file.name != "main.rs":
                self.read(Module(module_of(file), file), parsed[file][0])

    def read(self, module: Module, found: list[str]) -> None:
        """Adds a module with this text, and those inside of it."""
        self.modules[module.path] = module
        at, depth, is_public = 0, 0, False
        while at < len(found):
            token, following = found[at], found[at + 1 : at + 3]
            if token == "pub":
                is_public = True
                if following[:1] == ["("] and following[1:] and following[1] in ("crate", "super", "self", "in"):
                    at = tokens.closing(found, at + 1)
                at += 1
                continue
            if token == "use" and following[:1] != ["<"]:
                end = found.index(";", at)
                module.uses += [Use(path, name, is_public) for path, name in tree(found[at + 1 : end])]
                at = end
            elif token == "mod" and following[1:] == ["{"]:
                end = tokens.closing(found, at + 2)
                self.read(Module(module.path + (following[0],), module.file), found[at + 3 : end])
                at = end
            elif token == "!" and following[:1] == ["{"] and depth == 0:
                # The items that a macro declares: `figures! { pub struct Totals { .. } }`.
                end = tokens.closing(found, at + 1)
                self.read(module, found[at + 2 : end])
                at = end
            elif token in tokens.PAIRS:
                depth += 1
            elif token in tokens.PAIRS.values():
                depth -= 1
            elif token[0].isalpha() or token[0] == "_":
                at = self.word(module, found, at, depth)
            is_public = False
            at += 1

    @staticmethod
    def word(module: Module, found: list[str], at: int, depth: int) -> int:
        """Reads a word, the path that begins with it, or the name that it defines; the place of the last word read."""
        token, following = found[at], found[at + 1 : at + 3]
        if (
            depth == 0
            and token in NAMED
            and following
            and following[0] not in NAMED | {"_", "unsafe", "extern", "async"}
        ):
            module.items.add(following[1] if following[0] == "mut" else following[0])
        if token == "macro_rules" and following[:1] == ["!"]:
            module.items.add(following[1])
        path = [token]
        while (
            found[at + 1 : at + 2] == ["::"]
            and at + 2 < len(found)
            and (found[at + 2][0].isalpha() or found[at + 2][0] == "_")
        ):
            path.append(found[at + 2])
            at += 2
        module.words.add(path[0])
        if len(path) > 1 and found[at - 2 * (len(path) - 1) - 1 :][:1] != ["::"]:
            module.paths.append(tuple(path))
        return at

    def named(self, module: Path, path: Path) -> Path | None:
        """The innermost module that a path names as it is written, re-exports not followed; None if it is no path of the crate."""
        current, rest = self.start(module, path)
        if current is None:
            return None
        for word in rest:
            if current + (word,) not in self.modules:
                break
            current += (word,)
        return current

    def start(self, module: Path, path: Path) -> tuple[Path | None, Path]:
        """The module that the first words of a path stand for, and the words behind them."""
        if path[0] == "crate":
            return module[:1] if module[:1] and module[0] in self.packages else (), path[1:]
        if path[0] == "armadactl":
            return (), path[1:]
        if path[0] == "self":
            return module, path[1:]
        if path[0] == "super":
            current, place = module, 0
            while place < len(path) and path[place] == "super":
                current, place = current[:-1], place + 1
            return current, path[place:]
        if module + (path[0],) in self.modules:
            return module, path
        package = path[0].removeprefix("::")
        return ((package,), path[1:]) if package in self.packages else (None, path)

    def file(self, module: Path, path: Path, seen: frozenset = frozenset()) -> tuple[pathlib.Path, Path] | None:
        """The file that defines what a path leads to, re-exports followed, and the module; None outside of the crate."""
        if (module, path) in seen:
            return None
        seen |= {(module, path)}
        current, rest = self.start(module, path)
        if current is None:
            return self.look_up(module, path, seen)
        while rest and current + (rest[0],) in self.modules:
            current, rest = current + (rest[0],), rest[1:]
        if not rest or rest[0] in ("self", "*") or rest[0] in self.modules[current].items:
            return self.modules[current].file, current
        return self.look_up(current, rest, seen) or (self.modules[current].file, current)

    def look_up(self, module: Path, path: Path, seen: frozenset) -> tuple[pathlib.Path, Path] | None:
        """The same for a path that begins with a name in the scope of a module."""
        if module not in self.modules:
            return None
        own = self.modules[module]
        if path[0] in own.items:
            return own.file, module
        for use in own.uses:
            if use.name == path[0]:
                return self.file(module, use.path + path[1:], seen)
        for use in own.uses:
            if use.name == "*":
                target = self.named(module, use.path)
                if target is not None and self.has(target, path[0], seen):
                    return self.file(target, ("self",) + path, seen)
        return None

    def has(self, module: Path, name: str, seen: frozenset) -> bool:
        """Whether a module defines or re-exports a name."""
        own = self.modules[module]
        if name in own.items or module + (name,) in self.modules or any(use.name == name for use in own.uses):
            return True
        globs = (self.named(module, use.path) for use in own.uses if use.name == "*" and use.is_public)
        return any(
            glob not in (None, module) and (glob, name) not in seen and self.has(glob, name, seen | {(glob, name)})
            for glob in globs
        )


def module_of(file: pathlib.Path) -> Path:
    """The module of a file."""
    parts = file.with_suffix("").parts
    if parts[-1] in ("mod", "lib", "main"):
        return parts[:-1]
    return parts


def tree(found: list[str]) -> list[tuple[Path, str]]:
    """The paths of a `use` declaration and the names that they get. A path of another package may begin with `::`."""
    if found[:1] == ["::"]:
        return [(("::" + path[0], *path[1:]), name) for path, name in tree(found[1:])]
    prefix: Path = ()
    for at, token in enumerate(found):
        if token == "{":
            inner, all_paths, part = found[at + 1 : tokens.closing(found, at)], [], []
            depth = 0
            for word in inner + [","]:
                depth += (word == "{") - (word == "}")
                if word == "," and depth == 0:
                    all_paths += tree(part) if part else []
                    part = []
                else:
                    part.append(word)
            return [(prefix + path, prefix[-1] if name == "self" and prefix else name) for path, name in all_paths]
        if token == "as":
            return [(prefix, found[at + 1])]
        if token == "*":
            return [(prefix, "*")]
        if token != "::":
            prefix += (token,)
    return [(prefix, prefix[-1])] if prefix else []
