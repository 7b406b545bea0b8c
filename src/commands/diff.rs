//! `diff`.

use super::Context;
use super::connect::Connected;
use super::resources::{
    ComparisonArgs, FileArgs, Live, POLICY, Purpose, QUEUE, Wanted, layout, of_policy, of_queue,
    policies, print_unnamed_rights, queues_of, read,
};
use crate::cli::{Exit, Output};
use crate::client::Fields;
use crate::report::{self, Action, DiffItem, DiffReport, FieldDifference};
use anyhow::Result;
use clap::Args;

/// What is compared.
#[derive(Debug, Args)]
pub struct DiffArgs {
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    differences: ComparisonArgs,
}

/// Compares it.
pub fn run(context: &mut Context<'_>, args: &DiffArgs) -> Result<Exit> {
    use Output::{Json, Table, Wide, Yaml};
    let output = context.globals.output("diff", &[Table, Wide, Json, Yaml])?;
    let documents = read(context, &args.files, Purpose::Compare)?;
    let server = Connected::new(context)?;
    let wanted =
        Wanted::new(context, &server, &documents, args.differences.accept(), Purpose::Compare)?;
    let queues = queues_of(&server, &wanted.queues)?;
    let report = DiffReport::new(items(&server, &wanted, &queues)?);
    let text = match output {
        Json => report::json(&report),
        Yaml => report::yaml(&report)?,
        _ => report.table(&layout(context, output)),
    };
    context.ui.data(&text)?;
    context.ui.flush()?;
    print_unnamed_rights(context, &wanted.queues, &queues)?;
    Ok(if report.differs() { Exit::No } else { Exit::Done })
}

fn items(server: &Connected, wanted: &Wanted, queues: &Live) -> Result<Vec<DiffItem>> {
    let names: Vec<&str> = wanted.policies.iter().map(|(name, _)| name.as_str()).collect();
    let live = server.wait(policies(&server.client, &names))?;
    let mut items = Vec::new();
    for (name, body) in &wanted.policies {
        let held = live.get(name);
        items.push(item(POLICY, name, held, of_policy(held, body)));
    }
    for queue in &wanted.queues {
        let held = queues.get(queue.name());
        items.push(item(QUEUE, queue.name(), held, of_queue(held, queue)));
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
