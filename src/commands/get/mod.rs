//! `get`: policies and queues as the server holds them.

mod document;
mod listing;
mod rows;
mod watch;

use super::connection::ServerConnection;
use super::flag_values::positive_duration;
use super::lookup;
use super::resource_args::{ResourceArgs, ResourceKind};
use super::selection::Selector;
use crate::cli::{Context, Exit, Output, Refusal};
use crate::commands::help_page::READ_EXITS;
use ::document::diag::printable;
use ::document::units::GoDuration;
use anyhow::Result;
use armada_retry::policy::Form;
use clap::{Args, ValueEnum};
use listing::Listing;
use rows::read_uses;
use watch::WatchRequest;

const EXAMPLES: &str = "\
Examples:
  # List all policies, with the queues that use them
  armadactl get retrypolicy -o wide

  # Print a policy as YAML
  armadactl get retrypolicy infra -o yaml

  # List two queues
  armadactl get queue ml web

  # List the queues with these labels
  armadactl get queue -l team=ml,tier!=test

  # Print the policies, and each that changes, until Ctrl-C
  armadactl get retrypolicy --watch";

/// Show the retry policies and queues of a server
///
/// `retry-policy` and `rp` are the same as `retrypolicy`. `-o json` prints several objects as a list with
/// `items`, `-o yaml` as one document each. If a name does not exist, the others are printed, and the
/// exit code is 5.
///
/// With --watch each resource is a document of its own. The list is read again and again, so that of several
/// changes within the interval the last one is printed; a deleted resource is printed as it was. An interrupt
/// ends it with exit code 0.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = READ_EXITS)]
pub struct GetArgs {
    /// `retrypolicy` or `queue` and any number of names, or TYPE/NAME
    #[arg(value_name = "TYPE [NAME]", required = true)]
    words: Vec<String>,
    /// List only queues with these labels: KEY=VALUE, KEY!=VALUE, KEY or !KEY
    ///
    /// Several terms are separated by commas; a queue must match all of them.
    #[arg(short = 'l', long, value_name = "LABELS")]
    selector: Vec<String>,
    /// Print policies in this form, with -o json or yaml [default: the server's]
    #[arg(long, value_enum, value_name = "FORM")]
    api: Option<FormName>,
    /// Then print each resource that is added, changed or deleted, until Ctrl-C
    #[arg(short, long)]
    watch: bool,
    /// Read the list again after this time, a Go duration
    #[arg(long, value_name = "DURATION", default_value = "2s", requires = "watch")]
    #[arg(value_parser = positive_duration)]
    watch_interval: GoDuration,
    /// Print with each resource whether it was ADDED, MODIFIED or DELETED
    #[arg(long, requires = "watch")]
    output_watch_events: bool,
}

/// The name of a form of Armada's policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormName {
    /// The design: `armadaproject.io/v1`
    #[value(name = "v1")]
    V1,
    /// The form of today's Armada servers: `armadaproject.io/v1beta1`
    #[value(name = "v1beta1")]
    V1beta1,
}

impl From<FormName> for Form {
    fn from(name: FormName) -> Self {
        match name {
            FormName::V1 => Self::V1,
            FormName::V1beta1 => Self::V1beta1,
        }
    }
}

/// Prints the resources.
pub fn run(context: &mut Context<'_>, args: &GetArgs) -> Result<Exit> {
    use Output::{Json, Name, Table, Wide, Yaml};
    let output = context.globals.output("get", &[Table, Wide, Json, Yaml, Name])?;
    let ResourceArgs { kind, names } =
        ResourceArgs::parse("get", &args.words, &[ResourceKind::Policy, ResourceKind::Queue])?;
    let selector = selector(kind, &names, &args.selector)?;
    check_output(args, kind, output)?;
    let server = ServerConnection::new(context)?;
    let api = args.api.map(Form::from);
    if args.watch {
        let (interval, with_changes) = (args.watch_interval.to_std(), args.output_watch_events);
        let request = WatchRequest { kind, names: &names, selector, api, interval, with_changes };
        return watch::run(context, &server, &request, output);
    }
    let has_uses = (kind, output) == (ResourceKind::Policy, Wide);
    let uses = if has_uses { Some(server.wait(read_uses(&server.client))?) } else { None };
    let layout = context.layout(output == Wide);
    let mut list = Listing::new(kind, output, layout, uses).api(api);
    if !selector.is_empty() {
        let labels = printable(&args.selector.join(",")).into_owned();
        list = list.empty_note(format!("no queue of the server has the labels `{labels}`"));
    }
    match (names.as_slice(), kind) {
        ([], ResourceKind::Policy) => policies(context, &server, list),
        ([], ResourceKind::Queue) => queues(context, &server, list, &selector),
        ([name], _) if matches!(output, Json | Yaml) => {
            print_one(context, &server, (kind, api), name, output)
        }
        ([_], _) => {
            list.add(context.ui, &lookup::look_up_all(&server, kind, &names)?[0].fields)?;
            list.end(context.ui, None)?;
            Ok(Exit::Done)
        }
        _ => print_by_name(context, &server, kind, &names, list),
    }
}

/// Refuses flags that the form of the output has no place for.
fn check_output(args: &GetArgs, kind: ResourceKind, output: Output) -> Result<(), Refusal> {
    let has_documents = matches!(output, Output::Json | Output::Yaml);
    if args.api.is_some() && (kind == ResourceKind::Queue || !has_documents) {
        let refusal = Refusal::usage("`--api` is for retry policies with `-o json` or `-o yaml`");
        return Err(refusal.help("add `-o yaml`, or leave `--api` out"));
    }
    if args.output_watch_events && output == Output::Name {
        let refusal = Refusal::usage("`-o name` has no place for `--output-watch-events`");
        return Err(refusal.help("leave one of them out"));
    }
    Ok(())
}

fn selector(kind: ResourceKind, names: &[String], texts: &[String]) -> Result<Selector, Refusal> {
    let selector = Selector::parse(texts)?;
    if texts.is_empty() {
        Ok(selector)
    } else if kind == ResourceKind::Policy {
        Err(Refusal::usage("retry policies have no labels: `-l` selects queues"))
    } else if !names.is_empty() {
        Err(Refusal::usage("give either names or `-l`, not both"))
    } else {
        Ok(selector)
    }
}

/// Prints one resource, not as a list.
fn print_one(
    context: &mut Context<'_>,
    server: &ServerConnection,
    (kind, api): (ResourceKind, Option<Form>),
    name: &str,
    output: Output,
) -> Result<Exit> {
    let live = lookup::look_up_all(server, kind, &[name.to_owned()])?;
    let resource = document::document(context.ui, kind, &live[0].fields, api)?;
    let text = if output == Output::Json { resource.json(0) + "\n" } else { resource.yaml() };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

/// Prints the named resources that exist, then an error for each of the others.
fn print_by_name(
    context: &mut Context<'_>,
    server: &ServerConnection,
    kind: ResourceKind,
    names: &[String],
    mut list: Listing,
) -> Result<Exit> {
    let mut missing = Vec::new();
    let mut refusals = Vec::new();
    for (name, result) in names.iter().zip(lookup::look_up(server, kind, names)?) {
        match result {
            Ok(Some(live)) => list.add(context.ui, &live.fields)?,
            Ok(None) => missing.push(name.as_str()),
            Err(error) => refusals.push(Refusal::from(&error)),
        }
    }
    if !missing.is_empty() {
        refusals.push(lookup::not_found_error(server, kind, &missing));
    }
    list.end(context.ui, refusals.first().map(|refusal| refusal.message.as_str()))?;
    for Refusal { message, help, .. } in &refusals {
        context.ui.error(message, help.as_deref())?;
    }
    Ok(refusals.first().map_or(Exit::Done, |refusal| refusal.exit))
}

fn policies(
    context: &mut Context<'_>,
    server: &ServerConnection,
    mut list: Listing,
) -> Result<Exit> {
    let policies = server.wait(server.client.policies())?;
    let result = policies.iter().try_for_each(|policy| list.add(context.ui, policy));
    finish_list(context, list, result)
}

/// Prints all queues, each when it is read.
fn queues(
    context: &mut Context<'_>,
    server: &ServerConnection,
    mut list: Listing,
    selector: &Selector,
) -> Result<Exit> {
    let mut queues = server.wait(server.client.queues())?;
    let mut print = || -> Result<()> {
        while let Some(queue) = server.wait(queues.next())? {
            if selector.is_match(&queue) {
                list.add(context.ui, &queue)?;
            }
        }
        Ok(())
    };
    let result = print();
    finish_list(context, list, result)
}

/// Ends a list. If an error ended it early, the items before it are printed, and then the error.
fn finish_list(context: &mut Context<'_>, list: Listing, result: Result<()>) -> Result<Exit> {
    let Err(error) = result else {
        list.end(context.ui, None)?;
        return Ok(Exit::Done);
    };
    // No item was printed, or stdout is closed.
    if list.count == 0 || error.is::<std::io::Error>() {
        return Err(error);
    }
    let refusal = Refusal::from(&error);
    list.end(context.ui, Some(&refusal.message))?;
    context.ui.error(&refusal.message, refusal.help.as_deref())?;
    Ok(refusal.exit)
}
