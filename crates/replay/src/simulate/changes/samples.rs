//! Samples of jobs: the same ones for any number of threads and any cut of the history.

use crate::simulate::unit_hash::unit_hash;
use borsh::{BorshDeserialize, BorshSerialize};

/// A job, and one of its runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
pub struct Sample {
    /// The hash of the job's id, by which samples are drawn.
    hash: u64,
    pub job: Box<str>,
    /// Its first run of this kind; 0 for a job as a whole.
    pub run: u32,
}

/// The jobs with the smallest hashes: a choice that depends on the ids alone and is spread over the history.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Samples(Vec<Sample>);

impl Samples {
    /// The samples, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = &Sample> {
        self.0.iter()
    }

    /// Adds a run of a job, whose id has this hash, if it is among the first `limit` ones.
    #[inline]
    pub(super) fn add(&mut self, limit: usize, hash: u64, job: &str, run: u32) {
        let is_full = self.0.len() >= limit;
        if is_full && self.0.last().is_none_or(|last| last.hash < hash) {
            return;
        }
        self.insert(limit, Sample { hash, job: job.into(), run });
    }

    /// Adds a job as a whole, if it is among the first `limit` ones.
    pub(in crate::simulate) fn add_job(&mut self, limit: usize, job: &str) {
        self.add(limit, unit_hash(job), job, 0);
    }

    fn insert(&mut self, limit: usize, sample: Sample) {
        let key = |sample: &Sample| (sample.hash, sample.job.clone());
        match self.0.binary_search_by_key(&key(&sample), key) {
            Ok(at) => self.0[at].run = self.0[at].run.min(sample.run),
            Err(at) => {
                self.0.insert(at, sample);
                self.0.truncate(limit);
            }
        }
    }

    /// Keeps the first ones.
    pub(super) fn limit(&mut self, limit: usize) {
        self.0.truncate(limit);
    }

    /// Adds the samples of another part of the history.
    pub(in crate::simulate) fn merge(&mut self, limit: usize, other: Self) {
        for sample in other.0 {
            self.insert(limit, sample);
        }
    }
}
