//! Iris behind the engines' one interface: a unit is a job, its members are its tasks.
//!
//! Events come one by one. Tasks that are not on record go on until those that are have ended, and
//! then are taken to have succeeded; until then they are siblings as all others are.

use super::decision::{Change, Decision, Ruling};
use super::job::{Job, number};
use super::outcome::{Outcome, Verdict as Ruled};
use super::policy::Rules;
use super::read::IrisProfile;
use super::record::IrisFields;
use super::standing::{JobState, Standing};
use super::task::TaskState;
use crate::engine::{Effect, End, Engine, Evaluation, FactKind, Moment, Together, Verdict};
use crate::history::{Member, MemberRun};
use crate::units::{GoDuration, Time};

/// The engine of a profile, which judges every job.
#[derive(Debug, Clone, Default)]
pub struct IrisEngine {
    pub(super) profile: IrisProfile,
}

/// What is remembered of a job.
#[derive(Debug, Clone)]
pub struct IrisUnit {
    /// The job.
    pub job: Job,
    /// The member that each task is, or `NONE`; nothing where task n is member n.
    members: Option<Box<[u32]>>,
    /// Tasks that are not on record.
    unrecorded: u32,
    /// Whether it is on record that the job was cancelled: then that is how it ends, if nothing
    /// ends it before.
    cancelled: bool,
    /// Retries granted so far.
    pub(super) retries: u32,
    /// Whether tasks that are not on record were taken to have succeeded.
    pub(super) assumed: bool,
}

/// No member.
const NONE: u32 = u32::MAX;

impl IrisEngine {
    /// The engine of a profile.
    pub fn new(profile: IrisProfile) -> Self {
        Self { profile }
    }

    /// What its decisions go by.
    pub fn rules(&self) -> &Rules {
        &self.profile.rules
    }

    /// Judges the end of an attempt. `at` is when it ended.
    fn judge(
        &self,
        unit: &mut IrisUnit,
        changes: &mut Vec<Change>,
        (member, run): (usize, &MemberRun<IrisFields>),
        answer: &mut Evaluation<Decision>,
    ) {
        let mut decision = unit.job.apply(self.rules(), run.own.event(), changes);
        unit.retries = unit.retries.saturating_add(u32::from(decision.retries()));
        unit.succeed_unrecorded(self.rules());
        answer.fate = fate(unit.job.standing());
        let (effect, decided) = match decision.ruling {
            Ruling::Ignored(_) => (Effect::Keep, false),
            Ruling::Cancelled => (Effect::End(End::Cancelled), false),
            Ruling::Task(ruled) if decision.retries() => {
                (rerun(run.time(), matches!(ruled, Ruled::Retry(_))), true)
            }
            Ruling::Task(_) if decision.event.outcome == Outcome::Succeeded => {
                // A success needs no decision, unless it is what ends a job that failed.
                decision.ends_job = answer.fate.is_some();
                decision.standing = unit.job.standing();
                (Effect::End(End::Succeeded), answer.fate == Some(End::Failed))
            }
            Ruling::Task(_) => (Effect::End(End::Failed), true),
        };
        answer.verdicts.push(Verdict { member, effect, decision: decided.then_some(decision) });
        if answer.fate.is_none() {
            let siblings = changes.iter().filter_map(|change| {
                let effect = match change.to {
                    TaskState::Pending => rerun(run.time(), false),
                    _ => Effect::End(End::Failed),
                };
                Some(Verdict { member: unit.member(change.task)?, effect, decision: None })
            });
            answer.verdicts.extend(siblings);
        }
    }
}

impl IrisUnit {
    fn new(replicas: u32, members: &[&Member<IrisFields>]) -> Self {
        let in_order = |(place, member): (usize, &&Member<_>)| member.key == number(place);
        let placed = (!members.iter().enumerate().all(in_order)).then(|| {
            let mut all = vec![NONE; replicas as usize].into_boxed_slice();
            for (place, member) in members.iter().enumerate() {
                if let Some(slot) = all.get_mut(member.key as usize) {
                    *slot = number(place);
                }
            }
            all
        });
        let recorded = members.iter().filter(|member| member.key < replicas).count();
        let unrecorded = replicas.saturating_sub(number(recorded));
        let mut runs = members.iter().flat_map(|member| &member.runs);
        Self {
            job: Job::new(replicas),
            members: placed,
            unrecorded,
            cancelled: unrecorded > 0 && runs.any(|run| run.own.outcome == Outcome::CancelJob),
            retries: 0,
            assumed: false,
        }
    }

    /// The member that a task is, if it is on record.
    fn member(&self, task: u32) -> Option<usize> {
        let member = match &self.members {
            Some(members) => *members.get(task as usize)?,
            None => task,
        };
        let recorded = number(self.job.tasks().len()).saturating_sub(self.unrecorded);
        (member < recorded).then_some(member as usize)
    }

    /// Lets the tasks that are not on record succeed, once all others are over, unless the job is
    /// cancelled before that.
    fn succeed_unrecorded(&mut self, rules: &Rules) {
        if self.unrecorded > 0 && !self.cancelled && self.job.open() == self.unrecorded {
            self.job.succeed_rest(rules);
            self.assumed = true;
        }
    }
}

impl Engine for IrisEngine {
    type Record = MemberRun<IrisFields>;
    type Member = Member<IrisFields>;
    type State = IrisUnit;
    type Decision = Decision;
    type Memory = Vec<Change>;

    const TOGETHER: Together = Together::Each;
    const DRAWS: bool = false;

    fn runs<'m>(&self, member: &'m Self::Member) -> &'m [Self::Record] {
        &member.runs
    }

    fn unit_key(&self, member: &Self::Member) -> Option<String> {
        (!member.alone).then(|| member.unit.to_string())
    }

    fn begin(&self, members: &[&Self::Member]) -> IrisUnit {
        IrisUnit::new(self.rules().policy.replicas, members)
    }

    fn evaluate(
        &self,
        unit: &mut IrisUnit,
        changes: &mut Vec<Change>,
        moment: &Moment<'_, Self::Record>,
        answer: &mut Evaluation<Decision>,
    ) {
        answer.clear();
        for fact in moment.facts {
            if let FactKind::Ended(run) = fact.kind
                && answer.fate.is_none()
            {
                self.judge(unit, changes, (fact.member, run), answer);
            }
        }
    }

    fn avoided<'s>(&self, _: &'s IrisUnit, _: usize, _: &Decision) -> &'s [String] {
        &[]
    }
}

/// Queued again at once.
fn rerun(at: Option<Time>, counted: bool) -> Effect {
    Effect::Rerun { delay: Some(GoDuration::from_secs(0)), not_before: at, counted }
}

/// How a job is over, if it is.
fn fate(standing: Standing) -> Option<End> {
    match standing.state() {
        JobState::Pending | JobState::Running => None,
        JobState::Succeeded => Some(End::Succeeded),
        JobState::Killed if standing == Standing::Cancelled => Some(End::Cancelled),
        JobState::Failed | JobState::Killed | JobState::WorkerFailed | JobState::Unschedulable => {
            Some(End::Failed)
        }
    }
}
