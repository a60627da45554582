//! What the processor and the system are told of memory before it is used, so that less is waited for. Both are
//! advice: without them everything is as before, but slower.
#![allow(unsafe_code)]

/// Begins to fetch a value into the nearest cache.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: fetching ahead changes nothing and fails nowhere; the instruction belongs to every x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Asks for pages of two mebibytes, which is to be done before the memory is first touched. Where a table is visited
/// at random, the processor otherwise has to look up where nearly every one of its small pages is.
pub(crate) fn in_large_pages<T>(memory: &[T]) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        let start = memory.as_ptr().cast::<u8>();
        let skipped = start.align_offset(PAGE);
        let Some(rest) = size_of_val(memory).checked_sub(skipped) else {
            return;
        };
        if rest >= 2 * LARGE {
            let first = start.wrapping_add(skipped).cast_mut().cast();
            // SAFETY: whole pages of memory that is borrowed; this advice leaves what is in them as it is. A system
            // that knows no such pages refuses it, which is no harm.
            let _ = unsafe { madvise(first, rest / PAGE * PAGE, Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// Bytes of an ordinary page, at most, on the processors that people have.
#[cfg(target_os = "linux")]
const PAGE: usize = 1 << 16;
/// Bytes of a large one.
#[cfg(target_os = "linux")]
const LARGE: usize = 1 << 21;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs::read_to_string;

    /// Whether the system was asked for large pages in the middle of the memory.
    fn asked<T>(memory: &[T]) -> Option<bool> {
        let middle = memory.as_ptr() as usize + size_of_val(memory) / 2;
        let maps = read_to_string("/proc/self/smaps").ok()?;
        let mut here = false;
        for line in maps.lines() {
            let range = line.split(' ').next().and_then(|r| r.split_once('-'));
            let number = |text| usize::from_str_radix(text, 16).ok();
            if let Some((first, end)) = range
                && let (Some(first), Some(end)) = (number(first), number(end))
            {
                here = (first..end).contains(&middle);
            }
            if here && let Some(flags) = line.strip_prefix("VmFlags:") {
                return Some(flags.split(' ').any(|flag| flag == "hg"));
            }
        }
        None
    }

    #[test]
    fn large_memory_is_asked_for_in_large_pages_and_keeps_what_is_in_it() {
        let mut large: Vec<u64> = Vec::with_capacity(2 << 20);
        in_large_pages(large.spare_capacity_mut());
        // A system without large pages refuses.
        if read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").is_ok() {
            assert_eq!(asked(large.spare_capacity_mut()), Some(true));
        }
        large.extend(0..2 << 20);
        in_large_pages(&large);
        assert!(large.iter().enumerate().all(|(i, &n)| i as u64 == n));
        in_large_pages::<u64>(&[]);
        in_large_pages(&large[1..9]);
    }
}
