//! The calls on retry policies.

use super::full::validate_full;
use super::validate::validate;
use crate::server::dialect::{Dialect, Form};
use crate::server::store::{Write, policies};
use crate::server::wire::{Code, FULL_POLICY, Json, POLICY, Status, Strictness, decode, quote};
use rusqlite::Connection;

/// Stores a policy, whether or not there is one of its name.
pub fn create(dialect: Dialect, body: &[u8], write: &Write<'_>) -> Result<(), Status> {
    let policy = read(dialect, body)?;
    judge(dialect, &policy)?;
    let name = policy.text_of("name");
    if dialect.strictness == Strictness::Strict && policies::get(write, name)?.is_some() {
        let message =
            format!("error creating retry policy: retry policy {} already exists", quote(name));
        return Err(Status::new(Code::AlreadyExists, message));
    }
    Ok(policies::put(write, name, &policy.to_string())?)
}

/// Replaces a policy. The name in the path counts, not the one in the body.
pub fn update(dialect: Dialect, name: &str, body: &[u8], write: &Write<'_>) -> Result<(), Status> {
    let mut policy = read(dialect, body)?;
    dialect.same_name(name, policy.text_of("name"))?;
    policy.set_first("name", Json::Text(name.to_owned()));
    judge(dialect, &policy)?;
    policies::get(write, name)?.ok_or_else(|| missing(name))?;
    Ok(policies::put(write, name, &policy.to_string())?)
}

/// A policy.
pub fn get(name: &str, connection: &Connection) -> Result<String, Status> {
    named(name)?;
    policies::get(connection, name)?.ok_or_else(|| missing(name))
}

/// All of them, in the order of their names.
pub fn list(connection: &Connection) -> Result<String, Status> {
    let all = policies::all(connection)?;
    if all.is_empty() {
        return Ok("{}".to_owned());
    }
    Ok(format!(r#"{{"retryPolicies":[{}]}}"#, all.join(",")))
}

/// Deletes a policy and takes it from every queue.
pub fn delete(dialect: Dialect, name: &str, write: &Write<'_>) -> Result<(), Status> {
    named(name)?;
    let found = policies::delete(write, name)?;
    if !found && dialect.strictness == Strictness::Strict { Err(missing(name)) } else { Ok(()) }
}

fn read(dialect: Dialect, body: &[u8]) -> Result<Json, Status> {
    let message = match dialect.form {
        Form::Today => &POLICY,
        Form::Full => &FULL_POLICY,
    };
    decode(message, body, dialect.strictness)
}

fn judge(dialect: Dialect, policy: &Json) -> Result<(), Status> {
    match dialect.form {
        Form::Today => validate(policy),
        Form::Full => validate_full(policy),
    }
}

fn named(name: &str) -> Result<(), Status> {
    if name.is_empty() {
        return Err(Status::invalid("retry policy name must not be empty"));
    }
    Ok(())
}

fn missing(name: &str) -> Status {
    let message = format!("error: could not find retry policy {}", quote(name));
    Status::new(Code::NotFound, message)
}
