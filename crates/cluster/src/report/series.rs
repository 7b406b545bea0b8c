//! The cluster over time: what runs, waits and fails, in at most 240 bins of equal length.
//!
//! Bins begin with a second and double when the time passes the last one, so that no run has to know its end. Amounts
//! are added as intervals when they end, and are exact: the sum of a series over its bins is the report's.

use super::Figure;
use super::waits::seconds;
use crate::events::{
    Event, EventKind, JobOutcome, NodeEvent, OpenJob, OpenState, PoolRound, SettledRun, Simulation,
};
use crate::resources::{Amounts, CPU, GPU, ResourceTypes};
use crate::spec::Nanoseconds;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The most bins: as many as a picture has room for.
const BINS: usize = 240;
const FIRST_WIDTH: Nanoseconds = 1_000_000_000;

/// The cluster over time. Each value is a mean over the time of its bin, and each count is of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeriesReport {
    /// The seconds of a bin. The last one ends with the run.
    pub bin_seconds: Figure,
    /// The cores of all nodes.
    pub cores: Figure,
    /// The GPUs of all nodes, `nvidia.com/gpu`.
    pub gpus: Figure,
    /// The nodes.
    pub nodes: u64,
    /// The queues.
    pub queues: BTreeMap<String, QueueSeries>,
    /// The share of the nodes that are up, if nodes can fail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub nodes_up: Vec<Figure>,
    /// Runs that failed, or were stopped with their gang, and after which the job runs again.
    pub failed_retried: Vec<u64>,
    /// Those with which the job failed.
    pub failed_ended: Vec<u64>,
    /// Runs that were preempted.
    pub preempted: Vec<u64>,
}

/// A queue over time. A series is absent if it is 0 throughout.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueSeries {
    /// The cores of its runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub cores: Vec<Figure>,
    /// The GPUs of its runs, `nvidia.com/gpu`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub gpus: Vec<Figure>,
    /// The cores of runs that are not the first of their job.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub retry_cores: Vec<Figure>,
    /// The GPUs of runs that are not the first of their job.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub retry_gpus: Vec<Figure>,
    /// The jobs that wait for a node: queued, or until they may be queued again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub waiting: Vec<Figure>,
    /// The entitled share; with several pools, the mean over them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub entitled: Vec<Figure>,
    /// The actual share.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub actual: Vec<Figure>,
}

/// The sums of a queue, in the order of the fields of [`QueueSeries`].
const SUMS: usize = 7;
const CORES: usize = 0;
const GPUS: usize = 1;
const RETRY_CORES: usize = 2;
const RETRY_GPUS: usize = 3;
const WAITING: usize = 4;
const ENTITLED: usize = 5;
const ACTUAL: usize = 6;

/// Counts a run over time.
#[derive(Debug, Clone)]
pub(super) struct SeriesMeter {
    bins: Bins,
    queues: Vec<[Vec<f64>; SUMS]>,
    /// By pool and queue: the shares of the last round, and its time.
    shares: Vec<(Nanoseconds, Vec<[f64; 2]>)>,
    /// The nodes, and since when some are down.
    nodes: usize,
    down_since: BTreeMap<(usize, usize), Nanoseconds>,
    down: Vec<f64>,
    /// Whether a node can fail.
    has_failing_nodes: bool,
    /// Runs that failed and are retried, that ended their job, and that were preempted.
    ends: [Vec<f64>; 3],
    /// The positions of cores and GPUs in requests, with their units.
    resources: [Option<(usize, f64)>; 2],
    /// The cores and GPUs of all nodes.
    capacity: [Figure; 2],
}

/// The lengths of bins.
#[derive(Debug, Clone, Copy)]
struct Bins {
    width: Nanoseconds,
}

impl Bins {
    /// Adds an amount over an interval, in amounts times nanoseconds.
    #[expect(clippy::cast_precision_loss, reason = "a float has 15 digits")]
    fn add(self, sums: &mut [f64], (from, to): (Nanoseconds, Nanoseconds), amount: f64) {
        // Runs may have begun before the simulation.
        let mut at = from.max(0);
        while at < to {
            let bin = at / self.width;
            let end = ((bin + 1) * self.width).min(to);
            let Some(sum) = usize::try_from(bin).ok().and_then(|bin| sums.get_mut(bin)) else {
                return;
            };
            *sum += (end - at) as f64 * amount;
            at = end;
        }
    }

    fn count(self, counts: &mut [f64], time: Nanoseconds) {
        let bin = usize::try_from(time / self.width).unwrap_or_default();
        // An event at the very end is in the last bin.
        if let Some(count) = counts.get_mut(bin.min(BINS - 1)) {
            *count += 1.0;
        }
    }
}

fn halve(sums: &mut [f64]) {
    for bin in 0..BINS {
        let pair = [2 * bin, 2 * bin + 1].map(|at| sums.get(at).copied().unwrap_or_default());
        sums[bin] = pair[0] + pair[1];
    }
}

impl SeriesMeter {
    pub(super) fn new(
        resources: &ResourceTypes,
        queues: usize,
        simulation: &Simulation<'_>,
    ) -> Self {
        let zeros = || vec![0.0; BINS];
        let fleets: Vec<(usize, usize)> = simulation.pool_fleets().collect();
        let unit = |name: &str| {
            let position = resources.position(name)?;
            Some((position, resources.base_unit(position)))
        };
        let units = [unit(CPU), unit(GPU)];
        // The sums over the first nanosecond are the capacities.
        let sums: Vec<Vec<i128>> =
            (0..fleets.len()).map(|pool| simulation.capacity_sums(pool, 1)).collect();
        let capacity = units.map(|unit| {
            let Some((position, unit)) = unit else { return Figure::default() };
            let of_pools = sums.iter().filter_map(|sums| sums.get(position));
            Figure(seconds(of_pools.sum::<i128>()) * 1e9 * unit)
        });
        Self {
            bins: Bins { width: FIRST_WIDTH },
            queues: (0..queues).map(|_| std::array::from_fn(|_| zeros())).collect(),
            shares: vec![(0, vec![[0.0; 2]; queues]); fleets.len()],
            nodes: fleets.iter().map(|(nodes, _)| nodes).sum(),
            down_since: BTreeMap::new(),
            down: zeros(),
            has_failing_nodes: fleets.iter().any(|(_, can_fail)| *can_fail > 0),
            ends: std::array::from_fn(|_| zeros()),
            resources: units,
            capacity,
        }
    }

    /// Makes bins long enough for a time.
    fn reach(&mut self, time: Nanoseconds) {
        let last = Nanoseconds::try_from(BINS).unwrap_or(Nanoseconds::MAX);
        // The width doubles, so that bins of before are joined in pairs and no event is kept.
        while time > self.bins.width.saturating_mul(last) {
            self.bins.width = self.bins.width.saturating_mul(2);
            self.queues.iter_mut().flatten().for_each(|sums| halve(sums));
            self.ends.iter_mut().for_each(|counts| halve(counts));
            halve(&mut self.down);
        }
    }

    /// Adds the wait before a run that begins.
    pub(super) fn event(&mut self, event: &Event, queue: usize) {
        if event.kind == EventKind::Leased {
            self.wait(event, queue, event.time);
        }
    }

    fn wait(&mut self, event: &Event, queue: usize, to: Nanoseconds) {
        self.reach(to);
        let from = event.last_ended.unwrap_or(event.first_submitted);
        self.bins.add(&mut self.queues[queue][WAITING], (from, to), 1.0);
    }

    /// Adds a run that has ended.
    pub(super) fn settled(&mut self, run: &SettledRun, queue: usize, request: &Amounts) {
        let event = &run.event;
        let to = event.time + event.hold;
        self.hold(event, (queue, request), (to - event.allocated(), to));
        let number = match (event.kind, run.outcome) {
            (EventKind::Preempted, _) => 2,
            (EventKind::Failed | EventKind::Stopped, None) => 0,
            (EventKind::Failed | EventKind::Stopped, Some(JobOutcome::Failed)) => 1,
            // Other ends are not drawn.
            _ => return,
        };
        // A job that ended before it had a node did not fail there.
        if event.leased.is_some() {
            self.bins.count(&mut self.ends[number], event.time);
        }
    }

    /// Adds the resources of a run in an interval.
    #[expect(clippy::cast_precision_loss, reason = "a float has 15 digits")]
    fn hold(
        &mut self,
        event: &Event,
        (queue, request): (usize, &Amounts),
        (from, to): (Nanoseconds, Nanoseconds),
    ) {
        self.reach(to);
        let first = [(CORES, RETRY_CORES), (GPUS, RETRY_GPUS)];
        for ((all, of_retries), resource) in first.into_iter().zip(self.resources) {
            let Some((position, unit)) = resource else { continue };
            let amount = request.as_slice().get(position).copied().unwrap_or_default();
            let amount = amount as f64 * unit;
            self.bins.add(&mut self.queues[queue][all], (from, to), amount);
            if event.attempt > 0 {
                self.bins.add(&mut self.queues[queue][of_retries], (from, to), amount);
            }
        }
    }

    /// Sets the shares of a round, which hold until the next one.
    pub(super) fn round(&mut self, round: &PoolRound<'_>) {
        self.advance(round.pool, round.time);
        let queues = round.outcome.queues.iter().zip(round.entitled);
        let shares = queues.map(|(queue, entitled)| [*entitled, queue.cost_after]);
        self.shares[round.pool].1 = shares.collect();
    }

    fn advance(&mut self, pool: usize, time: Nanoseconds) {
        self.reach(time);
        let pools = Figure::from(self.shares.len() as u64).0;
        let (since, shares) = &mut self.shares[pool];
        for (sums, share) in self.queues.iter_mut().zip(shares) {
            for (number, share) in [ENTITLED, ACTUAL].into_iter().zip(share) {
                self.bins.add(&mut sums[number], (*since, time), *share / pools);
            }
        }
        *since = time;
    }

    /// Counts a node that fails or returns.
    pub(super) fn node(&mut self, event: &NodeEvent) {
        self.reach(event.time);
        if event.failure.is_some() {
            self.down_since.entry(event.node).or_insert(event.time);
        } else if let Some(since) = self.down_since.remove(&event.node) {
            self.bins.add(&mut self.down, (since, event.time), 1.0);
        }
    }

    /// Adds a job that is not finished at the end.
    pub(super) fn open(
        &mut self,
        job: &OpenJob<'_>,
        queue: usize,
        request: &Amounts,
        end: Nanoseconds,
    ) {
        match job.state {
            // A member of a gang that has ended is drawn up to the end: its own is not kept.
            OpenState::Running => self.hold(&job.event, (queue, request), (end - job.held, end)),
            OpenState::Queued | OpenState::BackingOff => self.wait(&job.event, queue, end),
        }
    }

    /// The report of a run that has ended.
    pub(super) fn report(mut self, end: Nanoseconds, names: &[&str]) -> SeriesReport {
        (0..self.shares.len()).for_each(|pool| self.advance(pool, end));
        for since in std::mem::take(&mut self.down_since).into_values() {
            self.bins.add(&mut self.down, (since, end), 1.0);
        }
        let width = self.bins.width;
        let used = usize::try_from((end + width - 1) / width).unwrap_or_default().min(BINS);
        // The last bin may be shorter.
        let length = |bin: usize| {
            let from = Nanoseconds::try_from(bin).unwrap_or_default() * width;
            seconds((width.min(end - from)).into()) * 1e9
        };
        let means = |sums: &[f64]| -> Vec<Figure> {
            let means = sums.iter().take(used).enumerate();
            means.map(|(bin, sum)| Figure(six_decimals(sum / length(bin)))).collect()
        };
        let unless_zero = |sums: &Vec<f64>| {
            // A series of zeros would only make the report longer.
            if sums.iter().all(|sum| *sum == 0.0) { Vec::new() } else { means(sums) }
        };
        let queues = names.iter().zip(&self.queues).map(|(name, sums)| {
            let [cores, gpus, retry_cores, retry_gpus, waiting, entitled, actual] =
                std::array::from_fn(|number| unless_zero(&sums[number]));
            let series =
                QueueSeries { cores, gpus, retry_cores, retry_gpus, waiting, entitled, actual };
            ((*name).to_owned(), series)
        });
        let nodes = Figure::from(self.nodes as u64).0;
        let up =
            means(&self.down).into_iter().map(|down| Figure(six_decimals(1.0 - down.0 / nodes)));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
        let counts = |counts: &Vec<f64>| -> Vec<u64> {
            let mut all: Vec<u64> = counts.iter().take(used).map(|it| *it as u64).collect();
            // An event at the end of the last bin is in the one after it.
            let after: u64 = counts.iter().skip(used).map(|it| *it as u64).sum();
            all.last_mut().into_iter().for_each(|last| *last += after);
            all
        };
        let [failed_retried, failed_ended, preempted] = &self.ends;
        SeriesReport {
            bin_seconds: Figure(seconds(width.into())),
            cores: self.capacity[0],
            gpus: self.capacity[1],
            nodes: self.nodes as u64,
            queues: queues.collect(),
            // Nodes that cannot fail are always up.
            nodes_up: if self.has_failing_nodes { up.collect() } else { Vec::new() },
            failed_retried: counts(failed_retried),
            failed_ended: counts(failed_ended),
            preempted: counts(preempted),
        }
    }
}

/// A mean with six decimals: more are noise of sums.
fn six_decimals(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
