//! The state of a JobSet from one moment to the next.

use super::JobSetEngine;
use super::child::{Child, ChildStatus, RestartedPods, StateBuffer};
use super::counters::{Counters, PodAttempt};
use super::failure_policy::{FailedJob, Terminal};
use crate::job::{FailureReason, JobPolicy, KnownMember};
use crate::jobset::manifest::{JobSet, SuccessOperator};
use crate::jobset::numbered::Numbered;
use crate::jobset::record::SetFields;
use crate::without_namespace;
use compact_str::CompactString;
use document::units::Time;
use replay::history::Member;
use replay::simulate::Units;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::collections::HashMap;

/// The state of a JobSet.
#[derive(Debug, Clone)]
pub struct SetState {
    /// The index of the manifest that applies; `None` if there are several and none has the set's name.
    pub(crate) manifest: Option<usize>,
    pub(crate) children: SmallVec<[Child; 1]>,
    /// The slot of each member.
    pub(crate) places: SmallVec<[MemberSlot; 1]>,
    pub(crate) counters: Counters,
    /// The failed Jobs that wait for an evaluation.
    pub(crate) pending: Vec<Pending>,
    /// The number of restarts and replacements so far.
    pub(crate) total: u32,
    /// The reason of the set's failure, if it has failed.
    pub(crate) terminal: Option<Terminal>,
}

/// A member of a set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemberSlot {
    /// The index of its Job, and of its slot there.
    pub(crate) child: usize,
    pub(crate) slot: usize,
    /// The pod's restarts in place.
    pub(crate) attempt: PodAttempt,
}

/// Up to this number of child Jobs, a linear search by name is faster than a map.
const MAX_LINEAR_SEARCH: usize = 8;

/// A Job that has failed.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    pub(crate) child: usize,
    /// The member whose record shows the failure.
    pub(crate) member: usize,
    /// The time of the failure, if known.
    pub(crate) failed_at: Option<Time>,
    pub(crate) reason: Reason,
    /// The failure's message, if any rule reads messages.
    pub(crate) message: Cow<'static, str>,
    /// Whether the controller was found unable to act on it.
    pub(crate) stuck: bool,
}

/// The reason of a Job's failure.
#[derive(Debug, Clone)]
pub(crate) enum Reason {
    /// A reason that was derived from its pods.
    Derived(FailureReason),
    Recorded(CompactString),
}

impl Reason {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Derived(reason) => reason.as_str(),
            Self::Recorded(text) => text,
        }
    }
}

impl Pending {
    /// Returns the values of the Job that rules match on.
    pub(crate) fn failed_job<'s>(&'s self, children: &'s [Child]) -> Option<FailedJob<'s>> {
        let child = children.get(self.child)?;
        Some(FailedJob {
            name: &child.name,
            replicated_job: &child.label,
            job_index: child.job_index,
            reason: self.reason.as_str(),
            message: &self.message,
            // A Job without a time counts as the earliest.
            failed_at: self.failed_at.map_or(i64::MIN, Time::epoch_seconds),
        })
    }
}

impl SetState {
    /// Creates the state of a set before its first event.
    pub(crate) fn new(engine: &JobSetEngine, members: &[&Member<SetFields>]) -> Self {
        let manifest = members.first().and_then(|member| engine.manifest(&member.unit));
        let set = manifest.and_then(|number| engine.sets.get(number)).map(|numbered| &numbered.set);
        let mut children: SmallVec<[Child; 1]> = SmallVec::new();
        let mut by_name: HashMap<&str, usize> = HashMap::new();
        let mut places = SmallVec::with_capacity(members.len());
        for (number, member) in members.iter().enumerate() {
            let (name, _) = &member.key;
            let runs = || member.runs.iter().map(|run| &run.own);
            let few = children.len() <= MAX_LINEAR_SEARCH;
            let known = if few {
                children.iter().position(|child| *child.name == **name)
            } else {
                by_name.get(name.as_str()).copied()
            };
            let place = known.unwrap_or_else(|| {
                // A record with the replicated Job says more than the first one.
                let telling = runs().find(|run| !run.replicated_job.is_empty());
                children.push(Child::new(name, telling.or_else(|| runs().next())));
                children.len() - 1
            });
            // Few members are searched without the map.
            if known.is_none() && members.len() > MAX_LINEAR_SEARCH {
                by_name.insert(name, place);
            }
            let Some(child) = children.get_mut(place) else { continue };
            let first = member.runs.first();
            let known = first.map(|run| {
                let is_pod = engine.is_separate_run(member, run);
                KnownMember::from_first(run, &run.own.pod, is_pod)
            });
            places.push(MemberSlot {
                child: place,
                slot: child.slot(number, known.unwrap_or_default()),
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

    /// Restarts the whole set, which removes all pending failures. Returns the pods without an index of each Job.
    pub(crate) fn restart_all<'p>(
        &mut self,
        policy: impl Fn(&Child) -> &'p JobPolicy,
        now: Option<Time>,
        buffer: &mut StateBuffer,
    ) -> Vec<RestartedPods> {
        self.pending.clear();
        for place in &mut self.places {
            place.attempt = PodAttempt::default();
        }
        let restart = |child: &mut Child| child.restart(policy(child), now, buffer);
        self.children.iter_mut().map(restart).collect()
    }

    /// Returns the earliest time at which one of its Jobs fails, whatever the state of its pods.
    pub(crate) fn deadline(&self, engine: &JobSetEngine, set: &JobSet) -> Option<Time> {
        let of = |child: &Child| child.deadline(engine.policy(set, child.replicated_job));
        self.children.iter().filter_map(of).min()
    }

    /// Returns the number of pods that continue by their last record.
    pub(crate) fn running(&self) -> u32 {
        let jobs = self.children.iter().filter_map(|child| child.job.as_ref());
        jobs.map(|job| job.running()).fold(0, u32::saturating_add)
    }

    /// Returns the number of recorded restarts in place in running pods.
    pub(crate) fn restarts(&self) -> u32 {
        let jobs = self.children.iter().filter_map(|child| child.job.as_ref());
        jobs.map(|job| job.restarts()).fold(0, u32::saturating_add)
    }

    /// Returns whether every recorded Job is complete.
    pub(crate) fn is_all_done(&self) -> bool {
        self.children.iter().all(|child| child.status == ChildStatus::Complete)
    }

    /// Returns whether the set has succeeded. Unrecorded Jobs are assumed to complete, but not before the
    /// recorded ones: a policy without a recorded target waits for all.
    pub(crate) fn is_complete(&self, set: &JobSet) -> bool {
        let policy = &set.success_policy;
        let targets = || self.children.iter().filter(|child| policy.looks_at(&child.label));
        let is_done = |child: &Child| child.status == ChildStatus::Complete;
        let is_met = match policy.operator {
            SuccessOperator::Any => targets().any(is_done),
            SuccessOperator::All => targets().next().is_some() && targets().all(is_done),
        };
        is_met || self.is_all_done()
    }
}

/// Sets the replicated Job of a Job, and its index there. JobSet names Jobs `<set>-<replicatedJob>-<index>`;
/// the name is used if the record lacks the fields.
pub(crate) fn identify(child: &mut Child, unit: &str, set: &JobSet) {
    let is_labelled = !child.label.is_empty() && child.job_index.is_some();
    let parsed = if is_labelled { None } else { parse_name(unit, &child.name) };
    let is_here = |name: &str| set.replicated_jobs.iter().any(|job| *job.name == *name);
    if let Some((job, index)) = parsed.filter(|(job, _)| is_here(job))
        && (child.label.is_empty() || *child.label == *job)
    {
        child.job_index = child.job_index.or(Some(index));
        if child.label.is_empty() {
            child.label = job.into();
        }
    }
    child.replicated_job = set.replicated_jobs.iter().position(|job| *job.name == *child.label);
}

/// Returns the replicated Job and the index in the name of a set's Job.
fn parse_name<'n>(unit: &str, name: &'n str) -> Option<(&'n str, u32)> {
    let of_set = name.strip_prefix(without_namespace(unit))?.strip_prefix('-')?;
    let (job, index) = of_set.rsplit_once('-')?;
    Some((job, index.parse().ok()?))
}

impl JobSetEngine {
    /// Returns the manifest that applies to the unit of this state.
    pub(in crate::jobset) fn set_of(&self, state: &SetState) -> Option<&Numbered> {
        self.sets.get(state.manifest?)
    }
}
