"""Runs a program once and says what it took."""
from __future__ import annotations

import dataclasses
import os
import subprocess
import tempfile
import time

CHUNK = 1 << 20


@dataclasses.dataclass
class Run:
    """What one run of a program took, and what it printed."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    output: str


class Failed(Exception):
    """A program that did not do its work."""


def warm(path: str) -> None:
    """Reads a file, so that the next reader finds it in memory."""
    with open(path, "rb", buffering=0) as file:
        while file.read(CHUNK):
            pass


def measure(command: list[str], piped: str | None = None) -> Run:
    """Runs a program from its start to its end; `piped` is a file that `cat` hands to it through a pipe.

    Memory and CPU seconds are the kernel's own count for this one child (wait4), without `cat`. The peak is never less
    than that of this script, about 20 MB: a child starts as its copy.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        cat = subprocess.Popen(["cat", piped], stdout=subprocess.PIPE) if piped else None
        child = subprocess.Popen(command, stdin=cat.stdout if cat else subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if cat and cat.stdout:
            # Whoever stopped reading early must not leave it waiting.
            cat.stdout.close()
            cat.wait()
        if child.returncode:
            err.seek(0)
            raise Failed(err.read().decode(errors="replace").strip() or f"exit {child.returncode}")
        out.seek(0)
        return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, out.read().decode())
