//! Failure histories: what each source's bytes mean.
//!
//! Owns run records, how documents and lines become some, and the rules that make one good or
//! bad. It opens no file and decides nothing about retries.

mod clock;
mod fields;
mod json_record;
mod line;
mod reader;
mod record;
mod scan;
#[cfg(test)]
mod scan_tests;
mod shape;

pub use reader::{GraceBounds, History, OnBadRecord, Reader};
pub use record::{
    Container, FAIL_FAST, GANG_CARDINALITY, GANG_ID, Gang, Job, Outcome, RETRY_POLICY, Reload,
    Resources, RunRecord,
};
pub use shape::{FAILURE_HISTORY, RECORD, RUN};
