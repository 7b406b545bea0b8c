//! Writes whose answer was lost: the server may have carried them out. Reads decide; what they cannot decide is
//! reported as unknown.

use super::operation::{Observation, Operation, OperationEnd};
use crate::cli::DryRun;
pub use client::{Client, ClientError, Effect, Slot, Timing, second_read_wait};

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
