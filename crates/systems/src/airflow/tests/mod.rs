//! Tests of Airflow's rules, of its profiles and records, and of its conversions.

mod compare;
mod convert;
mod delay;
mod engine;
mod read;
mod record;
mod retry_policy;
mod validate_policy;
