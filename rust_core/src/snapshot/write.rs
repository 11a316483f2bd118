//! Writing partitions into a snapshot.

use std::path::Path;
use std::time::Duration;

use rusqlite::blob::ZeroBlob;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, params};

use super::{
    APPLICATION_ID, Contents, Header, MOST_IN_A_ROW, Refusal, SEALED, Section, check_file, check_header, check_seal,
    sealed, unsealed,
};
use crate::hash::checksum;

const TABLES: &str = "CREATE TABLE header (id INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT;
    CREATE TABLE partition (id INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT;
    CREATE TABLE section (id INTEGER PRIMARY KEY AUTOINCREMENT, content BLOB NOT NULL) STRICT;";
/// How long to wait for readers.
const PATIENCE: Duration = Duration::from_millis(1_000);

/// What is to be kept of one partition.
#[derive(Debug)]
pub struct Part<'a> {
    /// Its number.
    pub partition: i64,
    /// Of what it is made, for who reads it.
    pub about: &'a str,
    /// The sections with their names.
    pub sections: Vec<(&'a str, &'a [u8])>,
}

/// Writes partitions into the file at `path`, which is there: empty, or the snapshot of this store, of which the other
/// partitions stay. Who calls it sees to it that nobody else writes or erases it.
///
/// # Errors
/// [`Refusal`]; [`Refusal::NotOurs`], [`Refusal::Other`] and [`Refusal::Damaged`] tell that it must be erased first.
pub fn write(path: &Path, store: &str, parts: &[Part<'_>]) -> Result<(), Refusal> {
    let fresh = check_file(path)? == 0;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // The lock of the first write is held until the file is closed: no reader sees what has no seal yet.
    connection.execute_batch(
        "PRAGMA page_size = 65536; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
        PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0; PRAGMA trusted_schema = OFF;
        PRAGMA cell_size_check = ON",
    )?;
    if !fresh {
        check_seal(&connection)?;
        check_header(&connection, store)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", 0)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    if fresh {
        transaction.execute_batch(TABLES)?;
        transaction.execute("INSERT INTO header VALUES (1, ?)", [sealed(&Header::of(store))?])?;
    }
    for part in parts {
        forget(&transaction, part.partition)?;
        let sections = part.sections.iter().map(|(name, bytes)| add(&transaction, name, bytes));
        let contents = Contents { about: part.about.to_owned(), sections: sections.collect::<Result<_, _>>()? };
        let row = params![part.partition, sealed(&contents)?];
        transaction.execute("INSERT INTO partition VALUES (?, ?)", row)?;
    }
    transaction.commit()?;
    connection.pragma_update(None, "user_version", SEALED)?;
    connection.close().map_err(|(_, error)| error.into())
}

fn forget(transaction: &Transaction<'_>, partition: i64) -> Result<(), Refusal> {
    let query = "DELETE FROM partition WHERE id = ? RETURNING content";
    let mut statement = transaction.prepare(query)?;
    let gone = statement.query_map([partition], |row| row.get::<_, Vec<u8>>(0))?.collect::<Result<Vec<_>, _>>()?;
    for content in gone {
        for section in unsealed::<Contents>(&content, "partition")?.sections {
            let rows = params![section.row, section.row + section.rows()];
            transaction.execute("DELETE FROM section WHERE id >= ? AND id < ?", rows)?;
        }
    }
    Ok(())
}

fn add(transaction: &Transaction<'_>, name: &str, bytes: &[u8]) -> Result<Section, Refusal> {
    let mut first = None;
    let mut rest = bytes;
    loop {
        let (part, behind) = rest.split_at(rest.len().min(MOST_IN_A_ROW));
        transaction.execute("INSERT INTO section (content) VALUES (?)", [ZeroBlob(part.len() as u64)])?;
        let row = transaction.last_insert_rowid();
        transaction.blob_open("main", "section", "content", row, false)?.write_at(part, 0)?;
        first.get_or_insert(row);
        rest = behind;
        if rest.is_empty() {
            break;
        }
    }
    let row = first.unwrap_or_default();
    Ok(Section { name: name.to_owned(), bytes: bytes.len() as u64, checksum: checksum(bytes), row })
}
