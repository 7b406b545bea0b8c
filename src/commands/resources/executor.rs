//! Runs steps, several at a time. After a failure the other steps are run, unless all of them would fail too, such
//! as for a server that cannot be reached.

use super::operation::{Operation, OperationEnd};
use crate::cli::DryRun;
use crate::commands::connection::{ServerConnection, WRITES_AT_ONCE};
use crate::report::{Action, WriteItem};
use crate::ui::Progress;
use anyhow::Result;
use client::{ClientError, Effect, Slot, run_stoppable};
use std::ops::ControlFlow;

/// An operation on one object, and the report of it once it is done.
#[derive(Debug, Clone)]
pub(in crate::commands) struct Step {
    written: WriteItem,
    operation: Operation,
}

/// The report of an operation that failed, or that may have failed.
pub(in crate::commands) fn failed_item(
    kind: &'static str,
    name: impl Into<String>,
    error: &ClientError,
) -> WriteItem {
    let item = WriteItem::failed(kind, name, error.message.clone());
    match error.effect {
        Effect::None => item,
        Effect::Possible | Effect::Pending => WriteItem { action: Action::Unknown, ..item },
    }
}

/// Runs steps, and collects their reports.
pub(in crate::commands) struct Executor<'s> {
    server: &'s ServerConnection,
    progress: Progress,
    dry_run: DryRun,
    /// The report of each step, in their order.
    pub items: Vec<WriteItem>,
    /// The errors, in the same order.
    pub failures: Vec<ClientError>,
    /// Whether a signal interrupted the run.
    pub is_interrupted: bool,
    /// Whether any request that writes was sent.
    has_sent: bool,
    /// Notes on objects that were written.
    pub notes: Vec<String>,
    is_stopped: bool,
}

impl Step {
    /// A step that is reported as `action` if it succeeds.
    pub(in crate::commands) fn new(
        kind: &'static str,
        name: &str,
        action: Action,
        operation: Operation,
    ) -> Self {
        Self { written: WriteItem::new(kind, name, action), operation }
    }

    /// A step that changes these fields.
    #[must_use]
    pub(in crate::commands) fn fields(self, fields: Vec<String>) -> Self {
        Self { written: self.written.fields(fields), ..self }
    }

    /// A step that fails without a request.
    pub(in crate::commands) fn failing(kind: &'static str, name: &str, error: ClientError) -> Self {
        Self::new(kind, name, Action::Failed, Operation::Fail(error))
    }
}

impl<'s> Executor<'s> {
    /// An executor that has done nothing yet.
    pub(in crate::commands) fn new(
        server: &'s ServerConnection,
        dry_run: DryRun,
        progress: Progress,
    ) -> Self {
        Self {
            server,
            progress,
            dry_run,
            items: Vec::new(),
            failures: Vec::new(),
            is_interrupted: false,
            has_sent: false,
            notes: Vec::new(),
            is_stopped: false,
        }
    }

    /// Whether something has failed before any request that writes.
    pub(super) fn has_failed_before_sending(&self) -> bool {
        self.has_failed() && !self.has_sent && !self.is_dry_run()
    }

    /// Whether something has failed.
    pub(in crate::commands) fn has_failed(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Whether nothing is written.
    pub(super) fn is_dry_run(&self) -> bool {
        self.dry_run != DryRun::None
    }

    /// Whether no further step is begun.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Whether a step on this object was not done.
    pub(in crate::commands) fn is_undone(&self, kind: &str, name: &str) -> bool {
        let is_undone = |item: &WriteItem| !item.action.is_done();
        self.items.iter().any(|item| item.kind == kind && item.name == name && is_undone(item))
    }

    /// Marks a step that was done as failed: its object is not as it was desired.
    pub(super) fn mark_failed(&mut self, kind: &str, name: &str, error: ClientError) {
        let same = |item: &&mut WriteItem| item.kind == kind && item.name == name;
        if let Some(item) = self.items.iter_mut().find(same) {
            *item = WriteItem::failed(item.kind, name, error.message.clone());
        }
        self.failures.push(error);
    }

    /// The names of the objects that were written completely: none in a dry run.
    pub(super) fn written_names(&self, kind: &str) -> Vec<String> {
        let is_done = |item: &&WriteItem| {
            item.kind == kind
                && matches!(item.action, Action::Created | Action::Configured)
                && item.error.is_none()
        };
        let items = self.items.iter().filter(|_| self.dry_run == DryRun::None).filter(is_done);
        items.map(|item| item.name.clone()).collect()
    }

    /// Records that a read failed between steps: those of `names` that have no step yet are not done.
    pub(in crate::commands) fn record_read_error(
        &mut self,
        error: anyhow::Error,
        kind: &'static str,
        names: &[&str],
    ) -> Result<()> {
        self.failures.push(error.downcast::<ClientError>()?);
        for name in names {
            if !self.items.iter().any(|item| item.kind == kind && item.name == *name) {
                self.items.push(WriteItem::new(kind, *name, Action::NotDone));
            }
        }
        Ok(())
    }

    /// Runs these steps, in no order. After an error that all steps would have (not permitted, no
    /// server) no further step is begun, in this and in later calls.
    pub(in crate::commands) fn run(&mut self, steps: Vec<Step>) -> Result<()> {
        let mut outcomes: Vec<Option<Result<OperationEnd, ClientError>>> = vec![None; steps.len()];
        if !self.is_stopped {
            self.run_concurrently(&steps, &mut outcomes)?;
        }
        for (step, outcome) in steps.into_iter().zip(outcomes) {
            let mut written = step.written;
            self.has_sent |= outcome.is_some() && step.operation.is_write();
            match outcome {
                None if matches!(step.operation, Operation::None) => {}
                None => {
                    written = WriteItem::new(written.kind, written.name, Action::NotDone);
                }
                Some(Ok(OperationEnd::Planned)) => {}
                Some(Ok(OperationEnd::CreatedByPost(end))) => {
                    self.note_creation_by_post(&mut written, end);
                }
                Some(Ok(OperationEnd::AlreadyDone)) => {
                    written = WriteItem::new(written.kind, written.name, Action::Unchanged);
                }
                Some(Err(error)) => {
                    written = failed_item(written.kind, written.name, &error);
                    self.failures.push(error);
                }
            }
            self.items.push(written);
        }
        Ok(())
    }

    /// Notes that a queue was created with POST. If the PUT after it failed, that is a failure of a
    /// queue that was created.
    fn note_creation_by_post(&mut self, written: &mut WriteItem, end: Result<(), ClientError>) {
        let name = &written.name;
        self.notes.push(format!(
            "note: the server does not create queues with PUT: `{name}` was created with POST, which grants \
             you all rights until a PUT removes them"
        ));
        if let Err(error) = end {
            let verb = if error.effect == Effect::None { "have" } else { "may have" };
            let message = format!(
                "the queue `{name}` was created, but you {verb} all rights on it: {}",
                error.message
            );
            written.error = Some(message.clone());
            self.failures.push(ClientError { message, ..error });
        }
    }

    fn run_concurrently(
        &mut self,
        steps: &[Step],
        outcomes: &mut [Option<Result<OperationEnd, ClientError>>],
    ) -> Result<()> {
        let total = u64::try_from(steps.len()).unwrap_or(u64::MAX);
        let (client, dry_run) = (&self.server.client, self.dry_run);
        let begin = |step: &Step, mut slot: Slot| {
            let (client, step) = (client.clone(), step.clone());
            async move { step.operation.perform(&client, &mut slot, &step.written.name, dry_run).await }
        };
        let (mut count, mut stopped) = (0, false);
        let stop = self.server.stop();
        let on_end = |index: usize, outcome: Result<OperationEnd, ClientError>| {
            let error = match &outcome {
                Ok(OperationEnd::CreatedByPost(end)) => end.as_ref().err(),
                outcome => outcome.as_ref().err(),
            };
            stopped |= error.is_some_and(|error| error.kind.is_general());
            outcomes[index] = Some(outcome);
            count += 1;
            self.progress.items(count, total);
            if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        self.server.wait(async {
            run_stoppable(WRITES_AT_ONCE, stop, steps, begin, on_end).await;
            Ok(())
        })?;
        self.is_interrupted = stop.is_requested();
        self.is_stopped |= stopped || self.is_interrupted;
        Ok(())
    }
}
