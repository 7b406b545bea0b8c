//! Tests of a Job's manifests, of its engine, and of its records.

mod engine;
mod record;
mod validate;
