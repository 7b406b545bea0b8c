//! Random numbers for engines that draw, such as for jitter.

/// The random numbers of one unit. They depend on the seed, the unit's name and the position of each number
/// alone, so that the result of a unit does not depend on the thread or on how its history is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draws(u64);

impl Draws {
    /// The numbers of a unit.
    pub fn of(seed: u64, unit: &str) -> Self {
        // FNV-1a: the offset basis is changed by the seed.
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(unit.bytes().fold(mix(seed) ^ 0xcbf2_9ce4_8422_2325, step))
    }

    /// The number at a position: the index of the run for a unit of one member, else the number of the
    /// evaluation.
    pub fn at(self, position: u32) -> u64 {
        // SplitMix64: positions are multiplied by the golden ratio, so that neighbours differ in many bits.
        let position = u64::from(position).wrapping_add(1);
        mix(self.0.wrapping_add(position.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }
}

/// The finalizer of `SplitMix64`: each input bit changes half of the output bits on average.
fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_seed_unit_and_place_has_a_number_of_its_own() {
        let units: Vec<String> = (0..20).map(|unit| format!("job-{unit}")).collect();
        let of = |seed: u64| {
            let units = &units;
            units.iter().flat_map(move |unit| (0..20).map(move |at| Draws::of(seed, unit).at(at)))
        };
        let all: HashSet<u64> = (0..20).flat_map(of).collect();
        assert_eq!(all.len(), 20 * 20 * 20);
        assert_eq!(of(7).collect::<Vec<_>>(), of(7).collect::<Vec<_>>());
    }

    #[test]
    fn all_bits_are_drawn_as_often() {
        for bit in 0..64 {
            let set = (0..4000).filter(|at| Draws::of(0, "a").at(*at) >> bit & 1 == 1).count();
            assert!((1800..2200).contains(&set), "bit {bit}: {set} of 4000");
        }
    }
}
