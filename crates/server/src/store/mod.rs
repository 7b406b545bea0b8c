//! The store, in one SQLite file: policies, queues, and the policies of each queue.
//!
//! Each write is a transaction, and is answered when it is on the disk (WAL, synchronous FULL). Only one
//! process at a time can open the file. The store does not interpret policies.

mod open;
pub(super) mod policies;
pub(super) mod queues;

use super::wire::Status;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use open::{StoreError, StoreLocation};

/// A write: an open transaction.
pub type Write<'a> = Transaction<'a>;

/// An open store.
#[derive(Debug)]
pub struct Store {
    connection: Mutex<Connection>,
}

impl Store {
    /// Opens a store, and creates it if it does not exist.
    pub fn open(location: &StoreLocation) -> Result<Self, StoreError> {
        Ok(Self { connection: Mutex::new(open::connection(location)?) })
    }

    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Status>,
    ) -> Result<T, Status> {
        read(&self.connection())
    }

    /// Runs a write. When this returns, either the whole write is on the disk or nothing of it.
    pub(super) fn write<T>(
        &self,
        write: impl FnOnce(&Write<'_>) -> Result<T, Status>,
    ) -> Result<T, Status> {
        let mut connection = self.connection();
        // Immediate: the lock is taken before the first read, so that two writes never decide by the same state.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = write(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }

    /// A poisoned lock is usable: dropping the transaction of the panicking request rolled it back.
    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
