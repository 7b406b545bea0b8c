//! Policies of a queue without effect: a server of the deployed form evaluates only the first.

use super::connection::ServerConnection;
use crate::cli::Context;
use anyhow::Result;
use client::WireForm;
use document::diag::printable;

/// Limit of queues with a warning each, so that the warnings fit a screen.
const MAX_NAMED: usize = 10;

/// Warns of each queue whose list has a second policy, where the server evaluates the first only.
pub(super) fn warn_of_ineffective<'q>(
    context: &mut Context<'_>,
    server: &ServerConnection,
    lists: impl Iterator<Item = (&'q str, &'q [String])>,
) -> Result<()> {
    let long: Vec<_> = lists.filter(|(_, list)| list.len() > 1).collect();
    // Only a warning depends on the form, so that a failure to find it is not an error.
    let is_deployed =
        || server.wait(server.client.form()).is_ok_and(|form| form == WireForm::Deployed);
    if long.is_empty() || !is_deployed() {
        return Ok(());
    }
    for (queue, list) in long.iter().take(MAX_NAMED) {
        let [first, others @ ..] = list else { continue };
        let names: Vec<String> =
            others.iter().map(|name| format!("`{}`", printable(name))).collect();
        let verb = if names.len() == 1 { "has" } else { "have" };
        let (queue, first, names) = (printable(queue), printable(first), names.join(", "));
        context.ui.note(&format!(
            "warning: {names} {verb} no effect on the queue `{queue}`: this server evaluates only the first policy of a queue, `{first}`"
        ))?;
    }
    if long.len() > MAX_NAMED {
        context
            .ui
            .note(&format!("warning: the same for {} more queues", long.len() - MAX_NAMED))?;
    }
    Ok(())
}
