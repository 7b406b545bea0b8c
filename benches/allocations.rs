//! Decisions ask for no memory once they are warm: counts what 100,000 of them ask for, at 5, 20
//! and 100 rules. The only file with unsafe code, since an allocator cannot be counted without.

mod support {
    pub mod draw;
    pub mod naive;
    pub mod patterns;
    pub mod policies;
    pub mod runs;
    pub mod worlds;
}

use armada_retry::engine::{JobState, Scratch};
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use support::worlds::{History, SIZES, World};

static ASKED: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, counted.
struct Counting;

#[expect(unsafe_code, reason = "a global allocator cannot be written without")]
// SAFETY: every call is handed on as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is the one that is asked for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const DECISIONS: usize = 100_000;

/// The allocations of so many decisions, each from the record as it was read.
fn allocations(world: &World<'_>, decisions: usize) -> u64 {
    let mut scratch = Scratch::default();
    let rounds = decisions.div_ceil(world.runs.len());
    // Every round has fresh jobs, made before anything is counted.
    let mut states: Vec<Vec<JobState>> = (0..=rounds).map(|_| world.states()).collect();
    let mut decide = |states: &mut Vec<JobState>| {
        for (job, run) in &world.runs {
            let job = &mut states[*job];
            black_box(&world.evaluator.decide(job, run.ended(), None, &mut scratch));
        }
    };
    let (warm, counted) = states.split_at_mut(1);
    warm.iter_mut().for_each(&mut decide);
    let before = ASKED.load(Ordering::Relaxed);
    counted.iter_mut().for_each(&mut decide);
    ASKED.load(Ordering::Relaxed) - before
}

#[expect(clippy::print_stdout, reason = "a benchmark reports")]
fn main() -> ExitCode {
    let history = History::generate();
    let mut all = 0;
    for size in SIZES {
        let worlds = history.worlds(size);
        for world in &worlds {
            world.compare();
        }
        let each = DECISIONS / worlds.len();
        let asked: u64 = worlds.iter().map(|world| allocations(world, each)).sum();
        println!("allocations-{size}: {asked} in at least {DECISIONS} decisions");
        all += asked;
    }
    if all == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
