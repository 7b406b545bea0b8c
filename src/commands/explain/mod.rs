//! `explain`: a budget, a category, a decision, disruptions, releases, a scheduling round, a field, an id.

mod armada_decision;
mod budget;
mod category;
mod decision;
mod disruptions;
mod releases;
mod round;
mod system_decision;
mod topic;
mod values;

use crate::cli::{Context, Exit, Output, Refusal};
use crate::commands::help_page::OFFLINE_EXITS;
use crate::commands::unavailable::unavailable_command;
use crate::findings;
use crate::findings::Style;
use crate::project::{self, PolicyScope, Project};
use crate::report::{self, TopicExplanation, explanation};
use crate::ui::Ui;
use anyhow::Result;
use clap::{Args, Command, Subcommand};
use decision::DecisionArgs;
use document::diag::Code;
use systems::with_system;
pub(super) use topic::topics;

const EXAMPLES: &str = "\
Examples:
  # Print which rule decides a failure, and why
  armadactl explain decision -f policy.yaml --failure exitCode=137

  # Print how often one failing pod of a JobSet runs, and what ends it
  armadactl explain budget -f jobset.yaml

  # Print which category the executor gives a failure, and why
  armadactl explain category --executor-config executor.yaml --pod pod.yaml

  # Print what counts as a disruption, by which sign
  armadactl explain disruptions

  # Print what a policy does otherwise in which release
  armadactl explain releases -f job.yaml

  # Print why jobs of a scheduling round wait
  armadactl explain round --state state.yaml

  # Describe a field
  armadactl explain retrypolicy.rules.onExitCodes

  # Describe a finding
  armadactl explain RP016";

/// Explain a decision, category, budget, disruption, release, round, field or id
///
/// In the path of a field `spec` may be omitted. A field that differs between the forms of a document, or between
/// systems, is described for each. No requests are sent.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_precedence_over_arg = true)]
#[command(before_long_help = EXAMPLES, after_long_help = OFFLINE_EXITS)]
pub struct ExplainArgs {
    #[command(subcommand)]
    command: Option<ExplainCommand>,
    /// A field, such as `retrypolicy.rules.onExitCodes`, or a finding, such as `RP016`
    #[arg(value_name = "TOPIC", required = true)]
    topics: Vec<String>,
    /// Describe the field of this form of document only
    #[arg(long, value_name = "FORM", value_parser = ["v1", "v1beta1"])]
    api: Option<String>,
    /// List the fields in fields too
    #[arg(long)]
    recursive: bool,
}

#[derive(Debug, Subcommand)]
enum ExplainCommand {
    Budget(budget::BudgetArgs),
    Category(category::CategoryArgs),
    Decision(decision::DecisionArgs),
    Disruptions(disruptions::DisruptionsArgs),
    Releases(releases::ReleasesArgs),
    Round(round::RoundArgs),
}

/// Prints the explanation.
pub fn run(context: &mut Context<'_>, args: &ExplainArgs) -> Result<Exit> {
    use Output::{Json, Table, Yaml};
    match &args.command {
        Some(ExplainCommand::Budget(args)) => return budget::run(context, args),
        Some(ExplainCommand::Category(args)) => return category::run(context, args),
        Some(ExplainCommand::Decision(args)) => return explain_decision(context, args),
        Some(ExplainCommand::Disruptions(args)) => return disruptions::run(context, args),
        Some(ExplainCommand::Releases(args)) => return releases::run(context, args),
        Some(ExplainCommand::Round(args)) => return round::run(context, args),
        None => {}
    }
    let output = context.globals.output("explain", &[Table, Json, Yaml])?;
    let topic = only_topic(&args.topics)?;
    if let Some(refusal) = unavailable_command(&["explain", topic]) {
        return Err(refusal.into());
    }
    let code = Code::from_id(topic);
    let explanation = if let Some(code) = code {
        TopicExplanation::from_finding(code.id(), findings::page(code))
    } else {
        let root = ExplainCommand::augment_subcommands(Command::new("explain"));
        let commands: Vec<&str> = root.get_subcommands().map(Command::get_name).collect();
        let api = args.api.as_deref();
        let pages = topic::field_pages(topic, api, args.recursive, &commands)?;
        TopicExplanation::from_fields(topic, pages)
    };
    let text = match (output, code) {
        (Json, _) => report::json(&explanation),
        (Yaml, _) => report::yaml(&explanation)?,
        (_, Some(code)) => finding_page(context, code),
        (_, None) => explanation.text(),
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

/// The topic; several are an error.
fn only_topic(topics: &[String]) -> Result<&str, Refusal> {
    match topics {
        [] => Ok(""),
        [topic] => Ok(topic),
        [first, ..] if Code::from_id(first).is_some() => {
            let refusal = Refusal::usage(format!("{} topics were given", topics.len()));
            Err(refusal.help(format!("explain one at a time: `armadactl explain {first}`")))
        }
        several => {
            let refusal = Refusal::usage(format!("{} topics were given", topics.len()));
            let path = several.join(".");
            Err(refusal.help(format!("write a field with dots: `armadactl explain {path}`")))
        }
    }
}

/// The page of a finding's id: rendered for a terminal, else as Markdown.
fn finding_page(context: &Context<'_>, code: Code) -> String {
    let page = findings::page(code);
    let style = context.ui.style();
    match Ui::width() {
        Some(width) => report::markdown(page, width, style),
        // `--color always` without a terminal: the output goes to a pager.
        None if style == Style::Coloured => report::markdown(page, 80, style),
        None => page.to_owned(),
    }
}

/// Decides about the failure and prints the explanation.
fn explain_decision(context: &mut Context<'_>, args: &DecisionArgs) -> Result<Exit> {
    use Output::{Json, Table, Wide, Yaml};
    let output = context.globals.output("explain decision", &[Table, Wide, Json, Yaml])?;
    let executors = args.executor_config.iter().flat_map(|files| &files.files);
    let files = args.policies.files.iter().chain(&args.policies.scheduler_config);
    project::refuse_second_stdin(files.chain(executors))?;
    let project = Project::read(&args.policies.files, PolicyScope::OneSystem);
    let explanation = with_system!(
        project.system,
        Armada => armada_decision::explain(context, args, project)?,
        S => system_decision::explain::<S>(context, args, project)?,
    );
    let text = match output {
        Json => report::json(&explanation),
        Yaml => report::yaml(&explanation)?,
        _ => explanation::table(&explanation, &context.layout(output == Wide)),
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}
