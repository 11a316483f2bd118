//! Reading what a snapshot has of a partition.

use std::path::{Path, PathBuf};

use rusqlite::blob::Blob;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior};

use super::{Contents, MOST_IN_A_ROW, Refusal, Section, check_file, check_header, check_seal, unsealed};
use crate::CoreError;
use crate::hash::Checksum;
use crate::sealed::Source;

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
    /// As [`Kept::read_each`].
    pub fn read(&self, names: &[&str]) -> Result<Vec<(String, Vec<u8>)>, Refusal> {
        let mut found = Vec::new();
        self.read_each(names, |name, source| {
            let mut bytes = vec![0; source.left()];
            crate::pages::advise(&bytes);
            source.fill(&mut bytes)?;
            found.push((name.to_owned(), bytes));
            Ok(())
        })?;
        Ok(found)
    }

    /// Gives some sections by their names to who makes something of them; a name that it has not is passed over.
    ///
    /// Whether a section is what was written is known when it has been read to its end: what was made of another is
    /// of no use. Several threads may read.
    ///
    /// # Errors
    /// [`Refusal`], for what changed since it was opened, too, and for what nothing can be made of.
    pub fn read_each(
        &self,
        names: &[&str],
        mut take: impl FnMut(&str, &mut dyn Source) -> Result<(), CoreError>,
    ) -> Result<(), Refusal> {
        let length = check_file(&self.path)?;
        let wanted = || self.contents.sections.iter().filter(|section| names.contains(&section.name.as_str()));
        let total = wanted().try_fold(0_u64, |sum, section| sum.checked_add(section.bytes));
        if total.is_none_or(|total| total > length) {
            return Err(Refusal::Damaged("it is shorter than its sections".to_owned()));
        }
        let mut connection = connect(&self.path)?;
        let transaction = begin(&mut connection)?;
        for section in wanted() {
            let mut reading = Reading::new(&transaction, section)?;
            let taken = take(&section.name, &mut reading);
            reading.end(taken)?;
        }
        Ok(())
    }
}

/// A section that is being read.
struct Reading<'t> {
    transaction: &'t Transaction<'t>,
    section: &'t Section,
    size: usize,
    at: usize,
    sum: Checksum,
    /// The row that is read, and its number among those of the section.
    row: Option<(usize, Blob<'t>)>,
    refused: Option<Refusal>,
}

impl<'t> Reading<'t> {
    fn new(transaction: &'t Transaction<'t>, section: &'t Section) -> Result<Self, Refusal> {
        let size = usize::try_from(section.bytes).map_err(|_| section.damaged("it is too large"))?;
        Ok(Self { transaction, section, size, at: 0, sum: Checksum::default(), row: None, refused: None })
    }

    /// What was made of the section, if it was read to its end and is what was written.
    fn end(self, taken: Result<(), CoreError>) -> Result<(), Refusal> {
        if let Some(refused) = self.refused {
            return Err(refused);
        }
        if self.at == self.size && self.sum.value() != self.section.checksum {
            return Err(self.section.damaged("its checksum is another"));
        }
        taken.map_err(|error| self.section.damaged(&error.to_string()))?;
        if self.at == self.size { Ok(()) } else { Err(self.section.damaged("it was not read to its end")) }
    }

    /// The row where reading stands.
    fn blob(&mut self) -> Result<&Blob<'t>, Refusal> {
        let number = self.at / MOST_IN_A_ROW;
        if self.row.as_ref().is_none_or(|(open, _)| *open != number) {
            self.row = None;
            let row = self.section.row + number as i64;
            let blob = self.transaction.blob_open("main", "section", "content", row, true)?;
            if blob.len() != MOST_IN_A_ROW.min(self.size - number * MOST_IN_A_ROW) {
                return Err(self.section.damaged("it has another length"));
            }
            self.row = Some((number, blob));
        }
        self.row.as_ref().map(|(_, blob)| blob).ok_or(Refusal::Missing)
    }

    fn read(&mut self, mut into: &mut [u8]) -> Result<(), Refusal> {
        while !into.is_empty() {
            let in_row = self.at % MOST_IN_A_ROW;
            // Up to where a page ends, so that the next piece begins with one.
            let many = into.len().min(AT_ONCE - in_row % AT_ONCE).min(MOST_IN_A_ROW - in_row);
            let piece;
            (piece, into) = into.split_at_mut(many);
            self.blob()?.read_at_exact(piece, in_row)?;
            self.sum.add(piece);
            self.at += many;
        }
        Ok(())
    }
}

impl Source for Reading<'_> {
    fn left(&self) -> usize {
        self.size - self.at
    }

    fn fill(&mut self, into: &mut [u8]) -> Result<(), CoreError> {
        if into.len() > self.left() {
            return Err(CoreError::Corrupt { what: "section", reason: "it ends too early".to_owned() });
        }
        self.read(into).map_err(|refusal| {
            let reason = refusal.to_string();
            self.refused = Some(refusal);
            CoreError::Corrupt { what: "section", reason }
        })
    }
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
