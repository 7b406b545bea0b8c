//! Notes on queues that are written: defaults of new ones, and rights on the server that no file
//! names.

use super::queue::FACTOR;
use super::{DesiredQueue, DesiredState, LiveObjects, Origin, WriteMode};
use crate::cli::Context;
use anyhow::Result;

/// Limit of queues that a note names: a note is one line.
const MAX_LISTED: usize = 10;

/// Prints the notes on these queues.
pub(super) fn print_notes(
    context: &mut Context<'_>,
    DesiredState { queues: desired, origin, .. }: &DesiredState,
    live: &LiveObjects,
    mode: WriteMode,
) -> Result<()> {
    if mode != WriteMode::Update {
        let is_new = |queue: &&DesiredQueue| !live.contains_key(queue.name());
        let created: Vec<&DesiredQueue> = desired.iter().filter(is_new).collect();
        let without_factor = created.iter().filter(|queue| !queue.has_field(FACTOR));
        if let Some(queues) = list_queues(without_factor.map(|queue| queue.name())) {
            let text = format!("note: `{FACTOR}` is absent and becomes 1 in the new {queues}");
            context.ui.note(&text)?;
        }
        let without_rights = created.iter().filter(|queue| !queue.has_rights());
        if let Some(queues) = list_queues(without_rights.map(|queue| queue.name())) {
            let advice = match origin {
                Origin::Documents => "name `userOwners`, `groupOwners` or `permissions`",
                Origin::Flags => "set them with `update queue` and `--owners` or `--group-owners`",
            };
            let text = format!("note: no user or group has rights on the new {queues}: {advice}");
            context.ui.note(&text)?;
        }
    }
    // No flag names permissions.
    if mode == WriteMode::Create || *origin == Origin::Flags {
        return Ok(());
    }
    print_unnamed_rights(context, desired, live)
}

/// Prints which queues have rights on the server that are not compared, since no file names any.
pub(in crate::commands) fn print_unnamed_rights(
    context: &mut Context<'_>,
    desired: &[DesiredQueue],
    live: &LiveObjects,
) -> Result<()> {
    let has_rights = |queue: &DesiredQueue| {
        let held = live.get(queue.name()).and_then(|held| held.value("permissions"));
        held.is_some_and(|held| held.as_array().is_some_and(|list| !list.is_empty()))
    };
    let unnamed = desired.iter().filter(|queue| !queue.has_named_rights() && has_rights(queue));
    let Some(queues) = list_queues(unnamed.map(DesiredQueue::name)) else { return Ok(()) };
    let text = format!(
        "note: rights on the {queues} are left as the server has them: to compare and change them, \
         name `permissions`"
    );
    Ok(context.ui.note(&text)?)
}

/// ``queue `a` `` or ``queues `a`, `b` ``, as far as they are shown; none if there are none.
fn list_queues<'n>(names: impl Iterator<Item = &'n str>) -> Option<String> {
    let names: Vec<&str> = names.collect();
    let noun = match names.len() {
        0 => return None,
        1 => "queue",
        _ => "queues",
    };
    let listed: Vec<String> =
        names.iter().take(MAX_LISTED).map(|name| format!("`{name}`")).collect();
    let more = names.len() - listed.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    Some(format!("{noun} {}{more}", listed.join(", ")))
}
