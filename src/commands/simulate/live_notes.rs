//! The notes on policies of a server, with `--live`.

use crate::commands::live_policies::LivePart;
use crate::commands::policy_set::PolicySet;
use document::diag::plural;
use replay::simulate::{NoteKind, NoteReport, NoteSeverity};
use std::path::Path;

/// Number of names that a note lists: a note is one line.
const MAX_LISTED: usize = 5;

/// The notes on the part of a set that is from a server; none without `--live`. `config` is the file of the
/// scheduler's settings.
pub(super) fn collect(policies: &PolicySet, config: Option<&Path>) -> Vec<NoteReport> {
    let Some(live) = policies.live() else { return Vec::new() };
    let mut notes = vec![origin(policies, live)];
    notes.extend(policies.mixes_forms().then(|| {
        let message = "`v1` evaluates the policies of both forms";
        NoteReport::new(NoteKind::Live, message)
    }));
    notes.extend(live.server.is_partial.then(|| {
        let message =
            "the list of policies is too large for the server: only those that queues name are read";
        warning(message.to_owned())
    }));
    notes.extend(unread_fields(live));
    notes.extend(unreadable(policies, live));
    let limit = policies.default_global_max_retries().filter(|_| config.is_none());
    notes.extend(limit.map(|limit| {
        let message = format!(
            "the scheduler's settings are not on the server: the defaults are assumed, such as \
             `globalMaxRetries` {limit}; name its file with --scheduler-config"
        );
        NoteReport::new(NoteKind::DefaultSettings, message)
    }));
    notes
}

/// Which policies and queues are the server's.
fn origin(policies: &PolicySet, live: &LivePart) -> NoteReport {
    let server = &live.server;
    let documents = policies.documents();
    let taken = &live.taken;
    if documents.document_count == 0 {
        let message = format!(
            "the policies and queues of the server {}: {} and {}",
            server.server,
            plural(taken.len(), "policy", "policies"),
            plural(server.queues.len(), "queue", "queues"),
        );
        return NoteReport::new(NoteKind::Live, message).count(taken.len() as u64);
    }
    let message = match taken.as_slice() {
        [] => "the files define all policies of the server".to_owned(),
        [one] => format!("the policy `{one}` is the server's, since the files do not define it"),
        several => format!(
            "the policies {} are the server's, since the files do not define them",
            list(several.iter())
        ),
    };
    NoteReport::new(NoteKind::Live, message).count(taken.len() as u64)
}

/// Fields of the server's policies that are not evaluated.
fn unread_fields(live: &LivePart) -> impl Iterator<Item = NoteReport> {
    let unread = &live.server.unread_fields;
    live.taken.iter().filter_map(|name| Some((name, unread.get(name)?))).map(|(name, fields)| {
        let message = format!(
            "fields of the policy `{name}` of the server are not evaluated: {}",
            list(fields.iter())
        );
        warning(message)
    })
}

/// Policies of the server that are left out, as they cannot be read.
fn unreadable(policies: &PolicySet, live: &LivePart) -> impl Iterator<Item = NoteReport> {
    let is_own = |name: &str| policies.policies.iter().any(|policy| policy.name.as_str() == name);
    let left_out = live.server.unreadable.iter().filter(move |(name, _)| !is_own(name));
    left_out.map(|(name, why)| {
        warning(format!("the policy `{name}` of the server cannot be read and is left out: {why}"))
    })
}

fn warning(message: String) -> NoteReport {
    let note = NoteReport::new(NoteKind::Live, message);
    NoteReport { severity: NoteSeverity::Warning, ..note }
}

/// The first names, and how many more there are.
fn list<'n>(names: impl ExactSizeIterator<Item = &'n String>) -> String {
    let more = names.len().saturating_sub(MAX_LISTED);
    let listed: Vec<String> = names.take(MAX_LISTED).map(|name| format!("`{name}`")).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", listed.join(", "))
}
