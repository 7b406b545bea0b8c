//! Armada's engine over a stream of runs: the same decisions, from less memory.

use super::armada::{Armada, effect, undecided_end};
use super::decision::{Decision, DecisionCode, RuleId};
use super::evaluator::Route;
use super::index::Scratch;
use super::interface::Effect;
use super::ledger::{Ended, pod_wait};
use super::slot::{Seat, Slot, Spills};
use super::state::JobState;
use super::streaming::{Passing, Step, Streaming};
use crate::history::{Job, Outcome, RunRecord};
use crate::policy::Condition;
use crate::units::{GoDuration, Time};
use std::borrow::Cow;
use std::sync::Arc;

/// What jobs of one queue and one set of annotations share.
#[derive(Debug, Clone)]
pub struct Course {
    route: Arc<Route>,
    fail_fast: bool,
    in_gang: bool,
}

/// A run without its texts.
#[derive(Debug, Clone, Copy)]
pub struct Glance {
    outcome: Outcome,
    run_index: u32,
    finished_at: Option<Time>,
    pod_wait: GoDuration,
}

/// What is counted of a job's runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Passed {
    runs: u32,
    failed: u32,
    preempted: u32,
}

impl Ended for Glance {
    fn outcome(&self) -> Outcome {
        self.outcome
    }

    fn run_index(&self) -> u32 {
        self.run_index
    }

    fn finished_at(&self) -> Option<Time> {
        self.finished_at
    }

    fn pod_wait(&self, _: GoDuration) -> GoDuration {
        self.pod_wait
    }
}

impl Default for Glance {
    /// A run of which nothing is known but that it failed.
    fn default() -> Self {
        let (run_index, finished_at) = (0, None);
        Self { outcome: Outcome::Failed, run_index, finished_at, pod_wait: GoDuration::ZERO }
    }
}

impl Glance {
    /// How the run ended.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }
}

impl Streaming for Armada {
    type Run<'t> = RunRecord<Cow<'t, str>>;
    type Course = Course;
    type Glance = Glance;
    type Found = Option<RuleId>;
    type Passed = Passed;
    type Slot = Slot;
    type Spill = Spills;

    fn course(&self, job: &Job) -> Course {
        let route = self.bindings().route(self.evaluator(), job);
        Course { route, fail_fast: job.fail_fast(), in_gang: job.gang().is_some() }
    }

    fn alike(one: &Course, other: &Course) -> bool {
        Arc::ptr_eq(&one.route, &other.route)
    }

    fn wants_nodes(course: &Course) -> bool {
        course.route.avoids_nodes
    }

    fn glance(&self, run: &RunRecord<Cow<'_, str>>) -> Glance {
        let preempted = Condition::Preempted.as_str();
        let preempted = run.outcome == Outcome::Preempted
            || run.conditions.iter().any(|condition| condition == preempted);
        let min_grace = self.evaluator().settings.base().min_grace;
        Glance {
            outcome: run.outcome,
            run_index: run.run_index,
            finished_at: run.finished_at,
            pod_wait: if preempted { pod_wait(run, min_grace) } else { GoDuration::ZERO },
        }
    }

    fn find(
        &self,
        course: &Course,
        run: &RunRecord<Cow<'_, str>>,
        scratch: &mut Scratch,
    ) -> Option<RuleId> {
        if undecided_end(run.outcome).is_some() {
            return None;
        }
        course.route.first_match(&self.evaluator().failure(run), scratch)
    }

    fn passed(passed: &mut Passed, glance: &Glance) {
        passed.runs = passed.runs.saturating_add(1);
        match glance.outcome {
            Outcome::Failed | Outcome::LeaseExpired => {
                passed.failed = passed.failed.saturating_add(1);
            }
            Outcome::Preempted => passed.preempted = passed.preempted.saturating_add(1),
            _ => {}
        }
    }

    fn slot(&self, course: &Course, spills: &mut Spills) -> Slot {
        if !course.route.avoids_nodes {
            return Slot::default();
        }
        // Nodes have to be remembered.
        let state = JobState::new(&Job::default(), Arc::clone(&course.route));
        Slot::spilled(spills, state)
    }

    fn step(
        &self,
        course: &Course,
        passed: Passed,
        slot: &mut Slot,
        spills: &mut Spills,
        run: &Passing<'_, Glance, Option<RuleId>>,
    ) -> Step<Decision> {
        let evaluator = self.evaluator();
        if course.route.avoids_nodes
            && let Some(state) = slot.state_mut(spills)
        {
            evaluator.observe_node(state, run.node);
        }
        if let Some(end) = undecided_end(run.glance.outcome) {
            return Step { effect: Effect::End(end), decision: None };
        }
        let failures = if evaluator.counts_as_failure(Outcome::Preempted) {
            passed.failed.saturating_add(passed.preempted)
        } else {
            passed.failed
        };
        let seat = Seat {
            route: &course.route,
            fail_fast: course.fail_fast,
            in_gang: course.in_gang,
            attempts: passed.runs,
            failures,
            slot: *slot,
            spills,
        };
        let decision = evaluator.judge(&seat, Some(run.glance), run.now, || run.found);
        if let (DecisionCode::Retry, Some(rule)) = (decision.code, decision.rule) {
            let whole = || JobState::new(&Job::default(), Arc::clone(&course.route));
            slot.charge(rule, spills, whole);
        }
        slot.avoid(decision.grant.is_some_and(|grant| grant.avoids_nodes));
        Step { effect: effect(&decision), decision: Some(decision) }
    }

    fn avoids(slot: Slot, spills: &Spills) -> &[String] {
        slot.avoided(spills)
    }
}
