//! Run-hours, exact: sums of nanoseconds, and of nanoseconds times cores and devices.

use crate::history::{RecordFields, Run};
use crate::simulate::figures::Ending;
use borsh::{BorshDeserialize, BorshSerialize};
use document::units::{GoDuration, Quantity};

/// The hours of some runs. Sums are whole numbers, so that they do not depend on the order of adding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Hours {
    pub runs: u64,
    /// Runs of which a start or an end is not recorded; they add no hours.
    pub untimed: u64,
    /// Nanoseconds.
    run: u128,
    /// Nanoseconds times billionths of a core.
    cpu: u128,
    /// Nanoseconds times billionths of a device.
    gpu: u128,
}

/// The resources that a run requested, as far as hours are counted of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Demand {
    /// Cores.
    pub cpu: Option<Quantity>,
    /// Devices.
    pub gpu: Option<Quantity>,
}

impl Demand {
    /// That of a run of a unit.
    pub(crate) fn of<F: RecordFields>(unit: &F::Unit, run: &Run<F>) -> Self {
        let resources = run.own.resources(unit);
        resources.map_or_else(Self::default, |it| Self { cpu: it.cpu, gpu: it.gpu })
    }
}

/// Nanoseconds of an hour.
const HOUR: f64 = 3600e9;
/// Billionths of a core or device.
const NANO: f64 = 1e9;

impl Hours {
    /// Those of one run, whose length may not be known.
    pub fn new(length: Option<GoDuration>, demand: Demand) -> Self {
        let Some(length) = length else {
            return Self { runs: 1, untimed: 1, ..Self::default() };
        };
        let length = u128::from(length.as_nanos().max(0).unsigned_abs());
        let times = |amount: Option<Quantity>| {
            let amount = amount.map_or(0, Quantity::billionths);
            // 128 bits: a year of nanoseconds times a thousand cores in billionths has 95.
            length.saturating_mul(u128::try_from(amount).unwrap_or(0))
        };
        let (cpu, gpu) = (times(demand.cpu), times(demand.gpu));
        Self { runs: 1, untimed: 0, run: length, cpu, gpu }
    }

    /// Those of a run of a unit.
    pub(crate) fn for_run<F: RecordFields>(unit: &F::Unit, run: &Run<F>) -> Self {
        Self::new(run.length(), Demand::of(unit, run))
    }

    /// Adds the hours of other runs.
    #[inline]
    pub fn merge(&mut self, other: Self) {
        self.runs += other.runs;
        self.untimed += other.untimed;
        self.run = self.run.saturating_add(other.run);
        self.cpu = self.cpu.saturating_add(other.cpu);
        self.gpu = self.gpu.saturating_add(other.gpu);
    }

    /// Hours of running.
    #[expect(clippy::cast_precision_loss, reason = "the sum is exact, and reports round it")]
    pub fn run_hours(&self) -> f64 {
        self.run as f64 / HOUR
    }

    /// Core-hours; none where no run's cores are known.
    #[expect(clippy::cast_precision_loss, reason = "the sum is exact, and reports round it")]
    pub fn cpu_hours(&self) -> Option<f64> {
        (self.cpu > 0).then_some(self.cpu as f64 / HOUR / NANO)
    }

    /// Device-hours; none where no run's devices are known.
    #[expect(clippy::cast_precision_loss, reason = "the sum is exact, and reports round it")]
    pub fn gpu_hours(&self) -> Option<f64> {
        (self.gpu > 0).then_some(self.gpu as f64 / HOUR / NANO)
    }
}

/// The hours of recorded retries, by how they ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct RetryHours {
    pub succeeded: Hours,
    pub failed: Hours,
    /// They were preempted, returned, cancelled or stopped.
    pub other: Hours,
}

impl RetryHours {
    /// The hours of the retries that did not succeed.
    pub fn lost(&self) -> Hours {
        let mut lost = self.failed;
        lost.merge(self.other);
        lost
    }

    /// Adds a run that has ended so.
    // Out of line: a run is counted in a dozen places, and their code must fit the cache together.
    #[inline(never)]
    pub(crate) fn add(&mut self, ending: Ending, run: &Hours) {
        let hours = match ending {
            Ending::Succeeded => &mut self.succeeded,
            Ending::Failed => &mut self.failed,
            Ending::Interrupted | Ending::Cancelled | Ending::Open => &mut self.other,
        };
        hours.merge(*run);
    }

    pub fn runs(&self) -> u64 {
        self.succeeded.runs + self.failed.runs + self.other.runs
    }

    /// Adds the hours of others.
    pub(crate) fn merge(&mut self, other: Self) {
        self.succeeded.merge(other.succeeded);
        self.failed.merge(other.failed);
        self.other.merge(other.other);
    }
}
