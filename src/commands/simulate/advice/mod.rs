//! Proposals: changes of Armada's policies that the record supports, each replayed before it is reported
//! (docs/answer.md, Advice).

mod candidates;

use super::SimulateArgs;
use crate::analysis::lint::{LintInput, lint};
use crate::commands::policy_set::PolicySet;
use armada_retry::policy::{self, Documents, Form, PolicyChange, RetryPolicy};
use candidates::{Candidate, Search};
use document::diag::{Code, Source};
use replay::simulate::{
    AdviceReport, AnswerReport, NoteKind, NoteReport, ProposalReport, ReportTexts,
    SimulationReport, difference_of_times,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use systems::Bounds;
use systems::armada::Armada;

/// Findings about what the replay of a change measures: whether retries without a wait, or with the same memory, succeed.
const MEASURED: [Code; 2] = [Code::ShortBudget, Code::SameMemory];

/// The number of changes that are replayed: each takes as long as a variant.
const MOST: usize = 5;

/// The number of proposals in a report.
const REPORTED: usize = 5;

/// The least worth of a proposal, as a share of the cost of all retries on record.
const LEAST_WORTH: f64 = 0.01;

/// Changes of a set of policies that are to be replayed, each with the set that has it.
pub(super) struct Proposals {
    form: Form,
    changes: Vec<(Candidate, PolicySet)>,
}

impl Proposals {
    /// The changes that the report of a replay supports. Those that `lint` would flag are left out.
    pub(super) fn of(set: &PolicySet, evaluator: &Armada, report: &SimulationReport) -> Self {
        let form = evaluator.evaluator().profile().form;
        let rules = evaluator.rules();
        let search = Search { policies: &set.policies, form, rules: &rules, report };
        let changes = search.candidates().into_iter().filter_map(|it| changed(set, it));
        Self { form, changes: changes.take(MOST).collect() }
    }

    /// Whether there is nothing to replay.
    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The sets of policies, each with a name.
    pub(super) fn sets(&self) -> Vec<(String, PolicySet)> {
        let sets = self.changes.iter().enumerate();
        sets.map(|(number, (_, set))| (number.to_string(), set.clone())).collect()
    }

    /// Adds the changes to a report that their replay shows to be worth more than they cost, the best first.
    pub(super) fn report(self, report: &mut SimulationReport, replayed: &AnswerReport) {
        let changes = self.changes.iter().zip(1..);
        let proposals = changes.map(|((candidate, _), column)| {
            proposal(candidate, self.form, (&report.answer, replayed), column)
        });
        let on_record = |row| report.answer.value(row, 0);
        let least =
            LEAST_WORTH * (on_record("failedRetryHours") + on_record("succeededRetryHours"));
        let is_worth = |it: &ProposalReport| it.worth() > 0.0 && it.worth() >= least;
        let mut proposals: Vec<ProposalReport> = proposals.filter(is_worth).collect();
        // Those that lose no job come first.
        let loses = |it: &ProposalReport| it.jobs_succeeded < 0.0;
        proposals.sort_by(|one, other| {
            let by_worth = other.worth().total_cmp(&one.worth());
            loses(one).cmp(&loses(other)).then(by_worth)
        });
        let mut proposals = without_superfluous(proposals);
        proposals.truncate(REPORTED);
        report.answer.advice.extend(proposals.into_iter().map(AdviceReport::Proposal));
    }
}

impl SimulateArgs {
    /// Whether changes of the policies are proposed: of one set of policies on a whole history.
    pub(super) fn proposes(&self) -> bool {
        let has_others =
            self.live || !self.sweep.is_empty() || self.other_variants().next().is_some();
        self.advice == super::AdviceName::Auto
            && self.has_policies()
            && !has_others
            && self.job.is_none()
            // A stream cannot be read a second time.
            && !self.follow.is_set()
    }

    /// The arguments of a replay of the same histories through changed policies.
    pub(super) fn for_proposals(&self) -> Self {
        let policies = self.policies.clone();
        let disruptions = self.disruptions.clone();
        let mut args =
            Self::from_histories(policies, Vec::new(), disruptions, self.history.clone());
        args.format = self.format;
        args.assume = self.assume;
        args.unit = self.unit;
        args.on_bad_record = self.on_bad_record;
        args.allow_empty = true;
        args.variant.clone_from(&self.variant);
        args.seed = self.seed;
        args.threads = self.threads;
        args
    }
}

/// The note that changes could not be replayed.
pub(super) fn left_out(reason: &str) -> NoteReport {
    NoteReport::new(
        NoteKind::ProposalsLeftOut,
        format!("no change of a policy is proposed: {reason}"),
    )
}

/// The set with a change of one policy; `None` if `lint` flags the changed policy more often than it does now.
fn changed(set: &PolicySet, candidate: Candidate) -> Option<(Candidate, PolicySet)> {
    let mut set = set.clone();
    let own = set.policies.iter_mut().find(|own| own.name.as_str() == candidate.policy)?;
    let policy = candidate.change.apply(own)?;
    let (before, after) = (lint_codes(own)?, lint_codes(&policy)?);
    let is_flagged =
        |(code, number): (&Code, &usize)| before.get(code).is_none_or(|it| it < number);
    if after.iter().any(is_flagged) {
        return None;
    }
    *own = Arc::new(policy);
    Some((candidate, set))
}

/// How often `lint` finds what about a policy alone; `None` if its document cannot be read.
fn lint_codes(policy: &RetryPolicy) -> Option<BTreeMap<Code, usize>> {
    let source = Source::new("-", serde_yaml::to_string(&policy::to_value(policy)).ok()?);
    let (documents, mut findings) = policy::read(&[source]);
    if findings.has_errors() || documents.policies.is_empty() {
        return None;
    }
    findings.extend(lint(&input(&documents), |_| true));
    let mut codes = BTreeMap::new();
    for finding in findings.iter().filter(|finding| !MEASURED.contains(&finding.code)) {
        *codes.entry(finding.code).or_default() += 1;
    }
    Some(codes)
}

fn input(documents: &Documents) -> LintInput<'_> {
    LintInput {
        documents,
        scheduler: None,
        executors: None,
        queue_policies: None,
        history: None,
        bounds: Bounds::default(),
        partial_queues: Vec::new(),
        knows_all_policies: false,
    }
}

/// A change with the differences of its column to the first set of policies.
fn proposal(
    candidate: &Candidate,
    form: Form,
    (first, replayed): (&AnswerReport, &AnswerReport),
    column: usize,
) -> ProposalReport {
    let difference = |row| difference_of_times(replayed.value(row, column), first.value(row, 1));
    let (jobs, failed) = (difference("jobsSucceeded"), difference("failedRetryHours"));
    let (prefix, change) = (if form == Form::V1 { "spec." } else { "" }, &candidate.change);
    ProposalReport {
        policy: candidate.policy.clone(),
        change: match change {
            PolicyChange::Insert(..) => "insert",
            PolicyChange::Replace(..) => "replace",
            PolicyChange::Remove(_) => "remove",
            PolicyChange::RetryLimit(_) | PolicyChange::RuleRetryLimit(..) => "set",
        },
        path: format!("{prefix}{}", change.path()),
        value: change.value(form),
        kinds: candidate.kinds.clone(),
        jobs_succeeded: jobs,
        jobs_unresolved: difference("jobsUnresolved"),
        retries: difference("retries"),
        failed_retry_hours: failed,
        succeeded_retry_hours: difference("succeededRetryHours"),
        price: (jobs > 0.0 && failed > 0.0).then(|| failed / jobs),
    }
}

/// The proposals without those that a better one makes superfluous: a rule for some of its kinds at the same place, or
/// another change of the policy with the same figures and for no other kinds.
fn without_superfluous(proposals: Vec<ProposalReport>) -> Vec<ProposalReport> {
    let mut kept: Vec<ProposalReport> = Vec::new();
    for next in proposals {
        let is_superfluous = |better: &ProposalReport| {
            let place = |it: &ProposalReport| (it.path.clone(), it.change);
            let has_kinds = next.kinds.iter().all(|kind| better.kinds.contains(kind));
            let is_part = place(better) == place(&next) && !next.kinds.is_empty() && has_kinds;
            let is_equal =
                effect(better) == effect(&next) && (has_kinds || better.kinds.is_empty());
            better.policy == next.policy && (is_part || is_equal)
        };
        if !kept.iter().any(is_superfluous) {
            kept.push(next);
        }
    }
    kept
}

/// The figures by which two changes have the same effect.
fn effect(proposal: &ProposalReport) -> [u64; 5] {
    let ProposalReport { jobs_succeeded, jobs_unresolved, retries, .. } = *proposal;
    let (failed, succeeded) = (proposal.failed_retry_hours, proposal.succeeded_retry_hours);
    // Figures of the same decisions are sums of the same numbers in the same order: equal to the last bit.
    [jobs_succeeded, jobs_unresolved, retries, failed, succeeded].map(f64::to_bits)
}
