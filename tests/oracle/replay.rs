//! A unit, a job or a gang, through its generations (sections 5, 9 and 10).

use super::Engine;
use super::World;
use super::decide::{Case, decide};
use super::decision::{Code, Decision};
use super::history::{Job, Run, RunOutcome};
use super::policy::{Action, Policy};
use super::time::Nanos;

/// How a job ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    Succeeded,
    Failed,
    Unresolved,
    Cancelled,
}

/// One job and its effective policies.
pub struct Member<'a> {
    pub job: &'a Job,
    pub policies: Vec<&'a Policy>,
}

/// What became of a job.
pub struct Fate {
    /// "A Retry with no recorded next run is `Unresolved`": so it stays until something ends the job.
    pub outcome: Outcome,
    pub decisions: Vec<Decision>,
    /// How many of its recorded runs were reached.
    pub reached: usize,
    pub contradictions: usize,
}

/// Replays a unit; one fate a member, in the members' order. A job without a gang is a unit of one.
pub fn replay(world: &World, members: &[Member]) -> Vec<Fate> {
    let mut unit = Unit { world, members, fates: members.iter().map(|_| Fate::new()).collect() };
    let mut clock = None;
    let mut generation = 0;
    loop {
        let present = unit.present(generation);
        if present.is_empty() {
            return unit.fates;
        }
        let times = present.iter().filter_map(|&member| unit.run(member, generation).time());
        clock = times.chain(clock).max();
        if unit.generation(generation, &present, clock).is_some() {
            return unit.fates;
        }
        generation += 1;
    }
}

/// The unit has ended.
struct Over;

struct Unit<'a> {
    world: &'a World,
    members: &'a [Member<'a>],
    fates: Vec<Fate>,
}

impl Fate {
    fn new() -> Self {
        Self { outcome: Outcome::Unresolved, decisions: Vec::new(), reached: 0, contradictions: 0 }
    }
}

impl Unit<'_> {
    /// "Generation g is each member's g-th recorded run; a member without one takes no part."
    fn present(&self, generation: usize) -> Vec<usize> {
        let members = 0..self.members.len();
        members.filter(|&member| generation < self.members[member].job.runs.len()).collect()
    }

    fn run(&self, member: usize, generation: usize) -> &Run {
        &self.members[member].job.runs[generation]
    }

    /// One generation; something where it was the last.
    fn generation(
        &mut self,
        generation: usize,
        present: &[usize],
        clock: Option<Nanos>,
    ) -> Option<Over> {
        for &member in present {
            self.fates[member].reached = generation + 1;
        }
        let outcome = |&member: &usize| self.run(member, generation).outcome;
        let outcomes: Vec<RunOutcome> = present.iter().map(outcome).collect();
        if outcomes.contains(&RunOutcome::Cancelled) {
            return Some(self.end(present, &outcomes, Outcome::Cancelled));
        }
        if outcomes.iter().all(|outcome| *outcome == RunOutcome::Succeeded) {
            return Some(self.end(present, &outcomes, Outcome::Succeeded));
        }
        if self.world.engine == Engine::V1beta1 && outcomes == [RunOutcome::Stopped] {
            return Some(self.end(present, &outcomes, Outcome::Failed));
        }
        let own: Vec<Option<Decision>> =
            present.iter().map(|&member| self.own_decision(member, generation, clock)).collect();
        let fails = |decision: &Decision| decision.code.action() == Action::Fail;
        if own.iter().flatten().any(fails) {
            for (&member, decision) in present.iter().zip(own) {
                self.fail(member, decision);
            }
            return Some(self.end(present, &outcomes, Outcome::Failed));
        }
        self.rerun(generation, present, own, clock);
        None
    }

    /// "members that succeeded are Succeeded", the others what the unit is.
    fn end(&mut self, present: &[usize], outcomes: &[RunOutcome], others: Outcome) -> Over {
        for (&member, outcome) in present.iter().zip(outcomes) {
            let succeeded = *outcome == RunOutcome::Succeeded;
            self.fates[member].outcome = if succeeded { Outcome::Succeeded } else { others };
        }
        Over
    }

    /// "members that failed each on its own"; nothing for one that succeeded or was stopped.
    fn own_decision(
        &self,
        member: usize,
        position: usize,
        clock: Option<Nanos>,
    ) -> Option<Decision> {
        use RunOutcome::{Stopped, Succeeded};
        if matches!(self.run(member, position).outcome, Succeeded | Stopped) {
            return None;
        }
        Some(decide(&self.case(member, position, clock)))
    }

    fn case(&self, member: usize, position: usize, clock: Option<Nanos>) -> Case<'_> {
        Case {
            world: self.world,
            job: self.members[member].job,
            policies: &self.members[member].policies,
            past: &self.fates[member].decisions,
            position,
            now: self.world.settings.at(clock),
        }
    }

    /// "those that said Retry become Fail [`fail_gang`], uncharged".
    fn fail(&mut self, member: usize, own: Option<Decision>) {
        let Some(mut decision) = own else { return };
        if decision.code.action() == Action::Retry {
            decision = self.refused(member, decision);
        }
        self.fates[member].decisions.push(decision);
    }

    /// "`fail_gang` keeps what its member's own Retry named, with the counts as they were before it."
    fn refused(&self, member: usize, granted: Decision) -> Decision {
        let engine_granted = u64::from(granted.code == Code::Retry);
        let past = &self.fates[member].decisions;
        let limit = granted.limit.map(|mut limit| {
            limit.count -= engine_granted;
            limit
        });
        Decision {
            code: Code::FailGang,
            limit,
            total: granted.total - engine_granted,
            delay: None,
            retry_after: None,
            avoid: Vec::new(),
            memory: super::retry::memory(self.members[member].job, past, None),
            bump: None,
            ..granted
        }
    }

    /// "otherwise every member reruns, also those that succeeded [`gang_rerun`] or were `Stopped`, only failed
    /// members are charged, and retryAfter of all is that end plus the longest delay".
    fn rerun(
        &mut self,
        generation: usize,
        present: &[usize],
        own: Vec<Option<Decision>>,
        clock: Option<Nanos>,
    ) {
        let longest = own.iter().flatten().filter_map(|decision| decision.delay).max().unwrap_or(0);
        let ends: Option<Vec<Nanos>> =
            present.iter().map(|&member| self.run(member, generation).finished).collect();
        let end = ends.and_then(|ends| ends.into_iter().max());
        for (&member, own) in present.iter().zip(own) {
            let rerun = || self.case(member, generation, clock).decision(Code::GangRerun);
            let mut decision = own.unwrap_or_else(rerun);
            if decision.code != Code::LegacyRetry {
                decision.retry_after = end.map(|end| end + longest);
            }
            let contradicted = self.contradicts(member, &decision);
            self.fates[member].contradictions += usize::from(contradicted);
            self.fates[member].decisions.push(decision);
        }
    }

    /// Section 7: "A history whose next run is on an avoided node, or starts before retryAfter".
    fn contradicts(&self, member: usize, decision: &Decision) -> bool {
        let Some(next) = self.members[member].job.runs.get(decision.position + 1) else {
            return false;
        };
        let avoided = next.node.as_ref().is_some_and(|node| decision.avoid.contains(node));
        let early = match (next.started, decision.retry_after) {
            (Some(started), Some(retry_after)) => started < retry_after,
            _ => false,
        };
        avoided || early
    }
}
