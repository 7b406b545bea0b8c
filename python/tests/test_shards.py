"""The shard of a unit."""

from __future__ import annotations

import pytest

from armadactl.shards import gang_unit, shard_of


@pytest.mark.parametrize(
    ("unit", "shards", "shard"),
    [
        # The digests begin with e3b0c442, ba7816bf and 2cf24dba.
        ("", 1000, 0xE3B0C442 % 1000),
        ("abc", 1, 0),
        ("abc", 7, 0xBA7816BF % 7),
        ("hello", 1 << 32, 0x2CF24DBA),
    ],
)
def test_shard_is_of_the_first_four_bytes_of_sha256(unit: str, shards: int, shard: int) -> None:
    """The digests are published examples of SHA-256."""
    assert shard_of(unit, shards) == shard


def test_id_is_hashed_as_utf8() -> None:
    """As in the program, whose texts are UTF-8."""
    assert shard_of("größe", 1 << 32) == 0xD353A267


def test_gang_has_the_names_of_its_queue_and_job_set() -> None:
    """NUL is in no name, so that no two gangs have one id."""
    assert gang_unit("q", "", "g") == "q\0\0g"
    assert gang_unit("q", "set", "g") == "q\0set\0g"
