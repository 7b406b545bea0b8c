-- Exports the runs of jobs that ended on a day from Lookout's database: a run a line, as JSON Lines.
--
--   psql -X -q -v day=2026-10-01 -d lookout -f runs.sql > 2026-10-01.jsonl
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
    select json_strip_nulls(json_build_object(
        'jobId', j.job_id, 'queue', j.queue, 'jobSet', j.jobset,
        -- The annotations that are read. Lookout takes their prefix off, unless it is configured otherwise.
        'annotations', (
            select json_object_agg(name, coalesce(j.annotations ->> name, j.annotations ->> split_part(name, '/', 2)))
            from unnest(array['armadaproject.io/failFast', 'armadaproject.io/gangId',
                'armadaproject.io/gangCardinality', 'armadaproject.io/retry-policy']) name
            where j.annotations ?| array[name, split_part(name, '/', 2)]),
        'resources', json_build_object(
            'cpu', nullif(j.cpu, 0) || 'm', 'memory', nullif(j.memory, 0)::text, 'nvidia.com/gpu', nullif(j.gpu, 0)::text),
        -- Cut to milliseconds, as the API's times are: hours are then the same to the last digit.
        'startedAt', to_char(r.started, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'finishedAt', to_char(r.finished, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'node', nullif(r.node, ''), 'cluster', r.cluster,
        'category', r.failure_category, 'subcategory', r.failure_subcategory,
        'outcome', (array[null, null, 'Succeeded', 'Failed', null, 'Preempted', 'LeaseReturned', 'LeaseReturned',
            'LeaseExpired', 'LeaseReturned', null, 'Cancelled'])[r.job_run_state],
        -- The exit code is of the first container that failed, whose name only the texts hold.
        'containers', case when r.exit_code <> 0 and (not :'texts'::bool or r.debug is null and r.error is null)
            then json_build_array(json_build_object('name', 'main', 'exitCode', r.exit_code)) end,
        -- In hexadecimal digits whatever `bytea_output` is.
        'debug', case when :'texts'::bool then '\x' || encode(r.debug, 'hex') end,
        'error', case when :'texts'::bool then '\x' || encode(r.error, 'hex') end
    ))
    from job_run r join job j using (job_id)
    where r.job_run_state in (3, 4, 6, 7, 8, 9, 10, 12) and j.state in (4, 5, 6, 7, 9)
        and j.last_transition_time >= :'day'::date and j.last_transition_time < :'day'::date + 1
    order by j.job_id, coalesce(r.leased, r.pending, r.started, r.finished) nulls first
-- The text format would double the backslashes of JSON. JSON has no control characters, so that nothing is quoted.
) to stdout with (format csv, quote e'\x01', delimiter e'\x02', encoding 'UTF8')
