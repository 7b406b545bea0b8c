//! `create`, `update` and `apply`: the steps from what the server holds to the desired state.
//! Policies are written before queues, which name them.

use super::live_objects::{fetch_policies, fetch_queues};
use super::notes::print_notes;
use super::verify::{refuse_unknown_policies, verify_policies, verify_queues};
use super::{
    Accept, DesiredQueue, DesiredState, Executor, LiveObjects, Operation, Origin, POLICY, Prune,
    Purpose, QUEUE, QueueFlags, SelectedFiles, Step, WriteMode, policy_differences, read, report,
    report_offline,
};
use crate::cli::{Context, DryRun, Exit, Output, Refusal};
use crate::commands::connection::ServerConnection;
use crate::commands::ineffective_policies::warn_of_ineffective;
use crate::commands::lookup::Suggestions;
use crate::commands::resource_args::ResourceKind;
use crate::report::{Action, FieldDifference};
use anyhow::{Context as _, Result};
use armada_retry::policy::wire::unknown_fields;
use armada_retry::policy::{self, Documents};
use client::{ClientError, ClientErrorKind, Fields};
use document::diag::Findings;
use serde_json::Value;
use std::sync::Arc;

/// How documents or flags are written.
#[derive(Debug, Clone, Copy)]
pub(in crate::commands) struct WriteOptions {
    /// How to handle objects that exist, and those that do not.
    pub mode: WriteMode,
    /// The form of the report.
    pub output: Output,
    /// How far the command goes.
    pub dry_run: DryRun,
}

/// Writes the policies and queues of files. All files are checked before the first byte is sent.
pub(in crate::commands) fn write_files(
    context: &mut Context<'_>,
    files: SelectedFiles<'_>,
    accept: Accept,
    options: WriteOptions,
    prune: Option<&Prune>,
) -> Result<Exit> {
    let documents = read(context, files, Purpose::Send(options.dry_run))?;
    let mut warnings = Findings::new();
    policy::warn_of_absent_limits(&documents, &mut warnings);
    let warnings = warnings.sorted();
    if options.dry_run == DryRun::Client {
        context.ui.diagnostics(&warnings)?;
        return report_offline(context, options.output, document_names(&documents), Action::Valid);
    }
    // The server that is written to is named first.
    let server = ServerConnection::for_writing(context)?;
    context.ui.diagnostics(&warnings)?;
    let desired =
        DesiredState::new(context, &server, &documents, accept, Purpose::Send(options.dry_run))?;
    write(context, &server, &desired, options, prune)
}

/// Writes the queue that flags describe; its priority factor is `factor` if they have none.
pub(in crate::commands) fn write_queue(
    context: &mut Context<'_>,
    flags: &QueueFlags,
    factor: Option<f64>,
    options: WriteOptions,
) -> Result<Exit> {
    let queue = flags.to_queue(factor)?;
    if options.mode == WriteMode::Update && flags.is_empty() {
        let refusal = Refusal::usage(format!("no flag changes the queue `{}`", queue.name()));
        let help = "give what to change, such as `--priority-factor 2` or `--retry-policy a,b`";
        return Err(refusal.help(help).into());
    }
    if options.dry_run == DryRun::Client {
        return report_offline(
            context,
            options.output,
            [(QUEUE, queue.name().to_owned())],
            Action::Valid,
        );
    }
    let server = ServerConnection::for_writing(context)?;
    let (policies, queues) = (Vec::new(), vec![queue]);
    let desired = DesiredState { policies, queues, origin: Origin::Flags };
    write(context, &server, &desired, options, None)
}

/// Kinds and names of documents, policies first.
pub(in crate::commands) fn document_names(documents: &Documents) -> Vec<(&'static str, String)> {
    let policies = documents.policies.iter().map(|d| (POLICY, d.policy.name.to_string()));
    let queues = documents.queues.iter().map(|d| (QUEUE, d.queue.name.clone()));
    policies.chain(queues).collect()
}

/// Makes the server hold the desired state, and prints the report.
fn write(
    context: &mut Context<'_>,
    server: &ServerConnection,
    desired: &DesiredState,
    options: WriteOptions,
    prune: Option<&Prune>,
) -> Result<Exit> {
    let known = desired.policies.iter().map(|(name, _)| name.as_str());
    refuse_unknown_policies(server, &desired.queues, known)?;
    let lists: Vec<_> = desired.queues.iter().map(|q| (q.name(), q.policy_names())).collect();
    warn_of_ineffective(
        context,
        server,
        lists.iter().map(|(name, list)| (*name, list.as_slice())),
    )?;
    let policy_steps = policy_steps(server, &desired.policies, options.mode)?;
    let live = fetch_desired_queues(server, &desired.queues)?;
    let queue_steps = queue_steps(server, &desired.queues, &live, options.mode)?;
    print_notes(context, desired, &live, options.mode)?;
    let mut executor = Executor::new(server, options.dry_run, context.ui.progress(None));
    // Policies first, so that no queue names one that the server does not have yet.
    executor.run(policy_steps)?;
    verify_policies(server, &desired.policies, &mut executor)?;
    executor.run(queue_steps)?;
    verify_queues(server, &desired.queues, &mut executor)?;
    if let Some(prune) = prune {
        prune.run(context, server, desired, &mut executor)?;
    }
    report(context, options.output, executor, options.dry_run)
}

fn policy_steps(
    server: &ServerConnection,
    desired: &[(String, Value)],
    mode: WriteMode,
) -> Result<Vec<Step>> {
    let names: Vec<&str> = desired.iter().map(|(name, _)| name.as_str()).collect();
    let live = server.wait(fetch_policies(&server.client, &names))?;
    let suggestions = Suggestions::new(server, ResourceKind::Policy);
    let step = |(name, body): &(String, Value)| {
        let body = || Fields::of(body).context("a policy cannot be written as JSON");
        Ok(match (live.get(name), mode) {
            (Some(_), WriteMode::Create) => {
                Step::failing(POLICY, name, exists_error("retry policy", name))
            }
            (None, WriteMode::Update) => {
                Step::failing(POLICY, name, missing_error(ResourceKind::Policy, name, &suggestions))
            }
            (None, _) => Step::new(POLICY, name, Action::Created, Operation::CreatePolicy(body()?)),
            (Some(live), _) => {
                let mut differences = policy_differences(Some(live), &body()?.to_value()?);
                if !differences.is_empty() {
                    differences.extend(lost_fields(live));
                }
                change_step(POLICY, name, differences, Operation::UpdatePolicy(body()?))
            }
        })
    };
    desired.iter().map(step).collect()
}

/// Fields of a policy that no file can have: a write of the policy removes them.
fn lost_fields(live: &Fields) -> Vec<FieldDifference> {
    let unknown_fields = live.to_value().map(|live| unknown_fields(&live)).unwrap_or_default();
    let lost = |path| FieldDifference { path, live: "..".into(), file: Value::Null };
    unknown_fields.into_iter().map(lost).collect()
}

/// The queues of these names on the server.
pub(in crate::commands) fn fetch_desired_queues(
    server: &ServerConnection,
    desired: &[DesiredQueue],
) -> Result<LiveObjects> {
    let names: Vec<&str> = desired.iter().map(DesiredQueue::name).collect();
    server.wait(fetch_queues(&server.client, &names))
}

fn queue_steps(
    server: &ServerConnection,
    desired: &[DesiredQueue],
    live: &LiveObjects,
    mode: WriteMode,
) -> Result<Vec<Step>> {
    let suggestions = Suggestions::new(server, ResourceKind::Queue);
    let step = |queue: &DesiredQueue| {
        let name = queue.name();
        Ok(match (live.get(name), mode) {
            (Some(_), WriteMode::Create) => Step::failing(QUEUE, name, exists_error("queue", name)),
            (None, WriteMode::Update) => {
                Step::failing(QUEUE, name, missing_error(ResourceKind::Queue, name, &suggestions))
            }
            (None, _) => {
                let body = Fields::of(&queue.body())?;
                let operation = Operation::CreateQueue(Arc::new(queue.clone()), body);
                Step::new(QUEUE, name, Action::Created, operation)
            }
            (Some(live), _) => {
                let operation = Operation::ChangeQueue(Arc::new(queue.clone()));
                change_step(QUEUE, name, queue.differences(Some(live)), operation)
            }
        })
    };
    desired.iter().map(step).collect()
}

fn change_step(
    kind: &'static str,
    name: &str,
    fields: Vec<FieldDifference>,
    operation: Operation,
) -> Step {
    if fields.is_empty() {
        return Step::new(kind, name, Action::Unchanged, Operation::None);
    }
    let paths = fields.into_iter().map(|field| field.path).collect();
    Step::new(kind, name, Action::Configured, operation).fields(paths)
}

fn exists_error(noun: &str, name: &str) -> ClientError {
    let error =
        ClientError::new(ClientErrorKind::Refused, format!("the {noun} `{name}` already exists"));
    error.help("use `update` or `apply` to change it")
}

fn missing_error(kind: ResourceKind, name: &str, suggestions: &Suggestions<'_>) -> ClientError {
    let message = format!("the {} `{name}` does not exist", kind.noun());
    let help = suggestions.help(name, "`create` or `apply` creates it");
    ClientError::new(ClientErrorKind::NotFound, message).help(help)
}
