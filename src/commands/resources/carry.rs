//! Carrying out steps: several at a time, on past failures, and not past what would fail all of
//! them.

use super::work::Done;
use super::{AT_ONCE, Work};
use crate::client::{ClientError, Slot, stoppable};
use crate::commands::connect::Connected;
use crate::commands::dry_run::DryRun;
use crate::report::{Action, Written};
use crate::ui::Progress;
use anyhow::Result;
use std::ops::ControlFlow;

/// One thing to be done, and what is to be said of it once it is.
#[derive(Debug, Clone)]
pub(in crate::commands) struct Step {
    written: Written,
    work: Work,
}

/// What has been done so far.
pub(in crate::commands) struct Carrying<'s> {
    server: &'s Connected,
    progress: Progress,
    dry_run: DryRun,
    /// What was done, in the order of the work.
    pub items: Vec<Written>,
    /// What went wrong, in the same order.
    pub failures: Vec<ClientError>,
    /// Whether somebody has interrupted the work.
    pub interrupted: bool,
    /// Whether any request that writes was sent.
    sent: bool,
    /// What else is to be said of things that were written.
    pub notes: Vec<String>,
    stopped: bool,
}

impl Step {
    /// A step that comes to `action`.
    pub(in crate::commands) fn new(
        kind: &'static str,
        name: &str,
        action: Action,
        work: Work,
    ) -> Self {
        Self { written: Written::new(kind, name, action), work }
    }

    /// A step that changes these fields.
    #[must_use]
    pub(in crate::commands) fn fields(self, fields: Vec<String>) -> Self {
        Self { written: self.written.fields(fields), ..self }
    }

    /// Something that fails before it is begun.
    pub(in crate::commands) fn fails(kind: &'static str, name: &str, error: ClientError) -> Self {
        Self::new(kind, name, Action::Failed, Work::Fails(error))
    }
}

impl<'s> Carrying<'s> {
    /// Nothing yet.
    pub(in crate::commands) fn new(
        server: &'s Connected,
        dry_run: DryRun,
        progress: Progress,
    ) -> Self {
        Self {
            server,
            progress,
            dry_run,
            items: Vec::new(),
            failures: Vec::new(),
            interrupted: false,
            sent: false,
            notes: Vec::new(),
            stopped: false,
        }
    }

    /// Whether something has failed before any request that writes.
    pub(super) fn has_sent_nothing(&self) -> bool {
        self.has_failed() && !self.sent && !self.is_dry_run()
    }

    /// Whether something has failed.
    pub(in crate::commands) fn has_failed(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Whether nothing is written.
    pub(super) fn is_dry_run(&self) -> bool {
        self.dry_run != DryRun::None
    }

    /// Whether nothing more is begun.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether this was to be done and was not.
    pub(in crate::commands) fn left_undone(&self, kind: &str, name: &str) -> bool {
        let undone = |item: &Written| matches!(item.action, Action::Failed | Action::NotDone);
        self.items.iter().any(|item| item.kind == kind && item.name == name && undone(item))
    }

    /// Takes something that was done for failed: it did not come to what was wanted.
    pub(super) fn fail(&mut self, kind: &str, name: &str, error: ClientError) {
        let same = |item: &&mut Written| item.kind == kind && item.name == name;
        if let Some(item) = self.items.iter_mut().find(same) {
            *item = Written::failed(item.kind, name, error.message.clone());
        }
        self.failures.push(error);
    }

    /// Things that were written as a whole: none in a dry run.
    pub(super) fn written(&self, kind: &str) -> Vec<String> {
        let done = |item: &&Written| {
            item.kind == kind
                && matches!(item.action, Action::Created | Action::Configured)
                && item.error.is_none()
        };
        let done = self.items.iter().filter(|_| self.dry_run == DryRun::None).filter(done);
        done.map(|item| item.name.clone()).collect()
    }

    /// Reading came to nothing in the middle of the work: what was still to be done of these is not.
    pub(in crate::commands) fn gave_up(
        &mut self,
        error: anyhow::Error,
        kind: &'static str,
        names: &[&str],
    ) -> Result<()> {
        self.failures.push(error.downcast::<ClientError>()?);
        for name in names {
            if !self.items.iter().any(|item| item.kind == kind && item.name == *name) {
                self.items.push(Written::new(kind, *name, Action::NotDone));
            }
        }
        Ok(())
    }

    /// Does these steps, in no order. What would fail all of them (not permitted, no server) keeps
    /// those that are not begun, of this and of later calls, from being begun.
    pub(in crate::commands) fn steps(&mut self, steps: Vec<Step>) -> Result<()> {
        let mut outcomes: Vec<Option<Result<Done, ClientError>>> = vec![None; steps.len()];
        if !self.stopped {
            self.perform(&steps, &mut outcomes)?;
        }
        for (step, outcome) in steps.into_iter().zip(outcomes) {
            let mut written = step.written;
            self.sent |= outcome.is_some() && step.work.is_sent();
            match outcome {
                None if matches!(step.work, Work::Nothing) => {}
                None => {
                    written = Written::new(written.kind, written.name, Action::NotDone);
                }
                Some(Ok(Done::AsPlanned)) => {}
                Some(Ok(Done::ByPost(end))) => self.created_by_post(&mut written, end),
                Some(Ok(Done::Already)) => {
                    written = Written::new(written.kind, written.name, Action::Unchanged);
                }
                Some(Err(error)) => {
                    written = Written::failed(written.kind, written.name, error.message.clone());
                    self.failures.push(error);
                }
            }
            self.items.push(written);
        }
        Ok(())
    }

    /// Notes that a queue was created with POST. If the PUT after it failed, that is a failure of a
    /// queue that was created.
    fn created_by_post(&mut self, written: &mut Written, end: Result<(), ClientError>) {
        let name = &written.name;
        self.notes.push(format!(
            "note: the server does not PUT a new queue: `{name}` was created with POST, which gives you all rights until a PUT takes them away"
        ));
        if let Err(error) = end {
            let message = format!(
                "the queue `{name}` was created, but you have all rights on it: {}",
                error.message
            );
            written.error = Some(message.clone());
            self.failures.push(ClientError { message, ..error });
        }
    }

    fn perform(
        &mut self,
        steps: &[Step],
        outcomes: &mut [Option<Result<Done, ClientError>>],
    ) -> Result<()> {
        let total = u64::try_from(steps.len()).unwrap_or(u64::MAX);
        let (client, dry_run) = (&self.server.client, self.dry_run);
        let begin = |step: &Step, mut slot: Slot| {
            let (client, step) = (client.clone(), step.clone());
            async move { step.work.perform(&client, &mut slot, &step.written.name, dry_run).await }
        };
        let (mut count, mut stopped) = (0, false);
        let stop = self.server.stop();
        let done = |index: usize, outcome: Result<Done, ClientError>| {
            let error = match &outcome {
                Ok(Done::ByPost(end)) => end.as_ref().err(),
                outcome => outcome.as_ref().err(),
            };
            stopped |= error.is_some_and(|error| error.trouble.is_general());
            outcomes[index] = Some(outcome);
            count += 1;
            self.progress.items(count, total);
            if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        self.server.wait(async {
            stoppable(AT_ONCE, stop, steps, begin, done).await;
            Ok(())
        })?;
        self.interrupted = stop.is_requested();
        self.stopped |= stopped || self.interrupted;
        Ok(())
    }
}
