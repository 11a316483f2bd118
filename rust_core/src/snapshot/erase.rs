//! Erasing a snapshot, so that none of its bytes is left.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

const AT_ONCE: usize = 1 << 20;

/// Writes zeros over the whole file at `path`, has them on the disk, and removes it; whether there was one.
///
/// Whatever the file holds: the name is ours. What is no regular file is none of ours and stays.
///
/// # Errors
/// Those of the system; the file may be there in part.
pub fn erase(path: &Path) -> io::Result<bool> {
    let found = match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        found => found?,
    };
    if !found.is_file() {
        return Ok(false);
    }
    let mut file = OpenOptions::new().write(true).open(path)?;
    let zeros = vec![0; AT_ONCE];
    let mut left = file.metadata()?.len();
    while left > 0 {
        let part = left.min(AT_ONCE as u64);
        file.write_all(&zeros[..part as usize])?;
        left -= part;
    }
    file.sync_all()?;
    std::fs::remove_file(path)?;
    if cfg!(unix)
        && let Some(folder) = path.parent()
    {
        File::open(folder)?.sync_all()?;
    }
    Ok(true)
}
