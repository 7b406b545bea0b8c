//! Chance, as the caller hands it in.

/// A number that the caller has drawn: 0 or more, below 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draw(f64);

impl Draw {
    /// The lowest of all draws.
    pub const LOWEST: Self = Self(0.0);

    /// A number from 0 to below 1.
    pub fn new(number: f64) -> Option<Self> {
        (0.0..1.0).contains(&number).then_some(Self(number))
    }

    /// What random bits say: their upper 53 are the number's binary places.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    pub fn of_bits(bits: u64) -> Self {
        const PLACES: u32 = 53;
        let scale = (1_u64 << PLACES) as f64;
        Self((bits >> (u64::BITS - PLACES)) as f64 / scale)
    }

    /// The place of the draw between two numbers. The upper one is never drawn, even where it would
    /// be rounded to; Python's `random.uniform` may.
    pub fn between(self, low: f64, high: f64) -> f64 {
        let drawn = low + (high - low) * self.0;
        if drawn < high { drawn } else { high.next_down().max(low) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn is_drawn_from_the_range(bits: u64, low in 0.0..1e9_f64, span in 0.0..1e9_f64) {
            let draw = Draw::of_bits(bits);
            prop_assert_eq!(Draw::new(draw.0), Some(draw));
            let (drawn, high) = (draw.between(low, low + span), low + span);
            prop_assert!(drawn >= low && (drawn < high || high <= low), "{}", drawn);
        }
    }

    #[test]
    fn every_part_of_the_range_may_be_drawn() {
        let of = |bits| Some(Draw::of_bits(bits).between(60.0, 76.0));
        assert_eq!(of(0), Some(60.0));
        assert_eq!(of(1 << 63), Some(68.0));
        assert_eq!(of(u64::MAX), Some(76.0_f64.next_down()));
        for number in [1.0, -0.1, f64::NAN] {
            assert_eq!(Draw::new(number), None);
        }
    }
}
