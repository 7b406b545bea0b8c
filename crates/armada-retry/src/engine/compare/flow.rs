//! The longest sequence of retries that both sides grant, if each side counts the retries of each rule.
//!
//! A retry is a pair of rules, one of each side, and counts for both: the longest sequence is a maximum flow from the rules of
//! one side to those of the other (Ford and Fulkerson), with the limits as capacities.

use std::collections::VecDeque;

/// Limits of the rules of two sides, and the pairs of rules that have a common failure.
#[derive(Debug)]
pub(super) struct Flow {
    /// The capacities of the rules that are left, of the old side and then of the new one.
    left: [Vec<u64>; 2],
    /// The pairs, with the retries through each.
    pairs: Vec<(usize, usize, u64)>,
}

impl Flow {
    pub(super) fn new(
        limits: [Vec<u64>; 2],
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Self {
        Self { left: limits, pairs: pairs.into_iter().map(|(old, new)| (old, new, 0)).collect() }
    }

    /// The retries of a longest sequence, and at most `most`: each pair with its number of retries.
    pub(super) fn run(mut self, most: u64) -> Vec<(usize, usize, u64)> {
        let mut total = 0;
        while total < most
            && let Some((path, room)) = self.path()
        {
            let more = room.min(most - total);
            self.augment(&path, more);
            total += more;
        }
        self.pairs.retain(|(_, _, through)| *through > 0);
        self.pairs
    }

    /// A path on which more retries fit: places in `pairs`, which are alternately forward and back.
    fn path(&self) -> Option<(Vec<usize>, u64)> {
        let [old, new] = &self.left;
        // For each rule of the new side the pair by which it was reached, and so for the old side.
        let mut by_new: Vec<Option<usize>> = vec![None; new.len()];
        let mut by_old: Vec<Option<usize>> = vec![None; old.len()];
        let mut is_reached: Vec<bool> = old.iter().map(|left| *left > 0).collect();
        let mut queue: VecDeque<usize> = (0..old.len()).filter(|at| is_reached[*at]).collect();
        while let Some(from) = queue.pop_front() {
            for (place, (_, to, _)) in self.pairs_where(|(one, ..)| *one == from) {
                if by_new[*to].is_some() {
                    continue;
                }
                by_new[*to] = Some(place);
                if new[*to] > 0 {
                    return Some(self.trace(*to, &by_new, &by_old));
                }
                for (back, (one, ..)) in
                    self.pairs_where(|(_, other, through)| other == to && *through > 0)
                {
                    if !is_reached[*one] {
                        (is_reached[*one], by_old[*one]) = (true, Some(back));
                        queue.push_back(*one);
                    }
                }
            }
        }
        None
    }

    fn pairs_where(
        &self,
        is_wanted: impl Fn(&(usize, usize, u64)) -> bool,
    ) -> impl Iterator<Item = (usize, &(usize, usize, u64))> {
        self.pairs.iter().enumerate().filter(move |(_, pair)| is_wanted(pair))
    }

    /// The path to a rule of the new side from its end, and the retries that fit on it.
    fn trace(
        &self,
        end: usize,
        by_new: &[Option<usize>],
        by_old: &[Option<usize>],
    ) -> (Vec<usize>, u64) {
        let (mut path, mut room, mut to) = (Vec::new(), self.left[1][end], end);
        while let Some(place) = by_new[to] {
            path.push(place);
            let from = self.pairs[place].0;
            match by_old[from] {
                None => {
                    room = room.min(self.left[0][from]);
                    break;
                }
                Some(back) => {
                    path.push(back);
                    room = room.min(self.pairs[back].2);
                    to = self.pairs[back].1;
                }
            }
        }
        (path, room)
    }

    fn augment(&mut self, path: &[usize], more: u64) {
        for (step, place) in path.iter().enumerate() {
            let through = &mut self.pairs[*place].2;
            // Every second pair of the path is used backwards: another pair takes over what it gives up.
            *through = if step % 2 == 0 { *through + more } else { *through - more };
        }
        if let Some((first, last)) = path.first().zip(path.last()) {
            self.left[1][self.pairs[*first].1] -= more;
            self.left[0][self.pairs[*last].0] -= more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The longest sequence, by trying all of them.
    fn longest(left: &[Vec<u64>; 2], pairs: &[(usize, usize)]) -> u64 {
        let after = |&(old, new): &(usize, usize)| {
            let mut next = left.clone();
            next[0][old] = next[0][old].checked_sub(1)?;
            next[1][new] = next[1][new].checked_sub(1)?;
            Some(1 + longest(&next, pairs))
        };
        pairs.iter().filter_map(after).max().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn it_is_the_longest_of_all_sequences(
            old in prop::collection::vec(0..3_u64, 1..4),
            new in prop::collection::vec(0..3_u64, 1..4),
            pairs in prop::collection::btree_set((0..3_usize, 0..3_usize), 0..6),
        ) {
            let fits = |(one, other): &(usize, usize)| *one < old.len() && *other < new.len();
            let pairs: Vec<(usize, usize)> = pairs.into_iter().filter(fits).collect();
            let limits = [old, new];
            let found = Flow::new(limits.clone(), pairs.iter().copied()).run(u64::MAX);
            let total: u64 = found.iter().map(|(_, _, through)| through).sum();
            prop_assert_eq!(total, longest(&limits, &pairs));
            for side in 0..2 {
                for (rule, limit) in limits[side].iter().enumerate() {
                    let used: u64 = found.iter().filter(|pair| [pair.0, pair.1][side] == rule).map(|it| it.2).sum();
                    prop_assert!(used <= *limit);
                }
            }
        }
    }
}
