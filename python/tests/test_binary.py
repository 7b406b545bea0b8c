"""The place of the installed program."""

from __future__ import annotations

import sysconfig
from typing import TYPE_CHECKING

import pytest

import armadactl

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty directory in place of that of scripts, also of the user's."""
    monkeypatch.setattr(sysconfig, "get_path", lambda *_: str(tmp_path))
    return tmp_path


def test_program_is_that_of_the_environment(scripts: Path) -> None:
    """Installers write the script there."""
    program = scripts / ("armadactl" + (sysconfig.get_config_var("EXE") or ""))
    program.touch(mode=0o755)
    assert armadactl.binary() == program


def test_missing_program_is_an_error_that_names_the_places(scripts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if PATH has a program of this name: Armada's own."""
    other = scripts / "other"
    other.mkdir()
    (other / "armadactl").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(other))
    with pytest.raises(armadactl.BinaryNotFoundError, match=f"{scripts}.*pip install armadactl"):
        armadactl.binary()


def test_file_that_cannot_be_executed_is_not_the_program(scripts: Path) -> None:
    """An archive may have lost the mode."""
    (scripts / "armadactl").touch(mode=0o644)
    with pytest.raises(armadactl.BinaryNotFoundError):
        armadactl.binary()
