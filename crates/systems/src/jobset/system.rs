//! JobSet as a [`System`]: its description, reading, engine and conversions for commands.

use super::engine::JobSetEngine;
use super::engine::failure_policy::FailedJob;
use super::engine::memory::SetMemory;
use super::engine::state::SetState;
use super::manifest::{FeatureGates, JobSet};
use super::numbered::Numbered;
use super::record::SetFields;
use super::report::fields::{COLUMNS, JobSetDecision};
use super::{compared, convert, coverage, layers};
use super::{read, trace};
use crate::compare::Treatment;
use crate::convert::Conversion;
use crate::job::{self, IndexFailures, JobOptions};
use crate::{
    Bounds, BudgetFailure, BudgetOptions, Conversions, CoverageTarget, Description,
    DisruptionMatchers, ExampleFailures, Identity, LayerBudget, Limit, ManifestSystem, Obstacle,
    Options, PolicyDocuments, System, Tried, UnsupportedRecord, Words, release,
};
use armada_retry::policy::{ForeignKind, RetryPolicy};
use document::Document;
use document::diag::Findings;
use document::units::Time;
use replay::history::{Member, PairFault, Run};
use replay::simulate::{Engine, Evaluation, Fact, FactKind, Live, Moment, ReportTexts, Units};
use schemars::JsonSchema;
use serde_json::{Value, json};

impl System for JobSetEngine {
    const DESCRIPTION: &'static Description = &Description {
        id: "jobset",
        engines: &["jobset"],
        name: "JobSet",
        documents: PolicyDocuments::Manifests(&[ForeignKind {
            kind: "JobSet",
            versions: &["jobset.x-k8s.io/v1alpha2"],
            shape: None,
        }]),
        manifest: "JobSet",
        placeholder_policy: Some(
            "\
            apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: any}\nspec: {replicatedJobs: []}\n",
        ),
        possessive: "a JobSet's",
        unit: "JobSet",
        title: "JobSet",
        members: "pods",
        has_rules: true,
        combines_policies: false,
        decision_fields: JobSetDecision::FIELDS,
        decision_schema: JobSetDecision::json_schema,
        columns: COLUMNS,
        keeps_empty_columns: false,
        disruptions: DisruptionMatchers::PodConditions,
        draft: None,
        substituted_ids: "",
        missing_facts: "",
        history_fields: &["jobName"],
        words: Words {
            retry: None,
            actions: &[
                "FailJobSet",
                "RestartJobSet",
                "RestartJobSetAndIgnoreMaxRestarts",
                "RestartJob",
                "RestartJobAndIgnoreMaxRestarts",
                "FailedJobs",
                "InPlaceRestart",
                "FailJob",
                "FailIndex",
                "Ignore",
                "Count",
                "Retry",
            ],
            decisions: &[
                "restart_jobset",
                "restart_jobset_ignored",
                "restart_job",
                "restart_job_ignored",
                "fail_rule",
                "fail_max_restarts",
                "fail_no_policy",
                "fail_in_place_limit",
                "reconcile_error",
                "retry",
                "retry_ignored",
                "fail_index",
                "fail_job",
                "fail_backoff_limit",
                "fail_deadline",
                "fail_max_failed_indexes",
                "fail_indexes",
            ],
            limit_sources: &[
                "maxRestarts",
                "backoffLimit",
                "backoffLimitPerIndex",
                "maxFailedIndexes",
            ],
        },
        conversions: Some(Conversions {
            target: "jobset",
            help: "A JobSet: `jobset.x-k8s.io/v1alpha2`",
            from_v1beta1: "its rules match only failure categories, which pods do not have",
            to_v1beta1: "v1beta1 rules match only failure categories, which pods do not have",
            to_others: &[(
                "job",
                Obstacle::Difference("a JobSet has failures of Jobs, and a Job has none"),
            )],
        }),
    };

    fn trace(&self, _: &SetState, member: &Member<SetFields>, run: &Run<SetFields>) -> Vec<Tried> {
        let Some(set) = self.manifest(&member.unit).and_then(|number| self.sets.get(number)) else {
            return Vec::new();
        };
        let failure = RecordedFailure::of(self, member, run);
        let mut tried = failure.by_job(set, run);
        tried.extend(failure.by_set(&set.set));
        tried
    }
}

impl ManifestSystem for JobSetEngine {
    type Manifest = JobSet;

    fn read(document: &Document, options: &Options, findings: &mut Findings) -> Option<JobSet> {
        let mut own = Findings::new();
        let prepared = release::prepare(document, true, &options.releases, &mut own);
        let is_refused = own.has_errors();
        findings.extend(own);
        read(&prepared, gates(options), findings).filter(|_| !is_refused)
    }

    const LIMITS: &'static [Limit] = &[
        Limit::count("maxRestarts", &["spec/failurePolicy/maxRestarts"]),
        Limit::count("backoffLimit", &["spec/replicatedJobs[]/template/spec/backoffLimit"]),
        Limit::count(
            "backoffLimitPerIndex",
            &["spec/replicatedJobs[]/template/spec/backoffLimitPerIndex"],
        ),
        Limit::count("maxFailedIndexes", &["spec/replicatedJobs[]/template/spec/maxFailedIndexes"]),
        Limit::whole_seconds(
            "activeDeadlineSeconds",
            &["spec/replicatedJobs[]/template/spec/activeDeadlineSeconds"],
        ),
    ];

    const FUTILE_RETRIES_HELP: &'static str =
        "write a rule with `action: FailJobSet`, or lower `maxRestarts`";

    fn unit(manifest: &JobSet) -> Identity<'_> {
        manifest.identity()
    }

    fn engine(manifests: Vec<JobSet>, options: &Options) -> Self {
        let jobs = JobOptions { backoff_cap: options.pod_backoff_cap, ..JobOptions::default() };
        Self::new(manifests, gates(options), jobs)
    }

    /// Returns the only replicated Job and its first Job, unless others are named.
    fn default_args(
        &self,
        unit: &str,
        given: &[(String, String)],
    ) -> Result<Vec<(String, String)>, PairFault> {
        let value_of =
            |key| given.iter().find(|(known, _)| known == key).map(|(_, value)| &**value);
        let set = self.manifest(unit).and_then(|number| self.sets.get(number));
        let jobs = set.map_or(&[][..], |numbered| &numbered.set.replicated_jobs);
        let job = match (value_of("jobName"), value_of("replicatedJob"), jobs) {
            (Some(_), ..) => None,
            (None, Some(job), _) => Some(job),
            (None, None, [only]) => Some(&*only.name),
            (None, None, several) => {
                let names: Vec<&str> = several.iter().map(|job| &*job.name).collect();
                let message = "the failure has no `replicatedJob`".to_owned();
                let help = Some(format!("there are {}", names.join(", ")));
                return Err(PairFault { message, help });
            }
        };
        let by_name =
            value_of("jobName").and_then(|name| name.rsplit_once('-')).map(|(_, end)| end);
        let by_name = by_name.filter(|end| end.parse::<u32>().is_ok());
        let index = value_of("jobIndex").or(by_name).unwrap_or("0");
        let mut more = vec![("jobIndex", index.to_owned())];
        if let Some(job) = job {
            more.push(("replicatedJob", job.to_owned()));
            more.push(("jobName", format!("{unit}-{job}-{index}")));
        }
        more.retain(|(key, _)| value_of(*key).is_none());
        Ok(more.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    fn unsupported_record(&self, members: &[Member<SetFields>]) -> Option<UnsupportedRecord> {
        self.first_unsupported(members)
    }

    fn with_retries_used(&self, state: &mut SetState, _: &Run<SetFields>, retries: u32) {
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

    fn listed_values(&self, key: &str) -> Vec<String> {
        let sets = || self.sets.iter().map(|numbered| &numbered.set);
        if key == "failureReason" {
            let rules =
                sets().filter_map(|set| set.failure_policy.as_ref()).flat_map(|it| &it.rules);
            return rules.flat_map(|rule| &rule.reasons).map(ToString::to_string).collect();
        }
        let jobs = sets().flat_map(|set| &set.replicated_jobs);
        jobs.flat_map(|replicated| replicated.job.listed_values(key)).collect()
    }

    fn can_retry(manifest: &JobSet) -> bool {
        manifest.can_retry()
    }

    fn lint(document: &Document, manifest: &JobSet, bounds: &Bounds) -> Findings {
        let mut findings = Findings::new();
        super::lint::lint(document, manifest, bounds, &mut findings);
        findings
    }

    fn budgets(
        set: &JobSet,
        failure: Option<&BudgetFailure>,
        options: &BudgetOptions,
    ) -> Vec<LayerBudget> {
        layers::budgets(set, failure, options)
    }

    fn targets(document: &Document, manifest: &Self::Manifest) -> Vec<CoverageTarget> {
        coverage::targets(document, manifest)
    }

    fn examples(manifest: &Self::Manifest) -> Vec<ExampleFailures> {
        coverage::examples(manifest)
    }

    fn representatives(versions: [&Self; 2]) -> Result<Vec<Value>, String> {
        let [Some(old), Some(new)] = versions.map(Self::only) else { return Ok(Vec::new()) };
        compared::representatives([&old.set, &new.set])
    }

    fn treatment(&self, run: &Run<SetFields>) -> Treatment {
        self.only().map_or_else(Treatment::default, |set| compared::treatment(set, &run.own))
    }

    fn parameters(&self) -> Value {
        let set = self.only().map(|numbered| compared::parameters(&numbered.set));
        let (gates, waits) = (format!("{:?}", self.gates), format!("{:?}", self.options));
        json!({"set": set, "gates": gates, "waits": waits})
    }

    fn incomparable(versions: [&Self; 2]) -> Option<String> {
        let [old, new] = versions.map(Self::only);
        compared::incomparable([&old?.set, &new?.set])
    }

    fn undecided(versions: [&Self; 2]) -> Option<String> {
        let [old, new] = versions.map(Self::only);
        compared::undecided([&old?.set, &new?.set])
    }

    fn progress(&self, state: &SetState, _: Time) -> Option<Vec<u64>> {
        self.progress_of(state)
    }

    fn others_after(versions: [&Self; 2], code: &str) -> &'static str {
        let [Some(old), Some(new)] = versions.map(Self::only) else { return "" };
        compared::others_after([&old.set, &new.set], code)
    }

    fn exits_in_place(set: &JobSet) -> Vec<Value> {
        coverage::exits_in_place(set)
    }

    fn to_v1(document: &Document, manifest: &JobSet) -> Option<Conversion<Vec<RetryPolicy>>> {
        convert::to_v1(&document.root, manifest)
    }

    fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
        convert::from_v1(policy)
    }
}

/// A child Job after one of its runs was evaluated.
struct RecordedFailure {
    state: SetState,
    /// The reason and the message of its failure, if it has failed.
    failed: Option<(String, String)>,
    name: String,
}

impl RecordedFailure {
    /// Judges the run in a set without other records.
    fn of(engine: &JobSetEngine, member: &Member<SetFields>, run: &Run<SetFields>) -> Self {
        let mut state = engine.begin(&[member]);
        engine.with_retries_used(&mut state, run, 0);
        let facts = [Fact { member: 0, kind: FactKind::Ended(run) }];
        let moment = Moment {
            now: run.time(),
            facts: &facts,
            draw: 0,
            live: Live::default(),
            matched: None,
        };
        let mut answer = Evaluation::default();
        engine.evaluate(&mut state, &mut SetMemory::default(), &moment, &mut answer);
        let decisions = answer.verdicts.iter().filter_map(|verdict| verdict.decision.as_ref());
        let mut reports = decisions.map(|d| engine.report(&state, 0, member, run, d).system);
        let failed = reports.find_map(|system| {
            let reason = system.text("failureReason")?.to_owned();
            Some((reason, system.cell("failureMessage")))
        });
        Self { failed, name: member.key.0.to_string(), state }
    }

    /// Compares the rules of the pod's own Job, unless the record is of the Job itself.
    fn by_job(&self, numbered: &Numbered, run: &Run<SetFields>) -> Vec<Tried> {
        let place = self.state.children.first().and_then(|child| child.replicated_job);
        let replicated = place.and_then(|place| numbered.set.replicated_jobs.get(place));
        let Some(replicated) = replicated.filter(|_| !run.own.is_job_record()) else {
            return Vec::new();
        };
        let policy = format!("{}/{}", numbered.set.name, replicated.name);
        let pod = run.own.pod.pod(run.time(), IndexFailures::default());
        job::trace(&policy, replicated.job.rules(), &pod)
    }

    /// Compares the rules of the set, if the Job has failed.
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
