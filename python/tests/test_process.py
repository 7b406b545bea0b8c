"""Arguments, files and child processes, with programs that are short scripts."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

from armadactl.process import Child, Command, ReplayError
from armadactl.shards import shard_of

LINE = b'{"jobId":"a","runIndex":0,"outcome":"Failed"}\n'


def child(script: str, folder: Path) -> Child:
    """Start a Python script."""
    return Child([sys.executable, "-c", script], folder)


def test_files_of_arguments_have_names_of_their_own(policies: Path, tmp_path: Path) -> None:
    """Two files may have one name, and their order is that of the arguments."""
    other = tmp_path / "other" / "a.yaml"
    other.parent.mkdir()
    other.write_text("other")
    command = Command.read([policies / "a.yaml", other], scheduler_config=other)
    assert command.arguments == ("-f", "0/a.yaml", "-f", "1/a.yaml", "--scheduler-config", "2/a.yaml")
    assert command.given == ("-f", str(policies / "a.yaml"), "-f", str(other), "--scheduler-config", str(other))
    assert dict(command.files) == {"0/a.yaml": b"a.yaml", "1/a.yaml": b"other", "2/a.yaml": b"other"}


def test_directory_has_the_files_that_the_program_reads(policies: Path) -> None:
    """Not the hidden ones, nor those with other endings."""
    command = Command.read(policies)
    assert command.arguments == ("-f", "0/policies")
    names = ["0/policies/a.yaml", "0/policies/b.yaml", "0/policies/more/c.yml"]
    assert [name for name, _ in command.files] == names


def test_directory_without_policies_is_an_error(tmp_path: Path) -> None:
    """The executors would have no such directory."""
    with pytest.raises(FileNotFoundError, match="no file with an ending"):
        Command.read(tmp_path)


def test_missing_file_is_an_error(tmp_path: Path) -> None:
    """On the driver, before any task."""
    with pytest.raises(FileNotFoundError):
        Command.read(tmp_path / "missing.yaml")


def test_current_directory_has_a_name(policies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of `.` is empty."""
    monkeypatch.chdir(policies)
    command = Command.read(".", program="/bin/true")
    assert command.arguments == ("-f", "0/policies")
    monkeypatch.chdir("/")
    assert command.here().command == ["/bin/true", "simulate", "-f", "."]
    assert command.here().folder == policies


def test_variants_and_paths_among_flags_are_files(policies: Path) -> None:
    """A flag that is a text stays as it is."""
    a, b = policies / "a.yaml", policies / "b.yaml"
    command = Command.read(variants={"new": [a, b], "old": a}, flags=["--seed", "7", "--disruptions", b])
    variants = ("--variant", "new=0/a.yaml,1/b.yaml", "--variant", "old=2/a.yaml")
    assert command.arguments == (*variants, "--seed", "7", "--disruptions", "3/b.yaml")
    assert command.given[:2] == ("--variant", f"new={a},{b}")


def test_command_keeps_its_files_when_it_is_sent(policies: Path) -> None:
    """An executor has only what was pickled."""
    command = pickle.loads(pickle.dumps(Command.read(policies, program="/bin/true")))  # noqa: S301
    with command.open() as runner:
        assert (runner.folder / "0/policies/more/c.yml").read_bytes() == b"more/c.yml"
        assert runner.command == ["/bin/true", "simulate", "-f", "0/policies"]
    assert not runner.folder.exists()


def test_output_larger_than_a_pipe_does_not_stop_the_process(tmp_path: Path) -> None:
    """Both outputs are written before the input is read."""
    script = "import sys\nfor out in sys.stdout, sys.stderr: out.write('x' * 1000000)\nsys.stdin.read()"
    process = child(script, tmp_path)
    process.write(LINE * 100_000)
    assert process.end() == b"x" * 1_000_000


def test_error_has_the_text_and_the_exit_code(tmp_path: Path) -> None:
    """The text is that of stderr."""
    process = child("import sys; sys.stdin.read(); sys.exit('error[RP029]: größe')", tmp_path)
    with pytest.raises(ReplayError) as error:
        process.end()
    assert str(error.value) == "error[RP029]: größe\n(armadactl ended with exit code 1)"


def test_process_that_ends_early_is_an_error_of_its_own(tmp_path: Path) -> None:
    """Not a broken pipe."""
    process = child("import sys; sys.exit('refused')", tmp_path)
    with pytest.raises(ReplayError, match="refused"):
        # More than a pipe holds.
        process.write(LINE * 1_000_000)


def test_process_that_reads_nothing_is_an_error(tmp_path: Path) -> None:
    """Its output would miss records, although its exit code is 0."""
    process = child("", tmp_path)
    process._process.wait()
    with pytest.raises(ReplayError, match="before it had read"):
        process.write(LINE * 100_000)


def test_process_that_leaves_the_last_lines_is_an_error(tmp_path: Path) -> None:
    """They were still in the buffer."""
    process = child("", tmp_path)
    process._process.wait()
    process.write(LINE)
    with pytest.raises(ReplayError, match="before it had read"):
        process.end()


def test_signal_is_named(tmp_path: Path) -> None:
    """Such as that of a kernel without memory."""
    process = child("import os; os.kill(os.getpid(), 9)", tmp_path)
    with pytest.raises(ReplayError, match=r"^\(armadactl was ended by signal 9\)$"):
        process.end()


def test_killed_process_is_gone(tmp_path: Path) -> None:
    """As when a task is cancelled; a second time is no error."""
    process = child("import time; time.sleep(600)", tmp_path)
    process.write(LINE)
    process.kill()
    process.kill()
    assert process._process.returncode == -9


def test_missing_program_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    """The files of the output are closed."""
    with pytest.raises(FileNotFoundError):
        Child([str(tmp_path / "missing")], tmp_path)


def test_parts_merge_to_the_report_of_one_process(program: str, policies: Path, tmp_path: Path) -> None:
    """With the fake program: the flags and the order of the files."""
    command = Command.read(policies, program=program)
    history = tmp_path / "history.jsonl"
    history.write_bytes(LINE)
    with command.open() as runner:
        parts = []
        for shard in range(3):
            process = runner.start_shard(shard, 3)
            process.write(LINE if shard == shard_of("a", 3) else b"")
            parts.append(process.end())
        tree = runner.merge([runner.merge(parts[:2], "--partial", "-"), parts[2]], "--partial", "-")
        assert tree == runner.merge(parts, "--partial", "-")
        assert runner.merge([tree], "-o", "json") == runner.run("--history", str(history), "-o", "json")
        with pytest.raises(ReplayError, match="2 of 3 shards"):
            runner.merge(parts[:2])
