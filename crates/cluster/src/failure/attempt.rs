//! How an attempt of a job ends by itself: its work is done, or a cause of its own fails it.
//!
//! Ends that come from outside (a node that fails, a preemption) are events of the loop.

use super::super::draw::{DrawPurpose, Draws, draw, name_key};
use super::super::spec::Nanoseconds;
use super::distribution::{DurationDistribution, MILLISECOND, time_at_rate};
use super::{FailureCause, JobFailures, Termination, Trigger};

/// How an attempt ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AttemptEnd {
    /// Its work is done.
    Success,
    /// It fails.
    Failure(FailureKind),
}

/// Why an attempt fails, in the order that decides at equal times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// A cause of its template, by its position.
    Cause(usize),
    /// A cause of its template that sticks to its node, by its position.
    Again(usize),
    /// A GPU that it holds.
    Gpu,
    /// Its node failed.
    Node,
    /// Its spot node was lost.
    Spot,
    /// It ran longer than it may.
    Deadline,
}

impl FailureKind {
    /// The names of the kinds that are no cause of a template, which no cause may have.
    pub const RESERVED: [&'static str; 4] = ["gpu", "node-failure", "spot", "active-deadline"];

    /// Returns its name in reports.
    pub fn name(self, causes: &[FailureCause]) -> &str {
        match self {
            Self::Cause(position) | Self::Again(position) => &causes[position].name,
            Self::Gpu => Self::RESERVED[0],
            Self::Node => Self::RESERVED[1],
            Self::Spot => Self::RESERVED[2],
            Self::Deadline => Self::RESERVED[3],
        }
    }
}

/// The subject of the draws of an attempt.
#[derive(Debug, Clone, Copy)]
pub struct AttemptSubject {
    pub seed: u64,
    /// The key of the template's id.
    pub template: u64,
    /// The job's number in its template.
    pub number: u32,
    /// The number of the attempt, from 0.
    pub attempt: u32,
}

/// The inputs of an attempt's end, besides draws.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances {
    /// The running time in which its work is done.
    pub duration: Nanoseconds,
    /// The memory that it has, as a factor on the request.
    pub memory: f64,
    /// The failures of its GPUs in an hour; 0 without GPUs.
    pub gpu_failures_per_hour: f64,
    /// The longest running time.
    pub deadline: Option<Nanoseconds>,
}

impl Circumstances {
    /// Returns the last time at which a drawn failure occurs: one millisecond before the end of the work.
    fn last(self) -> Nanoseconds {
        // A failure at the end of the work would not be distinguished from its success.
        (self.duration - MILLISECOND).max(0)
    }
}

impl AttemptSubject {
    /// Draws the end of an attempt, and its time from the start of running. `is_stuck` returns whether a cause
    /// sticks to its node.
    pub fn end(
        self,
        failures: &JobFailures,
        circumstances: Circumstances,
        is_stuck: impl Fn(usize) -> bool,
    ) -> (Nanoseconds, AttemptEnd) {
        let mut first = (circumstances.duration, AttemptEnd::Success);
        // The candidates come in the order that decides at equal times.
        let mut try_end = |time: Nanoseconds, kind| {
            // An equal time changes nothing, so that the first candidate wins.
            if time < first.0 {
                first = (time, AttemptEnd::Failure(kind));
            }
        };
        for (position, cause) in failures.causes.iter().enumerate() {
            if let Some(time) = self.time_of(cause, circumstances) {
                try_end(time, FailureKind::Cause(position));
            }
            if let Some(stickiness) = cause.stickiness.filter(|_| is_stuck(position)) {
                let mut draws = self.draws(DrawPurpose::FailureAgain, name_key(&cause.name));
                let time = stickiness.again.draw(&mut draws).min(circumstances.last());
                try_end(time, FailureKind::Again(position));
            }
        }
        if circumstances.gpu_failures_per_hour > 0.0 {
            let mut draws = self.draws(DrawPurpose::GpuFailure, 0);
            let time = time_at_rate(&mut draws, circumstances.gpu_failures_per_hour);
            try_end(time, FailureKind::Gpu);
        }
        if let Some(deadline) = circumstances.deadline {
            try_end(deadline, FailureKind::Deadline);
        }
        first
    }

    /// Returns whether a cause that has failed the attempt sticks to its node.
    pub fn sticks(self, cause: &FailureCause) -> bool {
        cause.stickiness.is_some_and(|stickiness| {
            self.draws(DrawPurpose::Stickiness, name_key(&cause.name)).number()
                < stickiness.probability
        })
    }

    /// Returns when a cause fails the attempt, if it does.
    fn time_of(self, cause: &FailureCause, circumstances: Circumstances) -> Option<Nanoseconds> {
        let key = name_key(&cause.name);
        let drawn = |distribution: &DurationDistribution, purpose| {
            distribution.draw(&mut self.draws(purpose, key)).min(circumstances.last())
        };
        match &cause.trigger {
            Trigger::PerAttempt { probability, first, at } => {
                let of_job =
                    || probability.draw(&mut self.of_job(DrawPurpose::FailureProbability, key));
                // The first attempt has its own probability where one is given; further ones share that of the job.
                let probability = first.filter(|_| self.attempt == 0).unwrap_or_else(of_job);
                let fails = self.draws(DrawPurpose::Failure, key).number() < probability;
                fails.then(|| drawn(at, DrawPurpose::FailureTime))
            }
            Trigger::Memory { need, at } => {
                let need = need.draw(&mut self.of_job(DrawPurpose::MemoryNeed, key));
                (need > circumstances.memory).then(|| drawn(at, DrawPurpose::FailureTime))
            }
            Trigger::Hazard { per_hour } => {
                Some(time_at_rate(&mut self.draws(DrawPurpose::FailureTime, key), *per_hour))
            }
        }
    }

    /// The draws of the attempt for a cause.
    pub fn draws(self, purpose: DrawPurpose, cause: u64) -> Draws {
        Draws::new(self.seed, purpose, [self.cause_key(cause), self.job(), self.attempt.into()])
    }

    /// The draws of all attempts of the job for a cause.
    pub fn of_job(self, purpose: DrawPurpose, cause: u64) -> Draws {
        Draws::new(self.seed, purpose, [self.cause_key(cause), self.job(), 0])
    }

    /// The key of a cause of its template. One half is rotated, so that a cause and a template may exchange names.
    fn cause_key(self, cause: u64) -> u64 {
        self.template.rotate_left(32) ^ cause
    }

    fn job(self) -> u64 {
        self.number.into()
    }

    /// Draws the time from the preemption of the attempt until its pod is gone, with the least grace period.
    pub fn exit(self, termination: Termination, least: Nanoseconds) -> Nanoseconds {
        let Some(exit) = termination.exit else { return 0 };
        // At most the grace period: then the kubelet kills the pod.
        exit.draw(&mut self.draws(DrawPurpose::Exit, 0)).min(termination.grace.max(least))
    }

    /// Draws one number for the attempt, whatever its causes.
    pub fn number(self, purpose: DrawPurpose) -> f64 {
        draw(self.seed, purpose, [self.template, self.job(), self.attempt.into()])
    }
}
