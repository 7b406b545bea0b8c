//! The request or requests of one step.

use super::{DesiredQueue, POLICY};
use crate::cli::DryRun;
use crate::client::{
    ChangeEnd, ChangeOutcome, Client, ClientError, ClientErrorKind, Creation, Fields, Slot,
    change_queue,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// The change that a step makes on the server.
#[derive(Debug, Clone)]
pub(in crate::commands) enum Operation {
    /// Nothing: the object is as it is desired.
    None,
    /// Fail without a request.
    Fail(ClientError),
    /// Create a policy.
    CreatePolicy(Fields),
    /// Replace a policy.
    UpdatePolicy(Fields),
    /// Delete a policy.
    DeletePolicy,
    /// Create a queue.
    CreateQueue(Fields),
    /// Change a queue to what is desired.
    ChangeQueue(Arc<DesiredQueue>),
    /// Detach policies from a queue.
    Detach(Arc<[String]>),
    /// Delete a queue.
    DeleteQueue,
}

/// How an operation ended.
#[derive(Debug, Clone)]
pub(super) enum OperationEnd {
    /// As planned.
    Planned,
    /// A queue was created with POST, which gives the caller all rights; whether the PUT that takes
    /// them away was done.
    CreatedByPost(Result<(), ClientError>),
    /// Another writer had done it.
    AlreadyDone,
}

impl Operation {
    /// The creation of an object of this kind.
    pub(in crate::commands) fn create(kind: &'static str, body: Fields) -> Self {
        if kind == POLICY { Self::CreatePolicy(body) } else { Self::CreateQueue(body) }
    }

    /// Whether the operation sends requests that write.
    pub(super) fn is_write(&self) -> bool {
        !matches!(self, Self::None | Self::Fail(_))
    }

    /// Performs the operation on the object of this name; in a dry run it sends no request that writes.
    pub(super) async fn perform(
        &self,
        client: &Client,
        slot: &mut Slot,
        name: &str,
        dry_run: DryRun,
    ) -> Result<OperationEnd, ClientError> {
        let written = match self {
            Operation::None => Ok(()),
            Operation::Fail(error) => Err(error.clone()),
            _ if dry_run != DryRun::None => Ok(()),
            Operation::CreatePolicy(body) => client.create_policy(body).await,
            Operation::UpdatePolicy(body) => client.update_policy(name, body).await,
            Operation::DeletePolicy => client.delete_policy(name).await,
            Operation::CreateQueue(body) => {
                return client.create_queue(name, body).await.map(|creation| match creation {
                    Creation::Put => OperationEnd::Planned,
                    Creation::Post(end) => OperationEnd::CreatedByPost(end),
                });
            }
            Operation::DeleteQueue => client.delete_queue(name).await,
            Operation::ChangeQueue(queue) => {
                let outcome = change_queue(client, slot, name, |live| queue.change(live)).await;
                return outcome.and_then(|outcome| end_of_change(name, &outcome));
            }
            Operation::Detach(policies) => {
                let detach = |live: &mut Fields| {
                    detach(live, policies);
                    Ok(())
                };
                let outcome = change_queue(client, slot, name, detach).await;
                return outcome.and_then(|outcome| end_of_change(name, &outcome));
            }
        };
        written.map(|()| OperationEnd::Planned)
    }
}

fn end_of_change(name: &str, outcome: &ChangeOutcome) -> Result<OperationEnd, ClientError> {
    match outcome.end {
        ChangeEnd::Written => Ok(OperationEnd::Planned),
        ChangeEnd::Unchanged => Ok(OperationEnd::AlreadyDone),
        ChangeEnd::Missing => {
            let message = format!("the queue `{name}` was deleted meanwhile");
            Err(ClientError::new(ClientErrorKind::NotFound, message))
        }
        ChangeEnd::Lost(writes) => Err(lost_change(name, writes)),
    }
}

/// Removes policies from a queue.
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

/// The error of a change that was lost after every write.
pub(in crate::commands) fn lost_change(name: &str, writes: u32) -> ClientError {
    let times = if writes == 1 { String::new() } else { format!(" {writes} times") };
    let message = format!(
        "the queue `{name}` was written{times}, but the change was gone when it was read again: another writer overwrote it, or the server does not keep the field"
    );
    let help = format!("check with `armadactl get queue {name} -o yaml`, and try again");
    ClientError::new(ClientErrorKind::Refused, message).help(help)
}
