//! Checks around a write: before it, that queues name only policies that exist; after it, that the
//! server holds policies and new queues as they were sent. A gateway may drop fields silently.

use super::live_objects::{LiveObjects, fetch_policies, fetch_policy_names, fetch_queues};
use super::{DesiredQueue, Executor, POLICY, QUEUE, policy_differences};
use crate::cli::{Exit, NOTHING_SENT, Refusal};
use crate::commands::connection::ServerConnection;
use anyhow::Result;
use client::{ClientError, ClientErrorKind};
use document::diag::{Code, Diagnostic, Findings, did_you_mean};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Stops the command if a queue names a policy that is neither `known` nor on the server.
pub(in crate::commands) fn refuse_unknown_policies<'a>(
    server: &ServerConnection,
    queues: &[DesiredQueue],
    known: impl IntoIterator<Item = &'a str>,
) -> Result<()> {
    let known: HashSet<&str> = known.into_iter().collect();
    let named_policies =
        || queues.iter().flat_map(|queue| queue.policies().iter().map(move |p| (queue, p)));
    if named_policies().all(|(_, (name, _))| known.contains(name.as_str())) {
        return Ok(());
    }
    let names: Vec<&str> = named_policies().map(|(_, (name, _))| name.as_str()).collect();
    let live = server.wait(fetch_policy_names(&server.client, &names))?;
    let known: HashSet<&str> = live.iter().map(String::as_str).chain(known).collect();
    let mut findings = Findings::new();
    for (queue, (name, place)) in named_policies() {
        if known.contains(name.as_str()) {
            continue;
        }
        let message = format!(
            "the queue `{}` names the retry policy `{name}`, which does not exist",
            queue.name()
        );
        let finding = match place {
            Some(place) => Diagnostic::error(Code::UnknownName, place.clone(), message),
            None => Diagnostic::without_place(Code::UnknownName, message),
        };
        let help = did_you_mean(name, known.iter().copied()).map_or_else(
            || "it is neither on the server nor in the files: create it first".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        findings.push(finding.help(help));
    }
    if findings.is_empty() {
        return Ok(());
    }
    Err(Refusal { exit: Exit::NotFound, ..Refusal::findings(findings.sorted()) }
        .with_count(NOTHING_SENT)
        .into())
}

/// Marks policies as failed that the server does not hold as they were sent.
pub(super) fn verify_policies(
    server: &ServerConnection,
    sent: &[(String, Value)],
    executor: &mut Executor<'_>,
) -> Result<()> {
    let Some((names, live)) = fetch_written(server, POLICY, executor)? else { return Ok(()) };
    let bodies: HashMap<&str, &Value> = sent.iter().map(|(name, b)| (name.as_str(), b)).collect();
    for name in &names {
        let Some(body) = bodies.get(name.as_str()) else { continue };
        let fields = policy_differences(live.get(name), body);
        if !fields.is_empty() {
            let paths: Vec<String> = fields.into_iter().map(|field| field.path).collect();
            executor.mark_failed(POLICY, name, not_as_sent_error("retry policy", name, &paths));
        }
    }
    Ok(())
}

/// The same for queues.
pub(super) fn verify_queues(
    server: &ServerConnection,
    sent: &[DesiredQueue],
    executor: &mut Executor<'_>,
) -> Result<()> {
    let Some((names, live)) = fetch_written(server, QUEUE, executor)? else { return Ok(()) };
    let names: HashSet<&str> = names.iter().map(String::as_str).collect();
    for queue in sent.iter().filter(|queue| names.contains(queue.name())) {
        let fields = queue.differences(live.get(queue.name()));
        let paths: Vec<String> = fields.into_iter().map(|field| field.path).collect();
        if !paths.is_empty() {
            executor.mark_failed(
                QUEUE,
                queue.name(),
                not_as_sent_error("queue", queue.name(), &paths),
            );
        }
    }
    Ok(())
}

/// The objects that were written, by name, as the server has them now; `None` if nothing was written,
/// or if they cannot be read.
fn fetch_written(
    server: &ServerConnection,
    kind: &'static str,
    executor: &mut Executor<'_>,
) -> Result<Option<(Vec<String>, LiveObjects)>> {
    let written = executor.written_names(kind);
    if written.is_empty() || executor.is_stopped() {
        return Ok(None);
    }
    let names: Vec<&str> = written.iter().map(String::as_str).collect();
    let live = match kind {
        POLICY => server.wait(fetch_policies(&server.client, &names)),
        _ => server.wait(fetch_queues(&server.client, &names)),
    };
    match live {
        Ok(live) => Ok(Some((written, live))),
        Err(error) => executor.record_read_error(error, kind, &[]).map(|()| None),
    }
}

fn not_as_sent_error(kind: &str, name: &str, paths: &[String]) -> ClientError {
    let message = format!(
        "the server stored the {kind} `{name}` differently from what was sent: {}",
        paths.join(", ")
    );
    let help = "the server or a proxy drops unknown fields, or another client changed it";
    ClientError::new(ClientErrorKind::Refused, message).help(help)
}
