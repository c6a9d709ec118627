//! Encodes, decodes, checks and canonicalizes without std: if this links, nothing in the crate or below it wants std, a
//! C library or unwinding, and the exit status says whether the bytes are right. Linux on x86-64 only, for the two system
//! calls of an exit; the crate wants neither.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;
use calibor::{Category, Profile, Rule, Value, cbor, from_slice, to_vec};
use core::alloc::{GlobalAlloc, Layout};
use core::arch::{asm, global_asm};
use core::panic::PanicInfo;
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Memory that is given out once and never taken back.
struct Arena;

const ROOM: usize = 1 << 20;

static mut MEMORY: [u8; ROOM] = [0; ROOM];
static USED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every range that is given out lies in `MEMORY`, is aligned as asked, and is given out once, since `USED` only grows.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let base = (&raw mut MEMORY).cast::<u8>();
        let room = layout.size() + layout.align();
        let from = USED.fetch_add(room, Ordering::Relaxed);
        if from + room > ROOM {
            return ptr::null_mut();
        }
        let padding = (base as usize + from).wrapping_neg() & (layout.align() - 1);
        base.wrapping_add(from + padding)
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ARENA: Arena = Arena;

/// The compiled `core` and `alloc` of this target can unwind, and name whom they would ask; nothing here does.
mod unwinding {
    #[unsafe(no_mangle)]
    extern "C" fn rust_eh_personality() {}

    #[unsafe(no_mangle)]
    extern "C" fn _Unwind_Resume() -> ! {
        super::exit(102)
    }
}

/// What compiled code calls without being told to, and a C library has otherwise. The processor's own string
/// instructions, since a loop would be compiled to a call of itself.
mod memory {
    use core::arch::asm;

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
        // SAFETY: the caller's, who gives two ranges of this length.
        unsafe {
            asm!("rep movsb", inout("rcx") len => _, inout("rdi") to => _, inout("rsi") from => _)
        };
        to
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
        if (to as usize).wrapping_sub(from as usize) >= len {
            // SAFETY: the caller's; nothing is overwritten before it is read.
            return unsafe { memcpy(to, from, len) };
        }
        // SAFETY: the caller's; `len` is not 0, and from the end nothing is overwritten before it is read.
        unsafe {
            asm!(
                "std", "rep movsb", "cld",
                inout("rcx") len => _, inout("rdi") to.add(len - 1) => _, inout("rsi") from.add(len - 1) => _,
            );
        }
        to
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memset(to: *mut u8, byte: i32, len: usize) -> *mut u8 {
        // SAFETY: the caller's, who gives a range of this length.
        unsafe {
            asm!("rep stosb", inout("rcx") len => _, inout("rdi") to => _, in("al") byte as u8)
        };
        to
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, len: usize) -> i32 {
        for at in 0..len {
            // SAFETY: the caller's, who gives two ranges of this length.
            let (a, b) = unsafe { (a.add(at).read_volatile(), b.add(at).read_volatile()) };
            if a != b {
                return i32::from(a) - i32::from(b);
            }
        }
        0
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, len: usize) -> i32 {
        // SAFETY: the same.
        unsafe { memcmp(a, b, len) }
    }
}

fn exit(status: i32) -> ! {
    // SAFETY: `exit_group` takes a number and does not return.
    unsafe { asm!("syscall", in("rax") 231, in("rdi") status, options(noreturn)) }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    exit(101)
}

// The stack is aligned to 16 bytes here, and a function wants it so at its call.
global_asm!(".globl _start", "_start:", "xor ebp, ebp", "call {start}", start = sym start);

extern "C" fn start() -> ! {
    exit(steps().err().unwrap_or(0))
}

/// The number of the first step that goes wrong.
fn steps() -> Result<(), i32> {
    let value = cbor!({ "b" => [1, 1.5, null], "a" => b"xyz" });
    // {"a": h'78797a', "b": [1, 1.5, null]}
    let wire = b"\xa2\x61a\x43xyz\x61b\x83\x01\xf9\x3e\x00\xf6";
    let holds = |step, holds| if holds { Ok(()) } else { Err(step) };
    holds(1, to_vec(&value).is_ok_and(|bytes| bytes == wire))?;
    holds(2, from_slice::<Value>(wire).is_ok_and(|read| read == value))?;
    holds(3, Profile::CORE.check(wire).is_ok())?;
    let long = Profile::CORE.check(b"\x18\x01");
    holds(4, long.is_err_and(|error| error.rule() == Some(Rule::LongHead)))?;
    holds(5, Profile::CORE.violations(b"\x82\x18\x01\x18\x02").count() == 2)?;
    holds(
        6,
        Profile::CORE.canonicalize(b"\xbf\x18\x01\x02\xff").is_ok_and(|it| it == b"\xa1\x01\x02"),
    )?;
    let cut = from_slice::<Vec<u8>>(b"\x82\x01");
    holds(7, cut.is_err_and(|error| error.category() == Category::Eof))
}
