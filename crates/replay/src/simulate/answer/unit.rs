//! The unit of cost of a report.

use super::record::RecordCounts;
use crate::simulate::report::HoursReport;
use crate::simulate::summary::Hours;
use document::names;
use serde::{Serialize, Serializer};

names! {
    /// The unit of cost: one for the whole report, so that no two sentences use different ones.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum CostUnit {
        /// GPU-hours.
        Gpu = "GPU-hours",
        /// Core-hours.
        Core = "core-hours",
        /// Hours of running.
        Run = "hours",
        /// Retries: each run costs 1.
        #[default]
        Retries = "retries",
    }
}

impl CostUnit {
    /// The first unit in which the runs on record come to more than 0 (docs/answer.md, The rows).
    pub(super) fn choose(record: &RecordCounts) -> Self {
        if record.runs.gpu_hours().is_some() {
            Self::Gpu
        } else if record.runs.cpu_hours().is_some() {
            Self::Core
        } else if record.runs.run_hours() > 0.0 {
            Self::Run
        } else {
            Self::Retries
        }
    }

    /// The retries on record that cost nothing in this unit, since their jobs request none of what it counts.
    pub(super) fn uncounted(self, record: &RecordCounts) -> Option<Hours> {
        match self {
            Self::Gpu => Some(record.without_gpu),
            Self::Core => Some(record.without_cpu),
            Self::Run | Self::Retries => None,
        }
    }

    /// The cost of some runs.
    #[expect(clippy::cast_precision_loss, reason = "counts of runs are far below 2^53")]
    pub fn of(self, runs: &HoursReport) -> f64 {
        match self {
            Self::Gpu => runs.gpu_hours.unwrap_or_default(),
            Self::Core => runs.cpu_hours.unwrap_or_default(),
            Self::Run => runs.hours,
            Self::Retries => runs.runs as f64,
        }
    }
}

impl Serialize for CostUnit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
