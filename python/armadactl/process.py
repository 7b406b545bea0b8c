"""`armadactl simulate` as child processes, on the driver and on executors.

A `Command` is what a user asked for, with the contents of the files that it names. `Command.open()` writes these files
to a directory and gives a `Runner`, which starts processes there.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from subprocess import PIPE, Popen
from typing import IO, TYPE_CHECKING, Union, cast

import armadactl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["Child", "Command", "Paths", "ReplayError", "Runner"]

# A file or directory, or several in their order.
Paths = Union[str, "PathLike[str]", "Iterable[str | PathLike[str]]"]

# The endings of policies in a directory, as the program selects them.
ENDINGS = (".yaml", ".yml", ".json")

_UNREAD = "(armadactl ended before it had read its input)"


class ReplayError(RuntimeError):
    """The program refused its input or ended early; the text is what it wrote to stderr."""


@dataclass(frozen=True)
class Command:
    """The arguments of `armadactl simulate`, and the contents of the files that they name.

    It is sent to executors, which do not have these files. Each process gets them under the same names and in the same
    order, since the order of policies matters.
    """

    arguments: tuple[str, ...]
    files: tuple[tuple[str, bytes], ...]
    # The arguments with the names that the user gave, and the directory in which these hold.
    given: tuple[str, ...]
    directory: str
    # The path of the program on every machine; none: that of the installed package.
    program: str | None = None

    @classmethod
    def read(
        cls,
        policies: Paths = (),
        *,
        scheduler_config: str | PathLike[str] | None = None,
        variants: Mapping[str, Paths] | None = None,
        flags: Sequence[str | PathLike[str]] = (),
        program: str | None = None,
    ) -> Command:
        """Read the files of a command.

        A flag that is a `pathlib.Path` is a file: its contents are read too.
        """
        arguments = _Arguments()
        for path in _listed(policies):
            arguments.add("-f")
            arguments.add_files([path])
        if scheduler_config is not None:
            arguments.add("--scheduler-config")
            arguments.add_files([scheduler_config])
        for name, paths in (variants or {}).items():
            arguments.add("--variant")
            arguments.add_files(_listed(paths), f"{name}=")
        for flag in flags:
            if isinstance(flag, str):
                arguments.add(flag)
            else:
                arguments.add_files([flag])
        return cls(tuple(arguments.sent), tuple(arguments.contents), tuple(arguments.given), str(Path.cwd()), program)

    @contextmanager
    def open(self) -> Iterator[Runner]:
        """Write the files to a directory of its own, which is removed at the end."""
        with tempfile.TemporaryDirectory(prefix="armadactl-") as folder:
            for name, content in self.files:
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            yield self._runner(self.arguments, folder)

    def here(self) -> Runner:
        """Return a runner with the files of the user, whose names are in a report."""
        return self._runner(self.given, self.directory)

    def _runner(self, arguments: tuple[str, ...], folder: str) -> Runner:
        return Runner([self.program or str(armadactl.binary()), "simulate", *arguments], Path(folder))


class _Arguments:
    """Arguments with the names that the user gave, and with those that are sent: a number, then the path below it."""

    def __init__(self) -> None:
        self.given: list[str] = []
        self.sent: list[str] = []
        self.contents: list[tuple[str, bytes]] = []
        self._files = 0

    def add(self, argument: str) -> None:
        """Add an argument that is no file."""
        self.given.append(argument)
        self.sent.append(argument)

    def add_files(self, paths: Sequence[str | PathLike[str]], before: str = "") -> None:
        """Add an argument of files or directories, with a text before them."""
        self.given.append(before + ",".join(fspath(path) for path in paths))
        self.sent.append(before + ",".join(map(self._read, paths)))

    def _read(self, path: str | PathLike[str]) -> str:
        """Read a file, or the files of a directory, and return the name that is sent."""
        root = Path(path).resolve()
        name = f"{self._files}/{root.name}"
        self._files += 1
        if not root.is_dir():
            self.contents.append((name, root.read_bytes()))
            return name
        found = [file for file in sorted(root.rglob("*")) if _is_policy(file, root)]
        if not found:
            raise FileNotFoundError(f"there is no file with an ending {', '.join(ENDINGS)} in {fspath(path)}")
        self.contents += [(f"{name}/{file.relative_to(root).as_posix()}", file.read_bytes()) for file in found]
        return name


def _is_policy(file: Path, root: Path) -> bool:
    """Return whether the program reads this file of a directory: not if it is hidden."""
    is_hidden = any(part.startswith(".") for part in file.relative_to(root).parts)
    return file.suffix in ENDINGS and not is_hidden and file.is_file()


def _listed(paths: Paths) -> list[str | PathLike[str]]:
    return [paths] if isinstance(paths, (str, PathLike)) else list(paths)


@dataclass(frozen=True)
class Runner:
    """A command, and the directory in which the names of its files hold."""

    command: list[str]
    folder: Path

    def start(self, *arguments: str) -> Child:
        """Start a process that reads records from `Child.write()`."""
        return Child([*self.command, *arguments], self.folder)

    def run(self, *arguments: str) -> bytes:
        """Run a process with empty input and return its output."""
        return self.start(*arguments).end()

    def start_shard(self, shard: int, shards: int, threads: int = 1) -> Child:
        """Start the replay of a shard; its output is the partial summary."""
        # The format cannot be detected if the shard has no units.
        history = ["--history", "-", "--format", "jsonl"]
        return self.start(*history, "--shard", f"{shard}/{shards}", "--partial", "-", "--threads", str(threads))

    def merge(self, partials: Iterable[bytes], *arguments: str) -> bytes:
        """Run the command on partial summaries and return its output: a report, or a summary with `--partial -`."""
        with tempfile.TemporaryDirectory(prefix="armadactl-") as folder:
            paths: list[str] = []
            for partial in partials:
                path = Path(folder, f"{len(paths)}.partial")
                path.write_bytes(partial)
                paths.append(str(path))
            return self.run("--history", *paths, *arguments)


class Child:
    """A process whose output goes to files: a pipe that nobody reads would fill, and stop it."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        with ExitStack() as stack:
            self._out: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())
            self._err: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())
            self._process = Popen(command, cwd=folder, stdin=PIPE, stdout=self._out, stderr=self._err)
            # Closed by `end()` or `kill()`, and here only if the process could not start.
            self._files = stack.pop_all()
        self._input = cast("IO[bytes]", self._process.stdin)
        # Set by `end()`: what a process that succeeded wrote to stderr.
        self.warnings = ""

    def write(self, lines: bytes | memoryview) -> None:
        """Write whole lines to its input.

        Raises:
            ReplayError: if the process has ended.

        """
        try:
            self._input.write(lines)
        except BrokenPipeError:
            self.end()
            raise ReplayError(_UNREAD) from None

    def end(self) -> bytes:
        """Close the input, wait for the end and return the output.

        Raises:
            ReplayError: if the exit code is not 0.

        """
        try:
            is_read = self._close_input()
            code = self._process.wait()
            if code:
                raise ReplayError(f"{_text_of(self._err).strip()}\n(armadactl {_end(code)})".lstrip())
            if not is_read:
                raise ReplayError(_UNREAD)
            self.warnings = _text_of(self._err).strip()
            self._out.seek(0)
            return self._out.read()
        finally:
            self.kill()

    def kill(self) -> None:
        """End the process, if it runs, and close its files; nothing happens the second time."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._close_input()
        self._files.close()

    def _close_input(self) -> bool:
        """Close the input and return whether the process read the lines that were in the buffer."""
        try:
            self._input.close()
        except BrokenPipeError:
            return False
        return True


def _end(code: int) -> str:
    return f"ended with exit code {code}" if code > 0 else f"was ended by signal {-code}"


def _text_of(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
