//! What is stored, in one SQLite file: policies, queues, and which queue names which policy.
//!
//! A write is a transaction of its own, and is answered when it is on the disk (WAL, synchronous
//! FULL). One process has the file at a time. It does not know what a policy is.

mod open;
pub(super) mod policies;
pub(super) mod queues;

use super::wire::Status;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use open::{Place, StoreError};

/// A write on its way: a transaction.
pub type Write<'a> = Transaction<'a>;

/// An open store.
#[derive(Debug)]
pub struct Store {
    connection: Mutex<Connection>,
}

impl Store {
    /// Opens a store, and makes it if there is none.
    pub fn open(place: &Place) -> Result<Self, StoreError> {
        Ok(Self { connection: Mutex::new(open::connection(place)?) })
    }

    /// Reads.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Status>,
    ) -> Result<T, Status> {
        read(&self.connection())
    }

    /// Writes: all of it is on the disk when this returns, or nothing is.
    pub(super) fn write<T>(
        &self,
        write: impl FnOnce(&Write<'_>) -> Result<T, Status>,
    ) -> Result<T, Status> {
        let mut connection = self.connection();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = write(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }

    /// A request that panicked left no transaction behind: it was rolled back as it was dropped.
    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
