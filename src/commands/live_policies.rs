//! The policies of a server and the policy lists of its queues, as a set that can be evaluated.

use super::connection::ServerConnection;
use super::lookup::name_of;
use super::policy_list::read_list;
use super::resources::fetch_policies;
use crate::cli::{Context, Exit, Refusal};
use anyhow::Result;
use armada_retry::policy::{Form, PolicyDocument, wire};
use client::{Client, ClientError, ClientErrorKind, Fields, WireForm};
use document::diag::printable;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Policies and queues of a server.
#[derive(Debug)]
pub(super) struct LivePolicies {
    /// The address of the server, and the context that names it.
    pub server: String,
    /// The policies, by name. Each is a document of its own.
    pub policies: Vec<PolicyDocument>,
    /// Policies that cannot be read, with the reason.
    pub unreadable: BTreeMap<String, String>,
    /// Fields of policies that are not read, such as `rules[0].onMoonPhase`, by policy.
    pub unread_fields: BTreeMap<String, Vec<String>>,
    /// Whether the list of policies is too large for the server, so that only those that queues name are read.
    pub is_partial: bool,
    /// The policies of each queue.
    pub queues: BTreeMap<String, Vec<String>>,
    /// The form of the policies: `v1` if one has a field that only `v1` has. Without policies, the form that
    /// the server accepts.
    pub form: Form,
}

/// The part of a set of policies that is from a server.
#[derive(Debug, Clone)]
pub(super) struct LivePart {
    /// The server's policies and queues.
    pub server: Arc<LivePolicies>,
    /// The names of the policies that are from the server.
    pub taken: Vec<String>,
}

impl LivePolicies {
    /// Reads all policies and queues of the server of this command line.
    pub fn fetch(context: &mut Context<'_>) -> Result<Self> {
        let server = ServerConnection::new(context)?;
        let lists = server.wait(fetch_lists(&server.client))?;
        let queues = readable(lists.queues)?;
        let is_partial = lists.policies.is_none();
        let policies = match lists.policies {
            Some(policies) => policies,
            None => server.wait(fetch_named(&server.client, &queues))?,
        };
        let mut live = Self {
            server: server.title(),
            policies: Vec::new(),
            unreadable: BTreeMap::new(),
            unread_fields: BTreeMap::new(),
            is_partial,
            queues,
            form: Form::V1beta1,
        };
        for fields in &policies {
            live.add(fields);
        }
        let is_v1 = if live.policies.is_empty() {
            server.wait(server.client.form())? == WireForm::Full
        } else {
            live.policies.iter().any(|found| found.policy.form == Form::V1)
        };
        if is_v1 {
            live.form = Form::V1;
        }
        Ok(live)
    }

    /// Adds a policy. One without a name cannot be assigned to a queue, and is left out.
    fn add(&mut self, fields: &Fields) {
        let Some(name) = name_of(fields) else { return };
        let policy = fields.to_value().map_err(|error| error.to_string()).and_then(|value| {
            let place = format!("policy `{name}` of the server");
            Ok((wire::document_from_wire(&value, &place)?, wire::unknown_fields(&value)))
        });
        match policy {
            Ok((document, unread)) => {
                self.policies.push(document);
                if !unread.is_empty() {
                    self.unread_fields.insert(name, unread);
                }
            }
            Err(why) => drop(self.unreadable.insert(name, why)),
        }
    }
}

/// The lists of a server.
struct Lists {
    /// The queues with their policies; `None` if those are not a list of names.
    queues: Vec<(String, Option<Vec<String>>)>,
    /// `None` if the list is too large for the server.
    policies: Option<Vec<Fields>>,
}

async fn fetch_lists(client: &Client) -> Result<Lists, ClientError> {
    let mut stream = client.queues().await?;
    let mut queues = Vec::new();
    while let Some(queue) = stream.next().await? {
        queues.extend(name_of(&queue).map(|name| (name, read_list(&queue))));
    }
    let policies = match client.policies().await {
        Err(error) if error.kind == ClientErrorKind::TooLarge => None,
        list => Some(list?),
    };
    Ok(Lists { queues, policies })
}

/// The policies that queues name.
async fn fetch_named(
    client: &Client,
    queues: &BTreeMap<String, Vec<String>>,
) -> Result<Vec<Fields>, ClientError> {
    let names: BTreeSet<&str> = queues.values().flatten().map(String::as_str).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut policies: Vec<_> = fetch_policies(client, &names).await?.into_iter().collect();
    // A map has no order, and reports of the same policies must be the same.
    policies.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(policies.into_iter().map(|(_, fields)| fields).collect())
}

/// The policies of each queue; an error if a list cannot be read.
fn readable(queues: Vec<(String, Option<Vec<String>>)>) -> Result<BTreeMap<String, Vec<String>>> {
    let list = |(name, list): (String, Option<Vec<String>>)| {
        let Some(list) = list else {
            let name = printable(&name);
            let message = format!(
                "`retryPolicies` of the queue `{name}` on the server is not a list of names"
            );
            return Err(Refusal { exit: Exit::Server, ..Refusal::usage(message) }.into());
        };
        Ok((name, list))
    };
    queues.into_iter().map(list).collect()
}
