//! Distributions of durations, factors and probabilities, and draws from them.
//!
//! Owns the formulas. A draw takes its numbers from [`Draws`], so that it depends on its purpose and subject alone.

use super::super::draw::Draws;
use super::super::spec::Nanoseconds;
use std::f64::consts::TAU;

/// A distribution of positive numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distribution {
    /// Always this number.
    Fixed(f64),
    /// Exponential: the rate of failure is constant.
    Exponential {
        /// The mean.
        mean: f64,
    },
    /// Weibull: below a shape of 1 the rate of failure decreases with age.
    Weibull {
        /// The shape.
        shape: f64,
        /// The scale: the 63rd percentile.
        scale: f64,
    },
    /// Lognormal: its logarithm is normally distributed.
    Lognormal {
        /// The median.
        median: f64,
        /// The standard deviation of the logarithm.
        sigma: f64,
    },
    /// Uniform between two numbers.
    Uniform {
        /// The least.
        low: f64,
        /// The greatest.
        high: f64,
    },
}

impl Distribution {
    pub(crate) fn draw(&self, draws: &mut Draws) -> f64 {
        match *self {
            Self::Fixed(value) => value,
            Self::Exponential { mean } => mean * exponential(draws),
            Self::Weibull { shape, scale } => scale * exponential(draws).powf(shape.recip()),
            Self::Lognormal { median, sigma } => median * (sigma * normal(draws)).exp(),
            Self::Uniform { low, high } => low + (high - low) * draws.number(),
        }
    }
}

/// A distribution of durations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DurationDistribution {
    /// In milliseconds: whole ones are exact in a float.
    milliseconds: Distribution,
}

/// The greatest duration that is drawn, 100 years: sums of a few such durations fit 64 bits.
pub(crate) const MAX_DURATION: Nanoseconds = 876_000 * 3600 * 1_000_000_000;
/// The unit of drawn durations.
pub(crate) const MILLISECOND: Nanoseconds = 1_000_000;

impl DurationDistribution {
    /// Creates a distribution of durations in milliseconds.
    pub fn from_milliseconds(milliseconds: Distribution) -> Self {
        Self { milliseconds }
    }

    /// Returns the distribution in milliseconds.
    #[cfg(test)]
    pub(crate) fn milliseconds(&self) -> Distribution {
        self.milliseconds
    }

    pub(crate) fn draw(&self, draws: &mut Draws) -> Nanoseconds {
        self.draw_divided(draws, 1.0)
    }

    /// Draws a duration and divides it by a number above 0: a rate that is higher by this factor.
    pub(crate) fn draw_divided(&self, draws: &mut Draws, by: f64) -> Nanoseconds {
        duration(self.milliseconds.draw(draws) / by)
    }
}

/// Returns a duration of this many milliseconds, rounded up to whole ones; at most 100 years.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
fn duration(milliseconds: f64) -> Nanoseconds {
    // Rounded up, so that no drawn time is 0 unless the distribution is.
    (milliseconds.ceil() as Nanoseconds).saturating_mul(MILLISECOND).clamp(0, MAX_DURATION)
}

/// Draws the time to the first event of a process with this many events an hour; at most 100 years.
pub(crate) fn time_at_rate(draws: &mut Draws, per_hour: f64) -> Nanoseconds {
    const HOUR: f64 = 3_600_000.0;
    duration(HOUR * exponential(draws) / per_hour)
}

/// A probability, or the distribution of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Probability {
    /// Always this one.
    Fixed(f64),
    /// A beta distribution with these two parameters.
    Beta(f64, f64),
}

impl Probability {
    pub(crate) fn draw(&self, draws: &mut Draws) -> f64 {
        match *self {
            Self::Fixed(probability) => probability,
            Self::Beta(a, b) => {
                // X / (X + Y) of two gamma variables, by their logarithms: with small parameters both are often too
                // small for a float.
                let (x, y) = (log_gamma_variable(a, draws), log_gamma_variable(b, draws));
                (1.0 + (y - x).exp()).recip()
            }
        }
    }
}

/// Draws from the geometric distribution on 1, 2, 3.. with the probability `p` of 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
pub(crate) fn geometric(draws: &mut Draws, p: f64) -> u32 {
    // With p = 1 the divisor is negative infinity, and the quotient 0. `ln_1p` is exact for small p.
    ((draws.positive().ln() / (-p).ln_1p()) as u32).saturating_add(1)
}

/// Draws from the exponential distribution with mean 1.
fn exponential(draws: &mut Draws) -> f64 {
    -draws.positive().ln()
}

/// Draws from the standard normal distribution, by Box and Muller's transformation.
fn normal(draws: &mut Draws) -> f64 {
    let radius = (-2.0 * draws.positive().ln()).sqrt();
    radius * (TAU * draws.number()).cos()
}

/// Draws the logarithm of a gamma variable with scale 1, by Marsaglia and Tsang's method (ACM Transactions on
/// Mathematical Software 26, 2000).
fn log_gamma_variable(shape: f64, draws: &mut Draws) -> f64 {
    if shape < 1.0 {
        // A variable of shape + 1 times a power of a uniform one.
        return log_gamma_variable(shape + 1.0, draws) + draws.positive().ln() / shape;
    }
    let d = shape - 1.0 / 3.0;
    let c = (9.0 * d).sqrt().recip();
    loop {
        // Acceptance and rejection: about one draw in twenty is refused at most.
        let x = normal(draws);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && draws.positive().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return (d * v).ln();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::draw::DrawPurpose;
    use super::*;

    const NUMBER: u64 = 40_000;

    fn sample(draw: impl Fn(&mut Draws) -> f64) -> Vec<f64> {
        let mut all: Vec<f64> = (0..NUMBER)
            .map(|number| draw(&mut Draws::new(7, DrawPurpose::NodeUp, [number, 0, 0])))
            .collect();
        all.sort_by(f64::total_cmp);
        all
    }

    /// Kolmogorov's distance between a sample and a distribution function.
    fn distance(sample: &[f64], function: impl Fn(f64) -> f64) -> f64 {
        let mut largest: f64 = 0.0;
        for (number, value) in (0_u32..).zip(sample) {
            let (below, above) = (f64::from(number) / 40_000.0, f64::from(number + 1) / 40_000.0);
            let expected = function(*value);
            largest = largest.max((expected - below).abs()).max((above - expected).abs());
        }
        largest
    }

    /// The distance that a right sample exceeds once in 10,000 times: 2.23 / sqrt(n).
    const LARGEST_DISTANCE: f64 = 2.23 / 200.0;

    /// The distribution function of the standard normal distribution, by numeric integration of its density.
    fn normal_function(value: f64) -> f64 {
        const STEPS: u32 = 400;
        let step = value / f64::from(STEPS);
        let density = |x: f64| (-0.5 * x * x).exp() / TAU.sqrt();
        let middle = |number: u32| density(step * (f64::from(number) + 0.5));
        0.5 + step * (0..STEPS).map(middle).sum::<f64>()
    }

    #[test]
    fn samples_have_their_distribution() {
        let of = |distribution: Distribution| sample(|draws| distribution.draw(draws));
        let exponential = of(Distribution::Exponential { mean: 3.0 });
        let weibull = of(Distribution::Weibull { shape: 0.66, scale: 3.0 });
        let lognormal = of(Distribution::Lognormal { median: 63.0, sigma: 1.41 });
        let uniform = of(Distribution::Uniform { low: 2.0, high: 6.0 });
        let distances = [
            distance(&exponential, |x| 1.0 - (-x / 3.0).exp()),
            distance(&weibull, |x| 1.0 - (-(x / 3.0).powf(0.66)).exp()),
            distance(&lognormal, |x| normal_function((x / 63.0).ln() / 1.41)),
            distance(&uniform, |x| (x - 2.0) / 4.0),
        ];
        for (number, distance) in distances.into_iter().enumerate() {
            assert!(distance < LARGEST_DISTANCE, "{number}: {distance}");
        }
    }

    #[test]
    fn beta_variables_have_their_moments() {
        // E[X^k] = product of (a + i) / (a + b + i).
        for (a, b) in [(0.39, 0.35), (0.05, 0.1), (2.0, 5.0), (1.0, 1.0)] {
            let beta = Probability::Beta(a, b);
            let all = sample(|draws| beta.draw(draws));
            let mut expected = 1.0;
            for (power, i) in [(1, 0.0), (2, 1.0), (3, 2.0)] {
                expected *= (a + i) / (a + b + i);
                let mean = all.iter().map(|x| x.powi(power)).sum::<f64>() / 40_000.0;
                // The standard deviation of a power is at most 0.5.
                assert!((mean - expected).abs() < 4.0 * 0.5 / 200.0, "{a} {b} {power}: {mean}");
            }
        }
    }

    #[test]
    fn geometric_variables_have_their_probabilities() {
        for p in [0.5, 0.1] {
            let all = sample(|draws| f64::from(geometric(draws, p)));
            for k in 1..5_i32 {
                let share = all.iter().filter(|x| (**x - f64::from(k)).abs() < 0.5).count();
                let share = f64::from(u32::try_from(share).unwrap()) / 40_000.0;
                let expected = p * (1.0 - p).powi(k - 1);
                assert!((share - expected).abs() < 4.0 * 0.5 / 200.0, "{p} {k}: {share}");
            }
        }
        assert!(sample(|draws| f64::from(geometric(draws, 1.0))).iter().all(|x| *x < 1.5));
    }

    #[test]
    fn durations_are_rounded_up_to_milliseconds() {
        let mut draws = Draws::new(1, DrawPurpose::NodeUp, [0; 3]);
        let mut of = |value| {
            DurationDistribution::from_milliseconds(Distribution::Fixed(value)).draw(&mut draws)
        };
        assert_eq!(of(2.0), 2 * MILLISECOND);
        assert_eq!(of(2.000_001), 3 * MILLISECOND);
        assert_eq!(of(f64::MAX), MAX_DURATION);
        assert_eq!(time_at_rate(&mut draws, f64::MIN_POSITIVE), MAX_DURATION);
    }
}
