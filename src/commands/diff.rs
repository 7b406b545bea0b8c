//! `diff`: compares files with the server.

use super::connection::ServerConnection;
use super::resources::{
    ArgumentFileArgs, ComparisonArgs, DesiredState, LiveObjects, POLICY, Purpose, QUEUE,
    fetch_desired_queues, fetch_policies, policy_differences, print_unnamed_rights, read,
};
use crate::cli::{Context, Exit, Output};
use crate::report::{self, Action, DiffItem, DiffReport, FieldDifference};
use anyhow::Result;
use clap::Args;
use client::Fields;

const EXAMPLES: &str = "\
Examples:
  # Compare the policies and queues of a directory with the server
  armadactl diff -f policies/

  # Print the differences as JSON
  armadactl diff -f policies/ -o json

  # Compare what two files decide about recorded failures, without a server
  armadactl simulate -f old.yaml --variant new=new.yaml \\
      --history failures.jsonl";

const EXITS: &str = "\
Exit codes:
    0  no differences
    1  differences
    2  invalid command line
    3  invalid input or configuration
    4  not authenticated, or not permitted
    6  refused: a policy would have no rules or retries
    7  server unreachable or too slow, or an invalid answer
  130  interrupted";

/// Show differences between files and the server
///
/// All files are compared with the server, and none with another file. `simulate --variant` compares two
/// files by what they decide, without a server; `git diff --no-index` compares their lines.
///
/// An object that is not on the server is a difference.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct DiffArgs {
    #[command(flatten)]
    files: ArgumentFileArgs,
    #[command(flatten)]
    differences: ComparisonArgs,
}

/// Compares the files with the server.
pub fn run(context: &mut Context<'_>, args: &DiffArgs) -> Result<Exit> {
    use Output::{Json, Table, Wide, Yaml};
    let output = context.globals.output("diff", &[Table, Wide, Json, Yaml])?;
    let documents = read(context, args.files.selected(), Purpose::Compare)?;
    let server = ServerConnection::new(context)?;
    let desired = DesiredState::new(
        context,
        &server,
        &documents,
        args.differences.accept(),
        Purpose::Compare,
    )?;
    let queues = fetch_desired_queues(&server, &desired.queues)?;
    let report = DiffReport::new(items(&server, &desired, &queues)?);
    let text = match output {
        Json => report::json(&report),
        Yaml => report::yaml(&report)?,
        _ => report.table(&context.layout(output == Wide)),
    };
    context.ui.data(&text)?;
    context.ui.flush()?;
    print_unnamed_rights(context, &desired.queues, &queues)?;
    Ok(if report.differs() { Exit::No } else { Exit::Done })
}

fn items(
    server: &ServerConnection,
    desired: &DesiredState,
    queues: &LiveObjects,
) -> Result<Vec<DiffItem>> {
    let names: Vec<&str> = desired.policies.iter().map(|(name, _)| name.as_str()).collect();
    let live = server.wait(fetch_policies(&server.client, &names))?;
    let mut items = Vec::new();
    for (name, body) in &desired.policies {
        let live_object = live.get(name);
        items.push(item(POLICY, name, live_object, policy_differences(live_object, body)));
    }
    for queue in &desired.queues {
        let live_object = queues.get(queue.name());
        items.push(item(QUEUE, queue.name(), live_object, queue.differences(live_object)));
    }
    Ok(items)
}

fn item(
    kind: &'static str,
    name: &str,
    live: Option<&Fields>,
    fields: Vec<FieldDifference>,
) -> DiffItem {
    let action = match live {
        None => Action::Created,
        Some(_) if fields.is_empty() => Action::Unchanged,
        Some(_) => Action::Configured,
    };
    DiffItem { kind, name: name.to_owned(), action, fields }
}
