//! Failure histories: what each source's bytes mean.
//!
//! Owns run records and the rules that make one good or bad. It reads no file and decides nothing
//! about retries.

mod record;

pub use record::{
    Container, FAIL_FAST, GANG_CARDINALITY, GANG_ID, Gang, Job, Outcome, RETRY_POLICY, Reload,
    Resources, RunRecord,
};
