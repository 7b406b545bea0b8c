//! Armada's decisions as reports show them.

use super::described::{Described, Reported, RuleLabel, Tally};
use super::names::{Group, Labels};
use super::report::DecisionReport;
use super::suggest;
use super::summary::{Demand, Ending};
use super::system_report::SystemDecision;
use super::words::{container_text, ended_with};
use crate::engine::{Armada, Decision, DecisionCode, End, RuleId, UnitState};
use crate::history::{Container, Job, Outcome, RunRecord};
use crate::policy::Condition;
use crate::units::GoDuration;

impl Described for Armada {
    const REPORTED: Reported = Reported::Members;

    fn fate(&self, _: &UnitState, _: Option<End>) -> Option<String> {
        None
    }

    fn name(&self) -> &str {
        self.evaluator().profile().form.as_str()
    }

    fn rules(&self) -> Vec<RuleLabel> {
        let evaluator = self.evaluator();
        let names = evaluator.rule_ids().map(|id| evaluator.rule(id));
        names.map(|name| RuleLabel { policy: name.policy.to_owned(), index: name.index }).collect()
    }

    fn id<'m>(&self, job: &'m Job) -> &'m str {
        &job.id
    }

    fn queue<'m>(&self, job: &'m Job) -> &'m str {
        &job.queue
    }

    fn effective_policies(&self, job: &Job) -> Vec<String> {
        let effective = self.bindings().effective(self.evaluator(), job);
        let policies = self.evaluator().policies();
        effective.policies.iter().map(|number| policies[*number].name.to_string()).collect()
    }

    fn demand(&self, job: &Job) -> Demand {
        Demand { cpu: job.resources.cpu, gpu: job.resources.gpu }
    }

    fn labels<'r>(&self, run: &'r RunRecord) -> Labels<'r> {
        labels(run)
    }

    fn ending(&self, run: &RunRecord) -> Ending {
        ending(run.outcome)
    }

    fn tally(&self, run: &RunRecord, decision: &Decision) -> Tally {
        tally(self, run.outcome, decision)
    }

    fn suggest(&self, group: &Group) -> Option<String> {
        suggest::rule(self.evaluator().profile().form, group)
    }

    fn report(
        &self,
        unit: &UnitState,
        number: usize,
        job: &Job,
        run: &RunRecord,
        decision: &Decision,
    ) -> DecisionReport {
        let avoided = unit.members()[number].avoided(decision);
        DecisionReport {
            run_index: Some(decision.run_index),
            pod_name: Some(decision.pod_name(&job.id)),
            next_pod_name: decision.next_pod_name(&job.id),
            avoid_nodes: avoided.iter().map(ToString::to_string).collect(),
            ..decision_report(self.evaluator(), run, decision)
        }
    }

    fn last_words(&self, _: &UnitState, decision: &Decision) -> String {
        self.evaluator().reason(decision)
    }
}

/// What a summary counts of a decision about a run that ended so.
pub(super) fn tally(engine: &Armada, outcome: Outcome, decision: &Decision) -> Tally {
    let rule = decision.rule;
    let default = rule.is_some_and(|rule| engine.evaluator().rule(rule).index.is_none());
    Tally {
        code: decision.code.as_str(),
        rule: rule.map(RuleId::index),
        failure: matches!(outcome, Outcome::Failed | Outcome::Preempted | Outcome::LeaseExpired),
        retry: matches!(decision.code, DecisionCode::Retry | DecisionCode::LegacyRetry),
        exhausted: decision.code.exhausted(),
        by_default: default,
    }
}

/// How a run of an outcome ended, as far as summaries tell.
pub(super) fn ending(outcome: Outcome) -> Ending {
    match outcome {
        Outcome::Succeeded => Ending::Succeeded,
        Outcome::Failed | Outcome::LeaseExpired => Ending::Failed,
        Outcome::Preempted | Outcome::LeaseReturned | Outcome::Cancelled | Outcome::Stopped => {
            Ending::Other
        }
    }
}

/// What a run looks like from outside.
pub(super) fn labels<S: AsRef<str>>(run: &RunRecord<S>) -> Labels<'_> {
    let containers = if run.outcome.is_bare() { &[][..] } else { &run.containers };
    // What rules look at that say nothing of init containers.
    let mut mains = containers.iter().filter(|container| !container.init);
    let failed = mains.clone().find(|container| container.failed());
    let named = run.conditions.iter().map(AsRef::as_ref);
    let preempted = (run.outcome == Outcome::Preempted).then_some("Preempted");
    let oom = failed.and_then(|container| container.reason.as_ref().map(AsRef::as_ref));
    let oom = oom.filter(|reason| Condition::from_name(reason).is_some());
    let mut condition = named.filter(|name| Condition::from_name(name).is_some());
    Labels {
        category: run.category.as_ref().map(AsRef::as_ref),
        exit_code: failed.and_then(|container| container.exit_code),
        condition: condition.next().or(preempted).or(oom),
        message: mains.find_map(|container| container.message.as_ref().map(AsRef::as_ref)),
    }
}

/// A decision without what only a job's state knows: pods and avoided nodes.
pub fn decision_report(
    evaluator: &crate::engine::Evaluator,
    run: &RunRecord,
    decision: &Decision,
) -> DecisionReport {
    let name = decision.rule.map(|rule| evaluator.rule(rule));
    let grant = decision.grant;
    DecisionReport {
        run_index: None,
        pod_name: None,
        node: run.node.as_deref().map(str::to_owned),
        cluster: run.cluster.clone(),
        failed_at: run.time().map(|time| time.to_string()),
        failure: failure(run),
        containers: run
            .containers
            .iter()
            .filter(|container| container.failed())
            .map(text_of)
            .collect(),
        action: decision.action().as_str().to_owned(),
        decision: decision.code.as_str().to_owned(),
        policy: name.map(|name| name.policy.to_owned()),
        rule_index: name.and_then(|name| name.index),
        count: decision.used.map(|used| used.count),
        limit: decision.used.map(|used| used.limit.into()),
        limit_source: decision.used.map(|used| used.source.as_str().to_owned()),
        total_retries: decision.total_retries,
        global_max_retries: Some(decision.global_max_retries),
        delay_seconds: grant.and_then(|grant| grant.delay).map(GoDuration::as_secs_f64),
        retry_after: grant.and_then(|grant| grant.retry_after).map(|time| time.to_string()),
        avoid_nodes: Vec::new(),
        memory_bytes: decision.memory_bytes,
        next_pod_name: None,
        event: decision.event().to_owned(),
        reason: evaluator.reason(decision),
        system: SystemDecision::default(),
    }
}

/// What failed, in a few words: `OOMKilled (137)`, `Preempted`, `exit 1`, `gpu/ecc`.
pub fn failure(run: &RunRecord) -> String {
    if run.outcome != Outcome::Failed {
        return run.outcome.as_str().to_owned();
    }
    let container = run
        .containers
        .iter()
        .find(|c| !c.init && c.failed())
        .or_else(|| run.containers.iter().find(|container| container.failed()));
    let code = container.and_then(|container| container.exit_code).filter(|code| *code != 0);
    let named = run.conditions.iter().find(|name| Condition::from_name(name).is_some());
    let reason = container.and_then(|container| container.reason.as_deref());
    let reason = reason.filter(|reason| *reason != "Error" && *reason != "Completed");
    let ended = ended_with(named.map(String::as_str).or(reason), code);
    ended.unwrap_or_else(|| match (&run.category, &run.subcategory) {
        (Some(category), Some(subcategory)) => format!("{category}/{subcategory}"),
        (Some(category), None) => category.clone(),
        (None, _) => "Failed".to_owned(),
    })
}

fn text_of(container: &Container) -> String {
    container_text(&container.name, container.exit_code, container.reason.as_deref())
}
