//! The creation ids of a chain of sessions (seed, "Decision and dispatch", step 3).
//!
//! A retry's is its parent's with `:retry:N` appended, so that they grow at every retry; the
//! column that holds them does not (facts, 2; `sessions.creation_id`, 32 characters, not unique).
//! What happens to one that is too long the draft does not say, so nothing is decided by it here.

/// The characters that the column of creation ids holds.
pub const CREATION_ID_LIMIT: usize = 32;

/// The characters of a creation id that no retry has made longer yet (facts, 2).
pub const USUAL_CREATION_ID: usize = 22;

/// What is appended to a parent's creation id to get that of its retry, which has this
/// `retry_count`.
pub fn creation_suffix(retry_count: u32) -> String {
    format!(":retry:{retry_count}")
}

/// The creation id of the retry of a session; `retry_count` is that of the retry.
pub fn child_creation_id(parent: &str, retry_count: u32) -> String {
    parent.to_owned() + &creation_suffix(retry_count)
}

/// The first retry of a chain whose creation id is too long for its column; the root's id has so
/// many characters. One that is too long itself is no retry's: nothing has been appended to it, and
/// the column takes no such session. The first retry is the first that is too long then.
pub fn first_overflow(root: usize, max_retries: u32) -> Option<u32> {
    let mut length = root;
    (1..=max_retries).find(|retry_count| {
        length = length.saturating_add(creation_suffix(*retry_count).len());
        length > CREATION_ID_LIMIT
    })
}

/// The creation ids of a chain: the root's, then one a retry, without an end before the largest
/// count.
#[derive(Debug, Clone)]
pub struct CreationIds {
    next: Option<String>,
    retry_count: u32,
}

impl CreationIds {
    /// The chain that begins with this one.
    pub fn of(root: &str) -> Self {
        Self { next: Some(root.to_owned()), retry_count: 0 }
    }
}

impl Iterator for CreationIds {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let id = self.next.take()?;
        if let Some(retry_count) = self.retry_count.checked_add(1) {
            self.retry_count = retry_count;
            self.next = Some(child_creation_id(&id, retry_count));
        }
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The overflow that is counted is that of the ids themselves.
        #[test]
        fn overflows_where_an_id_is_too_long(root in "\\PC{0,36}", max_retries in 0..9_u32) {
            let chain = CreationIds::of(&root).take(max_retries as usize + 1);
            let mut retries = chain.map(|id| id.chars().count()).enumerate().skip(1);
            let too_long = retries.find(|(_, length)| *length > 32).map(|(retry, _)| retry);
            let found = first_overflow(root.chars().count(), max_retries);
            prop_assert_eq!(found.map(|count| count as usize), too_long);
        }
    }

    #[test]
    fn a_usual_id_overflows_at_the_second_retry() {
        assert_eq!(first_overflow(USUAL_CREATION_ID, u32::MAX), Some(2));
        assert_eq!(first_overflow(USUAL_CREATION_ID, 1), None);
        assert_eq!(first_overflow(CREATION_ID_LIMIT + 1, 3), Some(1));
        assert_eq!(first_overflow(CREATION_ID_LIMIT + 1, 0), None);
    }
}
