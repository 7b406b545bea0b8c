//! The calls on queues.

use super::normalize::{NormalizedQueue, normalize, path_name_error};
use super::version::Condition;
use crate::dialect::Dialect;
use crate::store::{Write, policies, queues};
use crate::wire::{Code, Json, QUEUE, QUEUE_LIST, Status, Strictness, decode};
use document::diag::go_quote;
use rusqlite::Connection;
use std::collections::HashSet;

/// Stores a queue. Like Armada, it overwrites one of the same name unless strict. If the queue has no user
/// owners, the caller becomes one.
pub fn create(
    dialect: Dialect,
    caller: &str,
    body: &[u8],
    write: &Write<'_>,
) -> Result<(), Status> {
    create_one(dialect, &mut with_owner(decode(&QUEUE, body, dialect.strictness)?, caller), write)
}

/// Replaces a queue or stores a new one, and returns it. The name in the path applies, not the one in the
/// body.
pub fn update(
    dialect: Dialect,
    name: &str,
    body: &[u8],
    condition: &Condition,
    write: &Write<'_>,
) -> Result<String, Status> {
    let mut queue = decode(&QUEUE, body, dialect.strictness)?;
    dialect.check_same_name(name, queue.text_of("name"))?;
    queue.set_first("name", Json::Text(name.to_owned()));
    update_one(dialect, &queue, condition, write)?;
    get(name, write)
}

/// Returns a queue.
pub fn get(name: &str, connection: &Connection) -> Result<String, Status> {
    queues::get(connection, name)?.ok_or_else(|| not_found(name))
}

/// Returns at most `limit` queues (0 for all), sorted by name, as lines of a stream; the last one is an end
/// line.
pub fn list(limit: u32, connection: &Connection) -> Result<Vec<String>, Status> {
    let all = queues::all(connection, limit)?;
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
    condition.check(name, queues::get(write, name)?.as_deref())?;
    let found = queues::delete(write, name)?;
    if !found && dialect.strictness == Strictness::Strict { Err(not_found(name)) } else { Ok(()) }
}

/// Stores each queue of a batch, and returns those that failed.
pub fn create_all(
    dialect: Dialect,
    caller: &str,
    body: &[u8],
    write: &Write<'_>,
) -> Result<String, Status> {
    call_each(dialect, body, |queue| {
        *queue = with_owner(std::mem::replace(queue, Json::Null), caller);
        create_one(dialect, queue, write)
    })
}

/// Replaces each queue of a batch, and returns those that failed.
pub fn update_all(dialect: Dialect, body: &[u8], write: &Write<'_>) -> Result<String, Status> {
    call_each(dialect, body, |queue| update_one(dialect, queue, &Condition::default(), write))
}

fn call_each(
    dialect: Dialect,
    body: &[u8],
    mut call: impl FnMut(&mut Json) -> Result<(), Status>,
) -> Result<String, Status> {
    let list = decode(&QUEUE_LIST, body, dialect.strictness)?;
    let queues = list.get("queues").map(Json::items).unwrap_or_default();
    if let Some(index) = queues.iter().position(|queue| *queue == Json::Null) {
        // Armada's gateway closes the connection in this case.
        return Err(Status::invalid(format!("queue with index: {index} is null")));
    }
    let mut failed = Vec::new();
    for queue in queues {
        let mut queue = queue.clone();
        match call(&mut queue) {
            Ok(()) => {}
            // An error of the store fails the whole batch, not one queue.
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

/// Adds the caller as owner of a queue without user owners.
fn with_owner(mut queue: Json, caller: &str) -> Json {
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

fn create_one(dialect: Dialect, queue: &mut Json, write: &Write<'_>) -> Result<(), Status> {
    let normalized = normalize(queue)
        .map_err(|why| Status::invalid(format!("error validating queue: {why}")))?;
    check_addressable(dialect, &normalized)?;
    if dialect.strictness == Strictness::Strict && queues::get(write, &normalized.name)?.is_some() {
        let message = format!("error creating queue: queue {} already exists", normalized.name);
        return Err(Status::new(Code::AlreadyExists, message));
    }
    store(&normalized, "creating", write)
}

fn update_one(
    dialect: Dialect,
    queue: &Json,
    condition: &Condition,
    write: &Write<'_>,
) -> Result<(), Status> {
    let normalized = normalize(queue).map_err(|why| Status::invalid(format!("error: {why}")))?;
    check_addressable(dialect, &normalized)?;
    let current = queues::get(write, &normalized.name)?;
    condition.check(&normalized.name, current.as_deref())?;
    if dialect.strictness == Strictness::Strict && current.is_none() {
        return Err(not_found(&normalized.name));
    }
    store(&normalized, "updating", write)
}

/// In strict mode, refuses a name that does not fit into a path, and duplicate policies.
fn check_addressable(dialect: Dialect, queue: &NormalizedQueue) -> Result<(), Status> {
    if dialect.strictness == Strictness::AsArmada {
        return Ok(());
    }
    let mut seen = HashSet::new();
    let duplicate = queue.policy_names.iter().find(|name| !seen.insert(name.as_str()));
    let duplicate = duplicate.map(|name| format!("the policy {} is named twice", go_quote(name)));
    match path_name_error(&queue.name).or(duplicate) {
        Some(why) => Err(Status::invalid(format!("refused by --strict: {why}"))),
        None => Ok(()),
    }
}

fn store(queue: &NormalizedQueue, doing: &str, write: &Write<'_>) -> Result<(), Status> {
    let unknown = policies::unknown(write, &queue.policy_names)?;
    if !unknown.is_empty() {
        let names: Vec<String> = unknown.iter().map(|name| go_quote(name)).collect();
        let names = names.join(", ");
        return Err(Status::invalid(format!(
            "error {doing} queue: retry policies do not exist: {names}"
        )));
    }
    Ok(queues::put(write, &queue.name, &queue.definition.to_string(), &queue.policies)?)
}

fn not_found(name: &str) -> Status {
    Status::new(Code::NotFound, format!("error: could not find queue {}", go_quote(name)))
}
