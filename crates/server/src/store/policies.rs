//! The table of policies.

use rusqlite::{Connection, OptionalExtension, Result};

/// Stores a policy; the queues with this policy are unchanged.
pub fn put(connection: &Connection, name: &str, definition: &str) -> Result<()> {
    let sql = "INSERT INTO retry_policy (name, definition) VALUES (?1, ?2)
        ON CONFLICT (name) DO UPDATE SET definition = excluded.definition";
    connection.prepare_cached(sql)?.execute([name, definition]).map(drop)
}

/// Returns a policy.
pub fn get(connection: &Connection, name: &str) -> Result<Option<String>> {
    let sql = "SELECT definition FROM retry_policy WHERE name = ?1";
    connection.prepare_cached(sql)?.query_row([name], |row| row.get(0)).optional()
}

/// Returns all policies, sorted by name.
pub fn all(connection: &Connection) -> Result<Vec<String>> {
    let sql = "SELECT definition FROM retry_policy ORDER BY name";
    connection.prepare_cached(sql)?.query_map([], |row| row.get(0))?.collect()
}

/// Deletes a policy and removes it from every queue. Returns whether the policy existed.
pub fn delete(connection: &Connection, name: &str) -> Result<bool> {
    let sql = "DELETE FROM retry_policy WHERE name = ?1";
    Ok(connection.prepare_cached(sql)?.execute([name])? > 0)
}

/// Returns the names without a policy.
pub fn unknown(connection: &Connection, names: &[String]) -> Result<Vec<String>> {
    let mut unknown = Vec::new();
    for name in names {
        if get(connection, name)?.is_none() {
            unknown.push(name.clone());
        }
    }
    Ok(unknown)
}
