//! Armada's engine behind the one interface: its units are jobs and gangs of jobs.

use super::decision::{Decision, DecisionCode, Grant};
use super::evaluator::Evaluator;
use super::index::Scratch;
use super::interface::{
    Effect, End, Engine, Evaluation, Fact, FactKind, Moment, Recorded, Together, Verdict,
};
use super::profile::SpecialJobs;
use super::resolve::Bindings;
use super::state::JobState;
use crate::history::{Job, Outcome, RunRecord};
use crate::units::{GoDuration, Time};

/// The evaluator together with what binds policies to jobs.
#[derive(Debug)]
pub struct Armada {
    evaluator: Evaluator,
    bindings: Bindings,
}

/// What the engine remembers of a job or a gang. Most units are one job, which then asks for no
/// memory of its own.
#[derive(Debug)]
pub enum UnitState {
    /// A job by itself.
    One(JobState),
    /// The jobs of a gang.
    Many(Vec<JobState>),
}

impl UnitState {
    /// The jobs of the unit.
    pub fn members(&self) -> &[JobState] {
        match self {
            Self::One(job) => std::slice::from_ref(job),
            Self::Many(jobs) => jobs,
        }
    }
}

impl Armada {
    /// An engine over compiled policies.
    pub fn new(evaluator: Evaluator, bindings: Bindings) -> Self {
        Self { evaluator, bindings }
    }

    /// The evaluator.
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// What binds policies to jobs.
    pub fn bindings(&self) -> &Bindings {
        &self.bindings
    }
}

impl Recorded for RunRecord {
    fn started_at(&self) -> Option<Time> {
        self.started_at
    }

    fn time(&self) -> Option<Time> {
        self.time()
    }

    fn length(&self) -> Option<GoDuration> {
        self.length()
    }

    fn node(&self) -> Option<&str> {
        self.node.as_deref()
    }

    fn succeeded(&self) -> bool {
        self.outcome == Outcome::Succeeded
    }

    fn run_index(&self) -> u32 {
        self.run_index
    }
}

impl Engine for Armada {
    type Record = RunRecord;
    type Member = Job;
    type State = UnitState;
    type Decision = Decision;
    type Memory = Scratch;

    const TOGETHER: Together = Together::Unit;
    const DRAWS: bool = false;

    fn runs<'m>(&self, job: &'m Job) -> &'m [RunRecord] {
        &job.runs
    }

    /// A gang is known by queue, job set and id (semantics.md, section 9). Where the profile knows
    /// no gangs its jobs are units of their own.
    fn unit_key(&self, job: &Job) -> Option<String> {
        if self.evaluator.profile.special_jobs == SpecialJobs::Legacy {
            return None;
        }
        job.gang().map(|gang| format!("{}\u{0}{}\u{0}{}", job.queue, job.job_set, gang.id))
    }

    fn begin(&self, members: &[&Job]) -> UnitState {
        let state = |job: &&Job| JobState::new(job, self.bindings.route(&self.evaluator, job));
        match members {
            // A gang of which one job is known is judged by generations all the same.
            [one] if self.unit_key(one).is_none() => UnitState::One(state(one)),
            many => UnitState::Many(many.iter().map(state).collect()),
        }
    }

    fn evaluate(
        &self,
        unit: &mut UnitState,
        scratch: &mut Scratch,
        moment: &Moment<'_, RunRecord>,
        answer: &mut Evaluation<Decision>,
    ) {
        answer.clear();
        match unit {
            UnitState::One(job) => self.alone(job, moment, scratch, answer),
            UnitState::Many(gang) => self.generation(gang, moment, scratch, answer),
        }
    }

    fn avoided<'s>(&self, unit: &'s UnitState, member: usize, decision: &Decision) -> &'s [String] {
        unit.members()[member].avoided(decision)
    }
}

/// How a run that needs no decision ends its job.
pub(super) fn undecided_end(outcome: Outcome) -> Option<End> {
    match outcome {
        Outcome::Succeeded => Some(End::Succeeded),
        Outcome::Cancelled => Some(End::Cancelled),
        Outcome::Stopped => Some(End::Failed),
        _ => None,
    }
}

pub(super) fn effect(decision: &Decision) -> Effect {
    if !decision.code.retries() {
        return Effect::End(End::Failed);
    }
    let grant = decision.grant;
    Effect::Rerun {
        delay: grant.and_then(|grant| grant.delay),
        not_before: grant.and_then(|grant| grant.retry_after),
        counted: decision.code == DecisionCode::Retry,
    }
}

fn ended<'r>(fact: &Fact<'r, RunRecord>) -> Option<(usize, &'r RunRecord)> {
    match fact.kind {
        FactKind::Ended(run) => Some((fact.member, run)),
        _ => None,
    }
}

impl Armada {
    /// A job by itself: its run is judged as soon as it has ended.
    fn alone(
        &self,
        job: &mut JobState,
        moment: &Moment<'_, RunRecord>,
        scratch: &mut Scratch,
        answer: &mut Evaluation<Decision>,
    ) {
        let Some((member, run)) = moment.facts.iter().find_map(ended) else { return };
        if let Some(end) = undecided_end(run.outcome) {
            self.evaluator.observe(job, run, run.outcome);
            answer.verdicts.push(Verdict { member, effect: Effect::End(end), decision: None });
            answer.fate = Some(end);
            return;
        }
        let decision = self.evaluator.decide(job, run, moment.now, scratch);
        let effect = effect(&decision);
        if let Effect::End(end) = effect {
            answer.fate = Some(end);
        }
        answer.verdicts.push(Verdict { member, effect, decision: Some(decision) });
    }

    /// A gang: the generation is judged when its last member has ended (semantics.md, section 9).
    fn generation(
        &self,
        gang: &mut [JobState],
        moment: &Moment<'_, RunRecord>,
        scratch: &mut Scratch,
        answer: &mut Evaluation<Decision>,
    ) {
        let waiting = moment.facts.iter().any(|fact| matches!(fact.kind, FactKind::Live));
        let ends: Vec<(usize, &RunRecord)> = moment.facts.iter().filter_map(ended).collect();
        if waiting || ends.is_empty() {
            return;
        }
        for (member, run) in &ends {
            self.evaluator.observe(&mut gang[*member], run, run.outcome);
        }
        let cancelled = ends.iter().any(|(_, run)| run.outcome == Outcome::Cancelled);
        if cancelled || ends.iter().all(|(_, run)| run.outcome == Outcome::Succeeded) {
            answer.fate = Some(if cancelled { End::Cancelled } else { End::Succeeded });
            answer.verdicts.extend(ends.iter().map(|(member, run)| {
                let end =
                    if run.outcome == Outcome::Succeeded { End::Succeeded } else { End::Cancelled };
                Verdict { member: *member, effect: Effect::End(end), decision: None }
            }));
            return;
        }
        let mut rulings: Vec<Option<Decision>> = Vec::with_capacity(ends.len());
        for (member, run) in &ends {
            let failure = self.evaluator.failure(run);
            rulings.push(match undecided_end(run.outcome) {
                Some(_) => None,
                None => Some(self.evaluator.rule_on(&gang[*member], &failure, moment.now, scratch)),
            });
        }
        if rulings.iter().flatten().any(|ruling| !ruling.code.retries()) {
            Self::end_gang(gang, &ends, &rulings, answer);
        } else {
            self.rerun_gang(gang, &ends, rulings, moment.now, answer);
        }
    }

    /// One member failed for good: those that said Retry fail with it, uncharged.
    fn end_gang(
        gang: &[JobState],
        ends: &[(usize, &RunRecord)],
        rulings: &[Option<Decision>],
        answer: &mut Evaluation<Decision>,
    ) {
        answer.fate = Some(End::Failed);
        for ((member, run), ruling) in ends.iter().zip(rulings) {
            let end = undecided_end(run.outcome).unwrap_or(End::Failed);
            let decision = ruling.map(|ruling| Self::overruled(&gang[*member], ruling));
            answer.verdicts.push(Verdict { member: *member, effect: Effect::End(end), decision });
        }
    }

    /// A Retry that its gang's end turned into Fail keeps the rule it named, with the counts as
    /// they were before it.
    fn overruled(job: &JobState, decision: Decision) -> Decision {
        if !decision.code.retries() {
            return decision;
        }
        let granted = u32::from(decision.code == DecisionCode::Retry);
        Decision {
            code: DecisionCode::FailGang,
            used: decision.used.map(|used| super::Use { count: used.count - granted, ..used }),
            total_retries: decision.total_retries - granted,
            grant: None,
            memory_bytes: job.memory.and_then(|memory| job.growth.of(memory)),
            ..decision
        }
    }

    /// Every member runs again; only those that failed are charged. All wait for the generation's
    /// end and the longest delay.
    fn rerun_gang(
        &self,
        gang: &mut [JobState],
        ends: &[(usize, &RunRecord)],
        rulings: Vec<Option<Decision>>,
        now: Option<Time>,
        answer: &mut Evaluation<Decision>,
    ) {
        let delays = rulings.iter().flatten().filter_map(|ruling| ruling.grant?.delay);
        let longest = delays.max().unwrap_or(GoDuration::ZERO);
        let ended = ends.iter().map(|(_, run)| run.finished_at).collect::<Option<Vec<_>>>();
        let shared = ended.and_then(|times| times.into_iter().max()).map(|end| end.plus(longest));
        for ((member, run), ruling) in ends.iter().zip(rulings) {
            let job = &mut gang[*member];
            let mut decision = match ruling {
                Some(ruling) => {
                    self.evaluator.charge(job, &ruling, run.outcome);
                    ruling
                }
                None => self.gang_rerun(job, run, now),
            };
            if let Some(grant) = &mut decision.grant {
                grant.retry_after = shared;
            }
            let effect = effect(&decision);
            answer.verdicts.push(Verdict { member: *member, effect, decision: Some(decision) });
        }
    }

    fn gang_rerun(&self, job: &JobState, run: &RunRecord, now: Option<Time>) -> Decision {
        let switches = self.evaluator.settings.at(now);
        Decision {
            code: DecisionCode::GangRerun,
            grant: Some(Grant { delay: None, retry_after: None, avoids_nodes: false }),
            ..self.evaluator.undecided(job, run.run_index, switches)
        }
    }
}
