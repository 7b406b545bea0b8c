//! The flow of `explain decision`: reads the policies, decides about the failure and prints the explanation.

use super::decision::DecisionArgs;
use super::{armada_decision, system_decision};
use crate::cli::{Context, Exit, Output};
use crate::project::{self, PolicyScope, Project};
use crate::report::{self, explanation};
use anyhow::Result;
use systems::with_system;

/// Decides about the failure and prints the explanation.
pub(super) fn run(context: &mut Context<'_>, args: &DecisionArgs) -> Result<Exit> {
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
