//! A failure under Armada's policies, decided and explained.

use super::classification::classify;
use super::decision::{DecisionArgs, refuse_pair};
use crate::cli::{Context, Refusal};
use crate::commands::load;
use crate::commands::policy_set::{PolicySet, PolicySetArgs};
use crate::commands::systems::PolicyFiles;
use crate::diag::did_you_mean;
use crate::engine::{JobState, RuleId, Scratch};
use crate::history::{
    ArmadaRun, GraceBounds, Job, JobFields, OnBadRecord, Outcome, RunRecord, Table, record_of_pairs,
};
use crate::policy::SchedulerSettings;
use crate::report::{DecisionExplanation, TraceItem};
use crate::simulate::read_history;
use crate::systems::armada::{Armada, decision_report};
use anyhow::Result;

/// Decides about the failure that the arguments describe.
pub(super) fn explain(
    context: &mut Context<'_>,
    args: &DecisionArgs,
    files: PolicyFiles,
) -> Result<DecisionExplanation> {
    args.systems.refuse(&files.findings)?;
    let mut run = failure(context, &args.failure)?;
    let classification = classify(context, &args.executor_config, &mut run)?;
    let used = (args.retries_used, args.rule_retries);
    let mut explanation =
        explain_run(context, &args.policies, files, (&args.annotations, used), &run)?;
    explanation.classification = classification;
    Ok(explanation)
}

/// Decides about a run of a job with these annotations, after these numbers of retries: of the job, and of the job by
/// the deciding rule.
pub(super) fn explain_run(
    context: &mut Context<'_>,
    policies: &PolicySetArgs,
    files: PolicyFiles,
    (annotations, (retries_used, rule_retries)): (&[(String, String)], (u32, u32)),
    run: &RunRecord,
) -> Result<DecisionExplanation> {
    let annotations = Some(annotations.iter().cloned().collect());
    let job = Job::new("", JobFields { annotations, ..JobFields::default() });
    let policies = PolicySet::new(context.ui, files, policies)?;
    let engine = policies.compile(context.ui, &job)?;
    let (evaluator, bindings) = (engine.evaluator(), engine.bindings());
    let route = bindings.route(evaluator, &job);
    let trace = evaluator.trace(&route, run);
    let deciding: Option<RuleId> = trace.iter().find(|tried| tried.matched).map(|tried| tried.rule);
    let used = deciding.map(|rule| (rule, rule_retries));
    let mut state = JobState::new(&job, route).with_used(retries_used, used);
    let decision = evaluator.decide(&mut state, run, None, &mut Scratch::default());
    let mut report = decision_report(evaluator, run, &decision);
    report.avoid_nodes = state.avoided(&decision).iter().map(ToString::to_string).collect();
    // If the decision is made before the rules, such as by failFast, no rule is tried.
    let tries_rules = report.policy.is_some();
    let items = trace.into_iter().map(|tried| {
        let name = evaluator.rule(tried.rule);
        TraceItem {
            policy: name.policy.to_owned(),
            rule_index: name.index,
            matched: tried.matched && tries_rules,
            why: if tries_rules { tried.why } else { format!("not tried: {}", report.reason) },
        }
    });
    let items: Vec<TraceItem> = items.collect();
    let engine = evaluator.profile().form.as_str();
    Ok(DecisionExplanation::new(engine, report, items))
}

/// The run that the pairs describe.
pub(super) fn failure(context: &mut Context<'_>, pairs: &[(String, String)]) -> Result<RunRecord> {
    for (_, value) in pairs.iter().filter(|(key, _)| key == "outcome") {
        check_outcome(value)?;
    }
    let shape = Table::<ArmadaRun>::RECORD;
    let record = record_of_pairs(shape, "failure", pairs).map_err(refuse_pair)?;
    let bounds = GraceBounds::from(&SchedulerSettings::default());
    let (history, findings) = read_history::<Armada>(Some(bounds), OnBadRecord::Error, |stream| {
        stream.whole_lines("--failure", &record.to_string());
    });
    load::refuse_errors(context.ui, findings)?;
    let runs = history.members.into_iter().flat_map(|job| job.runs);
    runs.into_iter().next().ok_or_else(|| Refusal::usage("no failure").into())
}

/// Refuses an outcome for which no decision is made.
fn check_outcome(value: &str) -> Result<()> {
    const FAILURES: [Outcome; 4] =
        [Outcome::Failed, Outcome::Preempted, Outcome::LeaseReturned, Outcome::LeaseExpired];
    let names = FAILURES.map(Outcome::as_str);
    if names.contains(&value) {
        return Ok(());
    }
    let refusal = Refusal::usage(format!("`{value}` is not the outcome of a failure"));
    Err(match did_you_mean(value, names) {
        Some(near) => refusal.help(format!("did you mean `{near}`?")),
        None => refusal.help(format!("write {}", names.join(", "))),
    }
    .into())
}
