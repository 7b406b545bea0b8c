"""The case of Ray: a task a shard; each reads the whole history and skips the records of other shards."""

from __future__ import annotations

import logging
import os
import pathlib
import signal
import subprocess
import tempfile

import ray
from data import History

import armadactl
from armadactl.process import Command
from armadactl.report import Report

SHARDS = 8


def tasks(history: History, arguments: list[str]) -> Report:
    """From JSON Lines, while a worker is killed whose task Ray runs again."""
    marker = pathlib.Path(tempfile.mkdtemp(), "killed")
    program = str(armadactl.binary())
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)

    @ray.remote(num_cpus=1, max_retries=2)
    def part(shard: int) -> bytes:
        if shard == 1 and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        place = ["--history", str(history.lines), "--shard", f"{shard}/{SHARDS}", "--partial", "-", "--threads", "1"]
        return subprocess.run([program, "simulate", *arguments, *place], check=True, stdout=subprocess.PIPE).stdout

    parts = ray.get([part.remote(shard) for shard in range(SHARDS)])
    ray.shutdown()
    if not marker.exists():
        raise SystemExit("no worker was killed")
    command = Command((), (), tuple(arguments), str(history.folder))
    return Report(command.here().merge(parts, "--partial", "-"), command)
