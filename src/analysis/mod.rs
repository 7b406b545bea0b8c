//! What can be found out about policies themselves, of every system, without a failure of a job.
//!
//! Owns the lints. It reads no files and prints nothing.

pub mod lint;
