//! The calls on retry policies.

use super::full_form::validate_full_form;
use super::validate::validate;
use crate::dialect::{Dialect, WireForm};
use crate::store::{Write, policies};
use crate::wire::{Code, FULL_POLICY, Json, POLICY, Status, Strictness, decode};
use document::diag::go_quote;
use rusqlite::Connection;

/// Stores a policy. Like Armada, it overwrites one of the same name unless strict.
pub fn create(dialect: Dialect, body: &[u8], write: &Write<'_>) -> Result<(), Status> {
    let policy = decode_policy(dialect, body)?;
    validate_policy(dialect, &policy)?;
    let name = policy.text_of("name");
    if dialect.strictness == Strictness::Strict && policies::get(write, name)?.is_some() {
        let message =
            format!("error creating retry policy: retry policy {} already exists", go_quote(name));
        return Err(Status::new(Code::AlreadyExists, message));
    }
    Ok(policies::put(write, name, &policy.to_string())?)
}

/// Replaces a policy. The name in the path applies, not the one in the body.
pub fn update(dialect: Dialect, name: &str, body: &[u8], write: &Write<'_>) -> Result<(), Status> {
    let mut policy = decode_policy(dialect, body)?;
    dialect.check_same_name(name, policy.text_of("name"))?;
    policy.set_first("name", Json::Text(name.to_owned()));
    validate_policy(dialect, &policy)?;
    policies::get(write, name)?.ok_or_else(|| not_found(name))?;
    Ok(policies::put(write, name, &policy.to_string())?)
}

/// Returns a policy.
pub fn get(name: &str, connection: &Connection) -> Result<String, Status> {
    check_name(name)?;
    policies::get(connection, name)?.ok_or_else(|| not_found(name))
}

/// Returns all policies, sorted by name.
pub fn list(connection: &Connection) -> Result<String, Status> {
    let all = policies::all(connection)?;
    // A message of Go without values is written as an empty object.
    if all.is_empty() {
        return Ok("{}".to_owned());
    }
    Ok(format!(r#"{{"retryPolicies":[{}]}}"#, all.join(",")))
}

/// Deletes a policy and removes it from every queue.
pub fn delete(dialect: Dialect, name: &str, write: &Write<'_>) -> Result<(), Status> {
    check_name(name)?;
    let found = policies::delete(write, name)?;
    if !found && dialect.strictness == Strictness::Strict { Err(not_found(name)) } else { Ok(()) }
}

fn decode_policy(dialect: Dialect, body: &[u8]) -> Result<Json, Status> {
    let message = match dialect.form {
        WireForm::Deployed => &POLICY,
        WireForm::Full => &FULL_POLICY,
    };
    decode(message, body, dialect.strictness)
}

fn validate_policy(dialect: Dialect, policy: &Json) -> Result<(), Status> {
    match dialect.form {
        WireForm::Deployed => validate(policy),
        WireForm::Full => validate_full_form(policy),
    }
}

fn check_name(name: &str) -> Result<(), Status> {
    if name.is_empty() {
        return Err(Status::invalid("retry policy name must not be empty"));
    }
    Ok(())
}

fn not_found(name: &str) -> Status {
    let message = format!("error: could not find retry policy {}", go_quote(name));
    Status::new(Code::NotFound, message)
}
