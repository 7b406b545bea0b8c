//! The command line as people and scripts use it: whole outputs of the real binary, and what
//! they rely on.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod quirks;
mod sandbox;

mod attach;
mod bulk;
mod client;
mod complete;
mod config;
mod convert;
mod convert_profiles;
mod convert_systems;
mod corpora;
mod diagnostics;
mod edit;
mod examples;
mod explain;
mod fleets;
mod generated;
mod get;
mod histories;
mod history_corpus;
mod http;
mod mutations;
mod offline;
mod pages;
mod profiles;
mod profiles_airflow;
mod profiles_backendai;
mod reading;
mod readme;
mod resources;
mod schemas;
mod seed_table;
mod serve;
mod serve_behaviour;
mod serve_process;
mod simulate;
mod source_corpus;
mod sources;
mod streams;
mod systems;
mod systems_inputs;
mod systems_streams;
mod validate;
mod variants;
