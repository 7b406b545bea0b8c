//! The order of runs that a source gathers.

use document::units::Time;
use std::collections::HashMap;

/// Records unit by unit in the order of each unit's first record, those of a unit by time. Records of equal times
/// keep their order.
pub(super) fn by_unit_and_time<R>(
    records: Vec<R>,
    id: impl Fn(&R) -> &str,
    time: impl Fn(&R) -> Option<Time>,
) -> impl Iterator<Item = R> {
    let mut units: HashMap<&str, usize> = HashMap::new();
    let mut keys = Vec::with_capacity(records.len());
    for record in &records {
        let next = units.len();
        keys.push((*units.entry(id(record)).or_insert(next), time(record)));
    }
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|number| keys[*number]);
    let mut records: Vec<Option<R>> = records.into_iter().map(Some).collect();
    order.into_iter().filter_map(move |number| records[number].take())
}
