//! `explain decision`: every rule tried against one failure.

use crate::cli::{Context, Exit, Output, Refusal};
use crate::commands::load;
use crate::commands::policy_set::{PolicySet, PolicySetArgs};
use crate::commands::systems::{PolicyFiles, SystemArgs};
use crate::diag::did_you_mean;
use crate::engine::{JobState, RuleId, Scratch};
use crate::history::{
    ArmadaRun, GraceBounds, Job, JobFields, OnBadRecord, Outcome, PairFault, RunRecord, Table,
    record_of_pairs,
};
use crate::policy::SchedulerSettings;
use crate::report::{self, DecisionExplanation, TraceItem, explanation};
use crate::simulate::read_history;
use crate::systems::armada::{Armada, decision_report};
use crate::systems::with_system;
use anyhow::Result;
use clap::Args;

/// Try every rule against one failure and say why each matches or not
///
/// For a policy of Armada the keys of --failure are: outcome (default Failed), condition, container, init, exitCode, reason,
/// message, category, subcategory, node. `condition` may stand several times; `container=NAME`
/// starts a container, and container keys before any mean `main`. For a JobSet, a Job and a
/// RetryProfile they are the fields of their run records; a wrong one lists them.
///
/// Exits 0 for Fail too.
#[derive(Debug, Args)]
pub struct DecisionArgs {
    #[command(flatten)]
    pub(super) policies: PolicySetArgs,
    #[command(flatten)]
    pub(super) systems: SystemArgs,
    /// What is known of the failure, such as `exitCode=137`
    #[arg(long = "failure", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub(super) failure: Vec<(String, String)>,
    /// An annotation of the job, such as `armadaproject.io/failFast=true`
    #[arg(long = "annotation", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub(super) annotations: Vec<(String, String)>,
    /// Retries the job has had in all; in v1beta1 its only count
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(super) retries_used: u32,
    /// Retries the deciding rule has granted to the job
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(super) rule_retries: u32,
    /// Draw by this seed what the policy leaves to chance, such as a random jitter
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(super) seed: u64,
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// Decides about the failure and prints the explanation.
pub fn run(context: &mut Context<'_>, args: &DecisionArgs) -> Result<Exit> {
    use Output::{Json, Table, Wide, Yaml};
    let output = context.globals.output("explain decision", &[Table, Wide, Json, Yaml])?;
    load::one_stdin(args.policies.files.iter().chain(&args.policies.scheduler_config))?;
    let given = PolicyFiles::read(&args.policies.files);
    let explained = with_system!(
        given.system,
        Armada => armada(context, args, given)?,
        S => super::system_decision::explain::<S>(context, args, given)?,
    );
    let text = match output {
        Json => report::json(&explained),
        Yaml => report::yaml(&explained)?,
        _ => explanation::table(&explained, &context.layout(output == Wide)),
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

fn armada(
    context: &mut Context<'_>,
    args: &DecisionArgs,
    given: PolicyFiles,
) -> Result<DecisionExplanation> {
    args.systems.refuse(&given.findings)?;
    let run = failure(context, &args.failure)?;
    let annotations = Some(args.annotations.iter().cloned().collect());
    let job = Job::new("", JobFields { annotations, ..JobFields::default() });
    let policies = PolicySet::new(context.ui, given, &args.policies)?;
    let engine = policies.compile(context.ui, &job)?;
    let (evaluator, bindings) = (engine.evaluator(), engine.bindings());
    let route = bindings.route(evaluator, &job);
    let trace = evaluator.trace(&route, &run);
    let deciding: Option<RuleId> = trace.iter().find(|tried| tried.matched).map(|tried| tried.rule);
    let used = deciding.map(|rule| (rule, args.rule_retries));
    let mut state = JobState::new(&job, route).with_used(args.retries_used, used);
    let decision = evaluator.decide(&mut state, &run, None, &mut Scratch::default());
    let mut decided = decision_report(evaluator, &run, &decision);
    decided.avoid_nodes = state.avoided(&decision).iter().map(ToString::to_string).collect();
    // Where something before the rules decides, such as failFast, no rule is tried.
    let tries_rules = decided.policy.is_some();
    let items = trace.into_iter().map(|tried| {
        let name = evaluator.rule(tried.rule);
        TraceItem {
            policy: name.policy.to_owned(),
            rule_index: name.index,
            matched: tried.matched && tries_rules,
            why: if tries_rules { tried.why } else { format!("not tried: {}", decided.reason) },
        }
    });
    let items: Vec<TraceItem> = items.collect();
    let engine = evaluator.profile().form.as_str();
    Ok(DecisionExplanation::new(engine, decided, items))
}

/// The run that the pairs describe.
fn failure(context: &mut Context<'_>, pairs: &[(String, String)]) -> Result<RunRecord> {
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

/// The error of a pair that cannot be used.
pub(super) fn refuse_pair(fault: PairFault) -> Refusal {
    Refusal { help: fault.help, ..Refusal::usage(fault.message) }
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
