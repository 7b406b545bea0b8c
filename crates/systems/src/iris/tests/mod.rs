//! Tests of Iris's rules against an independent model, of its engine, and of its conversions.

mod compare;
mod convert;
mod convert_notes;
mod engine;
mod oracle;
mod properties;
