//! Reading a queue, changing it, and writing it back without losing what others write meanwhile.
//!
//! Where the server has versions (`ETag`), a write applies only to what was read. Where it has none,
//! as Armada, two writers that read the same queue overwrite each other: the change is looked for
//! once it is written, twice, and made again if it is gone. That narrows the window in which it can
//! be lost. It cannot close it: a writer that read the queue before the change and writes it after
//! the second look still overwrites it.

use super::backoff::ATTEMPTS;
use super::timing::{Timing, Wait};
use super::{Client, ClientError, Fields, Live, Trouble};
use std::time::Duration;

/// How long a change is tried again while others keep changing the queue.
const PATIENCE: Duration = Duration::from_secs(30);
/// The first wait after another writer was faster; it doubles up to [`LONGEST`].
const FIRST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_secs(1);

/// The most writes of one change to a server without versions: of twenty writers at once, the last
/// one needs about half as many.
const WRITES: u32 = 12;
/// The longest wait after the first write that is lost; it doubles up to [`LONGEST_AFTER_LOSS`].
const FIRST_AFTER_LOSS: Duration = Duration::from_millis(100);
const LONGEST_AFTER_LOSS: Duration = Duration::from_millis(1600);
/// The wait before the second look: longer than a request usually takes, so that another writer who
/// read the queue before the change has written it by then.
const SECOND_LOOK: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(800)];
/// The number of consecutive writes without any effect after which the server is taken to drop the
/// field, so that no further write is tried.
const IGNORED: u32 = 2;

/// The calls that a change of a queue needs.
pub trait QueueApi {
    /// A queue as the server holds it; none if there is none of this name.
    async fn queue(&self, name: &str) -> Result<Option<Live>, ClientError>;

    /// Replaces a queue; with `if_match` only as long as that is its version, and without it only
    /// once: the body may be stale by the time of a second attempt.
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

/// What a change came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeOutcome {
    /// How it ended.
    pub end: ChangeEnd,
    /// The queue as it was read for the last write; none if there was no queue to read.
    pub before: Option<Fields>,
    /// The queue as it was read last; none if there was none any more.
    pub after: Option<Fields>,
}

/// How a change ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeEnd {
    /// The queue does not exist, or was deleted meanwhile.
    Missing,
    /// It already was as it should be; nothing was sent.
    Unchanged,
    /// It was written, and was as it should be when it was read last.
    Written,
    /// It was written this number of times, and the change was missing at each later read.
    Lost(u32),
}

/// Changes a queue: reads it, lets `change` set its own fields, writes back what was read with only
/// these changed, and reads it again. Where the server offers a version (`ETag`), a queue that has
/// changed meanwhile is read and changed again, for up to 30 seconds. Where it offers none, the queue
/// is read a second time after a random 200 to 800 ms, and a change that is gone is made again, for up
/// to 30 seconds and 12 writes.
///
/// `change` leaves alone what is already as it wants it, and takes away a field that is to be empty,
/// as the server does: it is applied again to what was read back, to see whether it still changes
/// something.
///
/// # Errors
///
/// Those of the server and of `change`; [`Trouble::Changed`] once patience is over.
pub async fn change_queue(
    api: &impl QueueApi,
    timing: &mut impl Timing,
    name: &str,
    change: impl Fn(&mut Fields) -> Result<(), ClientError>,
) -> Result<ChangeOutcome, ClientError> {
    let mut changing = Changing::new(api, timing, name, change);
    loop {
        if let Some(end) = changing.try_once().await? {
            let Changing { before, after, .. } = changing;
            return Ok(ChangeOutcome { end, before, after });
        }
    }
}

/// A change under way.
struct Changing<'c, A, P, F> {
    api: &'c A,
    timing: &'c mut P,
    name: &'c str,
    change: F,
    /// When no further try begins.
    until: Duration,
    /// Tries in which another writer was faster, or the server was busy.
    conflicts: u32,
    /// Writes that the server carried out, or may have carried out.
    writes: u32,
    /// Writes in a row after which the queue was as before them.
    ignored: u32,
    before: Option<Fields>,
    after: Option<Fields>,
}

/// What a look at a queue that was written shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    There,
    Lost,
    Gone,
}

impl<'c, A, P, F> Changing<'c, A, P, F>
where
    A: QueueApi,
    P: Timing,
    F: Fn(&mut Fields) -> Result<(), ClientError>,
{
    fn new(api: &'c A, timing: &'c mut P, name: &'c str, change: F) -> Self {
        let until = timing.elapsed() + PATIENCE;
        let (conflicts, writes, ignored) = (0, 0, 0);
        let (before, after) = (None, None);
        Self { api, timing, name, change, until, conflicts, writes, ignored, before, after }
    }

    /// Reads, changes, writes and looks. None if all of it has to be done again.
    async fn try_once(&mut self) -> Result<Option<ChangeEnd>, ClientError> {
        let Some(live) = self.read().await? else { return Ok(Some(ChangeEnd::Missing)) };
        let is_versioned = live.etag.is_some();
        let mut body = live.fields.clone();
        (self.change)(&mut body)?;
        // A change that was lost may be back: another writer wrote what it had read before.
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
        match self.look(is_versioned).await? {
            Look::There => Ok(Some(ChangeEnd::Written)),
            Look::Gone => Ok(Some(ChangeEnd::Missing)),
            // Whoever wrote after this write had read it, and removed the change on purpose.
            Look::Lost if is_versioned => Ok(Some(ChangeEnd::Lost(self.writes))),
            Look::Lost => Ok(self.wait_after_loss().await),
        }
    }

    /// The queue as it is now.
    async fn read(&mut self) -> Result<Option<Live>, ClientError> {
        let live = self.api.queue(self.name).await;
        let live = live.map_err(|error| match self.writes {
            0 => error,
            _ => unconfirmed(self.name, &error),
        })?;
        self.after = live.as_ref().map(|live| live.fields.clone());
        Ok(live)
    }

    /// Writes the queue; false if it has to be read again before that.
    async fn write(&mut self, body: &Fields, etag: Option<&str>) -> Result<bool, ClientError> {
        let Err(error) = self.api.put_queue(self.name, body, etag).await else {
            self.writes += 1;
            return Ok(true);
        };
        let Some(wait) = self.wait_after(&error) else { return Err(error) };
        if error.trouble != Trouble::Changed {
            // A gateway that is not available may have handed the request on.
            self.writes += 1;
        }
        self.conflicts += 1;
        match self.timing.wait(wait).await {
            Wait::Complete => Ok(false),
            Wait::Interrupted => Err(error),
        }
    }

    /// How long to wait after a write that failed; none if that is final.
    fn wait_after(&mut self, error: &ClientError) -> Option<Duration> {
        let wait = match error.again {
            Some(_) if self.conflicts >= ATTEMPTS => return None,
            Some(wait) => wait,
            None if error.trouble == Trouble::Changed => {
                let growth = 2_u32.saturating_pow(self.conflicts);
                let wait = FIRST.saturating_mul(growth).min(LONGEST);
                // Writers that wait alike would meet again.
                wait + wait.mul_f64(self.timing.draw())
            }
            None => return None,
        };
        (self.timing.elapsed() + wait < self.until).then_some(wait)
    }

    /// Looks for the change: at once and, where the server has no versions, again some time later.
    async fn look(&mut self, is_versioned: bool) -> Result<Look, ClientError> {
        let first = self.look_once().await?;
        if is_versioned || first != Look::There {
            return Ok(first);
        }
        let wait = wait_before_second_look(self.timing.draw());
        // An interrupt cuts the wait short: a look that comes early is better than none.
        self.timing.wait(wait).await;
        self.look_once().await
    }

    /// Whether the queue is as the change wants it: then changing it again changes nothing.
    async fn look_once(&mut self) -> Result<Look, ClientError> {
        let Some(live) = self.read().await? else { return Ok(Look::Gone) };
        let mut again = live.fields.clone();
        (self.change)(&mut again)?;
        let is_as_before = self.before.as_ref() == Some(&live.fields);
        self.ignored = if is_as_before { self.ignored + 1 } else { 0 };
        Ok(if again == live.fields { Look::There } else { Look::Lost })
    }

    /// Waits before the change is made again; gives the end if it is not.
    async fn wait_after_loss(&mut self) -> Option<ChangeEnd> {
        let lost = Some(ChangeEnd::Lost(self.writes));
        if self.writes >= WRITES || self.ignored >= IGNORED || self.timing.elapsed() > self.until {
            return lost;
        }
        let growth = 2_u32.saturating_pow(self.writes.saturating_sub(1));
        let longest = FIRST_AFTER_LOSS.saturating_mul(growth).min(LONGEST_AFTER_LOSS);
        let wait = longest.mul_f64(self.timing.draw());
        match self.timing.wait(wait).await {
            Wait::Complete => None,
            Wait::Interrupted => lost,
        }
    }
}

/// How long to wait before a second look.
pub(crate) fn second_look_wait() -> Duration {
    wait_before_second_look(super::transport::draw())
}

fn wait_before_second_look(draw: f64) -> Duration {
    let [least, most] = SECOND_LOOK;
    least + most.saturating_sub(least).mul_f64(draw)
}

/// An error of a read after a write: the write was accepted, and nothing more is certain.
fn unconfirmed(name: &str, error: &ClientError) -> ClientError {
    let message = format!(
        "the queue `{name}` was written, but whether the change is still there is unknown: {}",
        error.message
    );
    let help = format!("look at `armadactl get queue {name} -o yaml`");
    ClientError::new(error.trouble, message).help(help)
}

#[cfg(test)]
mod tests;
