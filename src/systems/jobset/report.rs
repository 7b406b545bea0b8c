//! Decisions about a JobSet as reports show them.

use super::super::job::{self, FailureReason};
use super::decision::{Said, SetCode, SetDecision};
use super::engine::{JobSetEngine, Numbered};
use super::look::limited;
use super::record::SetFields;
use super::sentence;
use super::state::SetState;
use crate::engine::End;
use crate::history::{Member, MemberRun};
use crate::simulate::{
    DecisionReport, Demand, Described, Ending, Group, Labels, Reported, RuleLabel, Tally,
};
use crate::units::GoDuration;

type Run = MemberRun<SetFields>;

impl Described for JobSetEngine {
    const REPORTED: Reported = Reported::Units;

    /// The reason of the set's condition: `Completed`, or why it failed.
    fn fate(&self, state: &SetState, fate: Option<End>) -> Option<String> {
        match fate? {
            End::Succeeded => Some("Completed".to_owned()),
            End::Failed => state.terminal.map(|terminal| terminal.as_str().to_owned()),
            End::Cancelled => None,
        }
    }

    fn open(&self, state: &SetState) -> Option<String> {
        job::still_running(state.running())
    }

    fn success(&self, state: &SetState) -> Option<String> {
        let policy = &self.set_of(state)?.set.success_policy;
        let of = match policy.targets.as_slice() {
            [] => "all replicatedJobs".to_owned(),
            targets => targets.join(", "),
        };
        let operator = policy.operator.as_str();
        (!state.is_all_done()).then(|| format!("successPolicy {operator} of {of} is met"))
    }

    fn name(&self) -> &'static str {
        "jobset"
    }

    fn rules(&self) -> Vec<RuleLabel> {
        let mut labels = Vec::new();
        for Numbered { set, .. } in &self.sets {
            let rules = set.failure_policy.as_ref().map_or(0, |policy| policy.rules.len());
            add(&mut labels, &set.name, rules);
            for replicated in &set.replicated_jobs {
                let policy = format!("{}/{}", set.name, replicated.name);
                add(&mut labels, &policy, replicated.job.rules().len());
            }
        }
        labels
    }

    fn id<'m>(&self, member: &'m Member<SetFields>) -> &'m str {
        &member.unit
    }

    fn queue<'m>(&self, member: &'m Member<SetFields>) -> &'m str {
        &member.queue
    }

    fn effective_policies(&self, member: &Member<SetFields>) -> Vec<String> {
        let set = self.manifest(&member.unit).and_then(|number| self.sets.get(number));
        set.map(|numbered| numbered.set.name.to_string()).into_iter().collect()
    }

    fn demand(&self, _: &Member<SetFields>) -> Demand {
        Demand::default()
    }

    fn labels<'r>(&self, run: &'r Run) -> Labels<'r> {
        let fields = &run.own;
        let told = |text: &'r str| (!text.is_empty()).then_some(text);
        let of_pod = job::labels(&fields.pod);
        Labels {
            category: told(&fields.failure_reason),
            message: told(fields.message()).or(of_pod.message),
            ..of_pod
        }
    }

    fn ending(&self, run: &Run) -> Ending {
        job::ending(run.own.pod.outcome)
    }

    fn tally(&self, _: &Run, decision: &SetDecision) -> Tally {
        let code = decision.code;
        Tally {
            code: code.as_str(),
            rule: self.number(decision),
            // What follows from a Job's failure for the set is no failure of its own, unless the
            // Job's failure is all there is on record.
            failure: code.is_of_job() || decision.failure.is_none(),
            retry: code.reruns(),
            exhausted: code.exhausted(),
            by_default: decision.rule.is_none(),
        }
    }

    fn suggest(&self, _: &Group) -> Option<String> {
        None
    }

    fn report(
        &self,
        state: &SetState,
        _: usize,
        member: &Member<SetFields>,
        run: &Run,
        decision: &SetDecision,
    ) -> DecisionReport {
        let said = decision.said.as_str(decision.code);
        let by_time = decision.failure == Some(FailureReason::DeadlineExceeded);
        let containers = run.own.pod.containers.iter();
        let failed = containers.filter(|container| job::failed(container) && !by_time);
        DecisionReport {
            run_index: Some(run.run_index),
            pod_name: (!run.own.pod.name.is_empty()).then(|| run.own.pod.name.to_string()),
            node: run.node.as_deref().map(str::to_owned),
            cluster: run.cluster.as_deref().map(str::to_owned),
            failed_at: decision.expired.or(run.time()).map(|time| time.to_string()),
            failure: failure(run, decision),
            containers: failed.map(job::container_text).collect(),
            action: said.to_owned(),
            decision: decision.code.as_str().to_owned(),
            policy: self.policy_name(state, decision),
            rule_index: decision.rule.map(|rule| rule as usize),
            count: decision.used.map(|(count, _)| count),
            limit: decision.used.map(|(_, limit)| limit.into()),
            limit_source: decision.used.map(|_| self.limit_source(state, decision).to_owned()),
            total_retries: decision.total,
            global_max_retries: None,
            delay_seconds: decision.grant.map(|(delay, _)| GoDuration::as_secs_f64(delay)),
            retry_after: decision.grant.and_then(|(_, at)| at).map(|time| time.to_string()),
            avoid_nodes: Vec::new(),
            memory_bytes: None,
            next_pod_name: None,
            event: event(decision).to_owned(),
            reason: self.sentence(state, decision),
            system: self.system(state, member, run, decision),
        }
    }

    fn last_words(&self, state: &SetState, decision: &SetDecision) -> String {
        self.sentence(state, decision)
    }
}

impl JobSetEngine {
    /// The rule's number among all of [`Described::rules`].
    fn number(&self, decision: &SetDecision) -> Option<usize> {
        let numbered = self.sets.get(decision.manifest)?;
        let (first, rules) = if decision.code.is_of_job() {
            let place = decision.replicated_job?;
            let job = numbered.set.replicated_jobs.get(place)?;
            (*numbered.jobs.get(place)?, job.job.rules().len())
        } else {
            let policy = numbered.set.failure_policy.as_ref();
            (numbered.first, policy.map_or(0, |policy| policy.rules.len()))
        };
        Some(first + decision.rule.map_or(rules, |rule| rule as usize))
    }

    fn policy_name(&self, state: &SetState, decision: &SetDecision) -> Option<String> {
        let set = &self.sets.get(decision.manifest)?.set;
        match decision.said {
            Said::NoPolicy => None,
            Said::Pod(_) => {
                let label = state.children.get(decision.child).map_or("", |child| &child.label);
                Some(format!("{}/{label}", set.name))
            }
            _ => Some(set.name.to_string()),
        }
    }

    fn limit_source(&self, state: &SetState, decision: &SetDecision) -> &'static str {
        if !decision.code.is_of_job() {
            return "maxRestarts";
        }
        let set = self.set_of(state).map(|numbered| &numbered.set);
        let policy = set.map(|set| self.policy(set, decision.replicated_job));
        match decision.code {
            SetCode::FailJob(FailureReason::MaxFailedIndexesExceeded) => "maxFailedIndexes",
            SetCode::Retry | SetCode::RetryIgnored | SetCode::FailIndex
                if policy.is_some_and(|p| p.indexed() && p.backoff_limit_per_index.is_some()) =>
            {
                "backoffLimitPerIndex"
            }
            _ => "backoffLimit",
        }
    }

    fn sentence(&self, state: &SetState, decision: &SetDecision) -> String {
        let set = self.sets.get(decision.manifest).map(|numbered| &numbered.set);
        let policy = set.and_then(|set| set.failure_policy.as_ref());
        let rule = policy.and_then(|policy| policy.rules.get(decision.rule? as usize));
        let rule = rule.filter(|_| !decision.code.is_of_job()).map(|rule| &*rule.name);
        let child = state.children.get(decision.child);
        let of = sentence::of(decision, child.map_or("", |child| &child.name), rule);
        let presumed = match (decision.code, child, set) {
            (SetCode::FailJob(FailureReason::FailedIndexes), Some(child), Some(set)) => {
                job::presumed(child.presumed(self.policy(set, decision.replicated_job)))
            }
            _ => String::new(),
        };
        let before = if limited(decision.code) { state.counters.before_record() } else { 0 };
        of + &presumed + &sentence::before_record(before)
    }
}

fn add(labels: &mut Vec<RuleLabel>, policy: &str, rules: usize) {
    let indexes = (0..rules).map(Some).chain([None]);
    labels.extend(indexes.map(|index| RuleLabel { policy: policy.to_owned(), index }));
}

/// The reason of the event that the controllers emit.
fn event(decision: &SetDecision) -> &'static str {
    match (decision.code, decision.said) {
        (SetCode::FailJob(reason), _) => reason.as_str(),
        (SetCode::Retry | SetCode::RetryIgnored, _) => "SuccessfulCreate",
        (SetCode::FailIndex | SetCode::ReconcileError, _) => "",
        (code, said) => match (code.terminal(), said) {
            (Some(terminal), _) => terminal.as_str(),
            (None, Said::Set(action)) => action.event(),
            (None, _) => "",
        },
    }
}

/// What failed, in a few words: the Job's reason, or how the pod ended.
fn failure(run: &Run, decision: &SetDecision) -> String {
    if let Some(FailureReason::DeadlineExceeded) = decision.failure {
        return FailureReason::DeadlineExceeded.as_str().to_owned();
    }
    if run.own.tells_of_job() {
        return run.own.failure_reason.to_string();
    }
    job::failure(&run.own.pod)
}
