//! Read-modify-write of a queue that does not lose concurrent changes of others.
//!
//! If the server has versions (`ETag`), a write replaces only the version that was read. If it has none, as
//! in Armada, two writers that read the same queue overwrite each other. So the change is verified twice
//! after the write, and repeated if it is lost. That narrows the window in which it can be lost. It cannot
//! close it: a writer that read the queue before the change and writes it after the second read still
//! overwrites it.

use super::backoff::ATTEMPTS;

use super::{Client, ClientError, ClientErrorKind, Effect, Fields, Live};
use std::time::Duration;

/// The maximum time of repetitions while others keep changing the queue.
const MAX_TIME: Duration = Duration::from_secs(30);
/// The first wait after a conflict with another writer; it doubles up to [`MAX_WAIT`].
const FIRST_WAIT: Duration = Duration::from_millis(10);
/// The maximum of that wait.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// The maximum of writes of one change to a server without versions. Of twenty concurrent writers, the last
/// one needs about half as many.
const MAX_WRITES: u32 = 12;
/// The maximum of the first wait after a lost write; it doubles up to [`MAX_WAIT_AFTER_LOSS`].
const FIRST_WAIT_AFTER_LOSS: Duration = Duration::from_millis(100);
/// The maximum of that wait.
const MAX_WAIT_AFTER_LOSS: Duration = Duration::from_millis(1600);
/// The wait before the second read.
// It is longer than most requests, so that another writer that read the queue before the change has written it by then.
const SECOND_READ_WAIT: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(800)];
/// The number of consecutive writes without any effect after which the server is assumed to drop the field;
/// no further write follows.
const MAX_IGNORED_WRITES: u32 = 2;

/// The calls that a change of a queue needs.
#[expect(async_fn_in_trait, reason = "the program runs its requests on one thread")]
pub trait QueueApi {
    /// Returns a queue of the server; `None` if there is none of this name.
    async fn queue(&self, name: &str) -> Result<Option<Live>, ClientError>;

    /// Replaces a queue. With `if_match`, only while that is its version. Without it, the request is sent
    /// once, as the body may be stale by the time of a second attempt.
    async fn put_queue(
        &self,
        name: &str,
        body: &Fields,
        if_match: Option<&str>,
    ) -> Result<(), ClientError>;
}

impl QueueApi for Client {
    async fn queue(&self, name: &str) -> Result<Option<Live>, ClientError> {
        Client::queue(self, name).await
    }

    async fn put_queue(
        &self,
        name: &str,
        body: &Fields,
        if_match: Option<&str>,
    ) -> Result<(), ClientError> {
        Client::put_queue(self, name, body, if_match).await
    }
}

/// A clock, waits and random numbers. A trait, so that tests run in virtual time.
#[expect(async_fn_in_trait, reason = "the program runs its requests on one thread")]
pub trait Timing {
    /// The time since an arbitrary fixed moment.
    fn elapsed(&self) -> Duration;

    /// A random number in 0..1.
    fn draw(&mut self) -> f64;

    /// Waits, and returns whether the wait was complete. Meanwhile other work may begin.
    async fn wait(&mut self, time: Duration) -> Wait;

    /// The same, but no other work begins: it would get the same failure.
    async fn hold(&mut self, time: Duration) -> Wait;
}

/// The end of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// The wait took all of its time.
    Complete,
    /// An interrupt ended the wait early: no further work begins.
    Interrupted,
}

/// The outcome of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeOutcome {
    /// The end of the change.
    pub end: ChangeEnd,
    /// The queue as read before the last write; `None` if there was no queue.
    pub before: Option<Fields>,
    /// The queue as read last; `None` if it had been deleted.
    pub after: Option<Fields>,
}

/// The end of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeEnd {
    /// The queue does not exist, or was deleted meanwhile.
    Missing,
    /// The queue already had the change; nothing was written.
    Unchanged,
    /// The change was written, and the last read had it.
    Written,
    /// The change was written this number of times, and was missing at each later read.
    Lost(u32),
}

/// Changes a queue: reads it, lets `change` set its own fields, writes the queue back with only these
/// changed, and reads it again.
///
/// With versions (`ETag`), a queue that has changed in between is read and changed again, for up to 30
/// seconds. Without them, the queue is read a second time after a random 200 to 800 ms, and a lost change is
/// repeated, for up to 30 seconds and 12 writes.
///
/// `change` must be idempotent, and must remove a field that becomes empty, as the server does. It is applied
/// again to the queue that was read back, as a test whether it still changes something.
///
/// If the answer to a write is lost, the next reads decide: the change is written if the queue has it.
///
/// # Errors
///
/// Those of the server and of `change`; [`ClientErrorKind::Changed`] after 30 seconds. An [`Effect`] other than
/// `None` means that the queue may have the change.
pub async fn change_queue(
    api: &impl QueueApi,
    timing: &mut impl Timing,
    name: &str,
    change: impl Fn(&mut Fields) -> Result<(), ClientError>,
) -> Result<ChangeOutcome, ClientError> {
    let mut changing = ChangeAttempt::new(api, timing, name, change);
    loop {
        if let Some(end) = changing.try_once().await? {
            let ChangeAttempt { before, after, .. } = changing;
            return Ok(ChangeOutcome { end, before, after });
        }
    }
}

struct ChangeAttempt<'c, A, P, F> {
    api: &'c A,
    timing: &'c mut P,
    name: &'c str,
    change: F,
    /// The time after which no further attempt starts.
    deadline: Duration,
    /// Attempts in which another writer was faster, or the server was busy.
    conflicts: u32,
    /// Writes that the server carried out, or may have carried out.
    writes: u32,
    /// Consecutive writes after which the queue was unchanged.
    ignored: u32,
    before: Option<Fields>,
    after: Option<Fields>,
}

/// The result of reading a queue after a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verification {
    Present,
    Lost,
    Gone,
}

impl<'c, A, P, F> ChangeAttempt<'c, A, P, F>
where
    A: QueueApi,
    P: Timing,
    F: Fn(&mut Fields) -> Result<(), ClientError>,
{
    fn new(api: &'c A, timing: &'c mut P, name: &'c str, change: F) -> Self {
        let deadline = timing.elapsed() + MAX_TIME;
        let (conflicts, writes, ignored) = (0, 0, 0);
        let (before, after) = (None, None);
        Self { api, timing, name, change, deadline, conflicts, writes, ignored, before, after }
    }

    /// Reads, changes, writes and verifies. `None` if all of it must be repeated.
    async fn try_once(&mut self) -> Result<Option<ChangeEnd>, ClientError> {
        let Some(live) = self.read().await? else { return Ok(Some(ChangeEnd::Missing)) };
        let is_versioned = live.etag.is_some();
        let mut body = live.fields.clone();
        (self.change)(&mut body)?;
        // A lost change may reappear: another writer wrote the queue that it had read with the change.
        let is_there = body == live.fields;
        if !is_there || self.writes == 0 {
            self.before = Some(live.fields);
        }
        if is_there && self.writes == 0 {
            return Ok(Some(ChangeEnd::Unchanged));
        }
        if !is_there && !self.write(&body, live.etag.as_deref()).await? {
            return Ok(None);
        }
        match self.verify(is_versioned).await? {
            Verification::Present => Ok(Some(ChangeEnd::Written)),
            Verification::Gone => Ok(Some(ChangeEnd::Missing)),
            // With versions, a later writer had read this write, and removed the change on purpose.
            Verification::Lost if is_versioned => Ok(Some(ChangeEnd::Lost(self.writes))),
            Verification::Lost => Ok(self.wait_after_loss().await),
        }
    }

    /// Reads the queue.
    async fn read(&mut self) -> Result<Option<Live>, ClientError> {
        let live = self.api.queue(self.name).await;
        let live = live.map_err(|error| match self.writes {
            0 => error,
            _ => unconfirmed(self.name, &error),
        })?;
        self.after = live.as_ref().map(|live| live.fields.clone());
        Ok(live)
    }

    /// Writes the queue; `false` if it must be read again first.
    async fn write(&mut self, body: &Fields, etag: Option<&str>) -> Result<bool, ClientError> {
        let Err(error) = self.api.put_queue(self.name, body, etag).await else {
            self.writes += 1;
            return Ok(true);
        };
        let Some(wait) = self.wait_after(&error) else { return self.settle(error).await };
        if error.kind != ClientErrorKind::Changed {
            // A gateway that answers 503 may have forwarded the request.
            self.writes += 1;
        }
        self.conflicts += 1;
        match self.timing.wait(wait).await {
            Wait::Complete => Ok(false),
            Wait::Interrupted => Err(error),
        }
    }

    /// Decides by two reads whether a failed write was carried out. It was if the queue has the change; it was
    /// not if the queue lacks it twice, unless the server may still be carrying it out.
    async fn settle(&mut self, error: ClientError) -> Result<bool, ClientError> {
        if error.effect == Effect::None {
            return Err(error);
        }
        self.writes += 1;
        // The server may still be at work when its answer is lost, so that one read at once could be too early.
        let read_wait = draw_second_read_wait(self.timing.draw());
        for wait in [Some(read_wait), None] {
            match (self.verify_once().await, wait) {
                (Ok(Verification::Present), _) => return Ok(true),
                // The error of the write is more specific than that of the read.
                (Err(_), _) => break,
                (Ok(_), Some(wait)) => _ = self.timing.hold(wait).await,
                (Ok(_), None) if error.effect == Effect::Pending => break,
                (Ok(_), None) => return Err(error.effect(Effect::None)),
            }
        }
        Err(error.undecided("run the command again: it changes only what is not yet changed"))
    }

    /// The wait after a failed write; `None` if the failure is final.
    fn wait_after(&mut self, error: &ClientError) -> Option<Duration> {
        let wait = match error.retry_after {
            Some(_) if self.conflicts >= ATTEMPTS => return None,
            Some(wait) => wait,
            None if error.kind == ClientErrorKind::Changed => {
                let growth = 2_u32.saturating_pow(self.conflicts);
                let wait = FIRST_WAIT.saturating_mul(growth).min(MAX_WAIT);
                // Jitter, so that competing writers do not collide again.
                wait + wait.mul_f64(self.timing.draw())
            }
            None => return None,
        };
        // A wait beyond the deadline would end in the same error, only later.
        (self.timing.elapsed() + wait < self.deadline).then_some(wait)
    }

    /// Verifies the change: at once and, if the server has no versions, again after a wait.
    async fn verify(&mut self, is_versioned: bool) -> Result<Verification, ClientError> {
        let first = self.verify_once().await?;
        if is_versioned || first != Verification::Present {
            return Ok(first);
        }
        let wait = draw_second_read_wait(self.timing.draw());
        // An interrupt shortens the wait: an early second read is better than none.
        self.timing.wait(wait).await;
        self.verify_once().await
    }

    /// Reads the queue and tests whether it has the change: a second application then has no effect.
    async fn verify_once(&mut self) -> Result<Verification, ClientError> {
        let Some(live) = self.read().await? else { return Ok(Verification::Gone) };
        let mut again = live.fields.clone();
        (self.change)(&mut again)?;
        let is_as_before = self.before.as_ref() == Some(&live.fields);
        // Any change at all proves that writes have an effect, also if another writer's came after this one.
        self.ignored = if is_as_before { self.ignored + 1 } else { 0 };
        Ok(if again == live.fields { Verification::Present } else { Verification::Lost })
    }

    /// Waits before the change is repeated; returns the end if it is not.
    async fn wait_after_loss(&mut self) -> Option<ChangeEnd> {
        let lost = Some(ChangeEnd::Lost(self.writes));
        if self.writes >= MAX_WRITES
            || self.ignored >= MAX_IGNORED_WRITES
            || self.timing.elapsed() > self.deadline
        {
            return lost;
        }
        let growth = 2_u32.saturating_pow(self.writes.saturating_sub(1));
        let longest = FIRST_WAIT_AFTER_LOSS.saturating_mul(growth).min(MAX_WAIT_AFTER_LOSS);
        // From zero on: writers that lost to each other are in step, and only a wide range separates them.
        let wait = longest.mul_f64(self.timing.draw());
        match self.timing.wait(wait).await {
            Wait::Complete => None,
            Wait::Interrupted => lost,
        }
    }
}

/// A random wait before the second read.
pub fn second_read_wait() -> Duration {
    draw_second_read_wait(super::http::draw())
}

fn draw_second_read_wait(draw: f64) -> Duration {
    let [least, most] = SECOND_READ_WAIT;
    least + most.saturating_sub(least).mul_f64(draw)
}

/// An error of a read after a write: the write was accepted, and nothing more is certain.
fn unconfirmed(name: &str, error: &ClientError) -> ClientError {
    let message = format!(
        "the queue `{name}` was written, but the change could not be confirmed: {}",
        error.message
    );
    let help = format!("check with `armadactl get queue {name} -o yaml`");
    ClientError::new(error.kind, message).help(help).effect(Effect::Possible)
}

#[cfg(test)]
mod tests;
