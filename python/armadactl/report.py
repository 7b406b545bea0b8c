"""The report of a replay, made from its merged partial summary."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from os import PathLike

    from armadactl.process import Command

__all__ = ["Report"]


@dataclass
class Report:
    """The report of a replay.

    The figures are in `partial`; every form of the report is made from it, without the history. The policies are read
    again, since reports have their names: they have to be as they were. Methods take further flags of
    `armadactl simulate`, such as `"--assume", "observed"` or `"--show", "nodes"`.
    """

    # The merged partial summary of all shards, which `armadactl simulate --history` reads.
    partial: bytes
    command: Command
    # What processes of shards wrote to stderr, if they succeeded; the first texts.
    warnings: tuple[str, ...] = ()

    def table(self, *flags: str) -> str:
        """Return the report as tables, as `-o table` prints it."""
        return self._text("table", flags)

    def wide(self, *flags: str) -> str:
        """Return all tables of the report, as `-o wide` prints them."""
        return self._text("wide", flags)

    @cached_property
    def json(self) -> dict[str, Any]:
        """The report as data, as `-o json` prints it."""
        return cast("dict[str, Any]", json.loads(self._text("json", ())))

    def save(self, path: str | PathLike[str], *flags: str) -> None:
        """Write the report to a file.

        Its ending is `.html` (a page), `.json`, `.txt` (all tables), `.md` (Markdown) or `.partial` (the summary).
        """
        ending = Path(path).suffix
        if ending not in (".html", ".json", ".txt", ".md", ".partial"):
            raise ValueError(f"unknown ending {ending!r} of {path}: use .html, .json, .txt, .md or .partial")
        Path(path).write_bytes(self._content(ending, flags))

    def _content(self, ending: str, flags: tuple[str, ...]) -> bytes:
        if ending == ".partial":
            return self.partial
        if ending in (".html", ".md"):
            return self._written("html" if ending == ".html" else "markdown", flags)
        return self._text("json" if ending == ".json" else "wide", flags).encode()

    def _written(self, form: str, flags: tuple[str, ...]) -> bytes:
        with tempfile.TemporaryDirectory(prefix="armadactl-") as folder:
            path = Path(folder, "report")
            self._run("--report", f"{form}={path}", *flags)
            return path.read_bytes()

    def _text(self, output: str, flags: tuple[str, ...]) -> str:
        return self._run("-o", output, *flags).decode()

    def _run(self, *flags: str) -> bytes:
        # Changes of policies are proposed by a further replay, which needs the history.
        return self.command.here().merge([self.partial], "--advice", "none", *flags)

    def __repr__(self) -> str:
        return f"Report({len(self.partial)} bytes, {len(self.warnings)} warnings; table(), wide(), json, save(path))"
