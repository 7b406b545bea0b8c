//! `edit`: a policy in the user's editor, checked before it is sent.

mod draft;

use super::connection::ServerConnection;
use super::lookup;
use super::resource_args::ResourceKind;
use super::resources::{
    DifferenceArgs, Executor, FORMS, Operation, POLICY, Purpose, Step, desired_policy,
    policy_differences, report as report_outcome,
};
use crate::cli::{Context, DryRun, DryRunArgs, Exit, Output, Refusal};
use crate::report::{self, Action};
use anyhow::{Context as _, Result};
use armada_retry::policy::wire::{from_wire, unknown_fields};
use armada_retry::policy::{self, PolicyDocument};
use clap::{Args, Subcommand};
use client::Fields;
use document::diag::{Findings, Source, printable};
use draft::Draft;

const EXAMPLES: &str = "\
Examples:
  # Edit a policy
  armadactl edit retrypolicy infra

  # Edit it, and print what would change
  armadactl edit retrypolicy infra --dry-run server";

const EXITS: &str = "\
Exit codes:
    0  success, or nothing was changed
    2  invalid command line
    3  invalid text or configuration
    4  not authenticated, or not permitted
    5  the policy does not exist on the server
    6  the policy was changed in the meantime, or refused
    7  server unreachable or too slow, or an invalid answer
  130  interrupted

Environment:
  VISUAL  the editor
  EDITOR  the editor, without VISUAL; default vi";

/// Edit a retry policy in $VISUAL or $EDITOR
///
/// The text is checked before it is sent. If it is invalid (exit 3), if the policy was changed in
/// the meantime (exit 6) or if the server refuses it, the text is kept, and its path is printed.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct EditArgs {
    #[command(subcommand)]
    object: EditObject,
}

const POLICY_EXAMPLES: &str = "\
Examples:
  # Edit a policy
  armadactl edit retrypolicy infra

  # Edit it with another editor
  EDITOR=nano armadactl edit retrypolicy infra";

#[derive(Debug, Subcommand)]
enum EditObject {
    /// Edit a retry policy
    #[command(name = "retrypolicy", visible_aliases = ["retry-policy", "rp"])]
    #[command(before_long_help = POLICY_EXAMPLES)]
    RetryPolicy {
        /// The name of the policy
        name: String,
        #[command(flatten)]
        differences: DifferenceArgs,
        #[command(flatten)]
        dry_run: DryRunArgs,
    },
}

/// Edits a policy.
pub fn run(context: &mut Context<'_>, args: &EditArgs) -> Result<Exit> {
    let EditObject::RetryPolicy { name, differences, dry_run } = &args.object;
    let output = context.globals.output("edit", &FORMS)?;
    ResourceKind::Policy.check_names(std::slice::from_ref(name))?;
    if dry_run.dry_run == DryRun::Client {
        let message =
            "`edit` reads the policy from the server: `--dry-run client` is not supported";
        return Err(Refusal::usage(message)
            .help("use `--dry-run server`, which writes nothing either")
            .into());
    }
    let server = ServerConnection::for_writing(context)?;
    let live = fetch_policy(&server, name)?;
    let before = report::yaml(&policy::to_value(&parse_policy(name, &live)?))?;
    let draft = Draft::new(name, &before)?;
    server.ignore_interrupts()?;
    let text = draft.edit()?;
    if text.trim().is_empty() || text == before {
        draft.discard();
        let why = if text == before { "nothing was changed" } else { "the text is empty" };
        context.ui.note(&format!("{why}: nothing is sent"))?;
        return report_step(context, output, &server, dry_run.dry_run, unchanged_step(name));
    }
    let step =
        check(context, &server, (name, &live), &draft, &text, (differences, dry_run.dry_run));
    let step = step.map_err(|error| draft.with_place(&error))?;
    let mut executor = Executor::new(&server, dry_run.dry_run, context.ui.progress(None));
    executor.run(vec![step])?;
    if !executor.has_failed() {
        draft.discard();
    }
    for failure in &mut executor.failures {
        failure.help = Some(draft.help_with_place(failure.help.as_deref()));
    }
    report_outcome(context, output, executor, dry_run.dry_run)
}

fn report_step(
    context: &mut Context<'_>,
    output: Output,
    server: &ServerConnection,
    dry_run: DryRun,
    step: Step,
) -> Result<Exit> {
    let mut executor = Executor::new(server, dry_run, context.ui.progress(None));
    executor.run(vec![step])?;
    report_outcome(context, output, executor, dry_run)
}

fn unchanged_step(name: &str) -> Step {
    Step::new(POLICY, name, Action::Unchanged, Operation::None)
}

/// Reads the policy from the server.
fn fetch_policy(server: &ServerConnection, name: &str) -> Result<Fields> {
    let live = server.wait(server.client.policy(name))?;
    let missing = || lookup::not_found_error(server, ResourceKind::Policy, &[name]);
    Ok(live.ok_or_else(missing)?.fields)
}

fn parse_policy(name: &str, live: &Fields) -> Result<policy::RetryPolicy> {
    let value = live.to_value().context("the server's policy is not readable")?;
    let unknown_fields = unknown_fields(&value);
    if !unknown_fields.is_empty() {
        let names: Vec<String> =
            unknown_fields.iter().map(|path| format!("`{}`", printable(path))).collect();
        let message = format!(
            "the retry policy `{name}` has fields that this armadactl does not support and would drop: {}",
            names.join(", ")
        );
        let help = "use an armadactl as new as the server";
        let refusal = Refusal { exit: Exit::Refused, ..Refusal::usage(message) };
        return Err(refusal.help(help).into());
    }
    from_wire(&value).map_err(|why| {
        let message = format!("the server's retry policy `{name}` cannot be read: {why}");
        Refusal { exit: Exit::Server, ..Refusal::usage(message) }.into()
    })
}

/// Checks the edited text: it is valid, it is of the same policy, and no other writer has changed the
/// policy meanwhile. Returns the step that writes it.
fn check(
    context: &mut Context<'_>,
    server: &ServerConnection,
    (name, live): (&str, &Fields),
    draft: &Draft,
    text: &str,
    (differences, dry_run): (&DifferenceArgs, DryRun),
) -> Result<Step> {
    let document = parse_document(context, draft, text)?;
    if document.policy.name.as_str() != name {
        let message = format!("`edit` cannot change the name `{name}`");
        return Err(Refusal::input(message)
            .help("create a policy of another name with `create -f`")
            .into());
    }
    let body =
        desired_policy(context, server, &document, differences.accept(), Purpose::Send(dry_run))?;
    let fields: Vec<String> =
        policy_differences(Some(live), &body).into_iter().map(|field| field.path).collect();
    if fields.is_empty() {
        return Ok(unchanged_step(name));
    }
    let now = server.wait(server.client.policy(name))?;
    if now.is_none_or(|now| now.fields != *live) {
        let message = format!("the retry policy `{name}` was changed while it was edited");
        let help = "compare the text with `diff -f`, then apply it";
        let refusal = Refusal { exit: Exit::Refused, ..Refusal::usage(message) };
        return Err(refusal.help(help).into());
    }
    let work = Operation::UpdatePolicy(Fields::of(&body)?);
    Ok(Step::new(POLICY, name, Action::Configured, work).fields(fields))
}

/// Parses the text, which has to be one policy.
fn parse_document(context: &mut Context<'_>, draft: &Draft, text: &str) -> Result<PolicyDocument> {
    let source = Source::new(draft.path().display().to_string(), text);
    let (documents, findings): (_, Findings) = policy::read(&[source]);
    crate::project::refuse_errors(context.ui, findings)?;
    let count = documents.document_count;
    documents
        .policies
        .into_iter()
        .next()
        .filter(|_| count == 1)
        .ok_or_else(|| Refusal::input("the text must be one retry policy and nothing else").into())
}
