//! Random numbers as hashes of their purpose, so that no draw depends on the order of events.

/// The purposes of draws.
#[derive(Debug, Clone, Copy)]
pub(super) enum DrawPurpose {
    /// The delay before a job runs.
    Pending = 1,
    /// The run time of a job.
    RunTime = 2,
    /// The delay before a preempted job is submitted again.
    Resubmission = 3,
    /// Whether a round evicts the jobs of a node.
    Eviction = 32,
}

/// Draws a number from 0 to below 1 for a template, a number of its jobs, and an attempt.
pub(super) fn draw(
    seed: u64,
    purpose: DrawPurpose,
    (template, number, attempt): (usize, u32, u32),
) -> f64 {
    uniform(seed, purpose, [template as u64, u64::from(number), u64::from(attempt)])
}

/// Draws a number from 0 to below 1 for a node and the number of a round.
pub(super) fn draw_for_node(seed: u64, purpose: DrawPurpose, node: &str, round: u64) -> f64 {
    let name = node.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)));
    uniform(seed, purpose, [name, round, 0])
}

#[expect(clippy::cast_precision_loss, reason = "53 bits")]
fn uniform(seed: u64, purpose: DrawPurpose, parts: [u64; 3]) -> f64 {
    // The mantissa of a float has 53 bits, so the upper 53 bits of the hash are used.
    const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;
    let parts = [purpose as u64].into_iter().chain(parts);
    let hash = parts.fold(mix(seed), |hash, part| mix(hash ^ mix(part)));
    (hash >> 11) as f64 * UNIT
}

/// Applies the finalizer of splitmix64, which makes every bit of the result depend on every bit of the
/// number.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
