//! Gives the records of a history the categories that Armada's executors report.
//!
//! A record that has a category keeps it, and is counted where an executor would report another one. A failure whose
//! lease the executor would return becomes one.

use super::executor::{Executor, Pass};
use super::rules::ClassifierMemory;
use armada_retry::engine::Outcome;
use borsh::{BorshDeserialize, BorshSerialize};
use replay::history::{RunRecord, UnknownText, UnknownTexts};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The executors of some clusters.
#[derive(Debug)]
pub struct Executors {
    /// By the name of the cluster; `None` is the executor of all other clusters.
    by_cluster: Vec<(Option<String>, Executor)>,
    counts: Counts,
    /// Number of runs that may still get the text that is reported about them.
    texts_left: AtomicU64,
    /// Working memory of threads that classify no record at the moment, with the number of its executor.
    memories: Mutex<Vec<(usize, ClassifierMemory)>>,
}

/// The counts of a history's failures, added up by all threads.
#[derive(Debug, Default)]
struct Counts {
    named: AtomicU64,
    unnamed: AtomicU64,
    returned: AtomicU64,
    equal: AtomicU64,
    different: AtomicU64,
    unreported: AtomicU64,
    other_cluster: AtomicU64,
    no_cluster: AtomicU64,
    unsure: AtomicU64,
    lacking: [AtomicU64; UnknownText::ALL.len()],
}

/// How many failures of a history were classified, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, BorshSerialize, BorshDeserialize)]
pub struct ClassifiedCounts {
    /// Failures that got a category.
    pub named: u64,
    /// Failures for which an executor reports no category.
    pub unnamed: u64,
    /// Failures, of the two before, whose lease is returned.
    pub returned: u64,
    /// Failures that kept their category, which an executor reports too.
    pub equal: u64,
    /// Failures that kept their category, although an executor reports another.
    pub different: u64,
    /// Runs that were dropped, since the executor reports nothing about them.
    pub unreported: u64,
    /// Failures of clusters without an executor.
    pub other_cluster: u64,
    /// Failures without a cluster, if each executor is that of one.
    pub no_cluster: u64,
    /// Failures whose classification depends on a text that the history lacks.
    pub unsure: u64,
    /// Of these, those that lack each of [`UnknownText::ALL`].
    pub lacking: [u64; UnknownText::ALL.len()],
}

impl Executors {
    /// Executors by the names of their clusters; one without a name is that of all other clusters.
    pub fn new(by_cluster: Vec<(Option<String>, Executor)>) -> Self {
        Self {
            by_cluster,
            counts: Counts::default(),
            texts_left: AtomicU64::new(0),
            memories: Mutex::new(Vec::new()),
        }
    }

    /// The categories and subcategories that the executors may give.
    pub fn names(&self) -> Vec<(&str, &str)> {
        let classifiers = self.by_cluster.iter().filter_map(|(_, executor)| executor.classifier());
        let names = classifiers.flat_map(|classifier| {
            let rules = classifier.rules().iter();
            let named = rules.map(|rule| (rule.category.as_str(), rule.subcategory.as_str()));
            named.chain([classifier.default_names()])
        });
        names.collect()
    }

    /// Stores the reported text in the next classified runs, at most this many. No timeline shows the text of most runs
    /// of a long stream.
    pub fn give_texts(&self, runs: u64) {
        self.texts_left.store(runs, Ordering::Relaxed);
    }

    /// Whether a run gets the text that is reported about it.
    fn takes_text(&self) -> bool {
        // `checked_sub` never goes below 0, so that several threads take no more than there are.
        let less = |left: u64| left.checked_sub(1);
        self.texts_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    /// How many failures were classified so far.
    pub fn counts(&self) -> ClassifiedCounts {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let Counts { named, unnamed, returned, equal, different, unreported, .. } = &self.counts;
        let Counts { other_cluster, no_cluster, unsure, lacking, .. } = &self.counts;
        ClassifiedCounts {
            named: get(named),
            unnamed: get(unnamed),
            returned: get(returned),
            equal: get(equal),
            different: get(different),
            unreported: get(unreported),
            other_cluster: get(other_cluster),
            no_cluster: get(no_cluster),
            unsure: get(unsure),
            lacking: lacking.each_ref().map(get),
        }
    }

    /// Adds the counts of another part of a history.
    pub fn add_counts(&self, other: &ClassifiedCounts) {
        let add = |count: &AtomicU64, other: u64| _ = count.fetch_add(other, Ordering::Relaxed);
        let counts = &self.counts;
        add(&counts.named, other.named);
        add(&counts.unnamed, other.unnamed);
        add(&counts.returned, other.returned);
        add(&counts.equal, other.equal);
        add(&counts.different, other.different);
        add(&counts.unreported, other.unreported);
        add(&counts.other_cluster, other.other_cluster);
        add(&counts.no_cluster, other.no_cluster);
        add(&counts.unsure, other.unsure);
        counts.lacking.iter().zip(other.lacking).for_each(|(count, other)| add(count, other));
    }

    /// The executor of a cluster.
    pub fn find(&self, cluster: Option<&str>) -> Option<&Executor> {
        Some(&self.by_cluster[self.executor(cluster)?].1)
    }

    /// The number of a cluster's executor.
    fn executor(&self, cluster: Option<&str>) -> Option<usize> {
        let is_named = |name: &Option<String>| name.is_some() && name.as_deref() == cluster;
        let named = self.by_cluster.iter().position(|(name, _)| is_named(name));
        // The configuration without a cluster's name is that of all others.
        named.or_else(|| self.by_cluster.iter().position(|(name, _)| name.is_none()))
    }

    /// Gives a failed run the category that its executor reports. `false` if the executor reports nothing about it.
    pub fn amend(&self, run: &mut RunRecord) -> bool {
        if run.own.outcome != Outcome::Failed {
            return true;
        }
        let add = |count: &AtomicU64| count.fetch_add(1, Ordering::Relaxed);
        if run.own.observed.as_ref().is_some_and(|observed| observed.is_unreported) {
            add(&self.counts.unreported);
            return false;
        }
        let Some(number) = self.executor(run.cluster.as_deref()) else {
            let counts = &self.counts;
            add(if run.cluster.is_some() { &counts.other_cluster } else { &counts.no_cluster });
            return true;
        };
        let mut memory = self.take_memory(number);
        let executor = &self.by_cluster[number].1;
        self.count_unknown(executor.unknown_of_run(&run.own, &mut memory));
        let (pass, found) = executor.classify_run(&run.own, &mut memory);
        let has_category = !run.own.category.is_empty();
        if has_category {
            let is_equal =
                run.own.category == found.category && run.own.subcategory == found.subcategory;
            add(if is_equal { &self.counts.equal } else { &self.counts.different });
        } else {
            if self.takes_text() {
                run.own.emitted = Some(executor.emitted_text(&run.own, (pass, found)).into());
            }
            let (category, subcategory) = (found.category.into(), found.subcategory.into());
            add(if found.category.is_empty() { &self.counts.unnamed } else { &self.counts.named });
            (run.own.category, run.own.subcategory) = (category, subcategory);
            if pass == Pass::FailedPodCheck {
                add(&self.counts.returned);
                run.own.outcome = Outcome::LeaseReturned;
            }
        }
        // The record of the pod is not needed any more, and may be large.
        run.own.observed = None;
        self.return_memory(number, memory);
        true
    }

    fn count_unknown(&self, unknown: UnknownTexts) {
        if unknown.is_empty() {
            return;
        }
        self.counts.unsure.fetch_add(1, Ordering::Relaxed);
        for (text, count) in UnknownText::ALL.into_iter().zip(&self.counts.lacking) {
            count.fetch_add(u64::from(unknown.has(text)), Ordering::Relaxed);
        }
    }

    fn take_memory(&self, number: usize) -> ClassifierMemory {
        // A panic in another thread leaves memories that are only caches.
        let mut memories = self.memories.lock().unwrap_or_else(PoisonError::into_inner);
        let at = memories.iter().position(|(executor, _)| *executor == number);
        at.map(|at| memories.swap_remove(at).1).unwrap_or_default()
    }

    fn return_memory(&self, number: usize, memory: ClassifierMemory) {
        let mut memories = self.memories.lock().unwrap_or_else(PoisonError::into_inner);
        memories.push((number, memory));
    }
}
