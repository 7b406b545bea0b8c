"""What tests share."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of the fake program, which runs under the Python of the tests."""
    path = tmp_path_factory.mktemp("program") / "armadactl"
    text = (HERE / "fake_armadactl.py").read_text().split("\n", 1)[1]
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    """Return a directory of policies, with a file that is hidden and one that is none."""
    folder = tmp_path / "policies"
    (folder / "more").mkdir(parents=True)
    for name in ("b.yaml", "a.yaml", "more/c.yml", "README.md", ".hidden.yaml"):
        (folder / name).write_text(name)
    return folder


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Return a session with two cores, whose time zone is not UTC."""
    pyspark_sql = pytest.importorskip("pyspark.sql")
    # The executors' Python: that of the tests, with the package of this directory.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = str(HERE.parent)
    session = (
        pyspark_sql.SparkSession.builder.master("local[2]")
        .config("spark.sql.session.timeZone", "America/New_York")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "7")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    yield session
    session.stop()
