"""A check of Spark's executors before a replay, to name what they lack."""

from __future__ import annotations

import json
import sys

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

import armadactl
from armadactl.process import ReplayError

__all__ = ["check_executors"]

# Tasks of the check. Executors have one image as a rule; one that no task reaches fails later by Python's own error.
TASKS = 16


def check_executors(session: SparkSession, program: str | None = None) -> None:
    """Run small tasks that need neither pyarrow nor this package, to name what executors lack.

    Raises:
        ReplayError: if an executor has another Python, no pyarrow, or no `armadactl` of this version.

    """
    wanted = armadactl.__version__

    # A function in a function is sent by value; one of a module would be imported, which the executor may not have.
    def probe(_: int) -> str:
        import importlib
        import json
        import platform
        import sys

        found = {"machine": platform.node(), "python": f"{platform.python_version()} ({sys.executable})", "lacks": ""}
        try:
            importlib.import_module("pyarrow")
            package = importlib.import_module("armadactl")
            if package.__version__ != wanted:
                found["lacks"] = f"armadactl {wanted}, it has {package.__version__}"
            elif program is None:
                package.binary()
        except ImportError as error:
            found["lacks"] = f"the package {error.name}"
        except OSError as error:
            found["lacks"] = str(error)
        return json.dumps(found)

    python = "{}.{}.{}".format(*sys.version_info[:3]) + f" ({sys.executable})"
    advice = "PYSPARK_PYTHON names the Python of executors, which needs the packages armadactl and pyarrow"
    check = F.udf(probe, "string", useArrow=False)
    try:
        rows = session.range(0, TASKS, 1, TASKS).select(check("id").alias("found")).collect()
    except PySparkException as error:
        raise ReplayError(f"the executors cannot run functions of the driver's Python {python}: {advice}") from error
    for found in (json.loads(row.found) for row in rows):
        if found["lacks"]:
            place = f"the executor {found['machine']} with Python {found['python']}"
            raise ReplayError(f"{place} lacks {found['lacks']}; the driver has Python {python}: {advice}")
