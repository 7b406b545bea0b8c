//! `explain disruptions`: the table of signs by which a disruption is recognised.

use crate::cli::{Context, Exit, Output};
use crate::commands::disruptions::DisruptionArgs;
use crate::project;
use crate::report::{self, DisruptionTable};
use anyhow::Result;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  # Print what counts as a disruption
  armadactl explain disruptions

  # Print the rows of sacct, to change and give to --disruptions
  armadactl explain disruptions --source sacct -o yaml > disruptions.yaml
  armadactl simulate -f policy.yaml --history jobs.txt \\
      --disruptions disruptions.yaml";

/// Print what counts as a disruption, by which sign
///
/// A disruption is the end of a run that the cluster caused, and not the job. Reports count them; rows of pods and of
/// sacct give runs their condition under Armada's engines. The engines of Job and JobSet decide by the conditions of
/// the pod, as Kubernetes does. The first row of a record decides.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES)]
pub struct DisruptionsArgs {
    /// Print the rows of this source only
    #[arg(long, value_name = "SOURCE")]
    #[arg(value_parser = ["pods", "sacct", "armada-events", "lookout", "records"])]
    source: Option<String>,
    #[command(flatten)]
    table: DisruptionArgs,
}

/// Prints the table.
pub(super) fn run(context: &mut Context<'_>, args: &DisruptionsArgs) -> Result<Exit> {
    use Output::{Json, Table, Wide, Yaml};
    let output = context.globals.output("explain disruptions", &[Table, Wide, Json, Yaml])?;
    project::refuse_second_stdin(args.table.disruptions.iter())?;
    let table = DisruptionTable::new(&args.table.read(context.ui)?, args.source.as_deref());
    let text = match output {
        Json => report::json(&table),
        Yaml => report::yaml(&table)?,
        _ => report::disruption_table(&table, &context.layout(output == Wide)),
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}
