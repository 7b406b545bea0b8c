"""What a release makes of processes that were killed, beside our answers.

    python3 killed.py PROFILE SDK_WHEEL CORE_WHEEL ARMADACTL

`final_state` of the supervisor (task-sdk) and `_is_eligible_to_retry` of the execution API (core) are taken out of the wheels and
run as they are, for every exit code, try and number of retries. Exits 1 if an answer differs.
"""

import ast
import itertools
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from types import SimpleNamespace

SUPERVISOR = "airflow/sdk/execution_time/supervisor.py"
ROUTES = "airflow/api_fastapi/execution_api/routes/task_instances.py"
CODES = [-64, -15, -9, -6, -1, 1, 2, 137, 143, 255]
STATES = SimpleNamespace(SUCCESS="success", FAILED="failed", UP_FOR_RETRY="up_for_retry", RESTARTING="restarting")


def function(wheel: str, path: str, owner: str | None, name: str):
    """A function of a file in a wheel, with only what it calls itself."""
    with zipfile.ZipFile(wheel) as archive:
        tree = ast.parse(archive.read(path))
    if owner:
        tree = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == owner)
    found = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    found.decorator_list = []
    found.returns, found.args.args = None, [ast.arg(arg.arg) for arg in found.args.args]
    scope = {"TaskInstanceState": STATES, "TerminalTIState": STATES, "SERVER_TERMINATED": "SERVER_TERMINATED"}
    module = ast.fix_missing_locations(ast.Module(body=[found], type_ignores=[]))
    exec(compile(module, wheel, "exec"), scope)
    return scope[name]


def main() -> int:
    profile, sdk, core, command = sys.argv[1:]
    final_state = function(sdk, SUPERVISOR, "ActivitySubprocess", "final_state")
    eligible = function(core, ROUTES, None, "_is_eligible_to_retry")
    count, differing = 0, []
    for retries in range(4):
        cases = list(itertools.product(CODES, range(1, 6)))
        records = [
            {"jobId": f"t{number}", "outcome": "Failed", "finishedAt": "2026-03-01T00:00:00Z", "tryNumber": tried,
             "processExit": code}
            for number, (code, tried) in enumerate(cases)
        ]
        document = {
            "apiVersion": "armadaproject.io/v1", "kind": "RetryProfile", "metadata": {"name": "a"},
            "spec": {"system": "airflow", "profile": profile, "policy": {"retries": retries}},
        }
        with tempfile.TemporaryDirectory() as folder:
            policy, history = Path(folder, "profile.json"), Path(folder, "tries.jsonl")
            policy.write_text(json.dumps(document))
            history.write_text("".join(json.dumps(record) + "\n" for record in records))
            line = [command, "simulate", "-f", policy, "--history", history, "--timelines", "all", "-o", "json"]
            report = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
        ours = {job["jobId"]: job["decisions"][-1]["action"] for job in report["jobs"]}
        for number, (code, tried) in enumerate(cases):
            should_retry = eligible("running", tried, retries)
            process = SimpleNamespace(_exit_code=code, _terminal_state=None, _should_retry=should_retry)
            theirs, count = final_state(process), count + 1
            if theirs != ours[f"t{number}"]:
                differing.append((profile, retries, code, tried, ours[f"t{number}"], theirs))
    print(f"{profile}: {count} cases, {len(differing)} differ")
    for one in differing[:5]:
        print(one)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
