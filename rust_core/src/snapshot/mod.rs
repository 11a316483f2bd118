//! The engine snapshot: what a store's engines hold, in one SQLite file of its own beside the database.
//!
//! It is derived, and worth nothing without the store: each partition has named sections of bytes with a checksum of 64
//! bits, and a text that says of what they were made, which is for others to judge. Whatever is missing, locked, cut
//! off, changed, of another program, another store or another version is refused, with the reason. No page reaches
//! another file: there is neither a journal nor a log. So a writer that is killed leaves a file without a seal, which
//! nobody reads, and who removes something writes zeros over the whole file before it goes.
//!
//! Writing and erasing want that nobody else does so meanwhile; readers may come at any time.

mod erase;
mod read;
mod write;

use std::fmt;
use std::path::Path;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

pub use erase::erase;
pub use read::{Kept, kept, open};
pub use write::{Content, Part, write};

use crate::hash::checksum;

/// The layout that this crate writes, and the only one it reads.
pub const FORMAT: u32 = 2;
/// How SQLite's header says whose the file is: "meme", the database itself being "memc".
const APPLICATION_ID: i32 = 0x6d65_6d65;
/// `user_version` of a file that was written to its end.
const SEALED: i32 = 1;
/// The most bytes of a section that lie in one row.
const MOST_IN_A_ROW: usize = 1 << 26;

/// Why there is no snapshot to be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such file, or no such partition in it.
    Missing,
    /// Somebody writes it.
    Locked,
    /// It is no regular file, of another program, or nobody wrote it to its end.
    NotOurs(String),
    /// It was written by another version, or for another store.
    Other(String),
    /// It is not what was written.
    Damaged(String),
    /// The system does not let it be read or written.
    System(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => write!(f, "there is none"),
            Self::Locked => write!(f, "it is being written"),
            Self::NotOurs(reason) | Self::Other(reason) | Self::Damaged(reason) | Self::System(reason) => {
                write!(f, "{reason}")
            }
        }
    }
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        #[allow(clippy::wildcard_enum_match_arm)]
        match error.sqlite_error_code() {
            Some(Code::DatabaseBusy | Code::DatabaseLocked | Code::FileLockingProtocolFailed) => Self::Locked,
            Some(
                Code::PermissionDenied | Code::ReadOnly | Code::DiskFull | Code::CannotOpen | Code::SystemIoFailure,
            ) => Self::System(error.to_string()),
            _ => Self::Damaged(error.to_string()),
        }
    }
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::NotFound { Self::Missing } else { Self::System(error.to_string()) }
    }
}

/// What the whole file was made by and for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    format: u32,
    core: String,
    analyzer: u32,
    little_endian: bool,
    store: String,
}

impl Header {
    fn of(store: &str) -> Self {
        Self {
            format: FORMAT,
            core: env!("CARGO_PKG_VERSION").to_owned(),
            analyzer: crate::lexical::ANALYZER_VERSION,
            little_endian: cfg!(target_endian = "little"),
            store: store.to_owned(),
        }
    }
}

/// What there is of a partition: of what it was made, and its sections in the order of their rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Contents {
    about: String,
    sections: Vec<Section>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Section {
    name: String,
    bytes: u64,
    checksum: u64,
    /// The number of its first row; a long section has several in order.
    row: i64,
}

impl Section {
    fn rows(&self) -> i64 {
        self.bytes.div_ceil(MOST_IN_A_ROW as u64).max(1) as i64
    }

    fn damaged(&self, reason: &str) -> Refusal {
        Refusal::Damaged(format!("section {}: {reason}", self.name))
    }
}

/// A value as JSON behind its checksum.
fn sealed<T: Serialize>(value: &T) -> Result<Vec<u8>, Refusal> {
    let json = serde_json::to_vec(value).map_err(|error| Refusal::System(error.to_string()))?;
    let mut bytes = checksum(&json).to_le_bytes().to_vec();
    bytes.extend_from_slice(&json);
    Ok(bytes)
}

/// The value that was sealed.
fn unsealed<T: for<'de> Deserialize<'de>>(bytes: &[u8], what: &str) -> Result<T, Refusal> {
    let damaged = |reason: &str| Refusal::Damaged(format!("{what}: {reason}"));
    let (sum, json) = bytes.split_at_checked(8).ok_or_else(|| damaged("it is cut off"))?;
    if sum != checksum(json).to_le_bytes() {
        return Err(damaged("its checksum is another"));
    }
    serde_json::from_slice(json).map_err(|error| damaged(&error.to_string()))
}

/// Refuses what is no regular file; a link is none of ours, wherever it leads.
fn check_file(path: &Path) -> Result<u64, Refusal> {
    let found = path.symlink_metadata()?;
    if found.is_file() { Ok(found.len()) } else { Err(Refusal::NotOurs("it is no regular file".to_owned())) }
}

/// Refuses a file of another program, and one that nobody wrote to its end.
fn check_seal(connection: &Connection) -> Result<(), Refusal> {
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    if pragma("application_id")? != APPLICATION_ID {
        return Err(Refusal::NotOurs("it belongs to another program".to_owned()));
    }
    if pragma("user_version")? != SEALED {
        return Err(Refusal::NotOurs("nobody wrote it to its end".to_owned()));
    }
    Ok(())
}

/// Refuses what another version wrote, or wrote for another store.
fn check_header(connection: &Connection, store: &str) -> Result<(), Refusal> {
    let bytes: Vec<u8> = connection.query_row("SELECT content FROM header WHERE id = 1", [], |row| row.get(0))?;
    let (found, wanted): (Header, _) = (unsealed(&bytes, "header")?, Header::of(store));
    if found.store != wanted.store {
        return Err(Refusal::Other("it was written for another store".to_owned()));
    }
    if found != wanted {
        let version = |one: &Header| format!("format {}, core {}, analyzer {}", one.format, one.core, one.analyzer);
        return Err(Refusal::Other(format!("it has {}, where {} is read", version(&found), version(&wanted))));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
