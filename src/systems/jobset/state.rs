//! What is remembered of a JobSet from one moment to the next.

use super::super::job::{FailureReason, KnownMember};
use super::apply::Terminal;
use super::child::{Child, Room, Standing};
use super::counters::Counters;
use super::engine::JobSetEngine;
use super::in_place::PodAttempt;
use super::model::{JobSet, SuccessOperator};
use super::record::SetFields;
use super::rule::FailedJob;
use crate::history::Member;
use crate::systems::without_namespace;
use crate::units::Time;
use compact_str::CompactString;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::collections::HashMap;

/// What the engine remembers of a JobSet.
#[derive(Debug)]
pub struct SetState {
    /// The manifest it is judged by; none if there are several and none has its name.
    pub(super) manifest: Option<usize>,
    pub(super) children: SmallVec<[Child; 1]>,
    /// What each member is there.
    pub(super) places: SmallVec<[Place; 1]>,
    pub(super) counters: Counters,
    /// Jobs that have failed and wait for an evaluation.
    pub(super) pending: Vec<Pending>,
    /// Restarts and replacements so far.
    pub(super) total: u32,
    /// Why it failed, once it has.
    pub(super) terminal: Option<Terminal>,
}

/// A member of a set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Its Job, and its place there.
    pub(super) child: usize,
    pub(super) seat: usize,
    /// What it tells of restarts in place.
    pub(super) attempt: PodAttempt,
}

/// So many child Jobs are looked through by name without an index of theirs.
const FEW: usize = 8;

/// A Job that has failed.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) child: usize,
    /// The member that tells of it.
    pub(super) member: usize,
    /// When, if that is known.
    pub(super) failed_at: Option<Time>,
    pub(super) reason: Reason,
    /// Its message, if any rule reads messages.
    pub(super) message: Cow<'static, str>,
    /// Whether the controller has been found unable to act on it.
    pub(super) stuck: bool,
}

/// The reason of a Job's failure.
#[derive(Debug)]
pub(super) enum Reason {
    /// One that was worked out from its pods.
    Derived(FailureReason),
    /// One on record.
    Recorded(CompactString),
}

impl Reason {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Derived(reason) => reason.as_str(),
            Self::Recorded(text) => text,
        }
    }
}

impl Pending {
    /// The Job as rules see it.
    pub(super) fn seen<'s>(&'s self, children: &'s [Child]) -> Option<FailedJob<'s>> {
        let child = children.get(self.child)?;
        Some(FailedJob {
            name: &child.name,
            replicated_job: &child.label,
            job_index: child.job_index,
            reason: self.reason.as_str(),
            message: &self.message,
            failed_at: self.failed_at.map_or(i64::MIN, Time::epoch_seconds),
        })
    }
}

impl SetState {
    /// A set of which nothing has happened yet.
    pub(super) fn new(engine: &JobSetEngine, members: &[&Member<SetFields>]) -> Self {
        let manifest = members.first().and_then(|member| engine.manifest(&member.unit));
        let set = manifest.and_then(|number| engine.sets.get(number)).map(|numbered| &numbered.set);
        let mut children: SmallVec<[Child; 1]> = SmallVec::new();
        let mut by_name: HashMap<&str, usize> = HashMap::new();
        let mut places = SmallVec::with_capacity(members.len());
        for (number, member) in members.iter().enumerate() {
            let (name, _) = &member.key;
            let runs = || member.runs.iter().map(|run| &run.own);
            let few = children.len() <= FEW;
            let known = if few {
                children.iter().position(|child| *child.name == **name)
            } else {
                by_name.get(name.as_str()).copied()
            };
            let place = known.unwrap_or_else(|| {
                let telling = runs().find(|run| !run.replicated_job.is_empty());
                children.push(Child::new(name, telling.or_else(|| runs().next())));
                children.len() - 1
            });
            if known.is_none() && members.len() > FEW {
                by_name.insert(name, place);
            }
            let Some(child) = children.get_mut(place) else { continue };
            let first = member.runs.first();
            let known = first.map(|run| KnownMember::of_first(&run.own.pod, run.started_at));
            places.push(Place {
                child: place,
                seat: child.seat(number, known.unwrap_or_default()),
                attempt: PodAttempt::default(),
            });
        }
        let unit = members.first().map_or("", |member| &member.unit);
        if let Some(set) = set {
            for child in &mut children {
                identify(child, unit, set);
            }
        }
        Self {
            manifest,
            children,
            places,
            counters: Counters::default(),
            pending: Vec::new(),
            total: 0,
            terminal: None,
        }
    }

    /// Restarts the whole set: all that is pending is made good with it.
    pub(super) fn restart_all(&mut self, now: Option<Time>, room: &mut Room) {
        self.pending.clear();
        for place in &mut self.places {
            place.attempt = PodAttempt::default();
        }
        for child in &mut self.children {
            child.restart(now, room);
        }
    }

    /// When the first of its Jobs fails whatever its pods do, if any does.
    pub(super) fn deadline(&self, engine: &JobSetEngine, set: &JobSet) -> Option<Time> {
        let of = |child: &Child| child.deadline(engine.policy(set, child.replicated_job));
        self.children.iter().filter_map(of).min()
    }

    /// Pods that go on by their last record.
    pub(super) fn running(&self) -> u32 {
        let jobs = self.children.iter().filter_map(|child| child.job.as_ref());
        jobs.map(|job| job.running()).fold(0, u32::saturating_add)
    }

    /// Whether every Job on record has done its work.
    pub(super) fn is_all_done(&self) -> bool {
        self.children.iter().all(|child| child.standing == Standing::Complete)
    }

    /// Whether the set has succeeded. Jobs that are not on record are taken to have done their work,
    /// but not before those that are: a policy that looks at none on record waits for all.
    pub(super) fn is_complete(&self, set: &JobSet) -> bool {
        let policy = &set.success_policy;
        let targets = || self.children.iter().filter(|child| policy.looks_at(&child.label));
        let is_done = |child: &Child| child.standing == Standing::Complete;
        let is_met = match policy.operator {
            SuccessOperator::Any => targets().any(is_done),
            SuccessOperator::All => targets().next().is_some() && targets().all(is_done),
        };
        is_met || self.is_all_done()
    }
}

/// Says which replicated Job a Job is of, and its index there. JobSet names Jobs
/// `<set>-<replicatedJob>-<index>`, which says it where the record does not.
pub(super) fn identify(child: &mut Child, unit: &str, set: &JobSet) {
    let told = !child.label.is_empty() && child.job_index.is_some();
    let named = if told { None } else { named(unit, &child.name) };
    let is_here = |name: &str| set.replicated_jobs.iter().any(|job| *job.name == *name);
    if let Some((job, index)) = named.filter(|(job, _)| is_here(job))
        && (child.label.is_empty() || *child.label == *job)
    {
        child.job_index = child.job_index.or(Some(index));
        if child.label.is_empty() {
            child.label = job.into();
        }
    }
    child.replicated_job = set.replicated_jobs.iter().position(|job| *job.name == *child.label);
}

/// The replicated Job and the index that the name of a set's Job says.
fn named<'n>(unit: &str, name: &'n str) -> Option<(&'n str, u32)> {
    let of_set = name.strip_prefix(without_namespace(unit))?.strip_prefix('-')?;
    let (job, index) = of_set.rsplit_once('-')?;
    Some((job, index.parse().ok()?))
}
