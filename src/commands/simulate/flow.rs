//! The flow of `simulate`: reads the policies, replays the histories through them and prints the report.

use super::inputs::Inputs;
use super::variant_args::{FIRST_VARIANT, LIVE_VARIANT, VariantArg};
use super::{
    SimulateArgs, TimelinesName, armada, changes, cluster, figures, manifests, without_policies,
};
use crate::cli::{Context, Exit, Output};
use crate::commands::disruptions::DisruptionArgs;
use crate::commands::executor_config::ExecutorFiles;
use crate::commands::load;
use crate::commands::policy_set::PolicySetArgs;
use crate::commands::systems::PolicyFiles;
use crate::diag::Findings;
use crate::policy::Documents;
use crate::report::{self, answer};
use crate::simulate::SimulationReport;
use crate::systems::{SystemName, with_system};
use anyhow::Result;
use std::path::PathBuf;

/// Replays the histories and prints the report.
pub fn run(context: &mut Context<'_>, args: &SimulateArgs) -> Result<Exit> {
    use Output::{Json, Table, Wide, Yaml};
    let output = context.globals.output("simulate", &[Table, Wide, Json, Yaml])?;
    if args.simulated.cluster.is_some() {
        return cluster::run(context, args, output);
    }
    let reserved: &[&str] =
        if args.live { &[FIRST_VARIANT, LIVE_VARIANT] } else { &[FIRST_VARIANT] };
    VariantArg::refuse_equal_names(&args.variant, reserved)?;
    changes::refuse_file(args)?;
    let variants = args.variant.iter().flat_map(|variant| &variant.files);
    let stdin = args.policies.files.iter().chain(variants).chain(&args.history);
    let executors = args.executor_config.iter().flat_map(|files| &files.files);
    let tables = args.policies.scheduler_config.iter().chain(&args.disruptions.disruptions);
    load::refuse_second_stdin(stdin.chain(tables).chain(executors))?;
    let mut findings = Findings::new();
    let inputs = Inputs::open(args, &mut findings);
    let files = if args.has_policies() {
        PolicyFiles::read(args.first_variant().1)
    } else {
        without_policies::refuse_flags(args)?;
        without_policies::files(inputs.heads())
    };
    let histories = (inputs, findings);
    let mut report = with_system!(
        files.system,
        Armada => armada::replay(context, args, files, histories)?,
        S => manifests::replay::<S>(context, args, files, histories)?,
    );
    report.answer.sentences = answer::sentences(&report);
    // The report is printed although it lacks a name of an assertion.
    let (assertions, refused) = figures::evaluate(args, &report);
    report.assertions = assertions;
    let text = match output {
        Json => report::json(&report),
        Yaml => report::yaml(&report)?,
        Table | Output::Name => table(context, args, &report),
        Wide => answer::wide(&report, &context.layout(true)),
    };
    context.ui.data(&text)?;
    refused?;
    Ok(exit(args, &report))
}

/// The report on a screen: the answer, and the sections that `--show` names.
fn table(context: &Context<'_>, args: &SimulateArgs, report: &SimulationReport) -> String {
    let layout = context.layout(false);
    let is_job = report.jobs.as_ref().is_some_and(|jobs| jobs.len() == 1)
        && report.summary.totals.jobs == 1
        && report.has_policies();
    if context.globals.quiet {
        return answer::quiet(report, &layout);
    }
    if is_job && args.show.is_empty() {
        return answer::job(report, &layout);
    }
    let mut text = answer::answer(report, &args.sections(), &layout);
    if args.timelines == TimelinesName::All {
        text.push('\n');
        text.push_str(&answer::timelines(report, &layout));
    }
    text
}

/// Replays histories through Armada's policies, for commands that use only the report.
pub fn replay_histories(
    context: &mut Context<'_>,
    policies: PolicySetArgs,
    executor_config: Vec<ExecutorFiles>,
    disruptions: DisruptionArgs,
    history: Vec<PathBuf>,
    documents: Documents,
) -> Result<SimulationReport> {
    let args = SimulateArgs::of_histories(policies, executor_config, disruptions, history);
    let files = PolicyFiles { documents, system: SystemName::Armada, findings: Findings::new() };
    let mut findings = Findings::new();
    let inputs = Inputs::open(&args, &mut findings);
    armada::replay(context, &args, files, (inputs, findings))
}

/// The exit code: 1 if an assertion does not hold, or if a job failed and `--exit-code` is set.
fn exit(args: &SimulateArgs, report: &SimulationReport) -> Exit {
    let failed = if args.is_of_record() {
        report.answer.on_record("jobsFailed").is_some_and(|jobs| jobs > 0.0)
    } else {
        report.summary.outcomes.get("Failed").is_some_and(|jobs| *jobs > 0)
    };
    let holds = report.assertions.iter().all(|assertion| assertion.holds);
    if holds && !(args.exit_code && failed) { Exit::Done } else { Exit::No }
}
