"""The processes that a case has started, by /proc, and what is done to them."""

from __future__ import annotations

import os
import pathlib
import signal
import threading
import time
from typing import Callable

PROC = pathlib.Path("/proc")
# Seconds between two looks.
PAUSE = 0.02


def parents() -> dict[int, int]:
    """Return the parent of each process."""
    found: dict[int, int] = {}
    for path in PROC.glob("[0-9]*/stat"):
        try:
            found[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
    return found


def ancestors(process: int) -> list[int]:
    """Return the parents of a process, the nearest first."""
    above, found = parents(), []
    while (process := above.get(process, 0)) > 1:
        found.append(process)
    return found


def command(process: int) -> str:
    """Return the command line of a process; empty if it has ended."""
    try:
        return (PROC / str(process) / "cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def bytes_read(process: int) -> int:
    """Return how many bytes a process has read; 0 if it has ended."""
    try:
        return int((PROC / str(process) / "io").read_text().split()[1])
    except OSError:
        return 0


def shard_in_work(least: int) -> int | None:
    """Return a process that replays a shard below this one, and has read at least so many bytes."""
    for process in parents():
        if " --shard " in command(process) and bytes_read(process) >= least and os.getpid() in ancestors(process):
            return process
    return None


class Disturbance(threading.Thread):
    """Does something once to the first shard that has read so many bytes."""

    def __init__(self, least: int, act: Callable[[int], None]) -> None:
        """Begin to wait with `start()`."""
        super().__init__(daemon=True)
        self.least, self.act, self.is_done = least, act, False
        self._is_over = threading.Event()

    def run(self) -> None:
        """Wait, then act."""
        while not self._is_over.is_set() and not self.is_done:
            process = shard_in_work(self.least)
            if process is not None:
                self.act(process)
                self.is_done = True
            time.sleep(PAUSE)

    def end(self) -> None:
        """Stop waiting."""
        self._is_over.set()
        self.join()


def kill_executor(process: int) -> None:
    """Kill the executor of Spark that a process belongs to."""
    executor = next(it for it in ancestors(process) if "CoarseGrainedExecutorBackend" in command(it))
    os.kill(executor, signal.SIGKILL)


def stop(process: int) -> None:
    """Stop a process, as if its machine were very slow."""
    os.kill(process, signal.SIGSTOP)
