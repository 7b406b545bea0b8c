"""Builds the programs, and makes the histories and policies that they are measured with, once."""
from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import policies

HERE = pathlib.Path(__file__).resolve().parent
GENERATOR = [HERE / "generate.rs", HERE / "failures.rs", HERE / "json.rs", HERE.parent / "support" / "draw.rs"]
VARIANTS = 8
LONG_RULES, LONG_PATTERNS = 1000, 200


@dataclasses.dataclass
class Programs:
    """Where the built programs are."""

    armadactl: str
    generate: str
    parse: str


@dataclasses.dataclass
class Histories:
    """Where the histories of one size are: `large` has 1.6 times the events of `plain`, `small` a tenth."""

    plain: str
    shuffled: str
    small: str
    large: str
    gzip: str
    # Empty without the command `zstd`.
    zstd: str


def cargo(*arguments: str) -> str:
    """What a cargo command prints; ends the script if it fails."""
    done = subprocess.run(["cargo", *arguments], cwd=HERE, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"cargo {' '.join(arguments)}\n{done.stdout}{done.stderr}")
    return done.stdout


def programs(binary: str | None) -> Programs:
    """The `dist` build, with `binary` in the place of ours if one is named."""
    cargo("build", "--profile", "dist", "--features", "tools", "--example", "replay_generate", "--example", "replay_parse")
    # Apart and last: built together with an example, our program would get the features that only tests ask for.
    if not binary:
        cargo("build", "--profile", "dist")
    target = json.loads(cargo("metadata", "--format-version", "1", "--no-deps"))["target_directory"]
    built = pathlib.Path(target) / "dist"
    return Programs(binary or str(built / "armadactl"), str(built / "examples" / "replay_generate"),
                    str(built / "examples" / "replay_parse"))


def cache() -> pathlib.Path:
    """The directory for what is generated; its name has the generator's digest, so that old data is never measured."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in GENERATOR)).hexdigest()[:8]
    temporary = pathlib.Path(os.environ.get("TMPDIR") or tempfile.gettempdir())
    folder = temporary / "armadactl-replay" / digest
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def history(generate: str, events: int, *options: str) -> str:
    """A history of so many events, made if it is not there yet."""
    path = cache() / f"{'-'.join([str(events), *(option.strip('-') for option in options)])}.jsonl"
    if not path.exists():
        print(f"writing {path}", file=sys.stderr)
        unfinished = path.with_suffix(".part")
        subprocess.run([generate, str(events), unfinished, *options], check=True)
        unfinished.rename(path)
    return str(path)


def histories(generate: str, events: int) -> Histories:
    """All histories for one size."""
    plain = history(generate, events)
    return Histories(plain, history(generate, events, "--shuffled"), history(generate, events // 10),
                     history(generate, events * 16 // 10), compressed(plain, "gzip", ".gz"),
                     compressed(plain, "zstd", ".zst") if shutil.which("zstd") else "")


def compressed(plain: str, command: str, ending: str) -> str:
    """A compressed copy, made if it is not there yet."""
    path = pathlib.Path(plain + ending)
    if not path.exists():
        print(f"writing {path}", file=sys.stderr)
        unfinished = path.with_suffix(".part")
        with open(unfinished, "wb") as out:
            subprocess.run([command, "-c", "-q", plain] if command == "zstd" else [command, "-c", plain], stdout=out, check=True)
        unfinished.rename(path)
    return str(path)


def made_policies() -> tuple[str, list[str]]:
    """The long policy, and the variants of policy.yaml after the first, which is itself."""
    long = cache() / f"long-{LONG_RULES}.yaml"
    long.write_text(policies.long_policy(LONG_RULES, LONG_PATTERNS))
    variants = []
    for number in range(1, VARIANTS):
        path = cache() / f"variant-{number}.yaml"
        path.write_text(policies.variant((HERE / "policy.yaml").read_text(), number))
        variants.append(str(path))
    return str(long), variants
