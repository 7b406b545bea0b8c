//! Phase one: the lines of a piece, shared out to the shards.

use crate::history::{Clock, MemberLine, MemberNames, OwnFields, Piece, Says, Told};
use crate::simulate::key::{Key, hash_of, key_of, shard_of};
use std::hash::Hash;
use std::sync::Mutex;

/// A line, and the hashes of its unit's id and of its member.
#[derive(Debug)]
pub(super) struct Keyed<F: OwnFields> {
    pub(super) key: Key,
    pub(super) member: u64,
    pub(super) line: MemberLine<F>,
}

/// A piece, read.
pub(super) struct Parsed<F: OwnFields> {
    /// What the piece says to each shard, in the order of the lines.
    pub(super) shares: Vec<Mutex<Vec<Keyed<F>>>>,
    /// How many lines are runs.
    pub(super) runs: u64,
    /// How the times before the piece are written.
    pub(super) before: Clock,
    pub(super) told: Told,
}

impl<F: OwnFields> Parsed<F> {
    /// Nothing read yet, for so many shards.
    pub(super) fn new(count: usize) -> Self {
        let clock = Clock::of_lines();
        let shares = (0..count).map(|_| Mutex::default()).collect();
        Self { shares, runs: 0, before: clock, told: Told::new(clock) }
    }

    /// Reads a piece, whose times are written as `clock` has it or as its first one is. What was
    /// read before is forgotten.
    pub(super) fn read(
        &mut self,
        piece: &Piece,
        clock: Clock,
        secret: (u64, u64),
        names: &mut MemberNames,
    ) {
        let Self { shares, runs, before, told } = self;
        (*runs, *before) = (0, clock);
        for share in shares.iter_mut() {
            of(share).clear();
        }
        told.begin(clock);
        told.read(&piece.bytes, piece.begins, names, |ids, line: MemberLine<F>| {
            let (id, member) = match &line.says {
                Says::Run(id, row) => {
                    *runs += 1;
                    let member = hash_of(secret, |to| row.run.own.tell_key(to));
                    (ids.get(id.clone()).unwrap_or_default(), member)
                }
                Says::Bad(Some((id, own))) => (id.as_str(), hash_of(secret, |to| own.hash(to))),
                Says::Bad(None) => ("", 0),
            };
            let key = key_of(secret, id);
            let shard = shard_of(key, shares.len());
            of(&mut shares[shard]).push(Keyed { key, member, line });
        });
    }

    /// How times are written, as far as the lines before a place tell.
    pub(super) fn clock_at(&self, at: usize) -> Clock {
        let told = self.told.timed.is_some_and(|first| first < at);
        if told { self.before.after(&self.told.clock) } else { self.before }
    }
}

fn of<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner)
}
