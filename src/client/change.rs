//! Reading a queue, changing it, and writing it back without losing what others write meanwhile.

use super::{Client, ClientError, Fields, Trouble};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long a change is tried again while others keep changing the queue.
const PATIENCE: Duration = Duration::from_secs(30);
/// The first wait after another writer was faster; it doubles up to [`LONGEST`].
const FIRST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_secs(1);

/// What became of a queue that was to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// There is no such queue.
    Missing,
    /// It already was as it should be; nothing was sent.
    Unchanged,
    /// It was written, and is as it should be.
    Written,
    /// It was written, and when it was read again another writer had won: the change is not there.
    Overwritten,
}

/// Changes a queue: reads it, lets `change` set its own fields, writes back what was read with only
/// these changed, and reads it again. Where the server offers a version (`ETag`), a queue that has
/// changed meanwhile is read and changed again, for up to 30 seconds.
///
/// `change` leaves alone what is already as it wants it, and takes away a field that is to be empty,
/// as the server does: it is asked again, of what was read back, whether it still wants something.
///
/// # Errors
///
/// What the server or `change` says; [`Trouble::Changed`] once patience is over.
pub async fn change_queue(
    client: &Client,
    name: &str,
    change: impl Fn(&mut Fields) -> Result<(), ClientError>,
) -> Result<Changed, ClientError> {
    let until = Instant::now() + PATIENCE;
    let mut wait = FIRST;
    loop {
        let Some(live) = client.queue(name).await? else { return Ok(Changed::Missing) };
        let mut body = live.fields.clone();
        change(&mut body)?;
        if body == live.fields {
            return Ok(Changed::Unchanged);
        }
        match client.put_queue(name, &body, live.etag.as_deref()).await {
            Ok(()) => return read_again(client, name, &change).await,
            Err(error) if error.trouble == Trouble::Changed && Instant::now() + wait < until => {
                // Writers that wait alike would meet again.
                sleep(wait + wait.mul_f64(super::transport::draw())).await;
                wait = (wait * 2).min(LONGEST);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Whether the queue is as the change wants it: then changing it again changes nothing.
async fn read_again(
    client: &Client,
    name: &str,
    change: &impl Fn(&mut Fields) -> Result<(), ClientError>,
) -> Result<Changed, ClientError> {
    let Some(live) = client.queue(name).await? else { return Ok(Changed::Overwritten) };
    let mut again = live.fields.clone();
    change(&mut again)?;
    Ok(if again == live.fields { Changed::Written } else { Changed::Overwritten })
}
