"""The history that all cases replay, as JSON Lines and as Parquet."""

from __future__ import annotations

import dataclasses
import pathlib
import subprocess

import duckdb

HERE = pathlib.Path(__file__).resolve().parent
REPLAY = HERE.parents[2] / "benches" / "replay"

READ = """create table runs as select * from read_json('{events}', format = 'newline_delimited', columns = {{
    jobId: 'varchar', queue: 'varchar', runIndex: 'integer', finishedAt: 'timestamp', node: 'varchar', outcome: 'varchar',
    category: 'varchar', conditions: 'varchar[]', terminationGracePeriodSeconds: 'integer',
    containers: 'struct(name varchar, exitCode integer, reason varchar, message varchar)[]'}})"""
# One job in 16 is in a gang of up to four jobs of its queue; gangs of one are none. The job's first record alone names the
# gang, as in Armada's events.
GANGS = """create table members as
    select jobId, jobSet, {'id': gang, 'cardinality': count(*) over (partition by queue, jobSet, gang)} as gang
    from (select jobId, queue, 'set-' || (number % 3) as jobSet, 'gang-' || (number // 12) as gang
          from (select jobId, queue, row_number() over (partition by queue order by jobId) - 1 as number
                from runs where runIndex = 0 and left(sha256(jobId), 1) = '0'))"""
JOIN = """create table history as select runs.*, jobSet, case when runIndex = 0 then gang end as gang
    from runs left join members using (jobId) order by finishedAt, jobId, runIndex"""
PARQUET = """copy (select * replace (finishedAt at time zone 'UTC' as finishedAt) from history)
    to '{path}' (format parquet, compression zstd)"""
LINES = """copy (select * replace (strftime(finishedAt, '%Y-%m-%dT%H:%M:%S.%fZ') as finishedAt) from history)
    to '{path}' (format json)"""


@dataclasses.dataclass
class History:
    """Where the history and its policies are."""

    folder: pathlib.Path
    events: int

    @property
    def lines(self) -> pathlib.Path:
        """JSON Lines in the order of time."""
        return self.folder / "history.jsonl"

    @property
    def parquet(self) -> pathlib.Path:
        """The same records, with times of the type of Parquet."""
        return self.folder / "history.parquet"

    @property
    def policies(self) -> pathlib.Path:
        """The policy that is replayed."""
        return REPLAY / "policy.yaml"

    @property
    def settings(self) -> pathlib.Path:
        """The scheduler's settings."""
        return REPLAY / "scheduler.yaml"

    @property
    def variant(self) -> pathlib.Path:
        """A second policy, with more retries."""
        return self.folder / "variant.yaml"


def make(generate: str, events: int, work: pathlib.Path) -> History:
    """Return the history, made if it is not there yet."""
    history = History(work / f"history-{events}", events)
    if history.variant.exists():
        return history
    history.folder.mkdir(exist_ok=True)
    events_path = history.folder / "events.jsonl"
    subprocess.run([generate, str(events), events_path], check=True)
    with duckdb.connect() as database:
        database.execute("set timezone = 'UTC'; set preserve_insertion_order = true")
        for statement in (READ.format(events=events_path), GANGS, JOIN):
            database.execute(statement)
        database.execute(PARQUET.format(path=history.parquet))
        database.execute(LINES.format(path=history.lines))
    events_path.unlink()
    # Last, since its presence shows that all is complete.
    history.variant.write_text(history.policies.read_text().replace("retryLimit: 3", "retryLimit: 1"))
    return history
