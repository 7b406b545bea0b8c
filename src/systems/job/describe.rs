//! A Job's decisions as reports show them.

use super::decision::{Decision, DecisionCode};
use super::engine::{JobEngine, JobManifest, JobUnit};
use super::matching;
use super::pod::{IndexFailures, Pod};
use super::record::PodFields;
use super::status::FailureReason;
use super::words::{
    container_text, ending, failed, failure, has_own_exit_code, labels, pod_name, still_running,
};
use crate::engine::End;
use crate::history::{DISRUPTION_TARGET, Member, MemberRun};
use crate::simulate::{
    DecisionReport, Demand, Described, Ending, Group, Labels, Reported, RuleLabel, SystemDecision,
    Tally,
};
use crate::units::GoDuration;
use std::collections::BTreeMap;

impl Described for JobEngine {
    const REPORTED: Reported = Reported::Units;

    /// The conditions of a Job that is over: `Complete`, or the reason of its failure.
    fn fate(&self, unit: &JobUnit, fate: Option<End>) -> Option<String> {
        match fate? {
            End::Succeeded => Some("Complete".to_owned()),
            End::Failed => unit.failure.map(|reason| reason.as_str().to_owned()),
            End::Cancelled => None,
        }
    }

    fn open(&self, unit: &JobUnit) -> Option<String> {
        still_running(unit.job.running())
    }

    fn success(&self, unit: &JobUnit) -> Option<String> {
        let rule = unit.job.status().success?;
        Some(format!("successPolicy rule {rule} is met"))
    }

    fn name(&self) -> &'static str {
        "job"
    }

    fn rules(&self) -> Vec<RuleLabel> {
        let labels = |manifest: &JobManifest| {
            let rules = (0..manifest.policy.rules().len()).map(Some).chain([None]);
            let label = |index| RuleLabel { policy: manifest.name.clone(), index };
            rules.map(label).collect::<Vec<_>>()
        };
        self.manifests.iter().flat_map(labels).collect()
    }

    fn id<'m>(&self, member: &'m Member<PodFields>) -> &'m str {
        &member.unit
    }

    fn queue<'m>(&self, member: &'m Member<PodFields>) -> &'m str {
        &member.queue
    }

    fn effective_policies(&self, member: &Member<PodFields>) -> Vec<String> {
        let manifest = self.manifests.get(self.manifest_of(&member.unit));
        manifest.into_iter().map(|manifest| manifest.name.clone()).collect()
    }

    fn demand(&self, _: &Member<PodFields>) -> Demand {
        Demand { cpu: None, gpu: None }
    }

    fn labels<'r>(&self, run: &'r MemberRun<PodFields>) -> Labels<'r> {
        labels(&run.own)
    }

    fn ending(&self, run: &MemberRun<PodFields>) -> Ending {
        ending(run.own.outcome)
    }

    fn tally(&self, _: &MemberRun<PodFields>, decision: &Decision) -> Tally {
        let first = self.first_rules.get(decision.manifest as usize).copied();
        let rules = self.manifest(decision).map_or(0, |manifest| manifest.policy.rules().len());
        let number = decision.matched.map_or(rules, |matched| matched.rule);
        let attributed = first.filter(|_| decision.pod_failed);
        let limit = match decision.code {
            DecisionCode::Fail(reason) => reason != FailureReason::PodFailurePolicy,
            DecisionCode::FailIndex => {
                decision.action() != "FailIndex" || decision.matched.is_none()
            }
            _ => false,
        };
        Tally {
            code: decision.code.as_str(),
            rule: attributed.map(|first| first + number),
            failure: decision.pod_failed,
            retry: decision.code.retries(),
            exhausted: limit,
            by_default: decision.pod_failed && decision.matched.is_none(),
        }
    }

    fn suggest(&self, group: &Group) -> Option<String> {
        // What no limit counts may be retried for ever, so only what is not the pod's fault is.
        if group.condition == DISRUPTION_TARGET {
            return Some(format!(
                "{{action: Ignore, onPodConditions: [{{type: {DISRUPTION_TARGET}}}]}}"
            ));
        }
        let matches = |code: &i64| *code != 0 && has_own_exit_code(&group.condition);
        let code = group.exit_code.filter(matches)?;
        Some(format!("{{action: FailJob, onExitCodes: {{operator: In, values: [{code}]}}}}"))
    }

    fn report(
        &self,
        unit: &JobUnit,
        _: usize,
        member: &Member<PodFields>,
        run: &MemberRun<PodFields>,
        decision: &Decision,
    ) -> DecisionReport {
        let name = pod_name(&run.own, &member.unit);
        let expired = decision.failure() == Some(FailureReason::DeadlineExceeded);
        let at = if expired {
            self.manifest(decision).and_then(|manifest| unit.job.deadline(&manifest.policy))
        } else {
            run.time()
        };
        let containers = run.own.containers.iter().filter(|one| failed(one) && !expired);
        DecisionReport {
            run_index: Some(run.run_index),
            pod_name: Some(name.into_owned()),
            node: run.node.as_deref().map(str::to_owned),
            cluster: run.cluster.as_deref().map(str::to_owned),
            failed_at: at.map(|time| time.to_string()),
            failure: match decision.failure().filter(|_| expired || !decision.pod_failed) {
                Some(reason) => reason.as_str().to_owned(),
                None => failure(&run.own),
            },
            containers: containers.map(container_text).collect(),
            action: decision.action().to_owned(),
            decision: decision.code.as_str().to_owned(),
            policy: self.manifest(decision).map(|manifest| manifest.name.clone()),
            rule_index: decision.matched.map(|matched| matched.rule),
            count: decision.used.map(|used| used.count),
            limit: decision.used.map(|used| used.limit.into()),
            limit_source: decision.used.map(|used| used.source.to_owned()),
            total_retries: decision.replaced,
            global_max_retries: None,
            delay_seconds: decision.delay.map(GoDuration::as_secs_f64),
            retry_after: decision.not_before.map(|time| time.to_string()),
            avoid_nodes: Vec::new(),
            memory_bytes: None,
            next_pod_name: None,
            event: event(decision).to_owned(),
            reason: self.reason(decision),
            system: self.system(unit, member, run, decision),
        }
    }

    fn last_words(&self, _: &JobUnit, decision: &Decision) -> String {
        self.reason(decision)
    }
}

impl JobEngine {
    pub(super) fn manifest(&self, decision: &Decision) -> Option<&JobManifest> {
        self.manifests.get(decision.manifest as usize)
    }

    fn system(
        &self,
        unit: &JobUnit,
        member: &Member<PodFields>,
        run: &MemberRun<PodFields>,
        decision: &Decision,
    ) -> SystemDecision {
        let message = decision.failure().and_then(|reason| match reason.message() {
            Some(fixed) => Some(fixed.to_owned()),
            None => self.rules_message(unit, member, run, decision),
        });
        let counts = [
            ("failed", decision.failed),
            ("ignored", decision.ignored),
            ("failedIndexes", decision.failed_indexes),
        ];
        let is_indexed = self.manifest(decision).is_some_and(|job| job.policy.indexed());
        SystemDecision {
            level: Some("job"),
            pod_index: (!run.own.has_no_index || !is_indexed).then_some(run.own.index),
            counts: Some(
                counts.into_iter().map(|(name, n)| (name, n.into())).collect::<BTreeMap<_, _>>(),
            ),
            failure_reason: decision.failure().map(|reason| reason.as_str().to_owned()),
            failure_message: message,
            ..SystemDecision::default()
        }
    }

    /// The message of a Job that a rule failed: it tells of the pod that the rule matched.
    fn rules_message(
        &self,
        unit: &JobUnit,
        member: &Member<PodFields>,
        run: &MemberRun<PodFields>,
        decision: &Decision,
    ) -> Option<String> {
        let fields = unit.culprit.as_deref().unwrap_or(&run.own);
        let name = pod_name(fields, &member.unit);
        let namespace = self.manifest(decision).map_or("", |manifest| &manifest.namespace);
        let pod = Pod { name: &name, namespace, ..fields.pod(None, IndexFailures::default()) };
        Some(matching::message(decision.matched?, &pod))
    }
}

/// The event that the controller emits.
fn event(decision: &Decision) -> &'static str {
    match decision.code {
        DecisionCode::Fail(reason) => reason.as_str(),
        DecisionCode::Retry | DecisionCode::RetryIgnored => "SuccessfulCreate",
        DecisionCode::FailIndex | DecisionCode::NotReplaced => "",
    }
}
