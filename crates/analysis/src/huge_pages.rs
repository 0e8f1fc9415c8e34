//! Memory in large pages.
//!
//! What cannot be asked for ahead (see [`dissect::prefetch`]) is where an address lies in memory,
//! which the processor remembers of a few thousand pages; so pages are large.

/// Asks the system to put `count` values from `first` on, used or not yet, into huge pages: all of
/// a piece of memory that is the caller's.
#[cfg(all(target_os = "linux", not(miri)))]
#[expect(unsafe_code, reason = "the system call takes a pointer")]
pub(super) fn ask_for_huge_pages<T>(first: *const T, count: usize) {
    /// The smallest there are: the call wants whole pages.
    const PAGE: usize = 4096;
    let start = first as usize;
    let end = start + count * size_of::<T>();
    let (start, end) = (start.next_multiple_of(PAGE), end - end % PAGE);
    if start < end {
        // SAFETY: the range lies within an allocation that is ours, and the advice changes
        // neither its contents nor its protection. Refusal costs time only.
        unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
    }
}

/// Other systems decide by themselves, and Miri has no pages.
#[cfg(any(not(target_os = "linux"), miri))]
pub(super) fn ask_for_huge_pages<T>(_first: *const T, _count: usize) {}
