"""The shard of a unit: the same as `--shard` of the program computes, for engines that cut a history themselves."""

from __future__ import annotations

import hashlib

__all__ = ["gang_unit", "shard_of"]


def shard_of(unit: str, shards: int) -> int:
    """Return the shard of a unit: the first 4 bytes of SHA-256 of its id, big-endian, modulo the number of shards.

    The id of a unit is its `jobId`; that of a gang is `gang_unit()`.
    """
    return int.from_bytes(hashlib.sha256(unit.encode()).digest()[:4], "big") % shards


def gang_unit(queue: str, job_set: str, gang: str) -> str:
    """Return the id of a gang: unique within its queue and job set, which are empty if no record names them."""
    return "\0".join((queue, job_set, gang))
