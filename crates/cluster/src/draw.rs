//! Random numbers as hashes of their purpose, so that no draw depends on the order of events.

/// The purposes of draws. A number is never given to another purpose: all reports would change.
#[derive(Debug, Clone, Copy)]
pub(super) enum DrawPurpose {
    /// The delay before a job runs.
    Pending = 1,
    /// The run time of a job.
    RunTime = 2,
    /// The delay before a preempted job is submitted again.
    Resubmission = 3,
    /// The probability that an attempt of a job fails by a cause, once a job.
    FailureProbability = 4,
    /// Whether an attempt fails by a cause.
    Failure = 5,
    /// When an attempt fails by a cause.
    FailureTime = 6,
    /// The memory that a job needs, once a job.
    MemoryNeed = 7,
    /// Whether a cause sticks to the node of an attempt.
    Stickiness = 8,
    /// When a cause that sticks to a node fails a later attempt.
    FailureAgain = 9,
    /// When a GPU of an attempt fails.
    GpuFailure = 10,
    /// When the pod of a preempted attempt is gone.
    Exit = 11,
    /// Whether a round evicts the jobs of a node.
    Eviction = 32,
    /// The time until a node fails.
    NodeUp = 33,
    /// The time until a failed node is repaired.
    NodeRepair = 34,
    /// Which nodes fail more often than others.
    Lemon = 35,
    /// The time from one loss of spot nodes to the next.
    SpotLoss = 36,
    /// The number of nodes of such a loss.
    SpotNumber = 37,
    /// Which nodes are lost.
    SpotNode = 38,
    /// The time until a lost node is replaced.
    Replacement = 39,
}

/// The subject of a draw: up to three numbers, such as the key of a template, a job's number and an attempt.
pub(super) type DrawSubject = [u64; 3];

/// Returns the key of a name in the subjects of draws.
pub(super) fn name_key(name: &str) -> u64 {
    name.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)))
}

/// Draws a number from 0 to below 1.
pub(super) fn draw(seed: u64, purpose: DrawPurpose, subject: DrawSubject) -> f64 {
    Draws::new(seed, purpose, subject).number()
}

/// The random numbers of a purpose and a subject. Most draws take one, those by rejection several.
#[derive(Debug, Clone)]
pub(super) struct Draws {
    next: u64,
}

impl Draws {
    pub(super) fn new(seed: u64, purpose: DrawPurpose, subject: DrawSubject) -> Self {
        let parts = [purpose as u64].into_iter().chain(subject);
        Self { next: parts.fold(mix(seed), |hash, part| mix(hash ^ part)) }
    }

    /// Returns the next number from 0 to below 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits")]
    pub(super) fn number(&mut self) -> f64 {
        // The mantissa of a float has 53 bits, so the upper 53 bits of the hash are used.
        const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;
        let number = (self.next >> 11) as f64 * UNIT;
        self.next = mix(self.next);
        number
    }

    /// Returns the next number above 0, up to 1: its logarithm is finite.
    pub(super) fn positive(&mut self) -> f64 {
        1.0 - self.number()
    }
}

/// Applies the finalizer of splitmix64, which makes every bit of the result depend on every bit of the
/// number.
fn mix(number: u64) -> u64 {
    // The constant is 2^64 divided by the golden ratio, as splitmix64 adds it; the multipliers are its own.
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_is_that_of_the_draw_and_all_are_spread() {
        let mut draws = Draws::new(1, DrawPurpose::Failure, [2, 3, 4]);
        let numbers: Vec<f64> = (0..20_000).map(|_| draws.number()).collect();
        assert_eq!(draw(1, DrawPurpose::Failure, [2, 3, 4]).to_bits(), numbers[0].to_bits());
        for tenth in 0..10_u8 {
            let range = f64::from(tenth) / 10.0..f64::from(tenth + 1) / 10.0;
            let count = numbers.iter().filter(|number| range.contains(number)).count();
            assert!((1850..2150).contains(&count), "{range:?}: {count}");
        }
    }

    #[test]
    fn each_part_of_a_subject_changes_the_draw() {
        let purposes = [DrawPurpose::Pending, DrawPurpose::RunTime, DrawPurpose::NodeUp];
        let subjects = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
        let mut all = std::collections::HashSet::new();
        for (seed, purpose, subject) in (0..4_u64)
            .flat_map(|seed| purposes.map(|purpose| (seed, purpose)))
            .flat_map(|(seed, purpose)| subjects.map(|subject| (seed, purpose, subject)))
        {
            assert!(all.insert(draw(seed, purpose, subject).to_bits()), "{seed} {subject:?}");
        }
        assert_ne!(name_key("a"), name_key("b"));
    }
}
