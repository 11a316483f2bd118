//! Writing partitions into a snapshot.

use std::path::Path;
use std::time::Duration;

use rusqlite::blob::{Blob, ZeroBlob};
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, params};

use super::{
    APPLICATION_ID, Contents, Header, MOST_IN_A_ROW, Refusal, SEALED, Section, check_file, check_header, check_seal,
    sealed, unsealed,
};
use crate::CoreError;
use crate::hash::Checksum;
use crate::sealed::Sink;

const TABLES: &str = "CREATE TABLE header (id INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT;
    CREATE TABLE partition (id INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT;
    CREATE TABLE section (id INTEGER PRIMARY KEY AUTOINCREMENT, content BLOB NOT NULL) STRICT;";
/// Bytes that are held until they are written together.
const AT_ONCE: usize = 1 << 20;
/// How long to wait for readers.
const PATIENCE: Duration = Duration::from_millis(1_000);

/// What a section is written from, a piece at a time.
pub trait Content: Sync {
    /// How many bytes it has.
    fn bytes(&self) -> usize;

    /// Gives them in order.
    ///
    /// # Errors
    /// Those of the sink; that it is not kept.
    fn write(&self, sink: &mut dyn Sink) -> Result<(), CoreError>;
}

impl Content for &[u8] {
    fn bytes(&self) -> usize {
        self.len()
    }

    fn write(&self, sink: &mut dyn Sink) -> Result<(), CoreError> {
        sink.put(self)
    }
}

/// What is to be kept of one partition.
pub struct Part<'a> {
    /// Its number.
    pub partition: i64,
    /// Of what it is made, for who reads it.
    pub about: &'a str,
    /// The sections with their names.
    pub sections: Vec<(&'a str, &'a dyn Content)>,
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
        let sections = part.sections.iter().map(|(name, content)| add(&transaction, name, *content));
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

fn add(transaction: &Transaction<'_>, name: &str, content: &dyn Content) -> Result<Section, Refusal> {
    let bytes = content.bytes();
    let mut section = Section { name: name.to_owned(), bytes: bytes as u64, checksum: 0, row: 0 };
    for number in 0..section.rows() {
        let left = bytes - number as usize * MOST_IN_A_ROW;
        let empty = ZeroBlob(left.min(MOST_IN_A_ROW) as u64);
        transaction.execute("INSERT INTO section (content) VALUES (?)", [empty])?;
        if number == 0 {
            section.row = transaction.last_insert_rowid();
        }
    }
    let (held, sum) = (Vec::with_capacity(bytes.min(AT_ONCE)), Checksum::default());
    let mut writing = Writing { transaction, first: section.row, size: bytes, at: 0, held, sum, row: None };
    let written = content.write(&mut writing).map_err(|error| Refusal::System(format!("section {name}: {error}")));
    written.and_then(|()| writing.flush())?;
    if writing.at != bytes {
        return Err(Refusal::System(format!("section {name}: it has {} bytes, not {bytes}", writing.at)));
    }
    section.checksum = writing.sum.value();
    Ok(section)
}

/// A section that is being written: little pieces are held until there are enough of them.
struct Writing<'t> {
    transaction: &'t Transaction<'t>,
    first: i64,
    size: usize,
    at: usize,
    held: Vec<u8>,
    sum: Checksum,
    /// The row that is written, and its number among those of the section.
    row: Option<(usize, Blob<'t>)>,
}

impl Writing<'_> {
    fn flush(&mut self) -> Result<(), Refusal> {
        let held = std::mem::take(&mut self.held);
        self.give(&held)?;
        self.held = held;
        self.held.clear();
        Ok(())
    }

    fn give(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        if bytes.len() > self.size - self.at {
            return Err(Refusal::System(format!("it has more than {} bytes", self.size)));
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let (number, in_row) = (self.at / MOST_IN_A_ROW, self.at % MOST_IN_A_ROW);
            let part;
            (part, rest) = rest.split_at(rest.len().min(MOST_IN_A_ROW - in_row));
            if self.row.as_ref().is_none_or(|(open, _)| *open != number) {
                let row = self.first + number as i64;
                self.row = Some((number, self.transaction.blob_open("main", "section", "content", row, false)?));
            }
            if let Some((_, blob)) = &mut self.row {
                blob.write_at(part, in_row)?;
            }
            self.sum.add(part);
            self.at += part.len();
        }
        Ok(())
    }
}

impl Sink for Writing<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), CoreError> {
        let failed = |refusal: Refusal| CoreError::Engine(refusal.to_string());
        if self.held.len() + bytes.len() > AT_ONCE {
            self.flush().map_err(failed)?;
        }
        if bytes.len() > AT_ONCE {
            return self.give(bytes).map_err(failed);
        }
        self.held.extend_from_slice(bytes);
        Ok(())
    }
}
