//! What a gateway has silently dropped: policies and new queues are read back once they are written.

use super::live::Live;
use super::{Carrying, POLICY, QUEUE, WantedQueue, of_policy, of_queue};
use crate::client::{ClientError, Trouble};
use crate::commands::connect::Connected;
use anyhow::Result;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Takes policies that the server does not hold as they were sent for failed.
pub(super) fn refuse_dropped(
    server: &Connected,
    sent: &[(String, Value)],
    carrying: &mut Carrying<'_>,
) -> Result<()> {
    let Some((names, live)) = read_back(server, POLICY, carrying)? else { return Ok(()) };
    let bodies: HashMap<&str, &Value> = sent.iter().map(|(name, b)| (name.as_str(), b)).collect();
    for name in &names {
        let Some(body) = bodies.get(name.as_str()) else { continue };
        let fields = of_policy(live.get(name), body);
        if !fields.is_empty() {
            let paths: Vec<String> = fields.into_iter().map(|field| field.path).collect();
            carrying.fail(POLICY, name, dropped("retry policy", name, &paths));
        }
    }
    Ok(())
}

/// The same for queues.
pub(super) fn refuse_dropped_of_queues(
    server: &Connected,
    sent: &[WantedQueue],
    carrying: &mut Carrying<'_>,
) -> Result<()> {
    let Some((names, live)) = read_back(server, QUEUE, carrying)? else { return Ok(()) };
    let names: HashSet<&str> = names.iter().map(String::as_str).collect();
    for queue in sent.iter().filter(|queue| names.contains(queue.name())) {
        let fields = of_queue(live.get(queue.name()), queue);
        let paths: Vec<String> = fields.into_iter().map(|field| field.path).collect();
        if !paths.is_empty() {
            carrying.fail(QUEUE, queue.name(), dropped("queue", queue.name(), &paths));
        }
    }
    Ok(())
}

/// The names of what was written and what the server holds of it, unless there is nothing to look
/// at, or it cannot be read.
fn read_back(
    server: &Connected,
    kind: &'static str,
    carrying: &mut Carrying<'_>,
) -> Result<Option<(Vec<String>, Live)>> {
    let written = carrying.written(kind);
    if written.is_empty() || carrying.is_stopped() {
        return Ok(None);
    }
    let names: Vec<&str> = written.iter().map(String::as_str).collect();
    let live = match kind {
        POLICY => server.wait(super::policies(&server.client, &names)),
        _ => server.wait(super::queues(&server.client, &names)),
    };
    match live {
        Ok(live) => Ok(Some((written, live))),
        Err(error) => carrying.gave_up(error, kind, &[]).map(|()| None),
    }
}

fn dropped(kind: &str, name: &str, paths: &[String]) -> ClientError {
    let message = format!(
        "the server does not hold the {kind} `{name}` as it was sent: {}",
        paths.join(", ")
    );
    let help =
        "something on the way drops fields that it does not know, or another writer was there";
    ClientError::new(Trouble::Refused, message).help(help)
}
