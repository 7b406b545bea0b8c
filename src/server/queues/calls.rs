//! The calls on queues.

use super::normal::{Normal, normal, not_in_a_path};
use super::version::Condition;
use crate::server::dialect::Dialect;
use crate::server::store::{Write, policies, queues};
use crate::server::wire::{Code, Json, QUEUE, QUEUE_LIST, Status, Strictness, decode, quote};
use rusqlite::Connection;
use std::collections::HashSet;

/// Stores a queue, whether or not there is one of its name. Without user owners the caller is one.
pub fn create(
    dialect: Dialect,
    caller: &str,
    body: &[u8],
    write: &Write<'_>,
) -> Result<(), Status> {
    created(dialect, &mut owned(decode(&QUEUE, body, dialect.strictness)?, caller), write)
}

/// Replaces a queue or stores a new one, and gives it back. The name in the path counts.
pub fn update(
    dialect: Dialect,
    name: &str,
    body: &[u8],
    condition: &Condition,
    write: &Write<'_>,
) -> Result<String, Status> {
    let mut queue = decode(&QUEUE, body, dialect.strictness)?;
    dialect.same_name(name, queue.text_of("name"))?;
    queue.set_first("name", Json::Text(name.to_owned()));
    updated(dialect, &queue, condition, write)?;
    get(name, write)
}

/// A queue.
pub fn get(name: &str, connection: &Connection) -> Result<String, Status> {
    queues::get(connection, name)?.ok_or_else(|| missing(name))
}

/// So many of the queues (all for 0), in the order of their names, as lines of a stream with an end.
pub fn list(most: u32, connection: &Connection) -> Result<Vec<String>, Status> {
    let all = queues::all(connection, most)?;
    let line = |queue| format!("{{\"result\":{{\"Event\":{{\"queue\":{queue}}}}}}}\n");
    let mut lines: Vec<String> = all.iter().map(line).collect();
    lines.push("{\"result\":{\"Event\":{\"end\":{}}}}\n".to_owned());
    Ok(lines)
}

/// Deletes a queue.
pub fn delete(
    dialect: Dialect,
    name: &str,
    condition: &Condition,
    write: &Write<'_>,
) -> Result<(), Status> {
    condition.met_by(name, queues::get(write, name)?.as_deref())?;
    let found = queues::delete(write, name)?;
    if !found && dialect.strictness == Strictness::Strict { Err(missing(name)) } else { Ok(()) }
}

/// Stores each queue of a batch that can be stored, and says which could not.
pub fn create_all(
    dialect: Dialect,
    caller: &str,
    body: &[u8],
    write: &Write<'_>,
) -> Result<String, Status> {
    each(dialect, body, |queue| {
        *queue = owned(std::mem::replace(queue, Json::Null), caller);
        created(dialect, queue, write)
    })
}

/// Replaces each queue of a batch that can be replaced, and says which could not.
pub fn update_all(dialect: Dialect, body: &[u8], write: &Write<'_>) -> Result<String, Status> {
    each(dialect, body, |queue| updated(dialect, queue, &Condition::default(), write))
}

fn each(
    dialect: Dialect,
    body: &[u8],
    mut call: impl FnMut(&mut Json) -> Result<(), Status>,
) -> Result<String, Status> {
    let list = decode(&QUEUE_LIST, body, dialect.strictness)?;
    let queues = list.get("queues").map(Json::items).unwrap_or_default();
    if let Some(index) = queues.iter().position(|queue| *queue == Json::Null) {
        // Armada's gateway cuts the connection.
        return Err(Status::invalid(format!("queue with index: {index} is null")));
    }
    let mut failed = Vec::new();
    for queue in queues {
        let mut queue = queue.clone();
        match call(&mut queue) {
            Ok(()) => {}
            // A fault of the store is none of the queue's.
            Err(status) if status.code == Code::Unavailable => return Err(status),
            Err(status) => {
                let error = Json::Text(status.to_string());
                failed.push(Json::object([("queue", queue), ("error", error)]));
            }
        }
    }
    if failed.is_empty() {
        return Ok("{}".to_owned());
    }
    Ok(Json::object([("failedQueues", Json::List(failed))]).to_string())
}

/// The queue with its caller as owner, if it names none.
fn owned(mut queue: Json, caller: &str) -> Json {
    if let Json::Object(fields) = &mut queue
        && !fields.iter().any(|(key, _)| key == "userOwners")
    {
        let owners = Json::List(vec![Json::Text(caller.to_owned())]);
        let first = ["name", "priorityFactor"];
        let place = fields.iter().take_while(|(key, _)| first.contains(&key.as_str())).count();
        fields.insert(place, ("userOwners".to_owned(), owners));
    }
    queue
}

fn created(dialect: Dialect, queue: &mut Json, write: &Write<'_>) -> Result<(), Status> {
    let normal =
        normal(queue).map_err(|why| Status::invalid(format!("error validating queue: {why}")))?;
    addressable(dialect, &normal)?;
    if dialect.strictness == Strictness::Strict && queues::get(write, &normal.name)?.is_some() {
        let message = format!("error creating queue: queue {} already exists", normal.name);
        return Err(Status::new(Code::AlreadyExists, message));
    }
    stored(&normal, "creating", write)
}

fn updated(
    dialect: Dialect,
    queue: &Json,
    condition: &Condition,
    write: &Write<'_>,
) -> Result<(), Status> {
    let normal = normal(queue).map_err(|why| Status::invalid(format!("error: {why}")))?;
    addressable(dialect, &normal)?;
    let current = queues::get(write, &normal.name)?;
    condition.met_by(&normal.name, current.as_deref())?;
    if dialect.strictness == Strictness::Strict && current.is_none() {
        return Err(missing(&normal.name));
    }
    stored(&normal, "updating", write)
}

/// Strictly, a queue has a name that a path can carry, and names each policy once.
fn addressable(dialect: Dialect, queue: &Normal) -> Result<(), Status> {
    if dialect.strictness == Strictness::AsArmada {
        return Ok(());
    }
    let mut seen = HashSet::new();
    let again = queue.named.iter().find(|name| !seen.insert(name.as_str()));
    let again = again.map(|name| format!("the policy {} is named twice", quote(name)));
    match not_in_a_path(&queue.name).or(again) {
        Some(why) => Err(Status::invalid(format!("refused by --strict: {why}"))),
        None => Ok(()),
    }
}

fn stored(queue: &Normal, doing: &str, write: &Write<'_>) -> Result<(), Status> {
    let unknown = policies::unknown(write, &queue.named)?;
    if !unknown.is_empty() {
        let names: Vec<String> = unknown.iter().map(|name| quote(name)).collect();
        let names = names.join(", ");
        return Err(Status::invalid(format!(
            "error {doing} queue: retry policies do not exist: {names}"
        )));
    }
    Ok(queues::put(write, &queue.name, &queue.rest.to_string(), &queue.policies)?)
}

fn missing(name: &str) -> Status {
    Status::new(Code::NotFound, format!("error: could not find queue {}", quote(name)))
}
