//! The request or requests of one step.

use super::{DesiredQueue, policy_differences};
use crate::cli::DryRun;
use client::{
    ChangeEnd, ChangeOutcome, Client, ClientError, ClientErrorKind, Creation, Effect, Fields, Slot,
    Timing, change_queue, second_read_wait,
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
    CreatePolicy(Fields),
    /// Replace a policy.
    UpdatePolicy(Fields),
    DeletePolicy,
    /// Create a queue, with this body.
    CreateQueue(Arc<DesiredQueue>, Fields),
    /// Change a queue to what is desired.
    ChangeQueue(Arc<DesiredQueue>),
    /// Detach policies from a queue.
    Detach(Arc<[String]>),
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
    /// Whether the operation sends requests that write.
    pub(super) fn is_write(&self) -> bool {
        !matches!(self, Self::None | Self::Fail(_))
    }

    /// Sends the requests of the operation on the object of this name; in a dry run none that writes.
    pub(super) async fn send(
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
            Operation::CreateQueue(_, body) => {
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

/// Whether an object of the server is as an operation leaves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Observation {
    /// It is.
    Done,
    /// It is as if the operation had not been performed.
    NotDone,
    /// It exists, and did not before, but it differs from what was sent.
    Different,
}

impl Operation {
    /// Compares the object of this name on the server with what the operation makes of it.
    pub(super) async fn observe(
        &self,
        client: &Client,
        name: &str,
    ) -> Result<Observation, ClientError> {
        let observe =
            |is_done: bool, otherwise| if is_done { Observation::Done } else { otherwise };
        let is_as_sent = |live: &Fields, body: &Fields| {
            body.to_value().is_ok_and(|body| policy_differences(Some(live), &body).is_empty())
        };
        Ok(match self {
            Operation::CreatePolicy(body) => match client.policy(name).await? {
                None => Observation::NotDone,
                Some(live) => observe(is_as_sent(&live.fields, body), Observation::Different),
            },
            Operation::UpdatePolicy(body) => {
                let live = client.policy(name).await?;
                let is_done = live.is_some_and(|live| is_as_sent(&live.fields, body));
                observe(is_done, Observation::NotDone)
            }
            Operation::CreateQueue(queue, _) => match client.queue(name).await? {
                None => Observation::NotDone,
                Some(live) => {
                    let is_done = queue.differences(Some(&live.fields)).is_empty();
                    observe(is_done, Observation::Different)
                }
            },
            Operation::DeletePolicy => {
                observe(client.policy(name).await?.is_none(), Observation::NotDone)
            }
            Operation::DeleteQueue => {
                observe(client.queue(name).await?.is_none(), Observation::NotDone)
            }
            Operation::ChangeQueue(_)
            | Operation::Detach(_)
            | Operation::None
            | Operation::Fail(_) => Observation::NotDone,
        })
    }

    /// The command that shows whether the operation was performed, and what to do then.
    pub(super) fn check(&self, name: &str) -> String {
        match self {
            Self::DeletePolicy | Self::DeleteQueue => {
                "run the command again with `--ignore-not-found`".to_owned()
            }
            Self::CreatePolicy(_) => check_of_creation("retrypolicy", name),
            Self::CreateQueue(..) => check_of_creation("queue", name),
            _ => "run the command again: it changes only what is not yet changed".to_owned(),
        }
    }
}

fn check_of_creation(kind: &str, name: &str) -> String {
    format!(
        "check with `armadactl get {kind} {name}`; `apply` writes only what is missing and can be repeated"
    )
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

impl Operation {
    /// Performs the operation on the object of this name; in a dry run it sends no request that writes. If the
    /// answer to a write is lost, reads decide whether it was carried out.
    pub(super) async fn perform(
        &self,
        client: &Client,
        slot: &mut Slot,
        name: &str,
        dry_run: DryRun,
    ) -> Result<OperationEnd, ClientError> {
        match self.send(client, slot, name, dry_run).await {
            // `change_queue` has read the queue.
            outcome if matches!(self, Self::ChangeQueue(_) | Self::Detach(_)) => outcome,
            Err(error) if error.effect > Effect::None => {
                settle(self, client, slot, name, error).await.map(|()| OperationEnd::Planned)
            }
            Ok(OperationEnd::CreatedByPost(Err(error))) if error.effect > Effect::None => {
                let end = settle(self, client, slot, name, error).await;
                Ok(OperationEnd::CreatedByPost(end))
            }
            outcome => outcome,
        }
    }
}

/// Decides by reads whether an operation was carried out although its request failed. The effect of the error
/// is `None` if it was not.
///
/// An object that is as it was sent proves that the operation is done, whoever has done it. One that is as it
/// was before is read again after 200 to 800 ms: the server may carry out a request after its connection was
/// cut. After a timeout it may do so much later, so that no read proves that it will not.
async fn settle(
    operation: &Operation,
    client: &Client,
    slot: &mut Slot,
    name: &str,
    error: ClientError,
) -> Result<(), ClientError> {
    for wait in [Some(second_read_wait()), None] {
        match (operation.observe(client, name).await, wait) {
            (Ok(Observation::Done), _) => return Ok(()),
            (Ok(Observation::NotDone), Some(wait)) => _ = slot.hold(wait).await,
            (Ok(Observation::NotDone), None) if error.effect == Effect::Possible => {
                return Err(error.effect(Effect::None));
            }
            // The error of the write is more specific than that of the read.
            (Ok(_) | Err(_), _) => break,
        }
    }
    Err(error.undecided(&operation.check(name)))
}
