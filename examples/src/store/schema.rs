//! The file: who may read it, and what is in it.

use std::{fs, path::Path, time::Duration};

use mcp_client::{MAX_SUSPENDED_BYTES, StoreError};
use rusqlite::{Connection, OpenFlags, TransactionBehavior, limits::Limit};

use super::failed;

/// How long one process waits for another that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Tells a file of ours from others: `MCPC`.
const APPLICATION: i32 = 0x4D43_5043;

/// The version of the tables. Others are refused.
const VERSION: i32 = 1;

const TABLES: &str = "
    CREATE TABLE calls (
        id      TEXT PRIMARY KEY NOT NULL,
        server  TEXT NOT NULL,
        method  TEXT NOT NULL,
        target  TEXT NOT NULL,
        created INTEGER NOT NULL,
        expires INTEGER,
        call    TEXT NOT NULL
    ) STRICT;
    CREATE INDEX calls_by_time ON calls (created, id);
    CREATE INDEX calls_by_end ON calls (expires) WHERE expires IS NOT NULL;
";

pub(super) fn open(file: &Path) -> Result<Connection, StoreError> {
    make_private(file)?;
    // Without SQLITE_OPEN_URI: a name is a name, also one that begins with `file:`.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(file, flags).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    // A row that is longer is not one of ours.
    let longest = i32::try_from(MAX_SUSPENDED_BYTES).unwrap_or(i32::MAX);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, longest.saturating_add(1 << 16)).map_err(failed)?;
    prepare(&mut connection)?;
    // Readers and a writer do not hold each other up.
    connection.pragma_update(None, "journal_mode", "wal").map_err(failed)?;
    Ok(connection)
}

/// Creates the tables, unless they are there.
fn prepare(connection: &mut Connection) -> Result<(), StoreError> {
    // Of two processes that find nothing one creates them.
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let number =
        |name: &str| change.pragma_query_value(None, name, |row| row.get::<_, i32>(0)).map_err(failed);
    let tables = "SELECT count(*) FROM sqlite_schema";
    let tables: i64 = change.query_row(tables, [], |row| row.get(0)).map_err(failed)?;
    match (number("application_id")?, number("user_version")?) {
        (APPLICATION, VERSION) => return Ok(()),
        (APPLICATION, found) => {
            return Err(StoreError::failed(format!(
                "the store is of version {found}, and only {VERSION} is known"
            )));
        }
        (0, 0) if tables == 0 => {}
        _ => return Err(StoreError::failed("the file is a database of something else")),
    }
    change.execute_batch(TABLES).map_err(failed)?;
    change.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
    change.pragma_update(None, "user_version", VERSION).map_err(failed)?;
    change.commit().map_err(failed)
}

/// Calls hold arguments, the server's state and answers. It is done before `SQLite` opens the file, since it gives the files
/// beside it the same mode.
fn make_private(file: &Path) -> Result<(), StoreError> {
    let mut options = fs::OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let opened = options.open(file).map_err(StoreError::failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = opened.metadata().map_err(StoreError::failed)?.permissions().mode();
        if mode & 0o077 != 0 && is_ours(&opened)? {
            opened.set_permissions(fs::Permissions::from_mode(0o600)).map_err(StoreError::failed)?;
        }
    }
    #[cfg(not(unix))]
    drop(opened);
    Ok(())
}

/// Whether the file is empty, or says in its head that it is such a store. Others are left as they are, and refused later.
#[cfg(unix)]
fn is_ours(file: &fs::File) -> Result<bool, StoreError> {
    use std::io::Read as _;
    /// Where `SQLite` keeps the application's number.
    const AT: usize = 68;
    let mut head = Vec::new();
    file.take(AT as u64 + 4).read_to_end(&mut head).map_err(StoreError::failed)?;
    Ok(head.is_empty() || head.get(AT..) == Some(&APPLICATION.to_be_bytes()[..]))
}
