//! The shortest sequences of failures after which the two rules of a pair decide otherwise.

use super::difference::{Cause, Difference, DifferenceKind};
use super::finding::{At, Origin};
use super::flow::Flow;
use super::pairs::{Common, Pairs, TOO_LARGE};
use super::side::{Level, Side};
use crate::engine::backoff::Schedule;
use crate::engine::decision::{Decision, DecisionCode};
use crate::engine::evaluator::Evaluator;
use crate::engine::index::Scratch;
use crate::engine::job::{JobFields, Resources};
use crate::engine::memory::Growth;
use crate::engine::run::Outcome;
use crate::engine::state::JobState;
use document::units::{GoDuration, Quantity};
use std::sync::Arc;

/// The memory that the job of a witness requests, in bytes and as a quantity.
const MEMORY: u64 = 1 << 30;
const MEMORY_TEXT: &str = "1Gi";

/// The failures at which the waits of two schedules are compared at most.
const MAX_WAITS: u64 = 10_000;

impl Pairs<'_, '_> {
    /// Adds the differences of a pair.
    pub(super) fn compare_pair(&mut self, at: At) {
        let [old, new] = self.retries(at);
        if old != new {
            let kind = match (old, new) {
                (_, 0) => DifferenceKind::NoLongerRetried,
                (0, _) => DifferenceKind::NowRetried,
                (old, new) if new < old => DifferenceKind::FewerRetries,
                _ => DifferenceKind::MoreRetries,
            };
            self.add(kind, at, &[(at, old.min(new))], Origin::Rules);
        } else if old > 0 {
            self.compare_shared_limits(at, old);
        }
        if old > 0 && new > 0 {
            self.compare_waits(at, old.min(new));
            self.compare_terms(at);
        }
    }

    /// Compares sides that grant the same number of retries by a pair: one of them also counts those of another pair.
    fn compare_shared_limits(&mut self, at: At, retries: u64) {
        let globals = self.sides.map(Side::global);
        let by_rule = self.sides.map(Side::counts_by_rule);
        for stopping in [0, 1] {
            let going = 1 - stopping;
            let limits = self.entry(at).map(|entry| entry.limit);
            // The other side goes on if its rule has granted fewer of these retries.
            if !by_rule[going] || limits[going] != retries || retries >= globals[going] {
                continue;
            }
            let by_job = !by_rule[stopping] || globals[stopping] == retries;
            let stops = |other: At| by_job || side_of(other, stopping) == side_of(at, stopping);
            let goes_on = |other: At| side_of(other, going) != side_of(at, going);
            let kind = match stopping {
                0 => DifferenceKind::MoreRetries,
                _ => DifferenceKind::FewerRetries,
            };
            let others: Vec<At> =
                self.candidates.iter().copied().filter(|it| stops(*it) && goes_on(*it)).collect();
            match self.first_common(&others) {
                Ok(Some(other)) => {
                    let origin = Origin::SharedLimit { side: stopping, other };
                    self.add(kind, at, &[(other, 1), (at, retries - 1)], origin);
                }
                Ok(None) => {}
                Err(reason) => {
                    if !matches!(self.common(at), Common::Absent) {
                        self.add_undecided(at, reason);
                    }
                }
            }
        }
    }

    /// The first of some pairs that both sides retry and that has a failure. The error is the reason that it is not known
    /// whether one has.
    fn first_common(&mut self, pairs: &[At]) -> Result<Option<At>, &'static str> {
        let mut is_known = true;
        for pair in pairs {
            if self.retries(*pair).contains(&0) {
                continue;
            }
            match self.common(*pair) {
                Common::Absent => {}
                Common::Unknown => is_known = false,
                Common::Found(_) => return Ok(Some(*pair)),
            }
        }
        if is_known { Ok(None) } else { Err(TOO_LARGE) }
    }

    /// Compares the waits before retries that both sides grant.
    fn compare_waits(&mut self, at: At, retries: u64) {
        let [old, new] = self.entry(at).map(|entry| entry.schedule);
        if old == new {
            return;
        }
        let wait = |schedule: Option<Schedule>, failures: u64| {
            let failures = u32::try_from(failures).unwrap_or(u32::MAX);
            schedule.map_or(GoDuration::ZERO, |schedule| schedule.wait(failures))
        };
        let global = self.sides.map(Side::global);
        let most = global[0].min(global[1]).min(MAX_WAITS);
        let mut different =
            (1..=most).filter(|failures| wait(old, *failures) != wait(new, *failures));
        let Some(first) = different.next() else {
            if most == MAX_WAITS {
                self.add_undecided(at, LATE_WAITS);
            }
            return;
        };
        if first <= retries {
            return self.add(DifferenceKind::Wait, at, &[(at, first - 1)], Origin::Rules);
        }
        // Retries by other rules come before.
        let steps = self.longest(Some(at), first - 1);
        let length: u64 = steps.iter().map(|(_, times)| times).sum();
        if length == first - 1 {
            self.add(DifferenceKind::Wait, at, &steps, Origin::Rules);
        }
    }

    /// Compares nodes and memory of the retries that both sides grant.
    fn compare_terms(&mut self, at: At) {
        let [old, new] = self.entry(at);
        let avoids = [old, new].map(|entry| entry.avoids.applies(Outcome::Failed));
        let avoidances = self.sides.map(|side| side.evaluator.profile.avoidance);
        let grown = [old, new].map(|entry| {
            let growth = entry.memory.map_or(Growth::None, |bump| Growth::None.plus(bump));
            growth.of(MEMORY).unwrap_or(MEMORY)
        });
        let is_same_bump = old.memory == new.memory;
        let retries = self.retries(at);
        let is_other_avoidance = old.avoids != new.avoids;
        if avoids[0] != avoids[1] {
            self.add(DifferenceKind::Nodes, at, &[], Origin::Rules);
        } else if is_other_avoidance {
            self.compare_nodes_of_bare_runs(at);
        } else if avoids[0] && avoidances[0] != avoidances[1] && retries[0].min(retries[1]) > 1 {
            self.add(DifferenceKind::Nodes, at, &[(at, 1)], Origin::Rules);
        }
        if grown[0] != grown[1] {
            self.add(DifferenceKind::Memory, at, &[], Origin::Rules);
        } else if !is_same_bump {
            self.add_undecided(at, GROWTH);
        }
    }

    /// Compares the nodes that retries avoid after runs that did not fail by themselves: `mutate.affinity` is for Failed runs.
    fn compare_nodes_of_bare_runs(&mut self, at: At) {
        match self.common_of_bare_runs(at) {
            Common::Absent => {}
            Common::Unknown => self.add_undecided(at, EXPIRED_LEASES),
            Common::Found(failure) => {
                self.add_single(DifferenceKind::Nodes, at, failure);
            }
        }
    }

    /// Compares limits of a job's retries that only several rules together reach.
    pub(super) fn compare_global_limits(&mut self) {
        let global = self.sides.map(Side::global);
        let (least, kind) = (global[0].min(global[1]), DifferenceKind::between(global));
        let by_rule = self.sides.iter().all(|side| side.counts_by_rule());
        if global[0] == global[1] || !by_rule {
            return;
        }
        let cause = Cause::Limit { level: Level::Scheduler, values: global };
        for at in self.candidates.clone() {
            // A rule that reaches the limit alone has a difference already.
            let retries = self.retries(at);
            if retries.contains(&0)
                || retries == global
                || matches!(self.common(at), Common::Absent)
            {
                continue;
            }
            let steps = self.longest(Some(at), least);
            if steps.iter().map(|(_, times)| times).sum::<u64>() == least {
                self.add(kind, at, &steps, Origin::Known(cause));
            }
        }
    }

    /// A sequence of retries that both sides grant, of at most this length, after which a pair still has a retry.
    fn longest(&mut self, then: Option<At>, most: u64) -> Vec<(At, u64)> {
        let pairs: Vec<At> = self.candidates.clone();
        let pairs: Vec<At> = pairs
            .into_iter()
            .filter(|at| {
                !self.retries(*at).contains(&0) && !matches!(self.common(*at), Common::Absent)
            })
            .collect();
        let capacity = |side: usize| -> Vec<u64> {
            let limits = self.entries[side].iter().enumerate().map(|(number, entry)| {
                let is_then = then.is_some_and(|at| side_of(at, side) == number);
                entry.limit.min(most.saturating_add(1)).saturating_sub(u64::from(is_then))
            });
            limits.collect()
        };
        let flow = Flow::new([capacity(0), capacity(1)], pairs);
        flow.run(most).into_iter().map(|(old, new, times)| ((old, new), times)).collect()
    }
}

fn side_of(at: At, side: usize) -> usize {
    if side == 0 { at.0 } else { at.1 }
}

const LATE_WAITS: &str =
    "the waits of the first 10,000 failures are equal, and later ones are not compared";
const EXPIRED_LEASES: &str =
    "it is not known whether both match an expired lease, after which they avoid other nodes";
const GROWTH: &str = "the growths of memory differ and have the same result after one retry";

impl Difference {
    /// Whether the evaluators decide otherwise about the last failure, and grant a retry after each one before it.
    pub(super) fn is_confirmed(&self, sides: [&Side<'_>; 2]) -> bool {
        let memory = Quantity::parse(MEMORY_TEXT).ok();
        let job = JobFields {
            resources: Some(Resources { memory, ..Resources::default() }),
            ..JobFields::default()
        };
        let mut states = sides.map(|side| JobState::new(&job, Arc::clone(&side.route)));
        let mut scratches = [Scratch::default(), Scratch::default()];
        let last = self.failures.len().saturating_sub(1);
        for (number, failure) in self.failures.iter().enumerate() {
            let run = failure.run(u32::try_from(number).unwrap_or(u32::MAX));
            let [old, new] = [0, 1].map(|side| {
                let evaluator: &Evaluator = sides[side].evaluator;
                let decision = evaluator.decide(&mut states[side], run, None, &mut scratches[side]);
                Effect::new(&decision, &states[side])
            });
            if number == last {
                return old.differs(&new, self.kind);
            }
            if !(old.retries && new.retries) {
                return false;
            }
        }
        false
    }
}

/// The consequences of a decision for the job.
#[derive(Debug)]
struct Effect {
    retries: bool,
    delay: Option<GoDuration>,
    nodes: Vec<String>,
    memory: u64,
    indexed_pods: bool,
}

impl Effect {
    fn new(decision: &Decision, state: &JobState) -> Self {
        let retries = decision.code.retries();
        let is_engines = decision.code == DecisionCode::Retry;
        Self {
            retries,
            delay: decision.grant.and_then(|grant| grant.delay),
            nodes: state.avoided(decision).to_vec(),
            memory: decision.memory_bytes.unwrap_or(MEMORY),
            indexed_pods: is_engines && decision.indexed_pods,
        }
    }

    fn differs(&self, other: &Self, kind: DifferenceKind) -> bool {
        use DifferenceKind::{
            FewerRetries, Memory, MoreRetries, NoLongerRetried, Nodes, NowRetried, PodNames, Wait,
        };
        match kind {
            NoLongerRetried | FewerRetries => self.retries && !other.retries,
            NowRetried | MoreRetries => !self.retries && other.retries,
            _ if !(self.retries && other.retries) => false,
            Wait => self.delay != other.delay,
            Nodes => self.nodes != other.nodes,
            Memory => self.memory != other.memory,
            PodNames => self.indexed_pods != other.indexed_pods,
            // A job is the only member of its unit.
            DifferenceKind::Members => false,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::engine::compare::WitnessFailure;

    /// The consequences of the last of some failures, on each side.
    type Outcomes = [(bool, Option<GoDuration>, Vec<String>, u64, bool); 2];

    /// The effects of the last decisions on both sides, and the states after them.
    pub(crate) fn effects(
        sides: [&Side<'_>; 2],
        failures: &[WitnessFailure],
    ) -> (Outcomes, String) {
        let memory = Quantity::parse(MEMORY_TEXT).ok();
        let job = JobFields {
            resources: Some(Resources { memory, ..Resources::default() }),
            ..JobFields::default()
        };
        let mut key = String::new();
        let outcomes = sides.map(|side| {
            let mut state = JobState::new(&job, Arc::clone(&side.route));
            let mut scratch = Scratch::default();
            let mut last = (false, None, Vec::new(), 0, false);
            for (number, failure) in failures.iter().enumerate() {
                let run = failure.run(u32::try_from(number).unwrap());
                let decision = side.evaluator.decide(&mut state, run, None, &mut scratch);
                let Effect { retries, delay, nodes, memory, indexed_pods } =
                    Effect::new(&decision, &state);
                last = if retries {
                    (retries, delay, nodes, memory, indexed_pods)
                } else {
                    (false, None, Vec::new(), 0, false)
                };
            }
            let counts: Vec<u32> = side
                .route
                .rules
                .iter()
                .chain(&side.route.default)
                .map(|id| state.count(*id))
                .collect();
            key += &format!("{counts:?} {:?} {:?};", state.total, state.grown_memory());
            last
        });
        (outcomes, key)
    }
}
