//! The table of policies.

use rusqlite::{Connection, OptionalExtension, Result};

/// Stores a policy; queues that name it go on naming it.
pub fn put(connection: &Connection, name: &str, definition: &str) -> Result<()> {
    let sql = "INSERT INTO retry_policy (name, definition) VALUES (?1, ?2)
        ON CONFLICT (name) DO UPDATE SET definition = excluded.definition";
    connection.prepare_cached(sql)?.execute([name, definition]).map(drop)
}

/// A policy.
pub fn get(connection: &Connection, name: &str) -> Result<Option<String>> {
    let sql = "SELECT definition FROM retry_policy WHERE name = ?1";
    connection.prepare_cached(sql)?.query_row([name], |row| row.get(0)).optional()
}

/// All policies in the order of their names.
pub fn all(connection: &Connection) -> Result<Vec<String>> {
    let sql = "SELECT definition FROM retry_policy ORDER BY name";
    connection.prepare_cached(sql)?.query_map([], |row| row.get(0))?.collect()
}

/// Deletes a policy and takes it from every queue; says whether there was one.
pub fn delete(connection: &Connection, name: &str) -> Result<bool> {
    let sql = "DELETE FROM retry_policy WHERE name = ?1";
    Ok(connection.prepare_cached(sql)?.execute([name])? > 0)
}

/// Those of the names that no policy has.
pub fn unknown(connection: &Connection, names: &[String]) -> Result<Vec<String>> {
    let mut unknown = Vec::new();
    for name in names {
        if get(connection, name)?.is_none() {
            unknown.push(name.clone());
        }
    }
    Ok(unknown)
}
