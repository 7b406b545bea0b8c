#!/usr/bin/env python3
"""The question of policy.yaml in DuckDB's SQL: peer_duckdb.py HISTORY [THREADS]

Needs `pip install duckdb`. Prints the same JSON as peer_python.py.

Up to the first failure that is not retried every failure of a job was a retry, so the retries of a rule before a run are
the runs before it that the rule decided: their number in the job is all that has to be known.
"""
import json
import sys

import duckdb

QUESTION = r"""
WITH run AS (
    SELECT jobId, runIndex, outcome = 'Succeeded' AS succeeded, CASE
        WHEN outcome = 'Succeeded' THEN NULL
        WHEN outcome = 'Preempted' THEN 0
        WHEN list_filter(containers, lambda c: c.exitCode <> 0 OR c.reason <> 'Completed')[1].reason = 'OOMKilled' THEN 1
        WHEN len(list_filter(containers, lambda c: c.name = 'main' AND c.exitCode IN (74, 75, 137, 143))) > 0 THEN 2
        WHEN len(list_filter(containers, lambda c: c.message <> '' AND regexp_matches(c.message,
            '(?i)(nccl|cuda) error|nccl timeout|i/o timeout|connection re(set|fused)|no space left'))) > 0 THEN 3
        WHEN category IN ('node', 'network', 'infrastructure') THEN 4
        ELSE 5 END AS rule
    FROM read_json(?, format = 'newline_delimited', columns = {
        jobId: 'VARCHAR', runIndex: 'INTEGER', outcome: 'VARCHAR', category: 'VARCHAR',
        containers: 'STRUCT(name VARCHAR, exitCode INTEGER, reason VARCHAR, message VARCHAR)[]'})
), counted AS (
    SELECT jobId, runIndex, succeeded, rule,
        row_number() OVER (PARTITION BY jobId, rule ORDER BY runIndex) AS of_rule,
        row_number() OVER (PARTITION BY jobId ORDER BY runIndex) AS of_job
    FROM run
), decided AS (
    SELECT *, NOT succeeded AND of_job <= 4 AND of_rule <= CASE rule
        WHEN 0 THEN 5 WHEN 2 THEN 2 WHEN 3 THEN 3 WHEN 4 THEN 3 ELSE 0 END AS retried
    FROM counted
), ended AS (
    SELECT *, min(CASE WHEN NOT retried THEN runIndex END) OVER (PARTITION BY jobId) AS last FROM decided
)
SELECT rule, count(*) FILTER (WHERE last IS NULL OR runIndex <= last),
    count(*) FILTER (WHERE retried AND (last IS NULL OR runIndex <= last)),
    count(*), count(*) FILTER (WHERE of_job = 1)
FROM ended GROUP BY rule ORDER BY rule"""


def ask(path: str, threads: int | None) -> dict:
    """The answer to the question for one history."""
    database = duckdb.connect()
    if threads:
        database.execute(f"SET threads = {threads}")
    rows = database.execute(QUESTION, [path]).fetchall()
    rules = {name: [0, 0] for name in ("0", "1", "2", "3", "4", "default")}
    for rule, matched, retried, _, _ in rows:
        if rule is not None:
            rules["default" if rule == 5 else str(rule)] = [matched, retried]
    return {"events": sum(row[3] for row in rows), "jobs": sum(row[4] for row in rows), "rules": rules}


if __name__ == "__main__":
    print(json.dumps(ask(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None)))
