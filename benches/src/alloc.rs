//! What needs `unsafe`: an allocator that counts, and the C library's memory and clock. Nowhere else is any.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// The system's allocator with counters, which cost one branch while they are off.
pub struct Counting;

static ON: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// What a piece of work asked of the allocator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Calls of `alloc` and `realloc`.
    pub calls: usize,
    /// The most bytes that were in use at once, beyond those before.
    pub peak: usize,
}

/// Counts what `work` allocates. One thread only: the counters are not exact with more.
pub fn count(work: impl FnOnce()) -> Use {
    CALLS.store(0, Relaxed);
    LIVE.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    ON.store(true, Relaxed);
    work();
    ON.store(false, Relaxed);
    Use { calls: CALLS.load(Relaxed), peak: PEAK.load(Relaxed) }
}

#[cold]
#[inline(never)]
fn grown(bytes: usize) {
    CALLS.store(CALLS.load(Relaxed) + 1, Relaxed);
    let live = LIVE.load(Relaxed).wrapping_add(bytes);
    LIVE.store(live, Relaxed);
    // Memory from before the count began may be given back: `live` can be below zero.
    if live.cast_signed() > PEAK.load(Relaxed).cast_signed() {
        PEAK.store(live, Relaxed);
    }
}

#[cold]
#[inline(never)]
fn shrunk(bytes: usize) {
    LIVE.store(LIVE.load(Relaxed).wrapping_sub(bytes), Relaxed);
}

// SAFETY: every call goes to `System` as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if ON.load(Relaxed) {
            grown(layout.size());
        }
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if ON.load(Relaxed) {
            grown(layout.size());
        }
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        if ON.load(Relaxed) {
            shrunk(layout.size());
        }
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if ON.load(Relaxed) {
            // In place or not is not known here: counted as if in place.
            grown(size.wrapping_sub(layout.size()));
        }
        unsafe { System.realloc(ptr, layout, size) }
    }
}

/// Tells the C library to keep freed memory, so that a sample does not measure how the kernel hands out pages.
pub fn keep_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn mallopt(parameter: i32, value: i32) -> i32;
        }
        const M_TRIM_THRESHOLD: i32 = -1;
        const M_TOP_PAD: i32 = -2;
        const M_MMAP_MAX: i32 = -4;
        // SAFETY: declared as the C library has it; called before any other thread exists.
        unsafe {
            mallopt(M_MMAP_MAX, 0);
            mallopt(M_TRIM_THRESHOLD, i32::MAX);
            mallopt(M_TOP_PAD, 64 << 20);
        }
    }
}

/// Seconds of processor time that this thread has had: what others take of the machine is not counted, as long as
/// they take whole turns. Where there is no such clock, seconds.
pub fn now() -> f64 {
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    {
        #[repr(C)]
        struct Timespec {
            seconds: i64,
            nanoseconds: i64,
        }
        unsafe extern "C" {
            fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
        }
        const CLOCK_THREAD_CPUTIME_ID: i32 = 3;
        let mut time = Timespec { seconds: 0, nanoseconds: 0 };
        // SAFETY: declared as the C library has it for targets of 64 bits; `time` outlives the call.
        let failed = unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &raw mut time) } != 0;
        if !failed {
            return time.seconds as f64 + time.nanoseconds as f64 * 1e-9;
        }
    }
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
