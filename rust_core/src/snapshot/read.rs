//! Reading what a snapshot has of a partition.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior};

use super::{Contents, MOST_IN_A_ROW, Refusal, Section, check_file, check_header, check_seal, unsealed};
use crate::hash::checksum;

/// Bytes from which on two threads read.
const WORTH_A_THREAD: u64 = 1 << 22;

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

    /// Every section by its name, each checked.
    ///
    /// # Errors
    /// [`Refusal`], for what changed since it was opened, too.
    pub fn read(&self) -> Result<Vec<(String, Vec<u8>)>, Refusal> {
        let length = check_file(&self.path)?;
        let sections = &self.contents.sections;
        let total = sections.iter().try_fold(0_u64, |sum, one| sum.checked_add(one.bytes));
        let total = total.filter(|total| *total <= length);
        let total = total.ok_or_else(|| Refusal::Damaged("it is shorter than its sections".to_owned()))?;
        if total < WORTH_A_THREAD {
            return self.some(&sections.iter().collect::<Vec<_>>());
        }
        let mut ordered: Vec<&Section> = sections.iter().collect();
        ordered.sort_by_key(|section| std::cmp::Reverse(section.bytes));
        let mut halves: [(u64, Vec<&Section>); 2] = Default::default();
        for section in ordered {
            let lighter = usize::from(halves[1].0 < halves[0].0);
            halves[lighter].0 += section.bytes;
            halves[lighter].1.push(section);
        }
        let [(_, first), (_, second)] = &halves;
        let (first, second) = std::thread::scope(|scope| {
            let other = scope.spawn(|| self.some(second));
            let own = self.some(first);
            let other = other.join().unwrap_or_else(|_| Err(Refusal::System("a thread ended".to_owned())));
            (own, other)
        });
        Ok(first?.into_iter().chain(second?).collect())
    }

    fn some(&self, sections: &[&Section]) -> Result<Vec<(String, Vec<u8>)>, Refusal> {
        let mut connection = connect(&self.path)?;
        let transaction = begin(&mut connection)?;
        sections.iter().map(|section| Ok((section.name.clone(), one(&transaction, section)?))).collect()
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
    for (row, part) in rows.zip(bytes.chunks_mut(MOST_IN_A_ROW)) {
        let blob = transaction.blob_open("main", "section", "content", row, true)?;
        if blob.len() != part.len() {
            return Err(damaged("it has another length"));
        }
        blob.read_at_exact(part, 0)?;
    }
    if checksum(&bytes) == section.checksum { Ok(bytes) } else { Err(damaged("its checksum is another")) }
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
