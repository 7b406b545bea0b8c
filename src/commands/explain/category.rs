//! `explain category`: the category that Armada's executor gives a failure, and why not another.

use super::decision::parse_pair;
use super::{armada_decision, values};
use crate::cli::{Context, Exit, Output, Refusal};
use crate::commands::policy_set::PolicySetArgs;
use crate::input;
use crate::project::{self, ExecutorFiles, PolicyScope, Project};
use crate::report::category::{self, CategoryExplanation};
use crate::report::{self, DecisionExplanation};
use anyhow::Result;
use armada_retry::engine::Outcome;
use clap::Args;
use document::Limits;
use document::diag::{Findings, plural};
use replay::history::{ArmadaRun, DescribedPod, RunRecord, described_pods};
use std::path::{Path, PathBuf};
use systems::armada::classifier::{ClassifierMemory, Executor, FailedPod, Situation};

const EXAMPLES: &str = "\
Examples:
  # Print which rule of the executor names the failure of a pod
  kubectl get pod,event -o yaml > pod.yaml
  armadactl explain category --executor-config executor.yaml --pod pod.yaml

  # The same for a failure that was not recorded
  armadactl explain category --executor-config executor.yaml \\
      --failure exitCode=74

  # Print what a policy then decides
  armadactl explain category --executor-config executor.yaml \\
      --failure exitCode=74 -f policy.yaml";

/// Try every rule of the executor's categories against a failure
///
/// Armada's executor classifies a failed pod twice. The first pass has the failure's text and the pod's
/// events, and counts only if the category found has action Delete. Otherwise the second pass decides,
/// which has the containers and the reason of the pod alone. `failedPodChecks` come before both.
///
/// The executor's own defaults, such as its `pendingPodChecks`, lie below the files. All deadlines and
/// grace periods of a pod that has not started are assumed to have passed.
#[derive(Debug, Args)]
#[command(mut_arg("files", |files| files.required(false)))]
#[command(before_long_help = EXAMPLES)]
pub struct CategoryArgs {
    /// Read the executor's configuration from these files, merged in order
    #[arg(long, required = true, value_name = "FILE[,FILE..]")]
    executor_config: ExecutorFiles,
    /// Read the pod, and the events about it, from this file (`-` for stdin)
    #[arg(long, value_name = "FILE", conflicts_with = "failure")]
    pod: Option<PathBuf>,
    /// Set a property of the failure, such as `exitCode=74` (repeatable)
    #[arg(long = "failure", value_name = "KEY=VALUE", value_parser = parse_pair)]
    #[arg(required_unless_present = "pod")]
    failure: Vec<(String, String)>,
    #[command(flatten)]
    policies: PolicySetArgs,
}

/// Explains the category and prints the explanation.
pub(super) fn run(context: &mut Context<'_>, args: &CategoryArgs) -> Result<Exit> {
    use Output::{Json, Table, Wide, Yaml};
    let output = context.globals.output("explain category", &[Table, Wide, Json, Yaml])?;
    let files = args.executor_config.files.iter().chain(&args.pod).chain(&args.policies.files);
    project::refuse_second_stdin(files.chain(&args.policies.scheduler_config))?;
    let executor = Executor::new(&project::read_executor(context.ui, &args.executor_config)?);
    let mut memory = ClassifierMemory::default();
    let (mut explanation, run) = if let Some(path) = &args.pod {
        let DescribedPod { pod, events, run } = read_pod(context, path)?;
        let situation = if pod.is_gone { Situation::Deleted } else { Situation::Reported };
        let report = executor.report(&pod, &events, situation, &mut memory);
        let failed = FailedPod::new(&pod, &events);
        (CategoryExplanation::new(&executor, &failed, &report, &mut memory), run)
    } else {
        let (run, words) = armada_decision::failure(context, &args.failure)?;
        for note in values::no_fields_note(&args.failure)
            .into_iter()
            .chain(values::unread_word_notes(&words))
        {
            context.ui.note(&note.line())?;
        }
        refuse_other_outcome(&run)?;
        let report = executor.report_run(&run.own, &mut memory);
        let failed = FailedPod::from_run(&run.own);
        (CategoryExplanation::new(&executor, &failed, &report, &mut memory), Some(run.own))
    };
    explanation.decision = decision(context, args, &explanation, run)?;
    let text = match output {
        Json => report::json(&explanation),
        Yaml => report::yaml(&explanation)?,
        _ => category::table(&explanation, &context.layout(output == Wide)),
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

/// The only pod of a file, and the events about it.
fn read_pod(context: &mut Context<'_>, path: &Path) -> Result<DescribedPod> {
    let mut findings = Findings::new();
    let source = input::read_text(path, Limits::HISTORY, &mut findings);
    let mut pods = Vec::new();
    if let Some(source) = source {
        let (read, more) = described_pods(&source);
        findings.extend(more);
        pods = read;
    }
    project::refuse_errors(context.ui, findings)?;
    match pods.len() {
        1 => Ok(pods.remove(0)),
        count => {
            let count = plural(count, "pod", "pods");
            let message = format!("`{}` has {count}, but one is explained", path.display());
            let help = "give what `kubectl get pod NAME -o yaml` prints";
            Err(Refusal::input(message).help(help).into())
        }
    }
}

/// Refuses outcomes of runs that the executor does not classify.
fn refuse_other_outcome(run: &RunRecord) -> Result<()> {
    if run.own.outcome == Outcome::Failed {
        return Ok(());
    }
    let message =
        format!("the executor does not classify runs of outcome {}", run.own.outcome.as_str());
    Err(Refusal::usage(message).help("leave out `outcome`: it is Failed").into())
}

/// Returns the policies' decision about the reported failure, if policies are given.
fn decision(
    context: &mut Context<'_>,
    args: &CategoryArgs,
    explanation: &CategoryExplanation,
    run: Option<ArmadaRun>,
) -> Result<Option<DecisionExplanation>> {
    if args.policies.files.is_empty() || !explanation.reaches_policies() {
        return Ok(None);
    }
    let project = Project::read(&args.policies.files, PolicyScope::OneSystem);
    let own = ArmadaRun {
        category: explanation.category.as_str().into(),
        subcategory: explanation.subcategory.as_str().into(),
        outcome: Outcome::Failed,
        ..run.unwrap_or_default()
    };
    let run = RunRecord { own, ..RunRecord::default() };
    let (explained, _) =
        armada_decision::explain_run(context, &args.policies, project, (&[], (0, 0)), &run)?;
    Ok(Some(explained))
}
