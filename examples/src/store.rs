//! Suspended calls in one `SQLite` file, which processes share.

mod schema;

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use mcp_client::{
    ContinuationStore, DEFAULT_MAX_STORED_CALLS, StoreError, StoreFilter, StoredCall, async_trait,
};
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, named_params};

/// Keeps suspended calls in a file: they survive restarts, and of several processes that claim one, one gets it.
///
/// The file is readable and writable by its owner only. It holds 10,000 calls at most; those whose time is over are deleted. All
/// clones use one connection, on threads where waiting is allowed.
#[derive(Clone)]
pub struct SqliteStore {
    connection: Arc<Mutex<Connection>>,
    file: PathBuf,
    max_calls: usize,
}

impl SqliteStore {
    /// Opens the file, or creates it.
    ///
    /// # Errors
    ///
    /// [`StoreError::Failed`]: it cannot be opened or created, or it is something else than such a store.
    pub async fn open(file: impl AsRef<Path>) -> Result<Self, StoreError> {
        let file = file.as_ref().to_owned();
        let path = file.clone();
        let connection = blocking(move || schema::open(&path)).await?;
        Ok(Self { connection: Arc::new(Mutex::new(connection)), file, max_calls: DEFAULT_MAX_STORED_CALLS })
    }

    /// Sets how many calls it holds at most (default: 10,000).
    #[must_use]
    pub fn max_calls(mut self, max: usize) -> Self {
        self.max_calls = max;
        self
    }

    /// Works with the connection. What was begun is brought to its end, also when nobody waits for it.
    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let connection = Arc::clone(&self.connection);
        blocking(move || work(&mut connection.lock().unwrap_or_else(PoisonError::into_inner))).await
    }
}

#[async_trait]
impl ContinuationStore for SqliteStore {
    async fn put(&self, call: StoredCall) -> Result<(), StoreError> {
        let max = self.max_calls;
        self.with(move |connection| {
            let call = call.into_free();
            let text = call.to_json()?;
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            change.execute("DELETE FROM calls WHERE expires <= ?1", [now()]).map_err(failed)?;
            let others = "SELECT count(*) FROM calls WHERE id <> ?1";
            let others: i64 = change.query_row(others, [call.id()], |row| row.get(0)).map_err(failed)?;
            if usize::try_from(others).unwrap_or(usize::MAX) >= max {
                return Err(StoreError::Full { max });
            }
            change
                .execute(
                    "INSERT OR REPLACE INTO calls (id, server, method, target, created, expires, call)
                     VALUES (:id, :server, :method, :target, :created, :expires, :call)",
                    named_params! {
                        ":id": call.id(), ":server": call.server(), ":method": call.method(), ":target": call.target(),
                        ":created": millis(call.created()), ":expires": call.expires().map(millis), ":call": text,
                    },
                )
                .map_err(failed)?;
            change.commit().map_err(failed)
        })
        .await
    }

    async fn list(&self, filter: &StoreFilter) -> Result<Vec<StoredCall>, StoreError> {
        let filter = filter.clone();
        self.with(move |connection| {
            let mut query = connection
                .prepare(
                    "SELECT call FROM calls
                     WHERE (expires IS NULL OR expires > :now)
                       AND (:server IS NULL OR server = :server)
                       AND (:method IS NULL OR method = :method)
                       AND (:target IS NULL OR target = :target)
                     ORDER BY created, id",
                )
                .map_err(failed)?;
            let wanted = named_params! {
                ":now": now(), ":server": filter.server, ":method": filter.method, ":target": filter.target,
            };
            let rows = query.query_map(wanted, |row| row.get::<_, String>(0)).map_err(failed)?;
            rows.map(|text| read(&text.map_err(failed)?)).collect()
        })
        .await
    }

    async fn get(&self, id: &str) -> Result<Option<StoredCall>, StoreError> {
        let id = id.to_owned();
        self.with(move |connection| find(connection, &id)).await
    }

    async fn claim(&self, id: &str) -> Result<Option<StoredCall>, StoreError> {
        let id = id.to_owned();
        self.with(move |connection| {
            // Nobody else can write between the look and the mark, nor see it half done.
            let change =
                connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            let Some(call) = find(&change, &id)?.filter(|call| !call.is_claimed()) else { return Ok(None) };
            let text = call.clone().into_claimed().to_json()?;
            change.execute("UPDATE calls SET call = ?2 WHERE id = ?1", [&id, &text]).map_err(failed)?;
            change.commit().map_err(failed)?;
            Ok(Some(call))
        })
        .await
    }

    async fn remove(&self, id: &str) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.with(move |connection| {
            let removed = "DELETE FROM calls WHERE id = ?1 RETURNING expires IS NULL OR expires > ?2";
            let there = connection.query_row(removed, (id, now()), |row| row.get(0)).optional();
            Ok(there.map_err(failed)?.unwrap_or(false))
        })
        .await
    }
}

fn find(connection: &Connection, id: &str) -> Result<Option<StoredCall>, StoreError> {
    let query = "SELECT call FROM calls WHERE id = ?1 AND (expires IS NULL OR expires > ?2)";
    let text = connection.query_row(query, (id, now()), |row| row.get::<_, String>(0)).optional();
    text.map_err(failed)?.map(|text| read(&text)).transpose()
}

fn read(text: &str) -> Result<StoredCall, StoreError> {
    Ok(StoredCall::from_json(text.as_bytes())?)
}

fn failed(error: rusqlite::Error) -> StoreError {
    StoreError::failed(error)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work).await.map_err(StoreError::failed)?
}

fn now() -> i64 {
    millis(SystemTime::now())
}

fn millis(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("file", &self.file).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
