//! Folds of figures over several runs: mean, interval, difference.

use replay::simulate::Figure;
use std::collections::{BTreeMap, BTreeSet};

/// A function from several numbers to one.
pub(super) struct Fold {
    of: fn(&[f64]) -> f64,
    /// The minimum number of values; with fewer the result is null.
    min_values: usize,
}

// One run has a mean; an interval and a difference need two values.
pub(super) const MEAN: Fold = Fold { of: mean_of, min_values: 1 };
pub(super) const HALF_WIDTH: Fold = Fold { of: half_width, min_values: 2 };
pub(super) const DIFFERENCE: Fold = Fold { of: |pair| pair[0] - pair[1], min_values: 2 };

fn count(values: &[f64]) -> f64 {
    Figure::from(values.len() as u64).0
}

fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / count(values)
}

/// Returns half the width of the 95 % confidence interval of the mean.
fn half_width(values: &[f64]) -> f64 {
    let mean = mean_of(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let freedom = count(values) - 1.0;
    student(values.len() - 1) * (squares / freedom / count(values)).sqrt()
}

/// Returns the 97.5th percentile of Student's distribution with `freedom` degrees of freedom.
fn student(freedom: usize) -> f64 {
    const SMALL: [f64; 30] = [
        12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010,
        2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739,
        2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
    ];
    if let Some(percentile) = freedom.checked_sub(1).and_then(|at| SMALL.get(at)) {
        return *percentile;
    }
    // The first terms of Cornish and Fisher's expansion: exact to four digits from 30 on.
    let normal: f64 = 1.959_964;
    let freedom = Figure::from(freedom as u64).0;
    let first = (normal.powi(3) + normal) / 4.0;
    let second = (5.0 * normal.powi(5) + 16.0 * normal.powi(3) + 3.0 * normal) / 96.0;
    normal + first / freedom + second / (freedom * freedom)
}

/// Figures that can be combined, number by number.
pub(super) trait Combine: Sized {
    /// Combines the figures of several runs.
    fn combine(all: &[&Self], fold: &Fold) -> Self;
}

impl Combine for Figure {
    fn combine(all: &[&Self], fold: &Fold) -> Self {
        let values: Vec<f64> = all.iter().map(|figure| figure.0).collect();
        Self((fold.of)(&values))
    }
}

/// Combines the runs that have a value.
impl<T: Combine> Combine for Option<T> {
    fn combine(all: &[&Self], fold: &Fold) -> Self {
        let values: Vec<&T> = all.iter().filter_map(|one| one.as_ref()).collect();
        (values.len() >= fold.min_values).then(|| T::combine(&values, fold))
    }
}

/// Combines all keys; a key that a run lacks counts as 0.
impl<K: Ord + Clone, T: Combine + Default> Combine for BTreeMap<K, T> {
    fn combine(all: &[&Self], fold: &Fold) -> Self {
        let none = T::default();
        let keys: BTreeSet<&K> = all.iter().flat_map(|one| one.keys()).collect();
        let each = keys.into_iter().map(|key| {
            // A run without the key has nothing of it, which counts as 0.
            let values: Vec<&T> = all.iter().map(|one| one.get(key).unwrap_or(&none)).collect();
            (key.clone(), T::combine(&values, fold))
        });
        each.collect()
    }
}

/// Declares structs of figures that combine field by field.
macro_rules! combined {
    ($(
        $(#[$about:meta])*
        pub struct $name:ident { $($(#[$doc:meta])* pub $field:ident: $type:ty,)* }
    )*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name { $($(#[$doc])* pub $field: $type,)* }

        impl Combine for $name {
            fn combine(all: &[&Self], fold: &Fold) -> Self {
                let all = all.iter();
                Self {$(
                    $field: Combine::combine(
                        &all.clone().map(|one| &one.$field).collect::<Vec<_>>(),
                        fold,
                    ),
                )*}
            }
        }
    )*};
}

pub(super) use combined;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_students() {
        // Mean 4, standard deviation 2, three values: 4.3027 * 2 / sqrt(3).
        assert!((half_width(&[2.0, 4.0, 6.0]) - 4.9684).abs() < 1e-4);
        // Values from published tables, beyond those in the code.
        for (freedom, expected) in [(31, 2.0395), (40, 2.0211), (60, 2.0003), (120, 1.9799)] {
            assert!((student(freedom) - expected).abs() < 1e-4, "{freedom}");
        }
    }

    #[test]
    fn runs_without_a_value_are_left_out_of_means() {
        let figure = |value: f64| Some(Figure(value));
        let combined = Option::combine(&[&figure(2.0), &None, &figure(4.0)], &MEAN);
        assert_eq!(combined, figure(3.0));
        assert_eq!(Option::combine(&[&figure(2.0), &None], &DIFFERENCE), None);
        let one = BTreeMap::from([("a".to_owned(), Figure(6.0))]);
        let combined = BTreeMap::combine(&[&one, &BTreeMap::new()], &MEAN);
        assert_eq!(combined["a"], Figure(3.0));
    }
}
