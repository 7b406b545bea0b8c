//! What a gateway has silently dropped: policies and new queues are read back once they are written.

use super::{Carrying, POLICY, QUEUE, WantedQueue, of_policy, of_queue};
use crate::client::{ClientError, Trouble};
use crate::commands::connect::Connected;
use anyhow::Result;
use serde_json::Value;
use std::collections::HashMap;

/// Takes policies that the server does not hold as they were sent for failed.
pub(super) fn refuse_dropped(
    server: &Connected,
    sent: &[(String, Value)],
    carrying: &mut Carrying<'_>,
) -> Result<()> {
    let written = carrying.written(POLICY);
    if written.is_empty() || carrying.is_stopped() {
        return Ok(());
    }
    let names: Vec<&str> = written.iter().map(String::as_str).collect();
    let live = match server.wait(super::policies(&server.client, &names)) {
        Ok(live) => live,
        Err(error) => return carrying.gave_up(error, POLICY, &[]),
    };
    let bodies: HashMap<&str, &Value> = sent.iter().map(|(name, b)| (name.as_str(), b)).collect();
    for name in names {
        let Some(body) = bodies.get(name) else { continue };
        let fields = of_policy(live.get(name), body);
        if !fields.is_empty() {
            let paths: Vec<String> = fields.into_iter().map(|field| field.path).collect();
            carrying.fail(POLICY, name, dropped("retry policy", name, &paths));
        }
    }
    Ok(())
}

/// The same for queues. Who owns one is not asked: servers add the caller to a new queue's owners.
pub(super) fn refuse_dropped_of_queues(
    server: &Connected,
    sent: &[WantedQueue],
    carrying: &mut Carrying<'_>,
) -> Result<()> {
    let written = carrying.written(QUEUE);
    if written.is_empty() || carrying.is_stopped() {
        return Ok(());
    }
    let names: Vec<&str> = written.iter().map(String::as_str).collect();
    let live = match server.wait(super::queues(&server.client, &names)) {
        Ok(live) => live,
        Err(error) => return carrying.gave_up(error, QUEUE, &[]),
    };
    for queue in sent.iter().filter(|queue| names.contains(&queue.name())) {
        let paths = of_queue(live.get(queue.name()), queue).into_iter().map(|field| field.path);
        let paths: Vec<String> = paths.filter(|path| !path.starts_with("permissions")).collect();
        if !paths.is_empty() {
            carrying.fail(QUEUE, queue.name(), dropped("queue", queue.name(), &paths));
        }
    }
    Ok(())
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
