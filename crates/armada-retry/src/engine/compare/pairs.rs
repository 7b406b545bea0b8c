//! The pairs of rules, one of each side, that are first to match the same failures.

use super::difference::{Cause, Comparison, Difference, DifferenceKind, Undecided};
use super::failure::WitnessFailure;
use super::finding::{At, Finding, Origin};
use super::side::{Entry, Side};
use crate::engine::index::Scratch;
use crate::engine::profile::{PodNames, Preempted};
use crate::engine::run::Outcome;
use crate::policy::{CommonFailure, Condition, Pair, Prepared, Symptoms, Texts};
use document::units::GoDuration;
use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

/// A failure that a pair of rules is first to match.
#[derive(Debug, Clone)]
pub(super) enum Common {
    /// There is one.
    Found(WitnessFailure),
    /// There is none.
    Absent,
    /// It is not known.
    Unknown,
}

/// The pairs of rules of two sides.
pub(super) struct Pairs<'s, 'e> {
    pub(super) sides: [&'s Side<'e>; 2],
    pub(super) prepared: [Vec<Prepared<'e>>; 2],
    texts: RefCell<Texts>,
    pub(super) entries: [Vec<Entry>; 2],
    /// The pairs that may have a common failure.
    pub(super) candidates: Vec<At>,
    common: HashMap<At, Common>,
    scratch: [Scratch; 2],
    /// The differences that are in no group yet.
    pub(super) findings: Vec<Finding>,
    pub(super) found: Comparison,
}

impl<'s, 'e> Pairs<'s, 'e> {
    pub(super) fn new(old: &'s Side<'e>, new: &'s Side<'e>) -> Self {
        let sides = [old, new];
        let mut prepared = sides.map(|side| side.rules().map(Prepared::new).collect::<Vec<_>>());
        let mut texts = Texts::default();
        for rules in &mut prepared {
            texts.number(rules);
        }
        let entries = sides.map(Side::entries);
        let mut pairs = Self {
            sides,
            prepared,
            texts: RefCell::new(texts),
            entries,
            candidates: Vec::new(),
            common: HashMap::new(),
            scratch: [Scratch::default(), Scratch::default()],
            findings: Vec::new(),
            found: Comparison::default(),
        };
        pairs.candidates = pairs.find_candidates();
        pairs
    }

    /// The pairs that equal rules, and lists of names and codes, do not exclude.
    fn find_candidates(&self) -> Vec<At> {
        let [old, new] = &self.prepared;
        // A rule that the other side has too decides there at the latest.
        let last = |rules: &[Prepared<'_>], others: &[Prepared<'_>]| -> Vec<usize> {
            let last = |rule: &Prepared<'_>| others.iter().position(|other| other.is_equal(rule));
            let each = rules.iter().map(|rule| last(rule).unwrap_or(others.len()));
            each.chain([others.len()]).collect()
        };
        let (last_new, last_old) = (last(old, new), last(new, old));
        let mut candidates = Vec::new();
        for (one, last_new) in last_new.iter().enumerate() {
            let others = last_old.iter().enumerate().take(last_new + 1);
            let may_share = |(other, last_old): &(usize, &usize)| {
                one <= **last_old && !self.pair((one, *other)).is_disjoint()
            };
            candidates.extend(others.filter(may_share).map(|(other, _)| (one, other)));
        }
        candidates
    }

    fn pair(&self, (one, other): At) -> Pair<'_, 'e> {
        Pair {
            lists: [&self.prepared[0], &self.prepared[1]],
            numbers: [one, other],
            always: None,
            texts: &self.texts,
        }
    }

    /// A pair of rules for preempted runs.
    fn preempted_pair(&self, at: At) -> Pair<'_, 'e> {
        Pair { always: Some(Condition::Preempted), ..self.pair(at) }
    }

    /// The entries of a pair.
    pub(super) fn entry(&self, at: At) -> [&Entry; 2] {
        [&self.entries[0][at.0], &self.entries[1][at.1]]
    }

    /// The retries that each side grants if this pair decides about every failure.
    pub(super) fn retries(&self, at: At) -> [u64; 2] {
        let [old, new] = self.entry(at);
        [self.sides[0].retries(old), self.sides[1].retries(new)]
    }

    /// The common failure of a pair.
    pub(super) fn common(&mut self, at: At) -> Common {
        if let Slot::Occupied(known) = self.common.entry(at) {
            return known.get().clone();
        }
        let common = match self.pair(at).search() {
            CommonFailure::Found(symptoms) => self.witness(at, &symptoms),
            CommonFailure::Absent => Common::Absent,
            CommonFailure::Unknown => Common::Unknown,
        };
        self.common.insert(at, common.clone());
        common
    }

    /// The failure with these symptoms, as both evaluators match it.
    fn witness(&mut self, at: At, symptoms: &Symptoms<'_>) -> Common {
        let wanted = self.entry(at).map(|entry| entry.id);
        for failure in WitnessFailure::candidates(symptoms, self.sides) {
            let matched = [0, 1].map(|side| self.matched(side, &failure));
            if matched == wanted.map(|id| id.map(|id| id.0)) {
                return Common::Found(failure);
            }
        }
        Common::Unknown
    }

    /// The number of the rule or default that decides about a failure.
    fn matched(&mut self, number: usize, failure: &WitnessFailure) -> Option<u32> {
        let side = self.sides[number];
        if side.is_legacy() {
            return None;
        }
        let failure = side.evaluator.failure(failure.run(0));
        side.route.matched(&failure, &mut self.scratch[number])
    }

    /// Compares the sides.
    pub(super) fn compare(mut self) -> Comparison {
        for at in self.candidates.clone() {
            self.compare_pair(at);
        }
        self.compare_global_limits();
        self.compare_returned_leases();
        self.compare_preempted();
        self.compare_pod_names();
        self.compare_grace_periods();
        self.group();
        self.found
    }

    /// Adds a difference of a pair after these steps, if the pair and each step have a failure.
    pub(super) fn add(
        &mut self,
        kind: DifferenceKind,
        at: At,
        steps: &[(At, u64)],
        origin: Origin,
    ) {
        let (mut failures, mut total) = (Vec::new(), 0_u64);
        for (step, times) in steps.iter().chain([&(at, 1)]) {
            match self.common(*step) {
                Common::Absent => return,
                Common::Unknown => return self.add_undecided(at, TOO_LARGE),
                Common::Found(failure) => failures.push((failure, *times)),
            }
            total = total.saturating_add(*times);
        }
        if total > MAX_FAILURES {
            return self.add_undecided(at, TOO_LONG);
        }
        // Else a grace period that is longer than both waits hides the difference.
        if let (DifferenceKind::Wait, Some((last, _))) = (kind, failures.last_mut()) {
            last.is_pod_gone = last.is_preempted();
        }
        failures.retain(|(_, times)| *times > 0);
        self.findings.push(Finding { kind, at: [Some(at.0), Some(at.1)], steps: failures, origin });
    }

    /// Adds a difference about one failure of a pair.
    pub(super) fn add_single(&mut self, kind: DifferenceKind, at: At, failure: WitnessFailure) {
        let (at, origin) = ([Some(at.0), Some(at.1)], Origin::Rules);
        self.findings.push(Finding { kind, at, steps: vec![(failure, 1)], origin });
    }

    pub(super) fn add_undecided(&mut self, at: At, reason: &'static str) {
        let [old, new] = self.entry(at).map(|entry| entry.id);
        let undecided = Undecided { old, new, reason };
        if !self.found.undecided.contains(&undecided) {
            self.found.undecided.push(undecided);
        }
    }

    /// Compares the attempts after returned leases, which the legacy path decides about.
    fn compare_returned_leases(&mut self) {
        let most = self.sides.map(|side| side.evaluator.settings.base().max_retries);
        if most[0] == most[1] {
            return;
        }
        // The run that fails is among the attempts.
        let number = most[0].min(most[1]).max(1);
        let kind = DifferenceKind::between(most);
        if most.map(|most| most.max(1)) == [number, number] {
            return;
        }
        let failure = WitnessFailure::bare(Outcome::LeaseReturned);
        let steps = vec![(failure, u64::from(number).min(MAX_FAILURES))];
        let origin = Origin::Known(Cause::ReturnedLeases(most.map(u64::from)));
        self.findings.push(Finding { kind, at: [None, None], steps, origin });
    }

    /// Compares preempted runs, if one side evaluates them and the other ends the job.
    fn compare_preempted(&mut self) {
        let is_evaluated = self.sides.map(|side| {
            side.evaluator.profile.preempted == Preempted::Evaluated && !side.is_legacy()
        });
        let (evaluated, kind) = match is_evaluated {
            [true, false] => (0, DifferenceKind::NoLongerRetried),
            [false, true] => (1, DifferenceKind::NowRetried),
            _ => return,
        };
        let is_off = self.sides.iter().any(|side| side.is_legacy());
        let cause = if is_off { Cause::Engine } else { Cause::Form };
        for number in 0..self.entries[evaluated].len() {
            let entry = &self.entries[evaluated][number];
            if self.sides[evaluated].retries(entry) == 0 {
                continue;
            }
            let mut at = [None, None];
            at[evaluated] = Some(number);
            let id = entry.id;
            let pair = Pair {
                lists: [&self.prepared[evaluated], &[]],
                numbers: [number, 0],
                always: Some(Condition::Preempted),
                texts: &self.texts,
            };
            let failure = match pair.search_bare() {
                CommonFailure::Found(symptoms) => WitnessFailure::preempted(&symptoms),
                CommonFailure::Absent => continue,
                CommonFailure::Unknown => {
                    let [old, new] = at.map(|place| place.and(id));
                    self.found.undecided.push(Undecided { old, new, reason: TOO_LARGE });
                    continue;
                }
            };
            let (steps, origin) = (vec![(failure, 1)], Origin::Known(cause));
            self.findings.push(Finding { kind, at, steps, origin });
        }
    }

    /// A run whose lease expired, or that was preempted, that a pair is first to match.
    pub(super) fn common_of_bare_runs(&mut self, at: At) -> Common {
        let wanted = self.entry(at).map(|entry| entry.id.map(|id| id.0));
        let mut common = Common::Absent;
        for outcome in [Outcome::LeaseExpired, Outcome::Preempted] {
            let pair = match outcome {
                Outcome::Preempted => self.preempted_pair(at),
                _ => self.pair(at),
            };
            let symptoms = match pair.search_bare() {
                CommonFailure::Found(symptoms) => symptoms,
                CommonFailure::Absent => continue,
                CommonFailure::Unknown => {
                    common = Common::Unknown;
                    continue;
                }
            };
            let failure = match outcome {
                Outcome::Preempted => WitnessFailure::preempted(&symptoms),
                _ => WitnessFailure::without_containers(&symptoms, outcome),
            };
            // An expired lease without a category has one of Armada's.
            let named = WitnessFailure { category: UNLISTED.to_owned(), ..failure.clone() };
            let has_category = !failure.category.is_empty();
            for failure in [failure].into_iter().chain((!has_category).then_some(named)) {
                if [0, 1].map(|side| self.matched(side, &failure)) == wanted {
                    return Common::Found(failure);
                }
            }
            common = Common::Unknown;
        }
        common
    }

    /// Compares the waits of retries of preempted runs whose pods end after the grace period. They are longest after the first
    /// failure, in comparison to the backoff.
    fn compare_grace_periods(&mut self) {
        let periods = self.sides.map(Side::grace_period);
        let cause = match self.sides.map(|side| side.evaluator.profile.waits) {
            [old, new] if old != new => Cause::PreemptedPods,
            _ => Cause::GracePeriod(periods),
        };
        if periods[0] == periods[1] || self.sides.iter().any(|side| side.is_legacy()) {
            return;
        }
        let (found, mut unknown) = (self.findings.len(), None);
        for at in self.candidates.clone() {
            let wait = |entry: &Entry| entry.schedule.map_or(GoDuration::ZERO, |it| it.wait(1));
            let [old, new] = self.entry(at).map(wait);
            let is_other_wait = old.max(periods[0]) != new.max(periods[1]);
            // Between the forms, waits of other runs that differ are a finding of their own.
            let is_found = cause == Cause::PreemptedPods && old != new;
            if self.retries(at).contains(&0) || !is_other_wait || is_found {
                continue;
            }
            match self.common_preempted(at) {
                Common::Found(failure) => {
                    let (kind, steps) = (DifferenceKind::Wait, vec![(failure, 1)]);
                    let (at, origin) = ([Some(at.0), Some(at.1)], Origin::Known(cause));
                    self.findings.push(Finding { kind, at, steps, origin });
                }
                Common::Absent => {}
                Common::Unknown => unknown = unknown.or(Some(at)),
            }
        }
        if let (Some(at), true) = (unknown, found == self.findings.len()) {
            self.add_undecided(at, PREEMPTED);
        }
    }

    /// A preempted run that a pair is first to match, and whose retries wait for another time.
    fn common_preempted(&mut self, at: At) -> Common {
        let mut failures = Vec::new();
        let mut is_known = true;
        match self.preempted_pair(at).search_bare() {
            CommonFailure::Found(symptoms) => failures.extend([
                WitnessFailure::preempted(&symptoms),
                WitnessFailure::without_containers(&symptoms, Outcome::Failed),
            ]),
            CommonFailure::Absent => {}
            CommonFailure::Unknown => is_known = false,
        }
        match self.preempted_pair(at).search() {
            CommonFailure::Found(symptoms) => {
                failures.extend(WitnessFailure::candidates(&symptoms, self.sides));
            }
            CommonFailure::Absent => {}
            CommonFailure::Unknown => is_known = false,
        }
        is_known &= failures.is_empty();
        let ids = self.entry(at).map(|entry| entry.id);
        for failure in failures {
            let matched = [0, 1].map(|side| self.matched(side, &failure));
            let difference = Difference {
                kind: DifferenceKind::Wait,
                old: ids[0],
                new: ids[1],
                failures: vec![failure.clone()],
            };
            if matched == ids.map(|id| id.map(|id| id.0)) && difference.is_confirmed(self.sides) {
                return Common::Found(failure);
            }
        }
        if is_known { Common::Absent } else { Common::Unknown }
    }

    /// Compares the names of the pods of retries: those of the first pair that both sides retry.
    fn compare_pod_names(&mut self) {
        let names = self.sides.map(|side| {
            side.evaluator.settings.at(None).enabled
                && side.evaluator.profile.pod_names == PodNames::ByRun
        });
        if names[0] == names[1] {
            return;
        }
        for at in self.candidates.clone() {
            if self.retries(at).contains(&0) {
                continue;
            }
            if let Common::Found(failure) = self.common(at) {
                return self.add_single(DifferenceKind::PodNames, at, failure);
            }
        }
    }
}

/// A category that rules do not list; the match is checked.
const UNLISTED: &str = "unlisted-category";

/// The failures of the longest witness: more are no longer an example.
const MAX_FAILURES: u64 = 10_000;

pub(super) const TOO_LARGE: &str =
    "the automata of their patterns are too large, or there are too many combinations of lists";
const PREEMPTED: &str =
    "it is not known whether both match a preempted run, whose retries wait otherwise";
const TOO_LONG: &str = "the shortest sequence of failures is longer than 10,000";
pub(super) const NOT_CONFIRMED: &str = "the evaluator does not confirm the difference";
