//! The pictures, a file each: data to marks.

pub(super) mod axes;
pub(super) mod days;
pub(super) mod jobs;
pub(super) mod load;
pub(super) mod members;
pub(super) mod retries;
pub(super) mod rules;
pub(super) mod runs;
pub(super) mod time;
pub(super) mod tradeoff;
pub(super) mod waits;
