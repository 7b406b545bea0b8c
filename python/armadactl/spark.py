"""A replay on Apache Spark: `replay(runs, policies)` returns the report that one process would print.

Spark cuts the history by unit (a job, or a gang), sorts it and gives each shard to a process of `armadactl`; the
partial summaries of the shards are merged. A task has no side effects and returns the same bytes each time, so that it
can be repeated: after the loss of an executor, or by speculation.
"""

from __future__ import annotations

import re
from itertools import groupby
from math import isqrt
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Callable

import pyarrow as pa
from pyspark.errors import PySparkException

from armadactl._executors import check_executors
from armadactl._lines import lines_of_shards
from armadactl.process import Child, Command, Paths, ReplayError
from armadactl.report import Report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from os import PathLike

    from pyspark.sql import DataFrame

    Batches = Iterator[pa.RecordBatch]

__all__ = ["ReplayError", "Report", "replay"]

# The columns of partial summaries.
PARTS = "shards array<int>, partial binary, warnings array<string>"
# Warnings that reach the driver: each shard may have some.
MOST_WARNINGS = 20


def replay(
    df: DataFrame,
    policies: Paths = (),
    *,
    scheduler_config: str | PathLike[str] | None = None,
    variants: Mapping[str, Paths] | None = None,
    shards: int = 64,
    flags: Sequence[str | PathLike[str]] = (),
    gang_in_each_record: bool = False,
    threads: int = 1,
    program: str | None = None,
) -> Report:
    """Replay a history through retry policies.

    Args:
        df: Run records, a column for each field (times may be of Spark's types), or one column `value` of JSON Lines
            (`spark.read.text`). Drop columns that are no fields of records, such as those of partitions.
        policies: Files or directories of the driver, in their order, as with `-f`. Without any the report is about the
            record alone.
        scheduler_config: The file of `--scheduler-config`.
        variants: Further sets of policies by name, as with `--variant`.
        shards: The number of processes that replay the history: 2 to 4 for each core. The report does not depend on it.
        flags: Further flags of `armadactl simulate`. A flag that is a `pathlib.Path` is a file of the driver.
        gang_in_each_record: Whether each record of a job in a gang names the gang, or there are no gangs. Otherwise the
            first record of each job is found, which costs Spark one more sort.
        threads: Threads of each process: the cores of a task, `spark.task.cpus`.
        program: The path of `armadactl` on all machines, if it is not that of the installed package.

    Raises:
        ReplayError: If `armadactl` refuses a policy, a flag or a record, or if executors cannot run it.

    """
    if shards < 1:
        raise ValueError(f"shards is {shards}: at least 1 is needed")
    command = Command.read(policies, scheduler_config=scheduler_config, variants=variants, flags=flags, program=program)
    # First, because an invalid policy or flag is refused here, before any task.
    _empty_part(command, 0, shards)
    check_executors(df.sparkSession, program)
    lines = lines_of_shards(df, shards, gang_in_each_record)
    parts = lines.mapInArrow(_replay_partition(command, shards, threads), PARTS)
    # Merged on executors first: together the parts may exceed `spark.driver.maxResultSize`. By a key, since rows that
    # are dealt out in turn may go to other partitions when a task is repeated (SPARK-23207).
    groups = parts.repartition(isqrt(shards), "shards").mapInArrow(_merge_partition(command), PARTS)
    return _report(command, _collected(groups), shards)


def _replay_partition(command: Command, shards: int, threads: int) -> Callable[[Batches], Batches]:
    def replay_partition(batches: Batches) -> Batches:
        child: Child | None = None
        current = -1
        with command.open() as runner:
            try:
                for shard, lines in (run for batch in batches for run in _runs_of_shards(batch)):
                    if child is None or shard != current:
                        if child is not None:
                            yield _end(child, current)
                        child, current = runner.start_shard(shard, shards, threads), shard
                    child.write(lines)
                if child is not None:
                    yield _end(child, current)
            except ReplayError as error:
                raise ReplayError(f"shard {current}/{shards}: {error}") from None
            finally:
                if child is not None:
                    child.kill()

    return replay_partition


def _runs_of_shards(batch: pa.RecordBatch) -> Iterator[tuple[int, memoryview]]:
    """Yield each shard of a batch with its lines: a view of Arrow's buffer, where they are adjacent."""
    numbers, lines = batch.column(0), batch.column(1)
    _, offsets, data = lines.buffers()
    # `spark.sql.execution.arrow.useLargeVarTypes` makes the offsets longer.
    places = memoryview(offsets).cast("q" if pa.types.is_large_string(lines.type) else "i")[lines.offset :]
    start = 0
    for shard, rows in groupby(numbers.to_pylist()):
        stop = start + sum(1 for _ in rows)
        yield shard, memoryview(data)[places[start] : places[stop]]
        start = stop


def _end(child: Child, shard: int) -> pa.RecordBatch:
    partial = child.end()
    return _part([shard], partial, [f"shard {shard}: {child.warnings}"] if child.warnings else [])


def _merge_partition(command: Command) -> Callable[[Batches], Batches]:
    def merge_partition(batches: Batches) -> Batches:
        # By shard, since the order in which a shuffle gives rows is none.
        rows = sorted((row for batch in batches for row in batch.to_pylist()), key=itemgetter("shards"))
        if rows:
            with command.open() as runner:
                merged = runner.merge((row["partial"] for row in rows), "--partial", "-")
            shards = [shard for row in rows for shard in row["shards"]]
            yield _part(shards, merged, [text for row in rows for text in row["warnings"]])

    return merge_partition


def _part(shards: list[int], partial: bytes, warnings: list[str]) -> pa.RecordBatch:
    columns = [
        pa.array([shards], pa.list_(pa.int32())),
        pa.array([partial], pa.binary()),
        pa.array([warnings[:MOST_WARNINGS]], pa.list_(pa.string())),
    ]
    return pa.RecordBatch.from_arrays(columns, ["shards", "partial", "warnings"])


def _report(command: Command, rows: Sequence[Any], shards: int) -> Report:
    """Return the report of all groups. Shards without units have no row: their parts are made of an empty history."""
    held = {shard for row in rows for shard in row.shards}
    parts = [bytes(row.partial) for row in rows]
    parts += [_empty_part(command, shard, shards) for shard in range(shards) if shard not in held]
    texts = [text for row in sorted(rows, key=itemgetter("shards")) for text in row.warnings]
    with command.open() as runner:
        return Report(runner.merge(parts, "--partial", "-"), command, tuple(texts[:MOST_WARNINGS]))


def _empty_part(command: Command, shard: int, shards: int) -> bytes:
    with command.open() as runner:
        return runner.start_shard(shard, shards).end()


def _collected(df: DataFrame) -> list[Any]:
    """Collect rows; an error is that of `armadactl` if a task failed by one, without Spark's text around it."""
    try:
        return df.collect()
    except PySparkException as error:
        found = re.search(r"ReplayError: (.*?\(armadactl [^()]*\))$", str(error), re.DOTALL | re.MULTILINE)
        if found is None:
            raise
        raise ReplayError(found.group(1)) from error
