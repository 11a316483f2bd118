//! Large pages for the rows, where the system gives them only to who asks (Linux with `madvise`).
//!
//! A scan of tens of megabytes otherwise waits for the translation of every 4 KiB. numpy asks in the same way for its
//! arrays. This is advice: nothing but time depends on it, and on other systems nothing is asked.

/// Bytes from which on it is asked, as numpy does.
#[cfg(target_os = "linux")]
const WORTH_IT: usize = 1 << 22;

/// Asks for large pages under the whole capacity of `values`, best before it is filled.
#[cfg(target_os = "linux")]
pub(crate) fn advise<T>(values: &Vec<T>) {
    // The smallest page there is; addresses between the first and the last page border belong to `values` alone.
    const PAGE: usize = 1 << 12;
    let start = (values.as_ptr() as usize).next_multiple_of(PAGE);
    let end = (values.as_ptr() as usize + values.capacity() * size_of::<T>()) / PAGE * PAGE;
    if end.saturating_sub(start) >= WORTH_IT {
        // SAFETY: the range is within an allocation that is alive, and MADV_HUGEPAGE changes neither its contents nor
        // its protection. A kernel that does not take the advice answers with an error, which is of no consequence.
        let _ = unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
    }
}

/// Elsewhere nothing is asked.
#[cfg(not(target_os = "linux"))]
pub(crate) fn advise<T>(_values: &Vec<T>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_changes_no_content() {
        for bytes in [0, 1, 5000, (1 << 22) + 9000, 1 << 24] {
            let mut values: Vec<u8> = Vec::with_capacity(bytes);
            values.extend((0..bytes / 2).map(|i| i as u8));
            advise(&values);
            assert!(values.iter().enumerate().all(|(i, &value)| value == i as u8));
            values.resize(bytes, 7);
            assert!(values[bytes / 2..].iter().all(|&value| value == 7));
        }
    }
}
