//! Exact numbers: decimals as fractions, and Kubernetes quantities of bytes. No floating point.

use serde_json::Value;

const SUFFIXES: [(&str, i128); 12] = [
    ("Ki", 1 << 10),
    ("Mi", 1 << 20),
    ("Gi", 1 << 30),
    ("Ti", 1 << 40),
    ("Pi", 1 << 50),
    ("Ei", 1 << 60),
    ("k", 1_000),
    ("M", 1_000_000),
    ("G", 1_000_000_000),
    ("T", 1_000_000_000_000),
    ("P", 1_000_000_000_000_000),
    ("E", 1_000_000_000_000_000_000),
];

/// A fraction: above and below the line.
#[derive(Clone, Copy)]
pub struct Fraction {
    pub above: i128,
    pub below: i128,
}

impl Fraction {
    /// `1.25` is 125 / 100.
    pub fn read(decimal: &str) -> Option<Self> {
        let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
        let above = format!("{whole}{fraction}").parse().ok()?;
        let below = 10_i128.pow(u32::try_from(fraction.len()).ok()?);
        Some(Self { above, below })
    }

    /// A number of a document, as it is written.
    pub fn of(number: &Value) -> Option<Self> {
        Self::read(&number.as_number()?.to_string())
    }

    /// This much of something, parts of a unit cut off.
    pub fn cut(self, unit: i128) -> i128 {
        unit * self.above / self.below
    }

    /// This much of something, parts of a unit rounded up.
    pub fn rounded_up(self, unit: i128) -> i128 {
        (unit * self.above + self.below - 1) / self.below
    }

    /// The product, in lowest terms.
    pub fn times(self, other: Self) -> Self {
        let (above, below) = (self.above * other.above, self.below * other.below);
        let common = common_divisor(above, below).max(1);
        Self { above: above / common, below: below / common }
    }
}

fn common_divisor(one: i128, other: i128) -> i128 {
    if other == 0 { one } else { common_divisor(other, one % other) }
}

/// Whole bytes, parts of a byte rounded up as Kubernetes does.
pub fn bytes(text: &str) -> Option<i128> {
    let suffix = SUFFIXES.iter().find(|known| text.ends_with(known.0));
    let (number, unit) =
        suffix.map_or((text, 1), |known| (&text[..text.len() - known.0.len()], known.1));
    Some(Fraction::read(number)?.rounded_up(unit))
}
