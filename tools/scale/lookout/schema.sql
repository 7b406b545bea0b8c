-- The tables of Lookout's database that hold jobs and their runs, with the names and types of their columns after
-- migration 035. Written anew from the migrations of Armada, github.com/armadaproject/armada at 207cc9e0 (2026-08-21),
-- internal/lookout/schema/migrations: 001 (both tables), 002 to 005 (cancel_reason, leased, namespace, annotations),
-- 008 (debug), 013 to 016 (job_spec may be null, external_job_uri, cancel_user, pool), 025 (ingress_addresses), 032 and
-- 034 (failure categories, termination reason). Left out: other tables, and indexes that the export does not use.

create table job (
    job_id varchar(32) primary key,
    queue varchar(512) not null,
    owner varchar(512) not null,
    jobset varchar(1024) not null,
    -- Thousandths of a core, bytes, bytes, devices.
    cpu bigint not null,
    memory bigint not null,
    ephemeral_storage bigint not null,
    gpu bigint not null,
    priority bigint not null,
    -- All times are in UTC.
    submitted timestamp not null,
    cancelled timestamp,
    -- 1 queued, 2 pending, 3 running, 4 succeeded, 5 failed, 6 cancelled, 7 preempted, 8 leased, 9 rejected.
    state smallint not null,
    last_transition_time timestamp not null,
    last_transition_time_seconds bigint not null,
    job_spec bytea,
    duplicate bool not null default false,
    priority_class varchar(63),
    latest_run_id varchar(36),
    cancel_reason varchar(512),
    namespace varchar(512),
    annotations jsonb,
    external_job_uri varchar(1024),
    cancel_user varchar(512),
    constraint job_annotations_not_null check (annotations is not null)
);
create index idx_job_ltt_jobid on job (last_transition_time, job_id);

create table job_run (
    run_id varchar(36) primary key,
    job_id varchar(32) not null,
    cluster varchar(512) not null,
    node varchar(512),
    pending timestamp,
    started timestamp,
    finished timestamp,
    -- 1 pending, 2 running, 3 succeeded, 4 failed, 5 terminated, 6 preempted, 7 unable to schedule, 8 lease returned,
    -- 9 lease expired, 10 max runs exceeded, 11 leased, 12 cancelled.
    job_run_state smallint not null,
    -- Compressed with zlib, as debug is.
    error bytea,
    exit_code int,
    leased timestamp,
    debug bytea,
    pool text,
    ingress_addresses jsonb,
    failure_category varchar(63),
    failure_subcategory varchar(63),
    scheduler_termination_reason jsonb
);
alter table job_run alter column error set storage external;
create index idx_job_run_job_id on job_run (job_id);
