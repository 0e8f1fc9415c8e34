//! Memory asked for before it is needed.
//!
//! With many connections open, nearly every segment's connection has left the
//! caches since its last one. Asked for some segments ahead, it arrives while those
//! before are dealt with. What cannot be asked for ahead is where an address lies in
//! memory, which the processor remembers of a few thousand pages; so pages are large.

/// Bytes of a cache line on all common machines.
pub(super) const LINE: usize = 64;

/// Asks for the lines of `value` from byte `from` to before byte `to`. Without effect but on
/// time.
#[inline]
#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "the instruction takes a pointer and has no safe form"
)]
pub(super) fn prefetch<T>(value: &T, from: usize, to: usize) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let start = std::ptr::from_ref(value).cast::<i8>();
    for offset in (from..to).step_by(LINE) {
        // SAFETY: a prefetch reads nothing and faults nowhere, whatever the address; every
        // x86-64 processor has SSE, of which it is part.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(offset)) };
    }
}

/// Other processors do without.
#[inline]
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn prefetch<T>(_value: &T, _from: usize, _to: usize) {}

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
