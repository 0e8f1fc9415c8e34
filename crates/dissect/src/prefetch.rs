//! Memory asked for before it is needed.
//!
//! With many connections open, nearly every segment's connection has left the
//! caches since its last one. Asked for some segments ahead, it arrives while those
//! before are dealt with.

/// Bytes of a cache line on all common machines.
pub const LINE: usize = 64;

/// Asks for the lines of `value` from byte `from` to before byte `to`. Without effect but on
/// time.
#[inline]
#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "the instruction takes a pointer and has no safe form"
)]
pub fn prefetch<T>(value: &T, from: usize, to: usize) {
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
pub fn prefetch<T>(_value: &T, _from: usize, _to: usize) {}
