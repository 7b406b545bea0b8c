//! Policies that queues name and nobody has: said before anything is sent.

use super::WantedQueue;
use super::live::policy_names;
use crate::cli::{Exit, NOTHING_SENT, Refusal};
use crate::commands::connect::Connected;
use crate::diag::{Code, Diagnostic, Findings, did_you_mean};
use anyhow::Result;
use std::collections::HashSet;

/// Stops the command if a queue names a policy that is neither among `given` nor on the server.
pub(in crate::commands) fn refuse_unknown<'a>(
    server: &Connected,
    queues: &[WantedQueue],
    given: impl IntoIterator<Item = &'a str>,
) -> Result<()> {
    let given: HashSet<&str> = given.into_iter().collect();
    let wanted =
        || queues.iter().flat_map(|queue| queue.policies().iter().map(move |p| (queue, p)));
    if wanted().all(|(_, (name, _))| given.contains(name.as_str())) {
        return Ok(());
    }
    let names: Vec<&str> = wanted().map(|(_, (name, _))| name.as_str()).collect();
    let live = server.wait(policy_names(&server.client, &names))?;
    let known: HashSet<&str> = live.iter().map(String::as_str).chain(given).collect();
    let mut findings = Findings::new();
    for (queue, (name, place)) in wanted() {
        if known.contains(name.as_str()) {
            continue;
        }
        let message = format!(
            "the queue `{}` names the retry policy `{name}`, which does not exist",
            queue.name()
        );
        let finding = match place {
            Some(place) => Diagnostic::error(Code::UnknownName, place.clone(), message),
            None => Diagnostic::placeless(Code::UnknownName, message),
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
        .counted(NOTHING_SENT)
        .into())
}
