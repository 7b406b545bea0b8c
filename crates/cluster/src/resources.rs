//! Amounts of resources, counted as Armada's scheduler counts them: whole multiples of a power of ten for
//! each resource.
//!
//! Source: Armada, `internal/scheduler/internaltypes/resource_list_factory.go`.

use document::units::Quantity;
use smallvec::SmallVec;

/// The number of resources that are stored inline; most pools have no more. More resources need a heap
/// allocation.
const INLINE_TYPES: usize = 4;

/// The resource of cores.
pub const CPU: &str = "cpu";
/// The resource of GPUs.
pub const GPU: &str = "nvidia.com/gpu";
/// The resource of memory in bytes.
pub const MEMORY: &str = "memory";

/// The resource types that a scheduler supports; all others are ignored.
///
/// Floating resources, which belong to a pool and to none of its nodes, come last. Amounts of nodes end before them, and
/// operations on two amounts ignore what only one of them has, so that nodes never limit them.
#[derive(Debug, Clone, Default)]
pub struct ResourceTypes {
    names: Vec<String>,
    /// The number of resources that nodes have.
    of_nodes: usize,
    /// The power of ten of each resource's unit: -3 counts thousandths.
    exponents: Vec<i32>,
}

/// An amount of each resource type, in its unit. Free amounts may be negative.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Amounts(SmallVec<[i64; INLINE_TYPES]>);

impl ResourceTypes {
    /// Creates types by name, each with its resolution. The unit is the largest power of ten that is at most
    /// the resolution; without a positive resolution it is a thousandth.
    pub fn new<'n>(types: impl IntoIterator<Item = (&'n str, Quantity)>) -> Self {
        let mut all = Self::default();
        for (name, resolution) in types {
            all.add_floating(name, resolution);
        }
        all.of_nodes = all.names.len();
        all
    }

    /// Adds a floating resource with its resolution.
    pub fn add_floating(&mut self, name: &str, resolution: Quantity) {
        self.names.push(name.to_owned());
        self.exponents.push(exponent(resolution));
    }

    /// Returns whether the type at a position is a floating resource.
    pub fn is_floating(&self, position: usize) -> bool {
        position >= self.of_nodes
    }

    /// Returns the names of the floating resources, with their positions.
    pub fn floating(&self) -> impl Iterator<Item = (usize, &str)> {
        self.names.iter().map(String::as_str).enumerate().skip(self.of_nodes)
    }

    /// Returns the position of a type in [`Amounts`].
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Returns the names, in the order of [`Amounts`].
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns zero of every type.
    pub fn zero(&self) -> Amounts {
        Amounts(SmallVec::from_elem(0, self.names.len()))
    }

    /// Returns the amounts of a node, rounded down, without floating resources.
    pub fn of_node<'n>(
        &self,
        quantities: impl IntoIterator<Item = (&'n str, Quantity)>,
    ) -> Amounts {
        let mut amounts = self.of_pool(quantities);
        amounts.0.truncate(self.of_nodes);
        amounts
    }

    /// Returns the amounts of a pool, rounded down.
    pub fn of_pool<'n>(
        &self,
        quantities: impl IntoIterator<Item = (&'n str, Quantity)>,
    ) -> Amounts {
        self.collect(quantities, i128::div_euclid)
    }

    /// Returns the amounts of a request, rounded up.
    pub fn of_job<'n>(&self, quantities: impl IntoIterator<Item = (&'n str, Quantity)>) -> Amounts {
        self.collect(quantities, div_ceil)
    }

    /// Returns a quantity in the unit of a type, rounded up.
    pub fn scaled(&self, position: usize, quantity: Quantity) -> i64 {
        clamp(div_ceil(quantity.billionths(), unit(self.exponents[position])))
    }

    /// Returns an amount in whole base units, rounded up.
    pub fn base_units(&self, amounts: &Amounts, position: usize) -> i64 {
        const BASE: i128 = 1_000_000_000;
        let amount = i128::from(amounts.0[position]);
        let billionths = amount.saturating_mul(unit(self.exponents[position]));
        clamp(div_ceil(billionths, BASE))
    }

    /// Returns a number of base units in the unit of a type, rounded up.
    pub fn of_base_units(&self, position: usize, number: u64) -> i64 {
        const BASE: i128 = 1_000_000_000;
        clamp(div_ceil(i128::from(number).saturating_mul(BASE), unit(self.exponents[position])))
    }

    /// Returns an exact amount in Kubernetes' notation: `1500m`, `4Gi`.
    pub fn text(&self, amounts: &Amounts, position: usize) -> String {
        self.amount_text(amounts.0[position], position)
    }

    /// Returns one amount in Kubernetes' notation, like [`text`](Self::text).
    pub fn amount_text(&self, amount: i64, position: usize) -> String {
        quantity_text(i128::from(amount).saturating_mul(unit(self.exponents[position])))
    }

    /// Returns the size of a type's unit in base units: 0.001 for thousandths.
    pub fn base_unit(&self, position: usize) -> f64 {
        10_f64.powi(self.exponents[position])
    }

    fn collect<'n>(
        &self,
        quantities: impl IntoIterator<Item = (&'n str, Quantity)>,
        divide: impl Fn(i128, i128) -> i128,
    ) -> Amounts {
        let mut amounts = self.zero();
        for (name, quantity) in quantities {
            if let Some(at) = self.position(name) {
                amounts.0[at] = clamp(divide(quantity.billionths(), unit(self.exponents[at])));
            }
        }
        amounts
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a logarithm of at most 63")]
fn exponent(resolution: Quantity) -> i32 {
    const THOUSANDTH: i32 = -3;
    // `Quantity` has no smaller units, so finer ones would not be more exact.
    const SMALLEST: i32 = -9;
    if !resolution.is_positive() {
        return THOUSANDTH;
    }
    (resolution.as_f64().log10().floor() as i32).max(SMALLEST)
}

/// Writes billionths as a quantity: in the largest binary unit from `Mi` on that divides it, else in whole
/// units, thousandths, or billionths.
fn quantity_text(billionths: i128) -> String {
    const ONE: i128 = 1_000_000_000;
    const THOUSANDTH: i128 = 1_000_000;
    const BINARY: [(u32, &str); 4] = [(50, "Pi"), (40, "Ti"), (30, "Gi"), (20, "Mi")];
    if billionths % ONE != 0 {
        return match billionths % THOUSANDTH {
            0 => format!("{}m", billionths / THOUSANDTH),
            _ => format!("{billionths}n"),
        };
    }
    let whole = billionths / ONE;
    let binary = BINARY.iter().find(|(power, _)| whole != 0 && whole % (1 << power) == 0);
    binary.map_or_else(|| whole.to_string(), |(power, name)| format!("{}{name}", whole >> power))
}

/// Returns the billionths in a unit.
fn unit(exponent: i32) -> i128 {
    10_i128.pow(u32::try_from(exponent + 9).unwrap_or(0))
}

fn div_ceil(number: i128, unit: i128) -> i128 {
    number.div_euclid(unit) + i128::from(number.rem_euclid(unit) != 0)
}

fn clamp(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

impl Amounts {
    /// Returns the amounts in the order of the types.
    pub fn as_slice(&self) -> &[i64] {
        &self.0
    }

    /// Sets the amount of the type at a position.
    pub fn set(&mut self, position: usize, amount: i64) {
        self.0[position] = amount;
    }

    /// Adds amounts of the same types.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = mine.saturating_add(*theirs);
        }
    }

    /// Subtracts amounts of the same types.
    pub fn subtract(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = mine.saturating_sub(*theirs);
        }
    }

    /// Returns the sum with amounts of the same types.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.add(other);
        sum
    }

    /// Returns the smaller of both amounts, type by type.
    #[must_use]
    pub fn min(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(mine, theirs)| *mine.min(theirs)).collect())
    }

    /// Returns whether no amount is above that of `available`.
    pub fn fits(&self, available: &Self) -> bool {
        self.0.iter().zip(&available.0).all(|(mine, theirs)| mine <= theirs)
    }

    /// Returns whether any amount is below zero.
    pub fn is_any_negative(&self) -> bool {
        self.0.iter().any(|amount| *amount < 0)
    }

    /// Returns each amount times a fraction, truncated to whole units; an infinite fraction means no limit.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as in Go")]
    #[must_use]
    pub fn times(&self, fractions: &[f64]) -> Self {
        let product = |(amount, fraction): (&i64, &f64)| match *fraction {
            // Go returns the amount unchanged; a product of floats would round it.
            1.0 => *amount,
            fraction if fraction.is_infinite() => {
                if (fraction < 0.0) == (*amount < 0) {
                    i64::MAX
                } else {
                    i64::MIN
                }
            }
            fraction => (*amount as f64 * fraction) as i64,
        };
        Self(self.0.iter().zip(fractions).map(product).collect())
    }
}

/// Collects amounts in the order of the types.
impl FromIterator<i64> for Amounts {
    fn from_iter<I: IntoIterator<Item = i64>>(amounts: I) -> Self {
        Self(amounts.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_ten() {
        let quantity = |text| Quantity::parse(text).unwrap();
        let types = ResourceTypes::new([
            ("cpu", quantity("1m")),
            ("memory", quantity("1")),
            ("blocks", quantity("1Mi")),
        ]);
        let given = [("cpu", "1500u"), ("memory", "1Ki"), ("blocks", "2500k"), ("other", "9")];
        let given = given.map(|(name, text)| (name, quantity(text)));
        assert_eq!(types.of_node(given).as_slice(), [1, 1024, 2]);
        assert_eq!(types.of_job(given).as_slice(), [2, 1024, 3]);
    }

    #[test]
    fn fractions_cut_and_infinity_is_no_limit() {
        let amounts = Amounts::from_iter([1_000, 7, 0]);
        let limits = amounts.times(&[0.25, 1.0, f64::INFINITY]);
        assert_eq!(limits.as_slice(), [250, 7, i64::MAX]);
    }
}
