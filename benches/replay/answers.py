"""What contenders answer, in one form: {"events", "jobs", "rules": {rule: [matched, retried]}}."""
from __future__ import annotations

import json


def of_report(text: str) -> dict:
    """The answer that a report of `armadactl simulate -o json` gives.

    Every run of these histories is a failure that was decided, the success that ended its job, or was not reached.
    """
    summary = json.loads(text)["summary"]
    rules = {"default" if row["ruleIndex"] is None else str(row["ruleIndex"]): [row["matched"], row["retried"]]
             for row in summary["byRule"] if row["policy"] is not None}
    events = summary["failures"] + summary["outcomes"].get("Succeeded", 0) + summary["notReached"]
    return {"events": events, "jobs": summary["jobs"], "rules": rules}


def differences(ours: dict, theirs: dict) -> list[str]:
    """Where two answers differ, in words. What only one of them says is not looked at: the parse loop counts lines."""
    found = [f"{key}: {ours[key]} and {theirs[key]}" for key in ("events", "jobs")
             if key in theirs and ours[key] != theirs[key]]
    for rule in sorted(ours["rules"].keys() | theirs["rules"].keys()) if "rules" in theirs else []:
        pair = ours["rules"].get(rule), theirs["rules"].get(rule)
        if pair[0] != pair[1]:
            found.append(f"rule {rule} [matched, retried]: {pair[0]} and {pair[1]}")
    return found
