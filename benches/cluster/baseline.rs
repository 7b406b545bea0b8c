//! A fixed amount of work, so that figures of different machines can be compared.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

/// Numbers that are sorted, and entries of the map: some 16 MB, more than most caches of one core
/// hold, and less than a simulation takes.
const NUMBERS: u64 = 500_000;
/// How often they are, so that a run takes long enough to be timed.
const TIMES: u64 = 4;
/// The best of some runs is the one that was disturbed least.
const RUNS: usize = 3;

/// The seconds that the work takes: to sort fixed numbers, to put them into an ordered map and to
/// take the least one until the map is empty, as a scheduler's queues do.
pub fn seconds() -> f64 {
    let runs = (0..RUNS).map(|_| {
        let begin = Instant::now();
        black_box((0..TIMES).map(work).fold(0, u64::wrapping_add));
        begin.elapsed().as_secs_f64()
    });
    runs.fold(f64::INFINITY, f64::min)
}

fn work(time: u64) -> u64 {
    let first = time * NUMBERS;
    let mut numbers: Vec<u64> = (first..first + NUMBERS).map(mixed).collect();
    let mut map: BTreeMap<u64, u64> = numbers.iter().map(|number| (*number, !number)).collect();
    numbers.sort_unstable();
    let mut sum = numbers[numbers.len() / 2];
    while let Some((key, value)) = map.pop_first() {
        sum = sum.wrapping_mul(31).wrapping_add(key ^ value);
    }
    sum
}

/// A step of splitmix64.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
