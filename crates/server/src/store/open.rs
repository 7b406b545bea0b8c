//! Opens and creates the file.

use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The location of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreLocation {
    /// The store is in memory and ends with the process.
    Memory,
    /// The store is in a file.
    File(PathBuf),
}

/// The reason that a store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process has the file open.
    #[error("`{0}` is in use by another process")]
    InUse(PathBuf),
    /// The file is not a database of this program.
    #[error("`{0}` is not a database of `armadactl serve`")]
    Foreign(PathBuf),
    /// A newer armadactl wrote the file.
    #[error(
        "`{path}` was written by a newer armadactl: its version is {found}, known is {VERSION}"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of the file.
        found: i64,
    },
    /// Any other error of SQLite.
    #[error("cannot open `{0}`: {1}")]
    Sqlite(PathBuf, rusqlite::Error),
}

impl StoreError {
    /// The correction to try.
    pub fn help(&self) -> &'static str {
        match self {
            Self::InUse(_) => {
                "one server uses a file at a time: stop the other one, or give another `--db FILE`"
            }
            Self::Foreign(_) => "give another `--db FILE`; a file that does not exist is created",
            Self::Newer { .. } => "use that armadactl, or give another `--db FILE`",
            Self::Sqlite(..) => "give another `--db FILE`; `--db :memory:` needs no disk",
        }
    }
}

/// The version of the tables, SQLite's `user_version`.
const VERSION: i64 = 1;
/// Identifies a database of this program, SQLite's `application_id`: `arma` in ASCII.
const APPLICATION: i64 = 0x6172_6d61;
/// The wait for the lock of another process before the file counts as in use. A process that is about to end
/// releases it in this time.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);

const TABLES: &str = "
    CREATE TABLE retry_policy (name TEXT PRIMARY KEY, definition TEXT NOT NULL) STRICT;
    CREATE TABLE queue (name TEXT PRIMARY KEY, definition TEXT NOT NULL) STRICT;
    CREATE TABLE queue_retry_policy (
        queue TEXT NOT NULL REFERENCES queue ON DELETE CASCADE,
        position INTEGER NOT NULL,
        retry_policy TEXT NOT NULL REFERENCES retry_policy ON DELETE CASCADE,
        PRIMARY KEY (queue, position)
    ) STRICT;
    CREATE INDEX queue_of_retry_policy ON queue_retry_policy (retry_policy);
";

pub(super) fn connection(location: &StoreLocation) -> Result<Connection, StoreError> {
    let path = match location {
        StoreLocation::Memory => Path::new(":memory:"),
        StoreLocation::File(path) => path,
    };
    let failed = |error| store_error(path, error);
    let mut connection = match location {
        StoreLocation::Memory => Connection::open_in_memory().map_err(failed)?,
        StoreLocation::File(path) => file(path).map_err(failed)?,
    };
    check_format(&connection, path)?;
    create_tables(&mut connection).map_err(failed)?;
    Ok(connection)
}

/// Opens the database in a file. Only the owner can read a new file, and the files that SQLite creates next
/// to it with the same mode.
fn file(path: &Path) -> rusqlite::Result<Connection> {
    // SQLite reads a name that starts with `file:` as a URI, whatever the flags. An absolute path does not
    // start so.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if !path.exists() {
        // In append mode an existing file, which another process may have created since, keeps its content.
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // An error is ignored: SQLite fails in the same way with a better message.
        let _ = options.open(&path);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags)
}

/// Refuses a file of another program or of a newer version, before anything is written to it.
fn check_format(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |error| store_error(path, error);
    // Before the first statement, which asks for the lock.
    connection.busy_timeout(LOCK_TIMEOUT).map_err(failed)?;
    // The system releases the lock when the process ends, also after a crash.
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE").map_err(failed)?;
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let tables = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))
        .map_err(failed)?;
    let application = number("application_id").map_err(failed)?;
    // An empty file becomes a database of this program.
    if tables > 0 && application != APPLICATION {
        return Err(StoreError::Foreign(path.to_owned()));
    }
    // An older or an empty database may be upgraded; a newer one may have tables that this program would damage.
    let found = number("user_version").map_err(failed)?;
    if application == APPLICATION && found > VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found });
    }
    Ok(())
}

fn create_tables(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let version =
        transaction.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))?;
    // Within the transaction: a crash leaves either no table or all of them with the version.
    if version == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}

fn store_error(path: &Path, error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::Foreign(path.to_owned()),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::InUse(path.to_owned())
        }
        _ => StoreError::Sqlite(path.to_owned(), error),
    }
}
