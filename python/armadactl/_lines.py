"""The lines of each shard: the part of a replay that Spark computes."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import DataType, MapType, StringType, StructType

__all__ = ["lines_of_shards"]

# The fields of a record that place it: the unit it belongs to, and its position there.
FIELDS = """jobId string, queue string, jobSet string, gang struct<id string, cardinality bigint>,
    annotations struct<`armadaproject.io/gangId` string, `armadaproject.io/gangCardinality` string>,
    runIndex bigint, startedAt string, finishedAt string"""
# `to_json` writes milliseconds unless it gets a format. Times without a zone are UTC.
TIMES = {
    "timeZone": "UTC",
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'",
}


def lines_of_shards(df: DataFrame, shards: int, gang_in_each_record: bool) -> DataFrame:
    """Return the lines of each shard together, the runs of a unit in the order of time; columns: shard, line."""
    records = _records(df)
    kind = records.schema["record"].dataType
    unit, may_have_gangs = _unit(kind)
    keys = {"unit": unit, "job": _text(kind, "jobId"), "run": _field(kind, "runIndex"), "time": _time(kind)}
    rows = records.select(*(key.alias(name) for name, key in keys.items()), "text")
    # Jobs of a gang, and pods of a set, are in the order of time. The text makes the order total: a repeated task
    # must get the same lines.
    order = ["time", "job", "run", "text"]
    if may_have_gangs and not gang_in_each_record:
        first = Window.partitionBy("job").orderBy("run", *order)
        rows = rows.withColumn("unit", F.first("unit").over(first))
    shard = (F.conv(F.substring(F.sha2("unit", 256), 1, 8), 16, 10).cast("long") % shards).cast("int")
    rows = rows.withColumn("shard", shard).repartition(shards, "shard").sortWithinPartitions("shard", "unit", *order)
    return rows.select("shard", F.concat("text", F.lit("\n")).alias("line"))


def _records(df: DataFrame) -> DataFrame:
    """Return the fields of each record, and its line; columns: record, text."""
    if df.columns == ["value"] and isinstance(df.schema["value"].dataType, StringType):
        return df.select(F.from_json("value", FIELDS).alias("record"), F.col("value").alias("text"))
    # All columns by name: `struct("*")` would have those that are added later.
    record = F.struct(*(F.col("`" + name.replace("`", "``") + "`") for name in df.columns))
    return df.select(record.alias("record"), F.to_json(record, TIMES).alias("text"))


def _field(kind: DataType, *path: str) -> Column:
    """Return a field of the column `record`; null if the records have no such field."""
    column = F.col("record")
    for name in path:
        if isinstance(kind, StructType) and name in kind.names:
            column, kind = column.getField(name), kind[name].dataType
        elif isinstance(kind, MapType):
            column, kind = column.getItem(name), kind.valueType
        else:
            return F.lit(None)
    return column


def _text(kind: DataType, *path: str) -> Column:
    """Return a field as text; null if it is empty, which means absent."""
    text = _field(kind, *path).cast("string")
    return F.when(text != "", text)


def _unit(kind: DataType) -> tuple[Column, bool]:
    """Return the id of a record's unit, and whether there may be gangs."""
    gang = _text(kind, "gang", "id")
    annotated = _text(kind, "annotations", "armadaproject.io/gangId")
    jobs = F.when(gang.isNotNull(), _text(kind, "gang", "cardinality")).otherwise(
        _text(kind, "annotations", "armadaproject.io/gangCardinality")
    )
    # A gang of one job is none.
    is_gang = jobs.rlike(r"^\s*\+?0*([2-9]|[1-9][0-9]+)\s*$")
    names = [_text(kind, "queue"), _text(kind, "jobSet"), F.coalesce(gang, annotated)]
    gang_unit = F.concat_ws("\0", *(F.coalesce(name, F.lit("")) for name in names))
    unit = F.when(names[2].isNotNull() & is_gang, gang_unit)
    may_have_gangs = isinstance(kind, StructType) and not {"gang", "annotations"}.isdisjoint(kind.names)
    # Records without a `jobId` are in one shard, whose process refuses or counts them.
    return F.coalesce(unit, _text(kind, "jobId"), F.lit("")), may_have_gangs


def _time(kind: DataType) -> Column:
    """Return the time of a run: its end, else its start."""
    times = [_field(kind, name) for name in ("finishedAt", "startedAt")]
    texts = [F.try_to_timestamp(time.cast("string")) for time in times]
    return F.coalesce(*texts)
