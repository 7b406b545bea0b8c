//! Disruptions: ends of runs that the cluster caused, and not the job.
//!
//! Owns the one table of signs ([`Disruptions`]): by which sign in which source a disruption is recognised, of which
//! kind it is, and which condition it gives a run under Armada's engines. A sign is a row of `rows`; what a record
//! holds is an [`Evidence`]. A file of the user replaces rows (`read`).

mod kind;
mod read;
mod row;
mod rows;
mod sign;
mod table;

pub use kind::{Kind, Source, System};
pub use read::{DISRUPTIONS, read_disruptions};
pub use row::Row;
pub(crate) use rows::{CANCELLED_AND_QUEUED, CANCELLED_BEFORE_IT_BEGAN};
pub use sign::{Evidence, Sign};
pub use table::{Disruptions, RowId, RowReport};

use armada_retry::policy::Condition;

/// The conditions of disrupted runs under Armada's engines.
pub const DISRUPTION_CONDITIONS: [Condition; 2] = [Condition::Evicted, Condition::Preempted];

/// The conditions that Armada's engines give runs for a condition of their pod: what the condition of pods means in
/// Armada's words, in the order of [`Condition::ALL`].
pub fn conditions_of_pod(kind: &str) -> Vec<Condition> {
    let table = Disruptions::default();
    let has = |condition: Condition| {
        table.rows().any(|row| {
            row.enabled
                && row.condition == Some(condition)
                && matches!(row.sign, Sign::PodCondition { kind: other, .. } if other == kind)
        })
    };
    let found = [Condition::Preempted, Condition::Evicted].into_iter();
    found.filter(|condition| has(*condition)).collect()
}

/// Signals' exit codes that the table counts as possible disruptions, in order.
pub fn exit_codes() -> impl Iterator<Item = i32> {
    let mut codes: Vec<i32> = rows::ROWS
        .iter()
        .filter_map(|row| match row.sign {
            Sign::ExitCode(code) => Some(code),
            _ => None,
        })
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes.into_iter()
}

/// Whether an exit code may be that of a signal.
pub fn is_of_signal(exit_code: Option<i64>) -> bool {
    // Shells and runtimes report a signal as 128 plus its number.
    exit_code.is_some_and(|code| code > 128)
}

/// Whether a condition of a run is the name of a disruption, such as `NODE_FAIL`.
pub fn is_name(text: &str) -> bool {
    rows::ROWS.iter().any(|row| row.sign.name() == Some(text))
}

#[cfg(test)]
mod tests;
