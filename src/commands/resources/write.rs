//! `create`, `update` and `apply`: what is wanted next to what the server holds, and the steps
//! from one to the other. Policies go before queues, which name them.

use super::{
    Accept, Carrying, FileArgs, Live, POLICY, Prune, Purpose, QUEUE, QueueFlags, Step, WantedQueue,
    Work, finish, of_policy, of_queue, offline, policies, print_notes, queues, read,
    refuse_dropped, refuse_dropped_of_queues, refuse_unknown,
};
use crate::cli::{Exit, Output};
use crate::client::{ClientError, Fields, Trouble};
use crate::commands::Context;
use crate::commands::connect::Connected;
use crate::commands::dry_run::DryRun;
use crate::commands::first_only;
use crate::diag::Findings;
use crate::policy::wire::unknown;
use crate::policy::{self, Documents};
use crate::report::{Action, FieldDifference};
use anyhow::{Context as _, Result};
use serde_json::Value;
use std::sync::Arc;

/// What is wanted on the server.
pub(in crate::commands) struct Wanted {
    /// Policies: name and body.
    pub policies: Vec<(String, Value)>,
    /// Queues.
    pub queues: Vec<WantedQueue>,
    /// What they are described by.
    pub origin: Origin,
}

/// What describes the things that are wanted; notes name the fields or the flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Origin {
    /// Documents.
    Documents,
    /// Flags on the command line.
    Flags,
}

/// What is to become of things that are there, and of those that are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Mode {
    /// What is there is refused.
    Create,
    /// What is not there is refused.
    Update,
    /// Either is taken.
    Apply,
}

/// Makes the server hold what files say. They are checked whole before the first byte is sent.
pub(in crate::commands) fn from_files(
    context: &mut Context<'_>,
    files: &FileArgs,
    accept: Accept,
    how: (Mode, Output, DryRun),
    prune: Option<&Prune>,
) -> Result<Exit> {
    let documents = read(context, files, Purpose::Send(how.2))?;
    let mut warnings = Findings::new();
    policy::warn_of_absent_limits(&documents, &mut warnings);
    let warnings = warnings.sorted();
    if how.2 == DryRun::Client {
        context.ui.diagnostics(&warnings)?;
        return offline(context, how.1, names(&documents));
    }
    // The server that is written to is named first.
    let server = Connected::for_writing(context)?;
    context.ui.diagnostics(&warnings)?;
    let wanted = Wanted::new(context, &server, &documents, accept, Purpose::Send(how.2))?;
    write(context, &server, &wanted, how, prune)
}

/// Makes the server hold the queue that flags say; its priority factor is `factor` if they say none.
pub(in crate::commands) fn from_flags(
    context: &mut Context<'_>,
    flags: &QueueFlags,
    factor: Option<f64>,
    how: (Mode, Output, DryRun),
) -> Result<Exit> {
    let queue = flags.wanted(factor)?;
    if how.2 == DryRun::Client {
        return offline(context, how.1, [(QUEUE, queue.name().to_owned())]);
    }
    let server = Connected::for_writing(context)?;
    let (policies, queues) = (Vec::new(), vec![queue]);
    write(context, &server, &Wanted { policies, queues, origin: Origin::Flags }, how, None)
}

/// Kinds and names of documents, policies first.
pub(in crate::commands) fn names(documents: &Documents) -> Vec<(&'static str, String)> {
    let policies = documents.policies.iter().map(|d| (POLICY, d.policy.name.to_string()));
    let queues = documents.queues.iter().map(|d| (QUEUE, d.queue.name.clone()));
    policies.chain(queues).collect()
}

/// Makes the server hold what is wanted, and reports it.
fn write(
    context: &mut Context<'_>,
    server: &Connected,
    wanted: &Wanted,
    (mode, output, dry_run): (Mode, Output, DryRun),
    prune: Option<&Prune>,
) -> Result<Exit> {
    let given = wanted.policies.iter().map(|(name, _)| name.as_str());
    refuse_unknown(server, &wanted.queues, given)?;
    let lists: Vec<_> = wanted.queues.iter().map(|q| (q.name(), q.policy_names())).collect();
    first_only::warn(context, server, lists.iter().map(|(name, list)| (*name, list.as_slice())))?;
    let first = policy_steps(server, &wanted.policies, mode)?;
    let live = queues_of(server, &wanted.queues)?;
    let second = queue_steps(&wanted.queues, &live, mode)?;
    print_notes(context, wanted, &live, mode)?;
    let mut carrying = Carrying::new(server, dry_run, context.ui.progress(None));
    carrying.steps(first)?;
    refuse_dropped(server, &wanted.policies, &mut carrying)?;
    carrying.steps(second)?;
    refuse_dropped_of_queues(server, &wanted.queues, &mut carrying)?;
    if let Some(prune) = prune {
        prune.run(context, server, wanted, &mut carrying)?;
    }
    finish(context, output, carrying, dry_run)
}

fn policy_steps(server: &Connected, wanted: &[(String, Value)], mode: Mode) -> Result<Vec<Step>> {
    let names: Vec<&str> = wanted.iter().map(|(name, _)| name.as_str()).collect();
    let live = server.wait(policies(&server.client, &names))?;
    let step = |(name, body): &(String, Value)| {
        let body = || Fields::of(body).context("a policy cannot be written as JSON");
        Ok(match (live.get(name), mode) {
            (Some(_), Mode::Create) => Step::fails(POLICY, name, exists("retry policy", name)),
            (None, Mode::Update) => Step::fails(POLICY, name, absent("retry policy", name)),
            (None, _) => created(POLICY, name, body()?),
            (Some(held), _) => {
                let mut differing = of_policy(Some(held), &body()?.to_value()?);
                if !differing.is_empty() {
                    differing.extend(lost(held));
                }
                changed(POLICY, name, differing, Work::UpdatePolicy(body()?))
            }
        })
    };
    wanted.iter().map(step).collect()
}

/// What a policy holds that no file can say: writing the policy takes it away.
fn lost(held: &Fields) -> Vec<FieldDifference> {
    let unknown = held.to_value().map(|held| unknown(&held)).unwrap_or_default();
    let lost = |path| FieldDifference { path, live: "..".into(), file: Value::Null };
    unknown.into_iter().map(lost).collect()
}

/// What the server holds of these queues.
pub(in crate::commands) fn queues_of(server: &Connected, wanted: &[WantedQueue]) -> Result<Live> {
    let names: Vec<&str> = wanted.iter().map(WantedQueue::name).collect();
    server.wait(queues(&server.client, &names))
}

fn queue_steps(wanted: &[WantedQueue], live: &Live, mode: Mode) -> Result<Vec<Step>> {
    let step = |queue: &WantedQueue| {
        let name = queue.name();
        Ok(match (live.get(name), mode) {
            (Some(_), Mode::Create) => Step::fails(QUEUE, name, exists("queue", name)),
            (None, Mode::Update) => Step::fails(QUEUE, name, absent("queue", name)),
            (None, _) => created(QUEUE, name, Fields::of(&queue.body())?),
            (Some(held), _) => {
                let work = Work::ChangeQueue(Arc::new(queue.clone()));
                changed(QUEUE, name, of_queue(Some(held), queue), work)
            }
        })
    };
    wanted.iter().map(step).collect()
}

fn created(kind: &'static str, name: &str, body: Fields) -> Step {
    Step::new(kind, name, Action::Created, Work::create(kind, body))
}

fn changed(kind: &'static str, name: &str, fields: Vec<FieldDifference>, work: Work) -> Step {
    if fields.is_empty() {
        return Step::new(kind, name, Action::Unchanged, Work::Nothing);
    }
    let paths = fields.into_iter().map(|field| field.path).collect();
    Step::new(kind, name, Action::Configured, work).fields(paths)
}

fn exists(noun: &str, name: &str) -> ClientError {
    let error = ClientError::new(Trouble::Refused, format!("there is a {noun} `{name}` already"));
    error.help("`update` changes it, `apply` does either")
}

fn absent(noun: &str, name: &str) -> ClientError {
    let error = ClientError::new(Trouble::NotFound, format!("there is no {noun} `{name}`"));
    error.help("`create` creates it, `apply` does either")
}
