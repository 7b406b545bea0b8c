"""Says what RE2 (C++) makes of patterns: reads JSON objects with "pattern" and
"text", one a line, and prints for each one with "ok", "error", "match".

    pip install google-re2
    python3 compare_re2.py < cases.jsonl
"""

import json
import sys

import re2

OPTIONS = re2.Options()
OPTIONS.log_errors = False


def ask(pattern: str, text: str) -> dict:
    try:
        compiled = re2.compile(pattern, OPTIONS)
    except re2.error as refused:
        reason = refused.args[0] if refused.args else ""
        if isinstance(reason, bytes):
            reason = reason.decode("utf-8", "replace")
        return {"ok": False, "error": reason}
    return {"ok": True, "match": compiled.search(text) is not None}


for line in sys.stdin:
    case = json.loads(line)
    print(json.dumps(ask(case["pattern"], case["text"])))
