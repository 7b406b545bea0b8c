//! Room for recursion over a deep tree.
//!
//! Our own passes do not recurse, but those of `regex-syntax` and
//! `regex-automata` do, and Go lets a pattern nest 1000 levels.

use std::thread;

/// Nesting from which on work is done on a stack of its own. Without
/// optimisation a level takes up to 10 KiB.
const DEEP: u32 = 16;

/// That stack, in bytes: enough for the deepest tree. Memory is taken only as it
/// is used.
const STACK: usize = 64 << 20;

/// Runs `work`, which recurses over a tree of this height; none if there is no
/// stack to be had for it.
pub(super) fn with_room<T: Send>(height: u32, work: impl FnOnce() -> T + Send) -> Option<T> {
    if height < DEEP {
        return Some(work());
    }
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()?;
        worker.join().ok()
    })
}
