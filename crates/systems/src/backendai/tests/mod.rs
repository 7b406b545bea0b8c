//! Tests of the draft's rules, of its profiles and records, and of its conversions.

mod compare;
mod convert;
mod convert_notes;
mod engine;
mod jitter;
mod profile;
mod record;
mod vectors;
