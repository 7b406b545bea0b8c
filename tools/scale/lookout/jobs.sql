-- Exports the jobs that ended on a day from Lookout's database: a job a line, in the form of Lookout's API.
--
--   psql -X -q -v day=2026-10-01 -d lookout -f jobs.sql > 2026-10-01.jsonl
--
-- day: in UTC; default: yesterday. texts: off leaves out the debug messages and the errors of runs; default: on.
\set ON_ERROR_STOP on
\if :{?day}
\else
select (now() at time zone 'UTC')::date - 1 as day \gset
\endif
\if :{?texts}
\else
\set texts on
\endif

copy (
    select json_build_object(
        'jobId', j.job_id, 'queue', j.queue, 'jobSet', j.jobset, 'annotations', j.annotations,
        'cpu', j.cpu, 'memory', j.memory, 'gpu', j.gpu, 'runs', r.runs)
    from job j
    -- One job at a time by the index of its runs: no sort of all texts.
    cross join lateral (
        select json_agg(json_strip_nulls(json_build_object(
            'runId', run_id, 'cluster', cluster, 'node', node,
            'jobRunState', 'RUN_' || (array['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'TERMINATED', 'PREEMPTED',
                'UNABLE_TO_SCHEDULE', 'LEASE_RETURNED', 'LEASE_EXPIRED', 'MAX_RUNS_EXCEEDED', 'LEASED',
                'CANCELLED'])[job_run_state],
            -- Cut to milliseconds, as the API's times are: hours are then the same to the last digit.
            'leased', to_char(leased, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'pending', to_char(pending, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'started', to_char(started, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'finished', to_char(finished, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'exitCode', exit_code, 'failureCategory', failure_category, 'failureSubcategory', failure_subcategory,
            -- In hexadecimal digits whatever `bytea_output` is.
            'debug', case when :'texts'::bool then '\x' || encode(debug, 'hex') end,
            'error', case when :'texts'::bool then '\x' || encode(error, 'hex') end
        )) order by coalesce(leased, pending)) as runs
        from job_run where job_id = j.job_id
    ) r
    where r.runs is not null and j.state in (4, 5, 6, 7, 9)
        and j.last_transition_time >= :'day'::date and j.last_transition_time < :'day'::date + 1
    order by j.job_id
-- The text format would double the backslashes of JSON. JSON has no control characters, so that nothing is quoted.
) to stdout with (format csv, quote e'\x01', delimiter e'\x02', encoding 'UTF8')
