//! Conversion of Armada's decisions to reports.

pub(super) mod fields;

use armada_retry::engine::{Container, Outcome};
use armada_retry::engine::{Decision, DecisionCode, Evaluator, LegacyCause, RuleId};
use armada_retry::policy::{Condition, Form};
use compact_str::CompactString;
use document::units::GoDuration;
use fields::ClassifiedDecision;
use replay::disruption;
use replay::history::RunRecord;
use replay::simulate::{
    DecisionFacts, DecisionReport, Ending, Labels, SystemFields, container_text, ending_text,
};

/// Returns the parts of a decision about a run that a summary counts.
pub(super) fn facts(evaluator: &Evaluator, run: &RunRecord, decision: &Decision) -> DecisionFacts {
    let rule = decision.rule;
    let default = rule.is_some_and(|rule| evaluator.rule(rule).index.is_none());
    let failure =
        matches!(run.own.outcome, Outcome::Failed | Outcome::Preempted | Outcome::LeaseExpired);
    DecisionFacts {
        code: decision.code.as_str(),
        rule: rule.map(RuleId::index),
        failure,
        retry: matches!(decision.code, DecisionCode::Retry | DecisionCode::LegacyRetry),
        exhausted: decision.code.exhausted(),
        by_default: default,
        // A limit counts the retries that a rule or a default grants, and not those of returned leases.
        unlimited: decision.code != DecisionCode::Retry,
        legacy_gang: failure && decision.legacy == Some(LegacyCause::Gang),
        ..DecisionFacts::default()
    }
}

/// Returns how a run ended, for summaries.
pub(super) fn ending(outcome: Outcome) -> Ending {
    match outcome {
        Outcome::Succeeded => Ending::Succeeded,
        Outcome::Failed | Outcome::LeaseExpired => Ending::Failed,
        Outcome::Preempted | Outcome::Stopped => Ending::Interrupted,
        Outcome::Cancelled => Ending::Cancelled,
        Outcome::LeaseReturned => Ending::Open,
    }
}

/// Returns the features of a failure.
pub(super) fn labels(run: &RunRecord) -> Labels<'_> {
    let own = &run.own;
    let containers = if own.outcome.is_bare() { &[][..] } else { &own.containers };
    // Rules without a container skip init containers.
    let mut mains = containers.iter().filter(|container| !container.init);
    let failed = mains.clone().find(|container| container.failed());
    let preempted = (own.outcome == Outcome::Preempted).then_some("Preempted");
    let reason = failed.and_then(|container| some(&container.reason));
    let oom = reason.filter(|reason| Condition::from_name(reason).is_some());
    let named = own.conditions.iter().map(CompactString::as_str);
    let is_known = |name: &&str| Condition::from_name(name).is_some();
    let (mut known, mut others) =
        (named.clone().filter(is_known), named.filter(|it| !is_known(it)));
    let messages = mains.by_ref().map(|container| container.message.as_str());
    // An expired lease is a failure of the cluster, whatever else the record has.
    let expired = (own.outcome == Outcome::LeaseExpired).then_some("internal/lease-expired");
    Labels {
        category: some(&own.category),
        subcategory: some(&own.subcategory),
        implied_category: expired,
        exit_code: failed.and_then(|container| container.exit_code),
        condition: known.next().or(preempted).or(oom),
        disruption: disruption_name(run),
        other_condition: others.next(),
        reason,
        message: messages.into_iter().find(|message| !message.is_empty()),
        outcome: own.outcome.as_str(),
    }
}

/// Returns a text that is not empty.
fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// Returns a decision without the values that only a job's state has: pods and avoided nodes.
pub fn decision_report(
    evaluator: &Evaluator,
    run: &RunRecord,
    decision: &Decision,
) -> DecisionReport {
    let name = decision.rule.map(|rule| evaluator.rule(rule));
    let grant = decision.grant;
    DecisionReport {
        run_index: None,
        pod_name: None,
        node: run.node.as_deref().map(str::to_owned),
        cluster: run.cluster.as_deref().map(str::to_owned),
        failed_at: run.time().map(|time| time.to_string()),
        failure: decided_text(evaluator, run, decision),
        containers: run
            .own
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
        reason: reason(evaluator, run, decision),
        system: emitted(run),
    }
}

/// The fields of what the executor reports, if it gave the run its category here.
fn emitted(run: &RunRecord) -> SystemFields {
    let Some(emitted) = run.own.emitted.as_deref() else { return SystemFields::default() };
    SystemFields::of(&ClassifiedDecision {
        failure_message: Some(&emitted.message),
        failure_hint: some(&emitted.hint),
        category: some(&run.own.category),
        subcategory: some(&run.own.subcategory),
    })
}

/// Returns the reason of a decision. A disruption that no matcher names is named here.
pub(super) fn reason(evaluator: &Evaluator, run: &RunRecord, decision: &Decision) -> String {
    let reason = evaluator.reason(decision);
    let is_default = decision.rule.is_some_and(|rule| evaluator.rule(rule).index.is_none());
    let form = evaluator.profile().form;
    let is_matched = |name: &CompactString| Condition::from_name(name).is_some();
    let has_condition = form == Form::V1 && run.own.conditions.iter().any(is_matched);
    match unmatched_name(run).filter(|_| is_default && !has_condition) {
        Some(name) => format!("{reason}; no matcher of {} names {name}", form.as_str()),
        None => reason,
    }
}

/// Returns the name of a disruption that is not a condition of Armada's, such as `NODE_FAIL`.
fn disruption_name(run: &RunRecord) -> Option<&str> {
    let mut names = run.own.conditions.iter().map(CompactString::as_str);
    names.find(|name| Condition::from_name(name).is_none() && disruption::is_name(name))
}

/// Returns the name of a disruption, or the only thing that is known of a failure: a condition that no rule matches.
fn unmatched_name(run: &RunRecord) -> Option<&str> {
    let own = &run.own;
    let has_code = own.first_failed().is_some_and(|container| container.exit_code.is_some());
    let first = own.conditions.first().map(CompactString::as_str);
    let only = first.filter(|_| !has_code && own.category.is_empty());
    disruption_name(run).or(only.filter(|name| Condition::from_name(name).is_none()))
}

/// Describes the failure as [`failure_text`] does, with the container that the rule read: `exit 1, proxy 137`.
fn decided_text(evaluator: &Evaluator, run: &RunRecord, decision: &Decision) -> String {
    let text = failure_text(run);
    let read = decision.rule.and_then(|rule| evaluator.scoped_container(rule, run.ended()));
    let first_failed = run.own.first_failed().map(|container| &container.name);
    match read.filter(|container| container.failed() && first_failed != Some(&container.name)) {
        Some(container) => format!("{text}, {}", text_of(container)),
        None => text,
    }
}

/// Describes the failure in a few words: `OOMKilled (137)`, `Preempted`, `NODE_FAIL`, `exit 1`, `gpu/ecc`.
pub fn failure_text(run: &RunRecord) -> String {
    let own = &run.own;
    if own.outcome != Outcome::Failed {
        return own.outcome.as_str().to_owned();
    }
    let container = own.first_failed();
    let code = container.and_then(|container| container.exit_code).filter(|code| *code != 0);
    let named = own.conditions.iter().find(|name| Condition::from_name(name).is_some());
    let reason = container.and_then(|container| some(&container.reason));
    let reason = reason.filter(|reason| *reason != "Error" && *reason != "Completed");
    let named = named.map(CompactString::as_str).or_else(|| disruption_name(run));
    let ended = ending_text(named.or(reason), code);
    ended.unwrap_or_else(|| match (some(&own.category), some(&own.subcategory)) {
        (Some(category), Some(subcategory)) => format!("{category}/{subcategory}"),
        (Some(category), None) => category.to_owned(),
        (None, _) => unmatched_name(run).unwrap_or("Failed").to_owned(),
    })
}

fn text_of(container: &Container) -> String {
    container_text(&container.name, container.exit_code, some(&container.reason))
}
