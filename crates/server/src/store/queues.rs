//! The table of queues, and of their policies.

use rusqlite::{Connection, OptionalExtension, Result, params};

/// Selects a queue's text: its definition, and its policies as the last field.
const TEXT: &str = "SELECT definition, (
        SELECT json_group_array(retry_policy ORDER BY position) FROM queue_retry_policy
        WHERE queue = name
    ) FROM queue";

/// Stores a queue with its policies, which must exist.
pub fn put(
    connection: &Connection,
    name: &str,
    definition: &str,
    policies: &[String],
) -> Result<()> {
    let sql = "INSERT INTO queue (name, definition) VALUES (?1, ?2)
        ON CONFLICT (name) DO UPDATE SET definition = excluded.definition";
    connection.prepare_cached(sql)?.execute([name, definition])?;
    // A shorter list would leave the last positions of the former one.
    let sql = "DELETE FROM queue_retry_policy WHERE queue = ?1";
    connection.prepare_cached(sql)?.execute([name])?;
    let sql = "INSERT INTO queue_retry_policy (queue, position, retry_policy) VALUES (?1, ?2, ?3)";
    for (position, policy) in policies.iter().enumerate() {
        let position = i64::try_from(position).unwrap_or(i64::MAX);
        connection.prepare_cached(sql)?.execute(params![name, position, policy])?;
    }
    Ok(())
}

pub fn get(connection: &Connection, name: &str) -> Result<Option<String>> {
    let sql = format!("{TEXT} WHERE name = ?1");
    connection.prepare_cached(&sql)?.query_row([name], row_text).optional()
}

/// Returns at most `most` queues (0 for all), sorted by name.
pub fn all(connection: &Connection, most: u32) -> Result<Vec<String>> {
    let sql = format!("{TEXT} ORDER BY name LIMIT ?1");
    // SQLite reads a negative limit as none.
    let most = if most == 0 { -1 } else { i64::from(most) };
    connection.prepare_cached(&sql)?.query_map([most], row_text)?.collect()
}

/// Deletes a queue. Returns whether the queue existed.
pub fn delete(connection: &Connection, name: &str) -> Result<bool> {
    let sql = "DELETE FROM queue WHERE name = ?1";
    Ok(connection.prepare_cached(sql)?.execute([name])? > 0)
}

fn row_text(row: &rusqlite::Row<'_>) -> Result<String> {
    let (definition, policies): (String, String) = (row.get(0)?, row.get(1)?);
    // The deployed form leaves out an empty list.
    if policies == "[]" {
        return Ok(definition);
    }
    // The definition is never empty: a queue has a priority factor.
    let open = definition.strip_suffix('}').unwrap_or(&definition);
    Ok(format!("{open},\"retryPolicies\":{policies}}}"))
}
