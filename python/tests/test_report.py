"""The forms of a report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from armadactl.process import Command
from armadactl.report import Report

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def report(program: str) -> Report:
    """Return the report of an empty history."""
    command = Command.read(program=program)
    with command.open() as runner:
        return Report(runner.start_shard(0, 1).end(), command)


def test_forms_are_those_of_the_program(report: Report) -> None:
    """Each is made from the partial summary."""
    assert report.table() == "table: 0 records\n"
    assert report.wide("--assume", "observed") == "wide: 0 records\n"
    assert report.json == {"lines": [], "settings": []}
    assert "table()" in repr(report)


def test_ending_selects_the_form_of_a_file(report: Report, tmp_path: Path) -> None:
    """The summary itself can be saved and read again."""
    for ending in ("html", "json", "txt", "md", "partial"):
        report.save(tmp_path / f"report.{ending}")
    assert json.loads((tmp_path / "report.json").read_text()) == report.json
    assert (tmp_path / "report.txt").read_text() == report.wide()
    assert (tmp_path / "report.md").read_text() == "# markdown: 0 records\n"
    assert (tmp_path / "report.html").read_text() == "# html: 0 records\n"
    assert (tmp_path / "report.partial").read_bytes() == report.partial


def test_other_endings_are_refused(report: Report, tmp_path: Path) -> None:
    """Before a file is written."""
    with pytest.raises(ValueError, match=r"unknown ending '\.csv'"):
        report.save(str(tmp_path / "a.csv"))
    assert not list(tmp_path.glob("a.*"))
