//! What one step does to the server.

use super::{POLICY, WantedQueue};
use crate::client::{
    ChangeEnd, ChangeOutcome, Client, ClientError, Creation, Fields, Slot, Trouble, change_queue,
};
use crate::commands::dry_run::DryRun;
use crate::commands::queue_change::lost;
use serde_json::{Value, json};
use std::sync::Arc;

/// What there is to do.
#[derive(Debug, Clone)]
pub(in crate::commands) enum Work {
    /// Nothing: it is as it should be.
    Nothing,
    /// Nothing can be done.
    Fails(ClientError),
    /// Create a policy.
    CreatePolicy(Fields),
    /// Replace a policy.
    UpdatePolicy(Fields),
    /// Delete a policy.
    DeletePolicy,
    /// Create a queue.
    CreateQueue(Fields),
    /// Change a queue as it is wanted.
    ChangeQueue(Arc<WantedQueue>),
    /// Take policies from a queue.
    Detach(Arc<[String]>),
    /// Delete a queue.
    DeleteQueue,
}

/// How a step came out.
#[derive(Debug, Clone)]
pub(super) enum Done {
    /// As it was planned.
    AsPlanned,
    /// A queue was created with POST, which gives the caller all rights; whether the PUT that takes
    /// them away was done.
    ByPost(Result<(), ClientError>),
    /// Somebody else had done it.
    Already,
}

impl Work {
    /// The creation of a thing of this kind.
    pub(in crate::commands) fn create(kind: &'static str, body: Fields) -> Self {
        if kind == POLICY { Self::CreatePolicy(body) } else { Self::CreateQueue(body) }
    }

    /// Whether it is done with requests that write.
    pub(super) fn is_sent(&self) -> bool {
        !matches!(self, Self::Nothing | Self::Fails(_))
    }

    /// Does it to the thing of this name; in a dry run only what needs no request.
    pub(super) async fn perform(
        &self,
        client: &Client,
        slot: &mut Slot,
        name: &str,
        dry_run: DryRun,
    ) -> Result<Done, ClientError> {
        let written = match self {
            Work::Nothing => Ok(()),
            Work::Fails(error) => Err(error.clone()),
            _ if dry_run != DryRun::None => Ok(()),
            Work::CreatePolicy(body) => client.create_policy(body).await,
            Work::UpdatePolicy(body) => client.update_policy(name, body).await,
            Work::DeletePolicy => client.delete_policy(name).await,
            Work::CreateQueue(body) => {
                return client.create_queue(name, body).await.map(|creation| match creation {
                    Creation::Put => Done::AsPlanned,
                    Creation::Post(end) => Done::ByPost(end),
                });
            }
            Work::DeleteQueue => client.delete_queue(name).await,
            Work::ChangeQueue(queue) => {
                let outcome = change_queue(client, slot, name, |live| queue.change(live)).await;
                return outcome.and_then(|outcome| done(name, &outcome));
            }
            Work::Detach(policies) => {
                let detach = |live: &mut Fields| {
                    detach(live, policies);
                    Ok(())
                };
                let outcome = change_queue(client, slot, name, detach).await;
                return outcome.and_then(|outcome| done(name, &outcome));
            }
        };
        written.map(|()| Done::AsPlanned)
    }
}

fn done(name: &str, outcome: &ChangeOutcome) -> Result<Done, ClientError> {
    match outcome.end {
        ChangeEnd::Written => Ok(Done::AsPlanned),
        ChangeEnd::Unchanged => Ok(Done::Already),
        ChangeEnd::Missing => {
            let message = format!("the queue `{name}` has gone meanwhile");
            Err(ClientError::new(Trouble::NotFound, message))
        }
        ChangeEnd::Lost(writes) => Err(lost(name, writes)),
    }
}

/// Takes policies from a queue.
fn detach(live: &mut Fields, policies: &[String]) {
    let Some(Value::Array(mut attached)) = live.value("retryPolicies") else { return };
    let before = attached.len();
    attached.retain(|name| !policies.iter().any(|policy| name == policy));
    if attached.is_empty() {
        live.remove("retryPolicies");
    } else if attached.len() < before {
        live.set("retryPolicies", &json!(attached));
    }
}
