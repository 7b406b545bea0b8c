"""The replay of the variant `no-retries`, from histories alone: a unit ends with its first run that does not succeed.

Written from docs/answer.md, Without retries.
"""

from __future__ import annotations

from typing import Any

from recorded import Member, Run
from replayed import CUT_OFF, NOT_REACHED, REACHED, MemberReplay, UnitWalk

DECISION: dict[str, Any] = {"decision": "no_retries", "policy": None, "ruleIndex": None}
End = tuple[Run, dict[str, Any]] | None


def is_decided(run: Run) -> bool:
    """Whether a run that ended its unit is decided: one that was stopped with others did not fail itself."""
    return run.ending not in ("succeeded", "cancelled") and run.outcome != "Stopped"


def of_gang(unit: list[Member]) -> list[tuple[str, MemberReplay, End]]:
    """The outcome of each member of a gang, or of a job by itself: their first runs end together."""
    first = [member.records[0] for member in unit]
    is_cancelled = any(run.ending == "cancelled" for run in first)
    ends = [None if is_cancelled or not is_decided(run) else (run, DECISION) for run in first]
    cause = next((end for end in ends if end is not None), None)
    found = []
    for member, run, end in zip(unit, first, ends):
        outcome = "succeeded" if run.ending == "succeeded" else "cancelled" if is_cancelled else "failed"
        replay = MemberReplay([REACHED] + [NOT_REACHED] * (len(member.records) - 1))
        found.append((outcome, replay, (end or cause) if outcome == "failed" else None))
    return found


def of_unit(system: str, members: list[Member]) -> tuple[str, list[MemberReplay], End]:
    """The outcome of a unit of which the members run at the same time."""
    # Every cancellation of the unit is a moment of it.
    walk = UnitWalk(system, members, {"decisions": [], "outcome": "Cancelled"}, False, ())
    left, outcome = len(members), ""
    decided: list[tuple[int, Run]] = []
    while not outcome and (moment := walk.next_moment()):
        ended = []
        for member, place in moment:
            walk.at[member], walk.live[member] = place, False
            walk.replays[member].reach[place] = REACHED
            ended.append((member, members[member].records[place]))
        if any(run.ending == "cancelled" for _, run in ended):
            outcome = "cancelled"
        elif any(run.ending != "succeeded" for _, run in ended):
            outcome = "failed"
            decided = [one for one in ended if is_decided(one[1])]
        else:
            left -= len(ended)
            outcome = "" if left else "succeeded"
        if outcome == "failed" or outcome == "cancelled":
            stop_ongoing(walk, ended)
    for member in range(len(members)):
        walk.stop(member)
    end = last_reason(decided) if outcome == "failed" else None
    return outcome, walk.replays, end


def stop_ongoing(walk: UnitWalk, ended: list[tuple[int, Run]]) -> None:
    """A run that goes on after a restart in place is cut off; of a unit with one member its end is not reached."""
    for member, run in ended:
        following = walk.at[member] + 1
        if run.outcome == "Running" and following < len(walk.members[member].records) and len(walk.members) > 1:
            walk.replays[member].reach[following] = CUT_OFF


def last_reason(decided: list[tuple[int, Run]]) -> End:
    """The latest of the failures that ended the unit."""
    latest = max(decided, key=lambda one: (one[1].time is not None, one[1].time or 0, one[0]), default=None)
    return (latest[1], DECISION) if latest else None
