//! The keys of lines and of their containers.
//!
//! Owns their names, and that an object has each of them once.

/// The key of an entry.
pub(super) enum Name<K> {
    /// One of ours.
    Known(K),
    /// One that nobody reads.
    Other,
}

/// The keys of a kind of object.
pub(super) trait Known: Sized {
    /// The key that the text begins with, up to its quote and colon.
    fn of(text: &[u8]) -> Found<Self>;
}

/// A key of a line.
#[derive(Clone, Copy)]
pub(super) enum Key {
    JobId,
    Outcome,
    Queue,
    JobSet,
    Annotations,
    Resources,
    Gang,
    RunIndex,
    StartedAt,
    FinishedAt,
    Node,
    Cluster,
    Conditions,
    Containers,
    Category,
    Subcategory,
    GracePeriod,
    ConfirmedAt,
}

/// A key, and how long it is with the quote and the colon that end it.
pub(super) type Found<K> = Option<(K, usize)>;

impl Known for Key {
    // Few begin with the same letter, so that comes first.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a tenth of the time of a line")]
    fn of(text: &[u8]) -> Found<Self> {
        match text.first()? {
            b'a' => is(text, b"annotations\":", Self::Annotations),
            b'c' => is(text, b"containers\":", Self::Containers)
                .or_else(|| is(text, b"category\":", Self::Category))
                .or_else(|| is(text, b"conditions\":", Self::Conditions))
                .or_else(|| is(text, b"cluster\":", Self::Cluster)),
            b'f' => is(text, b"finishedAt\":", Self::FinishedAt),
            b'g' => is(text, b"gang\":", Self::Gang),
            b'j' => {
                is(text, b"jobId\":", Self::JobId).or_else(|| is(text, b"jobSet\":", Self::JobSet))
            }
            b'n' => is(text, b"node\":", Self::Node),
            b'o' => is(text, b"outcome\":", Self::Outcome),
            b'q' => is(text, b"queue\":", Self::Queue),
            b'r' => is(text, b"runIndex\":", Self::RunIndex)
                .or_else(|| is(text, b"resources\":", Self::Resources)),
            b's' => is(text, b"startedAt\":", Self::StartedAt)
                .or_else(|| is(text, b"subcategory\":", Self::Subcategory)),
            b't' => is(text, b"terminationGracePeriodSeconds\":", Self::GracePeriod)
                .or_else(|| is(text, b"terminationConfirmedAt\":", Self::ConfirmedAt)),
            _ => None,
        }
    }
}

/// The key, if the text begins with its name.
#[inline]
fn is<K, const LENGTH: usize>(text: &[u8], name: &[u8; LENGTH], key: K) -> Found<K> {
    text.starts_with(name).then_some((key, LENGTH))
}

/// A key of a container.
#[derive(Clone, Copy)]
pub(super) enum ContainerKey {
    Name,
    Init,
    ExitCode,
    Reason,
    Message,
}

impl Known for ContainerKey {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a tenth of the time of a line")]
    fn of(text: &[u8]) -> Found<Self> {
        match text.first()? {
            b'n' => is(text, b"name\":", Self::Name),
            b'i' => is(text, b"init\":", Self::Init),
            b'e' => is(text, b"exitCode\":", Self::ExitCode),
            b'r' => is(text, b"reason\":", Self::Reason),
            b'm' => is(text, b"message\":", Self::Message),
            _ => None,
        }
    }
}

/// A key of a job's resources.
#[derive(Clone, Copy)]
pub(super) enum ResourceKey {
    Cpu,
    Memory,
    Gpu,
}

impl Known for ResourceKey {
    #[inline]
    fn of(text: &[u8]) -> Found<Self> {
        is(text, b"cpu\":", Self::Cpu)
            .or_else(|| is(text, b"memory\":", Self::Memory))
            .or_else(|| is(text, b"nvidia.com/gpu\":", Self::Gpu))
    }
}

/// A key of a job's gang.
#[derive(Clone, Copy)]
pub(super) enum GangKey {
    Id,
    Cardinality,
}

impl Known for GangKey {
    #[inline]
    fn of(text: &[u8]) -> Found<Self> {
        is(text, b"id\":", Self::Id).or_else(|| is(text, b"cardinality\":", Self::Cardinality))
    }
}

/// The keys that an object had, by their numbers.
#[derive(Default)]
pub(super) struct Seen(u32);

impl Seen {
    /// Adds a key, unless the object had it before.
    #[inline]
    pub(super) fn add(&mut self, number: u32) -> Option<()> {
        let before = self.0;
        self.0 |= 1 << number;
        (self.0 != before).then_some(())
    }

    /// Whether the object had it.
    #[inline]
    pub(super) fn has(&self, number: u32) -> bool {
        self.0 & 1 << number != 0
    }
}
