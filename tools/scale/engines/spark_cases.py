"""The cases of Spark: each returns the report, and ends with an error if what it is about did not happen."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
from typing import Any, Iterator

import processes
import pyspark
from data import History
from pyspark.sql import DataFrame, SparkSession

from armadactl.spark import Report, replay

SHARDS = 16
CLUSTER = "local-cluster[2,1,1024]"
# A report does not depend on these flags, but with them it has more figures.
FLAGS = ("--variant", "no-retries", "--samples", "5")


@contextlib.contextmanager
def session(master: str, **settings: str) -> Iterator[tuple[SparkSession, pathlib.Path]]:
    """Yield a session, and the directory of its events."""
    with tempfile.TemporaryDirectory() as events:
        builder = SparkSession.builder.master(master).appName("armadactl")
        common = {
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.log.level": "ERROR",
            "spark.ui.showConsoleProgress": "false",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": events,
            "spark.eventLog.compress": "false",
            "spark.eventLog.rolling.enabled": "false",
            # Not UTC, since the report must not depend on it.
            "spark.sql.session.timeZone": "Asia/Kolkata",
        }
        for name, value in (common | settings).items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        try:
            yield spark, pathlib.Path(events)
        finally:
            spark.stop()


def tasks(events: pathlib.Path) -> list[dict[str, Any]]:
    """Return the events of tasks of a session that has ended."""
    lines = (line for path in events.iterdir() for line in path.read_text().splitlines())
    return [
        event
        for event in map(json.loads, lines)
        if event["Event"] in ("SparkListenerTaskStart", "SparkListenerTaskEnd")
    ]


def replayed(df: DataFrame, history: History) -> Report:
    """Return the report of Spark."""
    return replay(
        df,
        history.policies,
        scheduler_config=history.settings,
        variants={"more": history.variant},
        flags=FLAGS,
        shards=SHARDS,
    )


def parquet(history: History) -> Report:
    """From Parquet."""
    with session(CLUSTER) as (spark, _):
        return replayed(spark.read.parquet(str(history.parquet)), history)


def lines(history: History) -> Report:
    """From JSON Lines."""
    with session(CLUSTER) as (spark, _):
        return replayed(spark.read.text(str(history.lines)), history)


def quarter_of_shard(history: History) -> int:
    """Return about a quarter of the bytes of a shard."""
    return history.lines.stat().st_size // SHARDS // 4


def killed(history: History) -> Report:
    """From Parquet, while an executor is killed in the middle of a shard."""
    kill = processes.Disturbance(quarter_of_shard(history), processes.kill_executor)
    with session(CLUSTER) as (spark, events):
        kill.start()
        report = replayed(spark.read.parquet(str(history.parquet)), history)
        kill.end()
        spark.stop()
        reasons = [event.get("Task End Reason", {}).get("Reason") for event in tasks(events)]
    lost = reasons.count("ExecutorLostFailure")
    print(f"  {lost} task lost with its executor")
    if not lost:
        raise SystemExit("no executor was lost while it replayed a shard")
    return report


def speculation(history: History) -> Report:
    """From Parquet, while a process is stopped in the middle of a shard, so that Spark runs its task a second time."""
    stopped: list[int] = []

    def stop(process: int) -> None:
        processes.stop(process)
        stopped.append(process)

    disturbance = processes.Disturbance(quarter_of_shard(history), stop)
    settings = {
        "spark.speculation": "true",
        "spark.speculation.interval": "200ms",
        "spark.speculation.quantile": "0.5",
        "spark.speculation.multiplier": "1.5",
        "spark.executor.memory": "1g",
    }
    with standalone_cluster() as master, session(master, **settings) as (spark, events):
        disturbance.start()
        report = replayed(spark.read.parquet(str(history.parquet)), history)
        disturbance.end()
        for process in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        spark.stop()
        found = [event for event in tasks(events) if event["Event"] == "SparkListenerTaskStart"]
    speculative = sum(event["Task Info"]["Speculative"] for event in found)
    print(f"  {len(stopped)} process stopped, {speculative} tasks run a second time")
    if not (stopped and speculative):
        raise SystemExit("no task was run a second time")
    return report


@contextlib.contextmanager
def standalone_cluster() -> Iterator[str]:
    """Yield the address of a cluster with a worker on each of two hosts, which are addresses of this machine.

    Spark runs no speculative task on the host of the first one, and all workers of `local-cluster` are on one host.
    """
    launcher = pathlib.Path(pyspark.__file__).parent / "bin" / "spark-class"
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        log = stack.enter_context(open(pathlib.Path(folder, "log"), "wb"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        daemons = [["Master", "--host", "127.0.0.1", "--port", port, "--webui-port", "0"]]
        for host in ("127.0.0.1", "127.0.0.2"):
            place = ["--host", host, "--webui-port", "0", "--work-dir", f"{folder}/{host}"]
            daemons.append(["Worker", *place, "--cores", "1", "--memory", "1g", f"spark://127.0.0.1:{port}"])
        for kind, *arguments in daemons:
            package = f"org.apache.spark.deploy.{kind.lower()}.{kind}"
            daemon = subprocess.Popen([launcher, package, *arguments], stdout=log, stderr=log)
            stack.callback(daemon.wait)
            stack.callback(daemon.terminate)
        yield f"spark://127.0.0.1:{port}"
