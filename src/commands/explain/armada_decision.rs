//! A failure under Armada's policies, decided and explained.

use super::decision::{DecisionArgs, refuse_pair};
use super::values;
use crate::cli::{Context, Refusal};
use crate::commands::policy_set::{PolicySet, PolicySetArgs};
use crate::project::{self, ExecutorFiles, Project};
use crate::report::{
    DecisionExplanation, ExplanationNote, FailureClassification, RemainingBudget, TraceItem,
    category_name,
};
use anyhow::Result;
use armada_retry::engine::{
    Decision, DecisionCode, Evaluator, JobFields, JobState, Outcome, RuleId, Scratch,
};
use armada_retry::policy::{Condition, Form, SchedulerSettings};
use document::diag::did_you_mean;
use replay::history::{
    ArmadaRun, GraceBounds, Job, OnBadRecord, RunRecord, Table, UnreadWords, record_of_pairs,
};
use replay::simulate::read_history;
use systems::armada::classifier::{ClassifierMemory, EmittedAs, Executors};
use systems::armada::{Armada, decision_report};
use systems::remaining_budget;

/// Decides about the failure that the arguments describe.
pub(super) fn explain(
    context: &mut Context<'_>,
    args: &DecisionArgs,
    project: Project,
) -> Result<DecisionExplanation> {
    args.systems.refuse(&project.findings)?;
    let (mut run, words) = failure(context, &args.failure)?;
    let original = run.clone();
    let executors = project::read_executors(context.ui, &args.executor_config)?;
    let classification = classify(context, (&args.executor_config, executors.as_ref()), &mut run)?;
    let used = (args.retries_used, args.rule_retries);
    let job = (args.annotations.as_slice(), used);
    let (mut explanation, engine) = explain_run(context, &args.policies, project, job, &run)?;
    explanation.classification = classification;
    let mut notes: Vec<ExplanationNote> =
        values::no_fields_note(&args.failure).into_iter().collect();
    notes.extend(values::annotation_warnings(&args.annotations));
    notes.extend(values::unread_word_notes(&words));
    notes.extend(values::exit_code_note(&args.failure));
    if !args.failure.is_empty() {
        notes.extend(values::no_category_note(&run, engine.evaluator()));
    }
    notes.extend(values::run_notes(&original, engine.evaluator(), executors.as_ref()));
    explanation.notes.splice(0..0, notes);
    Ok(explanation)
}

/// Decides about a run of a job with these annotations, after these numbers of retries: of the job, and of the job by
/// the deciding rule.
pub(super) fn explain_run(
    context: &mut Context<'_>,
    policies: &PolicySetArgs,
    project: Project,
    (annotations, (retries_used, rule_retries)): (&[(String, String)], (u32, u32)),
    run: &RunRecord,
) -> Result<(DecisionExplanation, Armada)> {
    let annotations = Some(annotations.iter().cloned().collect());
    let job = Job::new("", JobFields { annotations, ..JobFields::default() });
    let policies = PolicySet::new(context.ui, project, policies)?;
    let engine = policies.compile(context.ui, &job)?;
    let (evaluator, bindings) = (engine.evaluator(), engine.bindings());
    refuse_rule_retries(evaluator, retries_used, rule_retries)?;
    let route = bindings.route(evaluator, &job.queue, &job.unit_fields);
    let trace = evaluator.trace(&route, run.ended());
    let deciding: Option<RuleId> = trace.iter().find(|tried| tried.matched).map(|tried| tried.rule);
    let decide = |more: u32| {
        let used = deciding.map(|rule| (rule, rule_retries.saturating_add(more)));
        let total = retries_used.saturating_add(more);
        let mut state = JobState::new(&job.unit_fields, route.clone()).with_used(total, used);
        let decision = evaluator.decide(&mut state, run.ended(), None, &mut Scratch::default());
        (state, decision)
    };
    let (state, decision) = decide(0);
    let budget = remaining_budget(|more| Some(decision_report(evaluator, run, &decide(more).1)));
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
    let name = evaluator.profile().form.as_str();
    let mut explanation = DecisionExplanation::new(name, report, items);
    explanation.budget = budget.as_ref().map(RemainingBudget::new);
    explanation.notes.extend(placement_note(evaluator, &decision, run));
    Ok((explanation, engine))
}

/// Refuses a count of a rule's retries under `v1beta1`, which has one count for the job.
fn refuse_rule_retries(evaluator: &Evaluator, retries_used: u32, rule_retries: u32) -> Result<()> {
    if rule_retries == 0 || evaluator.profile().form != Form::V1beta1 {
        return Ok(());
    }
    let message = "--rule-retries: `v1beta1` counts the retries of the job, not those of a rule";
    let help = match retries_used {
        0 => format!("write --retries-used {rule_retries}"),
        _ => "leave it out: --retries-used is the only count".to_owned(),
    };
    Err(Refusal::usage(message).help(help).into())
}

/// The note on a retry that the scheduler takes back if no node fits the job with what the rule changes.
fn placement_note(
    evaluator: &Evaluator,
    decision: &Decision,
    run: &RunRecord,
) -> Option<ExplanationNote> {
    let rule = decision.rule.and_then(|id| evaluator.rule_body(id));
    let is_grown = run.own.outcome == Outcome::Failed && rule.is_some_and(|it| it.memory.is_some());
    let avoids = decision.grant.is_some_and(|grant| grant.avoids_nodes);
    let condition = match (decision.code == DecisionCode::Retry, is_grown, avoids) {
        (false, ..) | (_, false, false) => return None,
        (_, true, false) => "the job with the memory that the rule adds fits a node",
        (_, false, true) => "the job fits a node that it was not tried on",
        (_, true, true) => {
            "the job with the memory that the rule adds fits a node that it was not tried on"
        }
    };
    let code = DecisionCode::RetryUnschedulable.as_str();
    Some(ExplanationNote::note(format!("the retry holds if {condition}; else it is {code}")))
}

/// The run that the pairs describe, and words of them that nothing reads.
pub(super) fn failure(
    context: &mut Context<'_>,
    pairs: &[(String, String)],
) -> Result<(RunRecord, UnreadWords)> {
    for (_, value) in pairs.iter().filter(|(key, _)| key == "outcome") {
        check_outcome(value)?;
    }
    let shape = Table::<ArmadaRun>::RECORD;
    let record = record_of_pairs(shape, "failure", pairs).map_err(refuse_pair)?;
    let bounds = GraceBounds::from(&SchedulerSettings::default());
    let (history, findings) = read_history::<Armada>(Some(bounds), OnBadRecord::Error, |stream| {
        stream.whole_lines("--failure", &record.to_string());
    });
    project::refuse_errors(context.ui, findings)?;
    let mut runs = history.members.into_iter().flat_map(|job| job.runs);
    let run = runs.next().ok_or_else(|| Refusal::usage("no failure"))?;
    Ok((run, history.unread))
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
    if Condition::from_name(value).is_some() {
        return Err(refusal.help(format!("it is a condition: write condition={value}")).into());
    }
    Err(match did_you_mean(value, names) {
        Some(near) => refusal.help(format!("did you mean `{near}`?")),
        None => refusal.help(format!("write {}", names.join(", "))),
    }
    .into())
}

/// Gives a failure the category that the executor of its cluster reports, or makes it a returned lease; returns what is
/// reported. `None` without a configuration, and if the failure has a category, which it keeps.
pub(super) fn classify(
    context: &mut Context<'_>,
    (all, executors): (&[ExecutorFiles], Option<&Executors>),
    run: &mut RunRecord,
) -> Result<Option<FailureClassification>> {
    let Some(executors) = executors else { return Ok(None) };
    if run.own.outcome != Outcome::Failed {
        let outcome = run.own.outcome.as_str();
        let message = format!("note: the executor does not classify runs of outcome {outcome}");
        context.ui.note(&message)?;
        return Ok(None);
    }
    let executor =
        executors.find(run.cluster.as_deref()).ok_or_else(|| refuse_cluster(all, run))?;
    let mut memory = ClassifierMemory::default();
    let report = executor.report_run(&run.own, &mut memory);
    let Some(emission) = &report.emission else { return Ok(None) };
    let found = emission.classification;
    if !run.own.category.is_empty() {
        let name = category_name(found.category, found.subcategory);
        let message = format!("note: the failure keeps its category; the executor reports {name}");
        context.ui.note(&message)?;
        return Ok(None);
    }
    run.own.category = found.category.into();
    run.own.subcategory = found.subcategory.into();
    if matches!(emission.kind, EmittedAs::LeaseReturned { .. }) {
        run.own.outcome = Outcome::LeaseReturned;
    }
    Ok(Some(FailureClassification::new(&report, emission)))
}

/// The error of a failure on a cluster without a configuration.
fn refuse_cluster(all: &[ExecutorFiles], run: &RunRecord) -> Refusal {
    let message = match run.cluster.as_deref() {
        Some(cluster) => format!("no --executor-config is for cluster `{cluster}`"),
        None => "the failure has no cluster, but every --executor-config is for one".to_owned(),
    };
    let names: Vec<&str> = all.iter().filter_map(|files| files.cluster.as_deref()).collect();
    let help = format!("write `--failure cluster=NAME`, with one of {}", names.join(", "));
    Refusal::usage(message).help(help)
}
