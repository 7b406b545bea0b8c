//! `explain budget`: how often one failing pod runs in all, by the layers that retry it.

use crate::cli::{Context, Exit, Output, Refusal};
use crate::commands::flag_values::whole_number;
use crate::commands::system_args::SystemArgs;
use crate::project::{self, Manifests, PolicyScope, Project};
use crate::report::{self, BudgetExplanation, BudgetInput};
use anyhow::Result;
use armada_retry::policy::{Documents, OtherKinds};
use clap::Args;
use document::diag::Findings;
use document::units::GoDuration;
use std::path::PathBuf;
use systems::{
    BudgetFailure, BudgetOptions, Description, Layer, ManifestSystem, SystemName, with_system,
};

const EXAMPLES: &str = "\
Examples:
  # Print how often one failing pod of a JobSet runs, and what ends it
  armadactl explain budget -f jobset.yaml

  # Of one failure, with the hours of attempts that run for 2 hours
  armadactl explain budget -f job.yaml --failure exitCode=1 --runtime 2h

  # Under a workflow that submits the Job again twice
  armadactl explain budget -f job.yaml --resubmits 2

  # Under an Airflow task
  armadactl explain budget -f job.yaml -f airflow.yaml";

/// Print how often one failing pod runs, by the layers that retry it
///
/// Layers multiply: containers that restart in place, the Job, the JobSet, an Argo workflow or an Airflow task around them,
/// and whoever submits the work again. One pod has the same failure at every attempt, and all others succeed. Without
/// --failure there is a budget for each failure that the documents decide differently. Of other systems there is one
/// layer, with the failures that it retries most often.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES)]
pub struct BudgetArgs {
    /// Read policies and manifests from these files or directories (`-` for stdin)
    #[arg(short = 'f', long = "filename", required = true, num_args = 1.., value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    systems: SystemArgs,
    /// Set a property of the failure, such as `exitCode=137` (repeatable)
    ///
    /// The keys are exitCode, container and podCondition.
    #[arg(long = "failure", value_name = "KEY=VALUE")]
    failure: Vec<BudgetFailure>,
    /// Add a layer that submits the work again this number of times
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = whole_number(0..=1_000_000_u32))]
    resubmits: Option<u32>,
    /// Let each attempt run for this long before it fails, and count its hours
    #[arg(long, value_name = "DURATION", value_parser = runtime)]
    runtime: Option<GoDuration>,
}

fn runtime(text: &str) -> Result<GoDuration, String> {
    let duration = GoDuration::parse(text).map_err(|error| error.to_string())?;
    if duration.is_negative() { Err("write 0s or more".to_owned()) } else { Ok(duration) }
}

/// Prints the budgets.
pub(super) fn run(context: &mut Context<'_>, args: &BudgetArgs) -> Result<Exit> {
    use Output::{Json, Table, Wide, Yaml};
    let output = context.globals.output("explain budget", &[Table, Wide, Json, Yaml])?;
    project::refuse_second_stdin(&args.files)?;
    let scope = PolicyScope::AllSystems(OtherKinds::Refuse);
    let Project { documents, mut findings, .. } = Project::read(&args.files, scope);
    let options = BudgetOptions {
        options: args.systems.options()?,
        runtime: args.runtime.unwrap_or(GoDuration::ZERO),
    };
    let failure = BudgetFailure::join(&args.failure)
        .map_err(|message| Refusal::usage(format!("--failure: {message}")))?;
    let [submitted, workflows, tasks] =
        read_all(&documents, &options, failure.as_ref(), &mut findings);
    project::refuse_errors(context.ui, findings)?;
    project::note_ignored_documents(context.ui, &documents.unread)?;
    let container = failure.as_ref().and_then(|failure| failure.container.as_deref());
    if let Some(container) = container.filter(|_| submitted.is_empty()) {
        let message = format!("no Job or JobSet has a container `{container}`");
        return Err(Refusal::input(message).help("its name is that of the pod template").into());
    }
    let budgets = nest(submitted, [workflows, tasks], args.resubmits)?;
    let is_worst_case = |input: &BudgetInput| input.budget.layers.iter().any(|it| it.is_worst_case);
    if failure.is_some() && budgets.iter().any(is_worst_case) {
        context.ui.note(WORST_CASES)?;
    }
    let explanation = BudgetExplanation::new(budgets, args.runtime);
    let text = match output {
        Json => report::json(&explanation),
        Yaml => report::yaml(&explanation)?,
        _ => report::budget_table(&explanation, &context.layout(output == Wide)),
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

const WORST_CASES: &str = "note: --failure applies to Jobs and JobSets; the layers of other systems are those of the \
                           failures that cost most";

/// Returns the budgets of all manifests, and apart from them those of Argo and of Airflow, which may submit the others.
fn read_all(
    documents: &Documents,
    options: &BudgetOptions,
    failure: Option<&BudgetFailure>,
    findings: &mut Findings,
) -> [Vec<BudgetInput>; 3] {
    let mut all = [Vec::new(), Vec::new(), Vec::new()];
    for system in SystemName::all() {
        let place = match system {
            SystemName::Argo => 1,
            SystemName::Airflow => 2,
            _ => 0,
        };
        with_system!(
            system,
            Armada => {},
            S => all[place].extend(read::<S>(documents, options, failure, findings)),
        );
    }
    all
}

/// Returns the budgets of the manifests of a system.
fn read<S: ManifestSystem>(
    documents: &Documents,
    options: &BudgetOptions,
    failure: Option<&BudgetFailure>,
    findings: &mut Findings,
) -> Vec<BudgetInput> {
    let manifests = Manifests::<S>::read(documents, &options.options, findings);
    let of_manifest = |(number, manifest): (usize, &S::Manifest)| {
        let unit = S::unit(manifest).name;
        let Description { title, manifest: noun, members, .. } = S::DESCRIPTION;
        let is_pod = *members == "pods";
        let noun = if is_pod { title } else { noun };
        let document =
            if unit.is_empty() { (*noun).to_owned() } else { format!("{noun} `{unit}`") };
        let budgets = S::budgets(manifest, failure, options).into_iter();
        budgets.map(move |budget| BudgetInput {
            document: document.clone(),
            number,
            is_pod,
            budget,
        })
    };
    manifests.items().enumerate().flat_map(of_manifest).collect()
}

/// Puts the layers of workflows around the budgets of the work that they submit, and then the resubmissions.
fn nest(
    work: Vec<BudgetInput>,
    workflows: [Vec<BudgetInput>; 2],
    resubmits: Option<u32>,
) -> Result<Vec<BudgetInput>> {
    let mut nested = work;
    for around in workflows {
        if nested.is_empty() {
            nested = around;
            continue;
        }
        // It is not known which template creates the work: the one with the most attempts is taken.
        let most = around.iter().max_by_key(|one| one.budget.attempts().unwrap_or(u64::MAX));
        let Some(most) = most else { continue };
        if around.iter().any(|one| one.number != most.number) {
            let message = format!("either {} may submit the other documents", most.document);
            return Err(Refusal::usage(message).help("give the one that does").into());
        }
        push_all(&mut nested, &most.budget.layers);
    }
    if nested.is_empty() {
        return Err(Refusal::input("no document has layers of retries").help(NO_LAYERS).into());
    }
    if let Some(resubmits) = resubmits.filter(|number| *number > 0) {
        push_all(&mut nested, &[Layer::resubmission(resubmits)]);
    }
    Ok(nested)
}

const NO_LAYERS: &str = "give a Job, a JobSet, a Workflow, a job definition or a RetryProfile; `lint` has the worst \
                         case of a RetryPolicy";

fn push_all(inputs: &mut [BudgetInput], layers: &[Layer]) {
    for input in inputs {
        for layer in layers {
            input.budget.push(layer.clone());
        }
    }
}
