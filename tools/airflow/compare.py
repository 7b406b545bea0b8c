"""Draws failed tries from a seed and sets our answers beside a release's own.

    python3 compare.py PROFILE WHEEL SEED CASES COMMAND...

COMMAND reads the cases and answers them (delays.rs). Exits 1 if an answer differs.
"""

import collections
import json
import random
import subprocess
import sys
from datetime import datetime, timedelta, timezone

import released

STATES = ["running", "running", "restarting", "queued", "deferred", "up_for_reschedule"]
NAMES = ["train", "a#b", "Über-dag", "日次", "tägliche.gruppe.aufgabe", "x" * 250, ""]


def seconds(draw: random.Random) -> float:
    return draw.choice([
        lambda: 300.0,
        lambda: 0.0,
        lambda: draw.randrange(1, 4000) / 2,
        lambda: float(draw.randrange(1, 200_000)),
        lambda: draw.uniform(0, 100),
        lambda: round(draw.uniform(0, 1), 7),
    ])()


def date(draw: random.Random) -> str | None:
    if draw.random() < 0.1:
        return None
    zones = [timezone.utc] * 6 + [None, timezone(timedelta(minutes=draw.randrange(-839, 840)))]
    micros = draw.choice([0, 0, draw.randrange(1_000_000)])
    start = datetime(1900, 1, 1, tzinfo=draw.choice(zones))
    return (start + timedelta(seconds=draw.randrange(8_000_000_000), microseconds=micros)).isoformat()


def case(draw: random.Random, profile: str) -> dict:
    multiplier = draw.choice([True, False, 0, 1, 2, 2.0, 3, 1.5, 0.5, -2.0, draw.uniform(0, 10)])
    return {
        "profile": profile,
        "dag_id": draw.choice(NAMES),
        "task_id": draw.choice(NAMES) + str(draw.randrange(1000)),
        "logical_date": date(draw),
        "try_number": draw.choice([draw.randrange(0, 8), draw.randrange(0, 8), draw.randrange(-2, 3000)]),
        "max_tries": draw.randrange(-1, 9),
        "state": draw.choice(STATES),
        "retries": draw.choice([None, 0, 1, 3, 5]),
        "retry_delay": seconds(draw),
        "retry_exponential_backoff": multiplier,
        "max_retry_delay": draw.choice([None, None, 0.0, 3600.0, seconds(draw)]),
        # 3.0.0 to 3.0.4 have a constant.
        "max_task_retry_delay": 86400 if profile == "3.0.0" else draw.choice([86400, 86400, 600, 10**6, 10**9]),
        "retry_delay_override": draw.choice([None] * 6 + [0.0, seconds(draw)]),
    }


def stored(profile: str, backoff: bool | float) -> bool | float:
    """What reading a stored DAG makes of it: since 3.2 a number (serialized_objects.py)."""
    if profile not in ("3.4", "3.3", "3.2"):
        return backoff
    return {True: 2.0, False: 0}[backoff] if isinstance(backoff, bool) else float(backoff)


def main() -> int:
    profile, wheel, seed, count, *command = sys.argv[1:]
    draw = random.Random(f"{seed} {profile}")
    cases = [case(draw, profile) for _ in range(int(count))]
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    answers = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    kind = released.task_instance(wheel)
    rules, differing = collections.Counter(), []
    for one, line in zip(cases, answers, strict=True):
        ours = json.loads(line)
        theirs = released.answer(kind, one, stored(profile, one["retry_exponential_backoff"]))
        rules[ours["rule"].split(" ")[0]] += 1
        if any(theirs[key] != ours[key] for key in ("micros", "eligible")):
            differing.append((one, ours, theirs))
    told = ", ".join(f"{rule} {number}" for rule, number in sorted(rules.items()))
    print(f"{profile}: {len(cases)} cases, {len(differing)} differ ({told})")
    for one, ours, theirs in differing[:5]:
        print(json.dumps(one), f"\n  ours {ours}\n  theirs {theirs}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
