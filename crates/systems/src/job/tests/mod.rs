//! Tests of a Job's manifests, of its engine, and of its records.

pub(crate) mod compare;
mod engine;
mod record;
mod validate;
