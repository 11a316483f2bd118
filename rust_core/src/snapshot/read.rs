//! Reading what a snapshot has of a partition.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior};

use super::{Contents, MOST_IN_A_ROW, Refusal, Section, check_file, check_header, check_seal, unsealed};
use crate::hash::Checksum;

/// Bytes that are summed while they are still near: what sixteen pages have of a section.
const AT_ONCE: usize = 16 * (65_536 - 4);

/// What a snapshot has of one partition, not read yet.
#[derive(Debug)]
pub struct Kept {
    path: PathBuf,
    contents: Contents,
}

/// What `path` has of a partition of a store.
///
/// # Errors
/// [`Refusal`], for whatever reason it has nothing.
pub fn open(path: &Path, store: &str, partition: i64) -> Result<Kept, Refusal> {
    let mut connection = connect(path)?;
    let transaction = begin(&mut connection)?;
    check_header(&transaction, store)?;
    let query = "SELECT content FROM partition WHERE id = ?";
    let found: Option<Vec<u8>> = transaction.query_row(query, [partition], |row| row.get(0)).optional()?;
    let contents = unsealed(&found.ok_or(Refusal::Missing)?, "partition")?;
    Ok(Kept { path: path.to_owned(), contents })
}

/// Of what each partition in `path` was made.
///
/// # Errors
/// [`Refusal`], as [`open`].
pub fn kept(path: &Path, store: &str) -> Result<Vec<(i64, String)>, Refusal> {
    let mut connection = connect(path)?;
    let transaction = begin(&mut connection)?;
    check_header(&transaction, store)?;
    let mut statement = transaction.prepare("SELECT id, content FROM partition ORDER BY id")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?)))?;
    rows.map(|row| {
        let (id, content) = row?;
        Ok((id, unsealed::<Contents>(&content, "partition")?.about))
    })
    .collect()
}

impl Kept {
    /// Of what it was made.
    pub fn about(&self) -> &str {
        &self.contents.about
    }

    /// The names of its sections.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.contents.sections.iter().map(|section| section.name.as_str())
    }

    /// Some sections by their names, each checked; a name that it has not is passed over. Several threads may read.
    ///
    /// # Errors
    /// [`Refusal`], for what changed since it was opened, too.
    pub fn read(&self, names: &[&str]) -> Result<Vec<(String, Vec<u8>)>, Refusal> {
        let length = check_file(&self.path)?;
        let wanted = || self.contents.sections.iter().filter(|section| names.contains(&section.name.as_str()));
        let total = wanted().try_fold(0_u64, |sum, section| sum.checked_add(section.bytes));
        if total.is_none_or(|total| total > length) {
            return Err(Refusal::Damaged("it is shorter than its sections".to_owned()));
        }
        let mut connection = connect(&self.path)?;
        let transaction = begin(&mut connection)?;
        wanted().map(|section| Ok((section.name.clone(), one(&transaction, section)?))).collect()
    }
}

fn one(transaction: &Transaction<'_>, section: &Section) -> Result<Vec<u8>, Refusal> {
    let damaged = |reason: &str| Refusal::Damaged(format!("section {}: {reason}", section.name));
    let size = usize::try_from(section.bytes).map_err(|_| damaged("it is too large"))?;
    let mut bytes = vec![0; size];
    crate::vectors::advise_pages(&bytes);
    let mut rows = section.row..section.row + section.rows();
    if size == 0 {
        rows = 0..0;
    }
    let mut sum = Checksum::default();
    for (row, part) in rows.zip(bytes.chunks_mut(MOST_IN_A_ROW)) {
        let blob = transaction.blob_open("main", "section", "content", row, true)?;
        if blob.len() != part.len() {
            return Err(damaged("it has another length"));
        }
        for (at, piece) in part.chunks_mut(AT_ONCE).enumerate() {
            blob.read_at_exact(piece, at * AT_ONCE)?;
            sum.add(piece);
        }
    }
    if sum.value() == section.checksum { Ok(bytes) } else { Err(damaged("its checksum is another")) }
}

fn connect(path: &Path) -> Result<Connection, Refusal> {
    check_file(path)?;
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(std::time::Duration::ZERO)?;
    connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")?;
    Ok(connection)
}

/// A transaction in which everything is read, so that nobody writes meanwhile.
fn begin(connection: &mut Connection) -> Result<Transaction<'_>, Refusal> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
    check_seal(&transaction)?;
    Ok(transaction)
}
