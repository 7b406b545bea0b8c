//! Scales: values to coordinates and back, and the values that are written beside an axis.

/// A linear scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::report) struct Scale {
    /// The values at its ends.
    values: (f64, f64),
    /// The coordinates of these.
    ends: (f64, f64),
}

impl Scale {
    /// The scale from one value at a coordinate to another.
    pub(super) fn new(values: (f64, f64), ends: (f64, f64)) -> Self {
        Self { values, ends }
    }

    /// The coordinate of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        let (low, high) = self.values;
        let share = if high > low { (value - low) / (high - low) } else { 0.0 };
        self.ends.0 + share * (self.ends.1 - self.ends.0)
    }
}

/// The steps of a scale, times a power of 10.
const STEPS: [f64; 5] = [1.0, 2.0, 2.5, 5.0, 10.0];

/// Round values from 0 to at least `most`, with at most about `number` steps.
pub(super) fn ticks(most: f64, number: f64) -> Vec<f64> {
    if most <= 0.0 || !most.is_finite() {
        return vec![0.0, 1.0];
    }
    let least_step = most / number;
    let power = 10_f64.powf(least_step.log10().floor());
    // 10 is at least each quotient.
    let step = STEPS.into_iter().find(|step| step * power >= least_step).unwrap_or(10.0) * power;
    // Rounding may leave a quotient a little above a whole number, which would add a step without values.
    let steps = (most / step * (1.0 - 1e-9)).ceil().max(1.0);
    let mut values = Vec::new();
    let mut at = 0.0;
    while at <= steps {
        values.push(at * step);
        at += 1.0;
    }
    values
}

/// The same for counts: whole values.
pub(super) fn whole_ticks(most: f64, number: f64) -> Vec<f64> {
    let mut values = ticks(most.max(1.0), number);
    values.retain(|value| value.fract() == 0.0);
    values
}

/// Steps of time in seconds: those of clocks and calendars.
const TIME_STEPS: [f64; 17] = [
    1.0,
    5.0,
    15.0,
    60.0,
    300.0,
    600.0,
    900.0,
    1_800.0,
    3_600.0,
    7_200.0,
    10_800.0,
    21_600.0,
    43_200.0,
    86_400.0,
    172_800.0,
    604_800.0,
    2_419_200.0,
];

/// Times of a clock between two times in seconds, in at most `number` steps.
pub(super) fn time_ticks((from, to): (f64, f64), number: f64) -> Vec<f64> {
    let whole_days = |days: f64| days * 86_400.0;
    let fits = |step: &f64| (to - from) / step <= number;
    let step = TIME_STEPS.into_iter().find(fits);
    let step = step.unwrap_or_else(|| whole_days(((to - from) / number / 86_400.0).ceil()));
    let mut values = Vec::new();
    let mut at = (from / step).ceil();
    while at * step <= to {
        values.push(at * step);
        at += 1.0;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_of_an_axis_are_round() {
        assert_eq!(ticks(127_163.0, 4.0), [0.0, 50_000.0, 100_000.0, 150_000.0]);
        assert_eq!(ticks(1.0, 4.0), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(whole_ticks(3.0, 4.0), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(whole_ticks(1.0, 4.0), [0.0, 1.0]);
        assert_eq!(ticks(0.0, 4.0), [0.0, 1.0]);
        assert_eq!(time_ticks((100.0, 7_300.0), 4.0), [1_800.0, 3_600.0, 5_400.0, 7_200.0]);
    }

    proptest! {
        #[test]
        fn an_axis_reaches_its_largest_value(most in 1e-6..1e15_f64) {
            let values = ticks(most, 4.0);
            prop_assert!(*values.last().unwrap() >= most * (1.0 - 1e-6));
            prop_assert!(values.len() <= 6, "{:?}", values);
        }
    }
}
