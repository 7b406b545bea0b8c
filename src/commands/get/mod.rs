//! `get`: policies and queues as the server holds them.

mod listing;
mod rows;
mod shown;

use super::Context;
use super::connect::Connected;
use super::convert::FormName;
use super::known::{self, name_of};
use super::selector::Selector;
use super::target::{Kind, Targets};
use crate::cli::{Exit, Output, Refusal};
use crate::policy::Form;
use crate::report::Layout;
use anyhow::Result;
use clap::Args;
use listing::Listing;
use rows::{Uses, texts};

const EXAMPLES: &str = "\
Examples:
  get retrypolicy                  all policies
  get retrypolicy -o wide          with the queues that use them
  get queue a b                    these queues, as queue/a queue/b
  get queue -l team=ml,tier!=test  the queues with these labels
  get retrypolicy infra -o yaml    one, as the server holds it";

/// Show the retry policies and queues of a server
///
/// `retry-policy` and `rp` stand for `retrypolicy`. `-o json` of several is a list with `items`,
/// `-o yaml` one document each. Exits 5 if one of those named does not exist; the others are
/// printed.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct GetArgs {
    /// `retrypolicy` or `queue`, and names; or TYPE/NAME..
    #[arg(value_name = "TYPE [NAME]", required = true)]
    words: Vec<String>,
    /// Only queues with these labels: KEY=VALUE, KEY!=VALUE, KEY or !KEY, with commas between
    #[arg(short = 'l', long, value_name = "LABELS")]
    selector: Vec<String>,
    /// Show policies in this form, whatever the server's is; with `-o json` and `yaml`
    #[arg(long, value_enum, value_name = "FORM")]
    api: Option<FormName>,
}

/// Prints what was asked for.
pub fn run(context: &mut Context<'_>, args: &GetArgs) -> Result<Exit> {
    use Output::{Json, Name, Table, Wide, Yaml};
    let output = context.globals.output("get", &[Table, Wide, Json, Yaml, Name])?;
    let Targets { kind, names } = Targets::parse("get", &args.words, &[Kind::Policy, Kind::Queue])?;
    let selector = selector(kind, &names, &args.selector)?;
    if args.api.is_some() && (kind == Kind::Queue || !matches!(output, Json | Yaml)) {
        let refusal = Refusal::usage("`--api` is for retry policies with `-o json` or `-o yaml`");
        return Err(refusal.help("add `-o yaml`, or leave `--api` out").into());
    }
    let server = Connected::new(context)?;
    let uses = if (kind, output) == (Kind::Policy, Wide) { Some(uses(&server)?) } else { None };
    let layout = Layout {
        wide: output == Wide,
        headers: !context.globals.no_headers,
        width: context.ui.width(),
        style: context.ui.style(),
    };
    let api = args.api.map(Form::from);
    let mut list = Listing::new(kind, output, layout, uses).api(api);
    match (names.as_slice(), kind) {
        ([], Kind::Policy) => policies(context, &server, list),
        ([], Kind::Queue) => queues(context, &server, list, &selector),
        ([name], _) if matches!(output, Json | Yaml) => {
            one(context, &server, (kind, api), name, output)
        }
        ([_], _) => {
            list.add(context.ui, &known::all(&server, kind, &names)?[0].fields)?;
            list.end(context.ui, None)?;
            Ok(Exit::Done)
        }
        _ => named(context, &server, kind, &names, list),
    }
}

fn selector(kind: Kind, names: &[String], texts: &[String]) -> Result<Selector, Refusal> {
    let selector = Selector::parse(texts)?;
    if texts.is_empty() {
        Ok(selector)
    } else if kind == Kind::Policy {
        Err(Refusal::usage("retry policies have no labels: `-l` selects queues"))
    } else if !names.is_empty() {
        Err(Refusal::usage("either names or `-l`, not both"))
    } else {
        Ok(selector)
    }
}

/// One resource, flat.
fn one(
    context: &mut Context<'_>,
    server: &Connected,
    (kind, api): (Kind, Option<Form>),
    name: &str,
    output: Output,
) -> Result<Exit> {
    let live = known::all(server, kind, &[name.to_owned()])?;
    let resource = shown::document(context.ui, kind, &live[0].fields, api)?;
    let text = if output == Output::Json { resource.json(0) + "\n" } else { resource.yaml() };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

/// Those named: what is there is printed, then what is not there is said.
fn named(
    context: &mut Context<'_>,
    server: &Connected,
    kind: Kind,
    names: &[String],
    mut list: Listing,
) -> Result<Exit> {
    let mut missing = Vec::new();
    let mut refusals = Vec::new();
    for (name, result) in names.iter().zip(known::read(server, kind, names)?) {
        match result {
            Ok(Some(live)) => list.add(context.ui, &live.fields)?,
            Ok(None) => missing.push(name.as_str()),
            Err(error) => refusals.push(Refusal::from(&error)),
        }
    }
    if !missing.is_empty() {
        refusals.push(known::not_there(server, kind, &missing));
    }
    list.end(context.ui, refusals.first().map(|refusal| refusal.message.as_str()))?;
    for Refusal { message, help, .. } in &refusals {
        context.ui.error(message, help.as_deref())?;
    }
    Ok(refusals.first().map_or(Exit::Done, |refusal| refusal.exit))
}

fn policies(context: &mut Context<'_>, server: &Connected, mut list: Listing) -> Result<Exit> {
    let policies = server.wait(server.client.policies())?;
    let printed = policies.iter().try_for_each(|policy| list.add(context.ui, policy));
    ended(context, list, printed)
}

/// All queues, as they come.
fn queues(
    context: &mut Context<'_>,
    server: &Connected,
    mut list: Listing,
    selector: &Selector,
) -> Result<Exit> {
    let mut queues = server.wait(server.client.queues())?;
    let mut print = || -> Result<()> {
        while let Some(queue) = server.wait(queues.next())? {
            if selector.selects(&queue) {
                list.add(context.ui, &queue)?;
            }
        }
        Ok(())
    };
    let printed = print();
    ended(context, list, printed)
}

/// Ends a list. If it broke off, what came before that is printed, and then why.
fn ended(context: &mut Context<'_>, list: Listing, printed: Result<()>) -> Result<Exit> {
    let Err(error) = printed else {
        list.end(context.ui, None)?;
        return Ok(Exit::Done);
    };
    // Nothing was printed, or nothing more can be.
    if list.count == 0 || error.is::<std::io::Error>() {
        return Err(error);
    }
    let refusal = super::refusal(&error);
    list.end(context.ui, Some(&refusal.message))?;
    context.ui.error(&refusal.message, refusal.help.as_deref())?;
    Ok(refusal.exit)
}

/// Which queues use each policy.
fn uses(server: &Connected) -> Result<Uses> {
    server.wait(async {
        let mut uses = Uses::new();
        let mut queues = server.client.queues().await?;
        while let Some(queue) = queues.next().await? {
            for policy in texts(queue.value("retryPolicies").as_ref()) {
                uses.entry(policy).or_default().extend(name_of(&queue));
            }
        }
        Ok(uses)
    })
}
