//! Policies of a queue that have no effect: a server of the deployed form evaluates the first only.

use super::Context;
use super::connect::Connected;
use crate::client::Form;
use crate::diag::printable;
use anyhow::Result;

/// Queues that are named one by one.
const SHOWN: usize = 10;

/// Warns of each queue whose list has a second policy, where the server evaluates the first only.
pub(super) fn warn<'q>(
    context: &mut Context<'_>,
    server: &Connected,
    lists: impl Iterator<Item = (&'q str, &'q [String])>,
) -> Result<()> {
    let long: Vec<_> = lists.filter(|(_, list)| list.len() > 1).collect();
    // Only a warning depends on the form, so that a failure to find it is not an error.
    let is_deployed = || server.wait(server.client.form()).is_ok_and(|form| form == Form::Deployed);
    if long.is_empty() || !is_deployed() {
        return Ok(());
    }
    for (queue, list) in long.iter().take(SHOWN) {
        let [first, others @ ..] = list else { continue };
        let names: Vec<String> =
            others.iter().map(|name| format!("`{}`", printable(name))).collect();
        let verb = if names.len() == 1 { "has" } else { "have" };
        let (queue, first, names) = (printable(queue), printable(first), names.join(", "));
        context.ui.note(&format!(
            "warning: {names} {verb} no effect on the queue `{queue}`: this server evaluates only the first policy of a queue, `{first}`"
        ))?;
    }
    if long.len() > SHOWN {
        context.ui.note(&format!("warning: the same for {} more queues", long.len() - SHOWN))?;
    }
    Ok(())
}
