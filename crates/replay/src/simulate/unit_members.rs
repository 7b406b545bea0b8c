//! The members of each unit.

use super::engine::Engine;
use crate::history::{Member, RecordFields};
use std::collections::HashMap;

/// The numbers of a unit's members.
pub(super) enum UnitMembers {
    /// One. Most units have one member, which needs no list.
    One(usize),
    /// Several.
    Many(Vec<usize>),
}

impl UnitMembers {
    pub(super) fn numbers(&self) -> &[usize] {
        match self {
            Self::One(number) => std::slice::from_ref(number),
            Self::Many(numbers) => numbers,
        }
    }
}

/// Groups members by the units that an engine judges, in the order of each unit's first member.
pub(super) fn group_by_unit<E: Engine>(
    engine: &E,
    members: &[Member<E::Fields>],
) -> Vec<UnitMembers> {
    group_by(members, |member| engine.unit_key(member))
}

/// Groups members by a key; a member without one is alone.
pub(super) fn group_by<F: RecordFields>(
    members: &[Member<F>],
    key: impl Fn(&Member<F>) -> Option<String>,
) -> Vec<UnitMembers> {
    let mut units: Vec<UnitMembers> = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for (number, member) in members.iter().enumerate() {
        let Some(key) = key(member) else {
            units.push(UnitMembers::One(number));
            continue;
        };
        let unit = *numbers.entry(key).or_insert_with(|| {
            units.push(UnitMembers::Many(Vec::new()));
            units.len() - 1
        });
        if let UnitMembers::Many(numbers) = &mut units[unit] {
            numbers.push(number);
        }
    }
    units
}
