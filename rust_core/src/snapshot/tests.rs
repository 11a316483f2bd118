use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::CoreError;
use crate::sealed::Sink;

/// A folder of a test, removed behind it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("memcore-snapshot-{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn empty(&self) -> PathBuf {
        let path = self.0.join("a.engine");
        std::fs::write(&path, b"").unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn long() -> Vec<u8> {
    (0..6_000_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn written(path: &Path) -> Vec<(String, Vec<u8>)> {
    let long = long();
    let (none, short, all) = (&b""[..], &b"a few bytes"[..], &long[..]);
    let sections: Vec<(&str, &dyn Content)> = vec![("none", &none), ("short", &short), ("long", &all)];
    write(path, "store", &[Part { partition: 7, about: "about 7", sections }]).unwrap();
    let mut wanted = vec![("none".to_owned(), vec![]), ("short".to_owned(), b"a few bytes".to_vec())];
    wanted.push(("long".to_owned(), long));
    wanted
}

fn read(path: &Path) -> Result<Vec<(String, Vec<u8>)>, Refusal> {
    let mut found = open(path, "store", 7)?.read(&["long", "short", "none", "missing"])?;
    let order = ["none", "short", "long"];
    found.sort_by_key(|(name, _)| order.iter().position(|one| one == name));
    Ok(found)
}

#[test]
fn what_was_written_is_read_and_the_rest_stays_when_a_part_is_written_anew() {
    let folder = Folder::new();
    let path = folder.empty();
    let wanted = written(&path);
    assert_eq!(read(&path).unwrap(), wanted);
    for about in ["first", "second"] {
        write(&path, "store", &[Part { partition: 9, about, sections: vec![("x", &about.as_bytes())] }]).unwrap();
    }
    assert_eq!(kept(&path, "store").unwrap(), [(7, "about 7".to_owned()), (9, "second".to_owned())]);
    assert_eq!(open(&path, "store", 9).unwrap().read(&["x"]).unwrap(), [("x".to_owned(), b"second".to_vec())]);
    assert_eq!(read(&path).unwrap(), wanted);
    assert!(!std::fs::read(&path).unwrap().windows(5).any(|bytes| bytes == b"first"), "overwritten");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1, "no other file");
}

/// Gives another number of bytes than it says.
struct Wrong(usize);

impl Content for Wrong {
    fn bytes(&self) -> usize {
        self.0
    }

    fn write(&self, sink: &mut dyn Sink) -> Result<(), CoreError> {
        sink.put(&[1; 7])
    }
}

#[test]
fn who_gives_other_bytes_than_it_says_leaves_no_seal() {
    for bytes in [3, 9] {
        let folder = Folder::new();
        let path = folder.empty();
        written(&path);
        let wrong = Wrong(bytes);
        let part = Part { partition: 8, about: "", sections: vec![("x", &wrong)] };
        let refused = write(&path, "store", &[part]).unwrap_err();
        assert!(matches!(refused, Refusal::System(_)), "{refused}");
        assert!(matches!(open(&path, "store", 7).unwrap_err(), Refusal::NotOurs(_)));
    }
}

#[test]
fn what_is_made_of_a_section_counts_when_it_was_read_to_its_end() {
    let folder = Folder::new();
    let path = folder.empty();
    written(&path);
    let kept = open(&path, "store", 7).unwrap();
    let mut seen = Vec::new();
    let begun = kept.read_each(&["long"], |name, source| {
        let mut bytes = [0; 100_001];
        source.fill(&mut bytes)?;
        seen.push((name.to_owned(), bytes.to_vec(), source.left()));
        Ok(())
    });
    assert!(matches!(begun.unwrap_err(), Refusal::Damaged(_)));
    assert_eq!(seen, [("long".to_owned(), long()[..100_001].to_vec(), 6_000_000 - 100_001)]);
    let more = kept.read_each(&["short"], |_, source| source.fill(&mut [0; 12]));
    assert!(more.unwrap_err().to_string().contains("too early"));
    let failed = kept.read_each(&["none"], |_, _| Err(CoreError::Engine("no such thing".to_owned())));
    assert!(failed.unwrap_err().to_string().contains("no such thing"));
}

#[test]
fn what_is_missing_of_another_store_or_another_program_is_refused() {
    let folder = Folder::new();
    let path = folder.empty();
    assert_eq!(open(&folder.0.join("b"), "store", 7).unwrap_err(), Refusal::Missing);
    assert!(matches!(open(&folder.0, "store", 7).unwrap_err(), Refusal::NotOurs(_)));
    assert!(matches!(open(&path, "store", 7).unwrap_err(), Refusal::NotOurs(_)), "empty");
    written(&path);
    assert_eq!(open(&path, "store", 8).unwrap_err(), Refusal::Missing);
    assert!(matches!(open(&path, "another", 7).unwrap_err(), Refusal::Other(_)));
    assert!(matches!(write(&path, "another", &[]).unwrap_err(), Refusal::Other(_)));
    Connection::open(&path).unwrap().pragma_update(None, "application_id", 5).unwrap();
    assert!(matches!(open(&path, "store", 7).unwrap_err(), Refusal::NotOurs(_)));
}

#[test]
fn another_version_is_refused() {
    let folder = Folder::new();
    let path = folder.empty();
    written(&path);
    let newer = Header { format: FORMAT + 1, ..Header::of("store") };
    let connection = Connection::open(&path).unwrap();
    connection.execute("UPDATE header SET content = ?", [sealed(&newer).unwrap()]).unwrap();
    drop(connection);
    assert!(matches!(read(&path).unwrap_err(), Refusal::Other(_)));
}

#[test]
fn a_file_without_a_seal_or_under_a_lock_is_refused() {
    let folder = Folder::new();
    let path = folder.empty();
    written(&path);
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("BEGIN EXCLUSIVE").unwrap();
    assert_eq!(read(&path).unwrap_err(), Refusal::Locked);
    connection.execute_batch("COMMIT; PRAGMA user_version = 0").unwrap();
    drop(connection);
    assert!(matches!(read(&path).unwrap_err(), Refusal::NotOurs(_)));
    assert!(matches!(write(&path, "store", &[]).unwrap_err(), Refusal::NotOurs(_)));
}

#[test]
fn cut_or_changed_bytes_are_refused_or_change_nothing() {
    let folder = Folder::new();
    let path = folder.empty();
    let wanted = written(&path);
    let whole = std::fs::read(&path).unwrap();
    for at in [1, 99, 4_000, 65_535, 65_536, 300_000, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..at]).unwrap();
        assert!(read(&path).is_err(), "cut at {at}");
    }
    let mut refused = 0;
    for at in (0..200).map(|at| at * whole.len() / 200).chain(0..200) {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        std::fs::write(&path, &changed).unwrap();
        match read(&path) {
            Ok(found) => assert_eq!(found, wanted, "changed at {at}"),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 150, "{refused}");
}

#[test]
fn an_erased_file_is_gone_and_its_bytes_are_zeros() {
    let folder = Folder::new();
    let path = folder.empty();
    written(&path);
    let same = folder.0.join("same");
    std::fs::hard_link(&path, &same).unwrap();
    assert!(erase(&path).unwrap());
    assert!(!path.exists());
    assert!(std::fs::read(&same).unwrap().iter().all(|byte| *byte == 0));
    assert!(!erase(&path).unwrap());
    assert!(!erase(&folder.0).unwrap(), "a folder is none of ours");
}
