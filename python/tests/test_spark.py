"""Replays on Spark, with the fake program: which process reads which lines, and in what order."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

import pytest

pytest.importorskip("pyspark.sql")
pytest.importorskip("pyarrow")

from armadactl import _executors
from armadactl.spark import ReplayError, replay

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    Form = Callable[[SparkSession, list["Record"]], DataFrame]

Record = dict[str, Any]


def history() -> list[Record]:
    """Return records of jobs with several runs, last runs first; some jobs are in gangs."""
    records: list[Record] = [
        {"jobId": f"job-{job}", "queue": f"q{job % 3}", "runIndex": run, "node": "größe\n1", "outcome": "Failed"}
        for job in range(60)
        for run in range(job % 4 + 1)
    ]
    for record in records:
        job = int(record["jobId"][4:])
        if job % 5 == 0 and record["runIndex"] == 0:
            # Gangs of one job are none.
            record["gang"] = {"id": f"gang-{job % 2}", "cardinality": job % 3 + 1}
    return records[::-1]


def as_lines(spark: SparkSession, records: list[Record]) -> DataFrame:
    """Return JSON Lines."""
    return spark.createDataFrame([(json.dumps(record),) for record in records], "value string")


def as_columns(spark: SparkSession, records: list[Record]) -> DataFrame:
    """Return a column for each field."""
    kind = """jobId string, queue string, runIndex int, node string, outcome string,
        gang struct<id string, cardinality int>"""
    return spark.createDataFrame(records, kind)


def one_process(records: list[Record], settings: list[str]) -> Record:
    """Return the report of the fake program for all records."""
    return {"lines": sorted(json.dumps(record, sort_keys=True) for record in records), "settings": settings}


@pytest.mark.parametrize("form", [as_lines, as_columns])
@pytest.mark.parametrize("shards", [1, 5, 30])
def test_report_is_that_of_one_process(
    spark: SparkSession, program: str, policies: Path, form: Form, shards: int
) -> None:
    """Whatever the form and the number of shards; the fake refuses units that were cut, and runs out of order."""
    report = replay(form(spark, history()), policies, shards=shards, program=program)
    assert report.json == one_process(history(), ["a.yaml", "b.yaml", "more/c.yml"])
    assert report.table() == f"table: {len(history())} records\n"
    assert report.warnings
    assert all(text.startswith("shard ") and text.endswith(" jobs") for text in report.warnings)


def test_files_are_sent_to_executors(spark: SparkSession, program: str, policies: Path) -> None:
    """All files that flags name, in their order."""
    a, b = policies / "a.yaml", policies / "b.yaml"
    df = as_lines(spark, history())
    report = replay(
        df, [b, a], scheduler_config=a, variants={"new": [a, b]}, flags=["--disruptions", b], shards=3, program=program
    )
    assert report.json["settings"] == ["b.yaml", "a.yaml", "a.yaml", "b.yaml", "a.yaml", "b.yaml"]


def test_job_is_in_the_gang_of_its_first_record(spark: SparkSession, program: str) -> None:
    """A later record that names a gang does not change the unit."""
    records: list[Record] = [
        {"jobId": f"j{job}", "runIndex": run, "outcome": "Failed"} for job in range(20) for run in range(3)
    ]
    for record in records[1::3]:
        record["gang"] = {"id": "g", "cardinality": 20}
    assert len(replay(as_lines(spark, records), shards=4, program=program).json["lines"]) == 60


def test_gang_in_each_record_needs_no_first_record(spark: SparkSession, program: str) -> None:
    """Each record gives the unit."""
    records = [
        {"jobId": f"j{job}", "queue": "q", "jobSet": "s", "runIndex": run, "outcome": "Failed"}
        | {"gang": {"id": f"g{job % 3}", "cardinality": 4}}
        for job in range(12)
        for run in range(3)
    ]
    report = replay(as_lines(spark, records), shards=4, gang_in_each_record=True, program=program)
    assert len(report.json["lines"]) == 36


def test_annotations_name_gangs_too(spark: SparkSession) -> None:
    """With a map and with a struct of annotations; a cardinality of 1 is no gang."""
    from armadactl._lines import lines_of_shards
    from armadactl.shards import gang_unit, shard_of

    named = {"armadaproject.io/gangId": "g", "armadaproject.io/gangCardinality": " 2 "}
    single = named | {"armadaproject.io/gangCardinality": "01"}
    jobs = [("a", "q", named), ("b", "q", single), ("c", "q", None)]
    expected = {"a": shard_of(gang_unit("q", "", "g"), 1000), "b": shard_of("b", 1000), "c": shard_of("c", 1000)}
    struct = "struct<`armadaproject.io/gangId` string, `armadaproject.io/gangCardinality` string>"
    for kind in ("map<string, string>", struct):
        df = spark.createDataFrame(jobs, f"jobId string, queue string, annotations {kind}")
        rows = lines_of_shards(df, 1000, gang_in_each_record=False).collect()
        assert {json.loads(row.line)["jobId"]: row.shard for row in rows} == expected


def test_times_are_utc_with_microseconds(spark: SparkSession) -> None:
    """Of both types, in a session with another time zone."""
    from armadactl._lines import lines_of_shards

    time = datetime(2026, 10, 1, 0, 0, 1, 296001, timezone.utc)
    df = spark.createDataFrame(
        [("a", time, time.replace(tzinfo=None))], "jobId string, startedAt timestamp, finishedAt timestamp_ntz"
    )
    line = lines_of_shards(df, 1, gang_in_each_record=False).first()
    assert line is not None
    text = "2026-10-01T00:00:01.296001Z"
    assert json.loads(line.line) == {"jobId": "a", "startedAt": text, "finishedAt": text}


def test_runs_without_index_are_in_the_order_of_their_times(spark: SparkSession) -> None:
    """Texts of times with other offsets, which sort otherwise."""
    from armadactl._lines import lines_of_shards

    times = ["2026-10-01T10:00:00+02:00", "2026-10-01T09:00:00Z", "2026-10-01T09:00:00.5Z"]
    records = [{"jobId": "a", "finishedAt": time, "outcome": "Failed"} for time in times]
    rows = lines_of_shards(as_lines(spark, records[::-1]), 1, gang_in_each_record=False).collect()
    assert [json.loads(row.line)["finishedAt"] for row in rows] == times


def test_text_of_an_executor_is_the_error(spark: SparkSession, program: str) -> None:
    """Without Spark's text around it."""
    records = [*history(), {"jobId": "job-99", "runIndex": 0, "outcome": "Invalid"}]
    with pytest.raises(ReplayError) as error:
        replay(as_lines(spark, records), shards=5, program=program)
    lines = str(error.value).split("\n")
    assert lines[0].endswith("/5: error: job-99: the record is invalid")
    assert lines[1:] == ["  a second line", "(armadactl ended with exit code 3)"]


def test_invalid_policy_is_refused_before_any_task(program: str, tmp_path: Path) -> None:
    """The DataFrame is not touched."""
    policy = tmp_path / "policy.yaml"
    policy.write_text("invalid")
    with pytest.raises(ReplayError, match="the policy is invalid"):
        replay(None, policy, program=program)  # type: ignore[arg-type]


def test_line_that_is_no_record_reaches_the_program(spark: SparkSession, program: str) -> None:
    """It is not lost: the program refuses or counts it."""
    with pytest.raises(ReplayError, match="JSONDecodeError"):
        replay(
            as_lines(spark, history()).unionAll(spark.createDataFrame([("no JSON",)], "value string")),
            shards=2,
            program=program,
        )


def test_missing_package_on_executors_is_named(spark: SparkSession) -> None:
    """With the Python of the executor and that of the driver."""
    with pytest.raises(ReplayError, match=r"(?s)with Python 3.* lacks there is no program.*PYSPARK_PYTHON"):
        _executors.check_executors(spark)


def test_other_version_on_executors_is_named(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their partial summaries would be refused at the end."""
    monkeypatch.setattr("armadactl.__version__", "7.0.0")
    with pytest.raises(ReplayError, match=r"lacks armadactl 7\.0\.0, it has "):
        _executors.check_executors(spark, "/bin/true")


def test_number_of_shards_is_at_least_one() -> None:
    """A shard of none does not exist."""
    with pytest.raises(ValueError, match="shards is 0"):
        replay(None, shards=0)  # type: ignore[arg-type]
