"""Sets our verdicts beside another engine's, and reports where they differ.

    python3 compare.py NAME ours.jsonl theirs.jsonl

Exits 1 if they differ in a way that README.md does not explain.
"""

import collections
import json
import re
import sys

# Go keeps a literal prefix as text, where a surrogate becomes U+FFFD.
SURROGATE = re.compile(r"\\x\{0*[dD][89a-fA-F][0-9a-fA-F]{2}\}")

# What RE2 in C++ does otherwise than Go; README.md says more on each.
RE2_KNOWN = [
    ("names and tables of \\p", re.compile(r"\\[pP]")),
    ("\\C is any byte", re.compile(r"\\C")),
    ("a group's name may be Unicode", re.compile(r"\(\?P?<")),
    ("a count of ten digits is no count", re.compile(r"\{(\d+,)?\d{10,}")),
    ("\\B within a character", re.compile(r"\\B")),
]


def difference(ours: dict, theirs: dict, codes: bool) -> str | None:
    if ours["ok"] != theirs["ok"]:
        return "we accept" if ours["ok"] else "we refuse"
    if not ours["ok"]:
        return "error" if codes and ours["error"] != theirs["error"] else None
    if ours["match"] is None:
        return None
    return None if ours["match"] == theirs["match"] else "match"


def explained(name: str, ours: dict, kind: str) -> str | None:
    if kind == "match" and SURROGATE.search(ours["pattern"]) and "\ufffd" in ours["text"]:
        return "surrogate taken for U+FFFD"
    if name == "re2":
        return next((why for why, hit in RE2_KNOWN if hit.search(ours["pattern"])), None)
    return None


def main() -> int:
    name, ours_path, theirs_path = sys.argv[1:]
    counts, known, unknown = collections.Counter(), collections.Counter(), []
    with open(ours_path, encoding="utf-8") as ours_file, open(theirs_path, encoding="utf-8") as theirs_file:
        for ours_line, theirs_line in zip(ours_file, theirs_file, strict=True):
            ours, theirs = json.loads(ours_line), json.loads(theirs_line)
            counts["cases"] += 1
            counts["accepted"] += ours["ok"]
            counts["matched"] += bool(ours.get("match"))
            counts["not compiled"] += ours["ok"] and ours["match"] is None
            if ours["ok"] and not ours["set_agrees"]:
                unknown.append(("set", ours, theirs))
            kind = difference(ours, theirs, codes=name == "go")
            if kind is None:
                continue
            why = explained(name, ours, kind)
            if why:
                known[f"{kind}: {why}"] += 1
            else:
                unknown.append((kind, ours, theirs))
    print(f"{name}:", ", ".join(f"{count} {what}" for what, count in counts.items()))
    for what, count in known.most_common():
        print(f"  explained: {count:6} {what}")
    print(f"  unexplained: {len(unknown)}")
    for kind, ours, theirs in unknown[:20]:
        print("   ", kind, json.dumps(ours), json.dumps(theirs))
    return 1 if unknown else 0


sys.exit(main())
