"""The program `armadactl`, which tries Armada's retry policies on recorded failures, as a package.

The wheel holds the program; `binary()` is its path. `armadactl.spark` replays a history on Apache Spark.
"""

from __future__ import annotations

import os
import sysconfig
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BinaryNotFoundError", "__version__", "binary"]

try:
    __version__ = metadata.version("armadactl")
except metadata.PackageNotFoundError:  # a source tree in PYTHONPATH
    __version__ = "unknown"


class BinaryNotFoundError(FileNotFoundError):
    """The program of the package is not installed beside it."""


def binary() -> Path:
    """Return the path of the installed program.

    PATH is not searched: Armada's own command line has the same name.

    Raises:
        BinaryNotFoundError: if the package was not installed from its wheel.

    """
    name = "armadactl" + (sysconfig.get_config_var("EXE") or "")
    directories = list(dict.fromkeys(_script_directories()))
    for directory in directories:
        if os.access(directory / name, os.X_OK):
            return directory / name
    places = ", ".join(map(str, directories))
    raise BinaryNotFoundError(f"there is no program {name} in {places}: install it with `pip install armadactl`")


def _script_directories() -> Iterator[Path]:
    """Yield the directories that installers use for scripts: of the environment, of the user, of `--target`."""
    yield Path(sysconfig.get_path("scripts"))
    yield Path(sysconfig.get_path("scripts", f"{os.name}_user"))
    yield Path(__file__).resolve().parent.parent / "bin"
