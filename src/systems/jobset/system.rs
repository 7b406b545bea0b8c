//! What commands need of JobSets.

use super::super::job::{self, IndexFailures, JobOptions};
use super::child::Child;
use super::engine::{JobSetEngine, Numbered, SetMemory};
use super::gates::FeatureGates;
use super::model::JobSet;
use super::record::SetFields;
use super::rule::FailedJob;
use super::state::{SetState, identify};
use super::{read, trace};
use crate::diag::Findings;
use crate::document::Document;
use crate::engine::{Engine, Evaluation, Fact, FactKind, Live, Moment};
use crate::history::{Member, MemberRun, PairFault};
use crate::simulate::{Described, Units};
use crate::systems::{Identity, Options, System, Tried, Unjudged, Words};

impl Units for JobSetEngine {
    type Own = SetFields;

    fn all_alone(&self) -> bool {
        self.sets.iter().all(|numbered| match numbered.set.replicated_jobs.as_slice() {
            [only] => only.replicas == 1 && only.job.is_of_one_pod(),
            _ => false,
        })
    }

    /// Where neither the record nor the Job's name says which replicated Job it is of, those that
    /// follow may.
    fn is_clear(&self, unit: &str, run: &MemberRun<SetFields>) -> bool {
        let Some(Numbered { set, .. }) =
            self.manifest(unit).and_then(|number| self.sets.get(number))
        else {
            return false;
        };
        let named = set.replicated_jobs.iter().position(|job| *job.name == *run.own.replicated_job);
        let job = named.or_else(|| {
            let mut child = Child::new(&run.own.job_name, Some(&run.own));
            identify(&mut child, unit, set);
            child.replicated_job
        });
        let job = job.and_then(|place| set.replicated_jobs.get(place));
        job.is_some_and(|job| !job.job.lacks(run.own.pod.index))
    }
}

impl System for JobSetEngine {
    type Manifest = JobSet;

    const KIND: &'static str = "JobSet";
    const WORDS: Words =
        Words { manifest: "JobSet", whose: "a JobSet's", unit: "JobSet", members: "pods" };

    fn read(document: &Document, options: &Options, findings: &mut Findings) -> Option<JobSet> {
        read(document, gates(options), findings)
    }

    fn unit(manifest: &JobSet) -> Identity<'_> {
        manifest.identity()
    }

    fn over(manifests: Vec<JobSet>, options: &Options) -> Self {
        let jobs = JobOptions { backoff_cap: options.pod_backoff_cap, ..JobOptions::default() };
        Self::new(manifests, gates(options), jobs)
    }

    /// The only replicated Job and its first Job, unless others are named.
    fn supposed(
        &self,
        unit: &str,
        given: &[(String, String)],
    ) -> Result<Vec<(String, String)>, PairFault> {
        let said = |key| given.iter().find(|(known, _)| known == key).map(|(_, value)| &**value);
        let set = self.manifest(unit).and_then(|number| self.sets.get(number));
        let jobs = set.map_or(&[][..], |numbered| &numbered.set.replicated_jobs);
        let job = match (said("jobName"), said("replicatedJob"), jobs) {
            (Some(_), ..) => None,
            (None, Some(job), _) => Some(job),
            (None, None, [only]) => Some(&*only.name),
            (None, None, several) => {
                let names: Vec<&str> = several.iter().map(|job| &*job.name).collect();
                let message = "the failure does not say of which `replicatedJob` it is".to_owned();
                let help = Some(format!("there are {}", names.join(", ")));
                return Err(PairFault { message, help });
            }
        };
        let by_name = said("jobName").and_then(|name| name.rsplit_once('-')).map(|(_, end)| end);
        let by_name = by_name.filter(|end| end.parse::<u32>().is_ok());
        let index = said("jobIndex").or(by_name).unwrap_or("0");
        let mut more = vec![("jobIndex", index.to_owned())];
        if let Some(job) = job {
            more.push(("replicatedJob", job.to_owned()));
            more.push(("jobName", format!("{unit}-{job}-{index}")));
        }
        more.retain(|(key, _)| said(*key).is_none());
        Ok(more.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    fn unjudged(&self, members: &[Member<SetFields>]) -> Option<Unjudged> {
        self.unjudged(members)
    }

    fn spend(&self, state: &mut SetState, _: &MemberRun<SetFields>, retries: u32) {
        state.counters.restarts = retries;
        state.counters.restarts_count_towards_max = retries;
        let set = state.manifest.and_then(|number| self.sets.get(number));
        for child in &mut state.children {
            let policy = set.map(|numbered| self.policy(&numbered.set, child.replicated_job));
            if let Some(policy) = policy {
                child.job(policy, &mut None).presume_nothing();
            }
        }
    }

    fn trace(
        &self,
        _: &SetState,
        member: &Member<SetFields>,
        run: &MemberRun<SetFields>,
    ) -> Vec<Tried> {
        let Some(set) = self.manifest(&member.unit).and_then(|number| self.sets.get(number)) else {
            return Vec::new();
        };
        let told = Told::of(self, member, run);
        let mut tried = told.by_job(set, run);
        tried.extend(told.by_set(&set.set));
        tried
    }
}

/// What is known of a child Job once a run of it has been judged.
struct Told {
    state: SetState,
    /// Why it failed, and with which message, if it has.
    failed: Option<(String, String)>,
    name: String,
}

impl Told {
    /// Judges the run in a set of which nothing else is known.
    fn of(engine: &JobSetEngine, member: &Member<SetFields>, run: &MemberRun<SetFields>) -> Self {
        let mut state = engine.begin(&[member]);
        engine.spend(&mut state, run, 0);
        let facts = [Fact { member: 0, at: run.time(), kind: FactKind::Ended(run) }];
        let moment = Moment { now: run.time(), facts: &facts, draw: 0, live: Live::default() };
        let mut answer = Evaluation::default();
        engine.evaluate(&mut state, &mut SetMemory::default(), &moment, &mut answer);
        let decisions = answer.verdicts.iter().filter_map(|verdict| verdict.decision.as_ref());
        let mut reports = decisions.map(|d| engine.report(&state, 0, member, run, d).system);
        let failed = reports.find_map(|system| {
            let message = system.failure_message.unwrap_or_default();
            Some((system.failure_reason?, message))
        });
        Self { failed, name: member.key.0.to_string(), state }
    }

    /// The rules of the pod's own Job, unless the record is of the Job itself.
    fn by_job(&self, numbered: &Numbered, run: &MemberRun<SetFields>) -> Vec<Tried> {
        let place = self.state.children.first().and_then(|child| child.replicated_job);
        let replicated = place.and_then(|place| numbered.set.replicated_jobs.get(place));
        let Some(replicated) = replicated.filter(|_| !run.own.tells_of_job()) else {
            return Vec::new();
        };
        let policy = format!("{}/{}", numbered.set.name, replicated.name);
        let pod = run.own.pod.pod(run.time(), IndexFailures::default());
        job::trace(&policy, replicated.job.rules(), &pod)
    }

    /// The rules of the set, if the Job has failed.
    fn by_set(&self, set: &JobSet) -> Vec<Tried> {
        let (Some(policy), Some((reason, message))) = (&set.failure_policy, &self.failed) else {
            return Vec::new();
        };
        let child = self.state.children.first();
        let failed = FailedJob {
            name: &self.name,
            replicated_job: child.map_or("", |child| &child.label),
            job_index: child.and_then(|child| child.job_index),
            reason,
            message,
            failed_at: 0,
        };
        trace(&set.name, policy, &failed)
    }
}

fn gates(options: &Options) -> FeatureGates {
    FeatureGates { restart_job: options.restart_job, in_place_restart: options.in_place_restart }
}
