//! All rows.

use super::difference::Difference;
use super::{airflow, armada, jobset, kubernetes};

/// Returns all rows: by program, then in the order of versions.
pub fn differences() -> impl Iterator<Item = &'static Difference> + Clone {
    [kubernetes::ROWS, jobset::ROWS, airflow::ROWS, armada::ROWS].into_iter().flatten()
}
