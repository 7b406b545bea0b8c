//! Checkpoints: how much of its work an attempt keeps when it fails.

use super::super::spec::Nanoseconds;

/// How a job saves its progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    /// The work between two saves; above 0.
    pub interval: Nanoseconds,
    /// The time that a save takes.
    pub cost: Nanoseconds,
    /// The time that a start from a save takes.
    pub restart: Nanoseconds,
}

/// The parts of an attempt's running time; their sum is the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Work that the attempt saved or completed.
    pub kept: Nanoseconds,
    /// Completed saves and restarts.
    pub overhead: Nanoseconds,
    /// Work since the last save, and a save or restart that was not completed.
    pub lost: Nanoseconds,
}

impl Checkpoint {
    /// Returns the number of saves in some work: none at its end.
    fn saves(self, work: Nanoseconds) -> Nanoseconds {
        // The end of the work needs no save, hence one less; an interval of 0 would divide by 0.
        (work - 1).max(0) / self.interval.max(1)
    }

    /// Returns the running time of an attempt that completes this work.
    pub(crate) fn duration(
        checkpoint: Option<Self>,
        work: Nanoseconds,
        is_restart: bool,
    ) -> Nanoseconds {
        let Some(checkpoint) = checkpoint else { return work };
        let saves = checkpoint.saves(work).saturating_mul(checkpoint.cost);
        work.saturating_add(saves).saturating_add(checkpoint.restart_time(is_restart))
    }

    fn restart_time(self, is_restart: bool) -> Nanoseconds {
        if is_restart { self.restart } else { 0 }
    }

    /// Returns the parts of an attempt that ran for a time and did not complete this work.
    pub(crate) fn progress(
        checkpoint: Option<Self>,
        work: Nanoseconds,
        is_restart: bool,
        elapsed: Nanoseconds,
    ) -> Progress {
        let none = Progress { lost: elapsed, ..Progress::default() };
        let Some(checkpoint) = checkpoint else { return none };
        let restart = checkpoint.restart_time(is_restart);
        if elapsed < restart {
            return none;
        }
        let step = checkpoint.interval.max(1).saturating_add(checkpoint.cost);
        // No more saves than the work has, however long the attempt ran.
        let saves = ((elapsed - restart) / step).min(checkpoint.saves(work));
        let (kept, overhead) = (saves * checkpoint.interval, restart + saves * checkpoint.cost);
        Progress { kept, overhead, lost: elapsed - kept - overhead }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Runs an attempt millisecond by millisecond.
    fn run(checkpoint: Checkpoint, work: i64, is_restart: bool, elapsed: i64) -> (Progress, bool) {
        let (mut kept, mut overhead, mut lost) = (0, 0, 0);
        let (mut done, mut restart, mut save) =
            (0, if is_restart { checkpoint.restart } else { 0 }, 0);
        let mut since_save = 0;
        for _ in 0..elapsed {
            if restart > 0 {
                restart -= 1;
                lost += 1;
                if restart == 0 {
                    (overhead, lost) = (overhead + lost, 0);
                }
            } else if save > 0 {
                save -= 1;
                lost += 1;
                if save == 0 {
                    (kept, overhead) = (kept + since_save, overhead + lost - since_save);
                    (lost, since_save) = (0, 0);
                }
            } else {
                done += 1;
                lost += 1;
                since_save += 1;
                if since_save == checkpoint.interval && done < work {
                    save = checkpoint.cost;
                    if save == 0 {
                        kept += since_save;
                        (lost, since_save) = (0, 0);
                    }
                }
                if done == work {
                    return (Progress { kept, overhead, lost }, true);
                }
            }
        }
        (Progress { kept, overhead, lost }, false)
    }

    proptest! {
        #[test]
        fn progress_is_that_of_a_run_step_by_step(
            (interval, cost, restart) in (1..20_i64, 0..5_i64, 0..5_i64),
            (work, is_restart, elapsed) in (1..100_i64, any::<bool>(), 0..200_i64),
        ) {
            let checkpoint = Checkpoint { interval, cost, restart };
            let (expected, is_done) = run(checkpoint, work, is_restart, elapsed);
            let duration = Checkpoint::duration(Some(checkpoint), work, is_restart);
            prop_assert_eq!(is_done, elapsed >= duration);
            if !is_done {
                let progress = Checkpoint::progress(Some(checkpoint), work, is_restart, elapsed);
                prop_assert_eq!(progress, expected);
                prop_assert_eq!(progress.kept + progress.overhead + progress.lost, elapsed);
            }
        }
    }
}
