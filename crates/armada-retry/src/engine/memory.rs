//! The growth of a job's memory over its retries (semantics.md, section 7).
//!
//! Holds semantics.md 7.

use crate::policy::MemoryBump;

/// The growth of a job's memory so far. The first bump sets the kind; bumps of the other kind are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Growth {
    /// No growth.
    #[default]
    None,
    /// The product of the factors.
    Factor(f64),
    /// The sum of the amounts, in bytes.
    Added(u64),
}

impl Growth {
    /// The growth after one more bump.
    #[must_use]
    pub fn plus(self, bump: MemoryBump) -> Self {
        match (self, bump) {
            (Self::None, MemoryBump::Factor(factor)) => Self::Factor(factor),
            (Self::Factor(product), MemoryBump::Factor(factor)) => Self::Factor(product * factor),
            (Self::None, MemoryBump::Static(amount)) => Self::Added(amount.ceil()),
            (Self::Added(sum), MemoryBump::Static(amount)) => {
                Self::Added(sum.saturating_add(amount.ceil()))
            }
            (kept, _) => kept,
        }
    }

    /// The memory in bytes that `original` bytes grow to, rounded up; `None` without growth.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a factor is a float; the result is rounded up and saturates"
    )]
    pub fn of(self, original: u64) -> Option<u64> {
        match self {
            Self::None => None,
            Self::Factor(product) => Some((original as f64 * product).ceil() as u64),
            Self::Added(sum) => Some(original.saturating_add(sum)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::units::Quantity;

    #[test]
    fn factors_multiply_and_the_other_kind_is_skipped() {
        let growth = Growth::default().plus(MemoryBump::Factor(1.5)).plus(MemoryBump::Factor(1.5));
        let amount = MemoryBump::Static(Quantity::parse("256Mi").unwrap());
        assert_eq!(growth.plus(amount).of(1 << 30), Some(2_415_919_104));
        let growth = Growth::default().plus(amount).plus(amount).plus(MemoryBump::Factor(9.0));
        assert_eq!(growth.of(1 << 30), Some(1_610_612_736));
        assert_eq!(Growth::default().of(1), None);
        assert_eq!(Growth::Factor(1e300).of(1), Some(u64::MAX));
    }
}
