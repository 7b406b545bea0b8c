//! The Job controller behind the interface of all engines.

use super::decision::{Decision, PodEnd};
use super::state::{JobState, KnownMember};
use super::status::Ruling;
use super::sync::{JobSync, pod_end};
use super::{JobEngine, JobUnit};
use crate::job::record::PodFields;
use crate::job::report;
use document::units::Time;
use replay::disruption::{self, Disruptions, RowId};
use replay::history::{Member, Run};
use replay::simulate::{
    DecisionFacts, DecisionReport, End, Ending, Engine, Evaluation, FactKind, FollowingRuns, Group,
    IndexMismatch, JudgedTogether, Labels, Moment, Parts, PolicyNeeds, ReportTexts, ReportedPer,
    RuleLabel, SummaryFacts, Units,
};

impl Units for JobEngine {
    type Fields = PodFields;
    type State = JobUnit;
    type Decision = Decision;
    const REPORTED_PER: ReportedPer = ReportedPer::Unit;

    fn limits(_: &[&Self]) {}
    fn unit_key(&self, member: &Member<PodFields>) -> Option<String> {
        (!member.is_single).then(|| member.unit.to_string())
    }

    fn has_single_members(&self) -> bool {
        self.manifests.iter().all(|manifest| manifest.policy.is_of_one_pod())
    }

    fn can_stream(&self, member: &Member<PodFields>) -> bool {
        let manifest = self.manifests.get(self.manifest_of(&member.unit));
        let first = manifest.zip(member.runs.first());
        // Without its index a pod's limit is unknown: such units are kept, and replayed with all of their records.
        first.is_some_and(|(manifest, run)| !manifest.policy.lacks_index(run.own.index))
    }

    fn begin(&self, members: &[&Member<PodFields>]) -> JobUnit {
        let manifest = self.manifest_of(members.first().map_or("", |member| &member.unit));
        let known = members.iter().map(|member| {
            let known = member.runs.first().map(|run| {
                KnownMember::from_first(run, &run.own, self.is_separate_run(member, run))
            });
            known.unwrap_or_default()
        });
        let job = match self.manifests.get(manifest) {
            Some(manifest) => JobState::new(&manifest.policy, known),
            None => JobState::unjudged(),
        };
        JobUnit { manifest, job, failure: None, causing_pod: None }
    }

    fn is_separate_run(&self, member: &Member<PodFields>, run: &Run<PodFields>) -> bool {
        let manifest = self.manifests.get(self.manifest_of(&member.unit));
        manifest.is_some_and(|manifest| {
            manifest.policy.has_separate_pods(run.own.index_source, member.is_single)
        })
    }

    fn has_one_member(&self, unit: &str) -> bool {
        let manifest = self.manifests.get(self.manifest_of(unit));
        manifest.is_some_and(|manifest| !manifest.policy.is_indexed())
    }

    fn index_mismatch(&self, unit: &JobUnit, run: &Run<PodFields>) -> Option<IndexMismatch> {
        self.manifests.get(unit.manifest)?.policy.index_mismatch(run.own.index_source)
    }
}

impl Engine for JobEngine {
    type Memory = Vec<Ruling>;

    // Kubernetes' times are whole seconds, and one sync handles all pods that ended before it.
    const JUDGED_TOGETHER: JudgedTogether = JudgedTogether::Second;

    fn wake(&self, unit: &JobUnit) -> Option<Time> {
        unit.job.deadline(&self.manifests.get(unit.manifest)?.policy)
    }

    fn evaluate(
        &self,
        unit: &mut JobUnit,
        rulings: &mut Vec<Ruling>,
        moment: &Moment<'_, PodFields>,
        answer: &mut Evaluation<Decision>,
    ) {
        answer.clear();
        let Some(manifest) = self.manifests.get(unit.manifest) else { return };
        let mut sync = JobSync { engine: self, policy: &manifest.policy, unit, rulings, answer };
        if sync.skip_stopped_pods(moment) {
            return;
        }
        let due = moment.facts.iter().any(|fact| matches!(fact.kind, FactKind::Timer));
        let mut ends = moment.facts.iter().filter_map(pod_end);
        // In nearly all cases one pod ends at a time, so that case needs no list.
        match (ends.next(), ends.next()) {
            (None, _) if due => sync.expire(moment),
            (None, _) => {}
            (Some(one), None) => sync.judge(&[one], moment),
            (Some(one), Some(two)) => {
                let all: Vec<PodEnd<'_>> = [one, two].into_iter().chain(ends).collect();
                sync.judge(&all, moment);
            }
        }
        // Asked for after every moment: the start of the Job, from which the deadline counts, may have become known.
        if answer.end.is_none() {
            answer.next = unit.job.deadline(&manifest.policy);
        }
    }
}

impl SummaryFacts for JobEngine {
    fn labels<'r>(&self, run: &'r Run<PodFields>) -> Labels<'r> {
        report::text::labels(&run.own)
    }

    fn ending(&self, run: &Run<PodFields>) -> Ending {
        report::text::ending(run.own.outcome)
    }

    fn facts(&self, _: &Run<PodFields>, decision: &Decision) -> DecisionFacts {
        report::facts(self, decision)
    }

    fn needs(&self) -> &[PolicyNeeds] {
        &self.needs
    }

    fn compared_policies<'s>(&'s self, unit: &'s JobUnit, _: usize, _: &Decision) -> &'s [usize] {
        std::slice::from_ref(&unit.manifest)
    }

    fn parts(&self, _: &JobUnit, _: usize, run: &Run<PodFields>) -> Parts {
        self.values.parts(&run.own)
    }

    fn disruption(&self, run: &Run<PodFields>, table: &Disruptions) -> Option<RowId> {
        table.find(disruption::Source::Pods, &run.own)
    }

    fn has_survived_memory(&self, run: &Run<PodFields>) -> bool {
        run.own.has_memory_kill()
    }
}

impl ReportTexts for JobEngine {
    fn name(&self) -> &'static str {
        "job"
    }

    fn rules(&self) -> Vec<RuleLabel> {
        report::rules(&self.manifests)
    }

    fn effective_policies(&self, member: &Member<PodFields>) -> Vec<String> {
        let manifest = self.manifests.get(self.manifest_of(&member.unit));
        manifest.into_iter().map(|manifest| manifest.name.clone()).collect()
    }

    fn suggest(&self, group: &Group, after: FollowingRuns) -> Option<String> {
        report::suggest(group, after.evidence())
    }

    fn report(
        &self,
        unit: &JobUnit,
        _: usize,
        member: &Member<PodFields>,
        run: &Run<PodFields>,
        decision: &Decision,
    ) -> DecisionReport {
        report::decision_report(self, unit, member, run, decision)
    }

    fn end_reason(&self, _: &JobUnit, decision: &Decision) -> String {
        self.reason(decision)
    }

    fn unit_outcome(&self, unit: &JobUnit, end: Option<End>) -> Option<String> {
        report::unit_outcome(unit, end?)
    }

    fn open_reason(&self, unit: &JobUnit) -> Option<String> {
        report::text::still_running(unit.job.running(), unit.job.restarts())
    }

    fn success_reason(&self, unit: &JobUnit) -> Option<String> {
        let policy = &self.manifests.get(unit.manifest)?.policy;
        report::text::success(policy, unit.job.status())
    }
}
