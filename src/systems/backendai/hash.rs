//! The digest that deterministic jitter hangs on (seed, "Backoff formula").

use super::reading::HashText;
use super::session::SessionId;
use sha1::{Digest, Sha1};

/// SHA-1 of `session_id || retry_count`, both of the session that failed: when its retry's wait is
/// computed, the retry has no id yet. An id that is no UUID has no bytes of one; those of its text
/// stand for them.
pub fn digest(reading: HashText, session: &SessionId, retry_count: u32) -> [u8; 20] {
    let hash = match session.bytes().filter(|_| reading.takes_bytes()) {
        Some(bytes) => Sha1::new().chain_update(bytes),
        None => Sha1::new().chain_update(session.to_string()),
    };
    let hash = match reading {
        HashText::TextConcat | HashText::UuidBytesDec => hash.chain_update(retry_count.to_string()),
        HashText::TextColon => hash.chain_update(format!(":{retry_count}")),
        HashText::UuidBytesU32be => hash.chain_update(retry_count.to_be_bytes()),
    };
    hash.finalize().into()
}

/// What is hashed, in words: a text as it is, or the parts of what is none.
pub(super) fn hashed(reading: HashText, session: &SessionId, retry_count: u32) -> String {
    let id = if reading.takes_bytes() && session.bytes().is_some() {
        format!("the bytes of `{session}`")
    } else {
        format!("`{session}`")
    };
    match reading {
        HashText::TextConcat => format!("`{session}{retry_count}`"),
        HashText::TextColon => format!("`{session}:{retry_count}`"),
        HashText::UuidBytesDec => format!("{id} and `{retry_count}`"),
        HashText::UuidBytesU32be => format!("{id} and {retry_count} as four bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_are_no_uuids_are_hashed_as_text() {
        let id = SessionId::new("Job-A");
        let of = |reading| digest(reading, &id, 7);
        let sha1 = |text: &str| <[u8; 20]>::from(Sha1::digest(text));
        assert_eq!(of(HashText::TextConcat), sha1("job-a7"));
        assert_eq!(of(HashText::UuidBytesDec), sha1("job-a7"));
        assert_eq!(of(HashText::TextColon), sha1("job-a:7"));
        assert_eq!(of(HashText::UuidBytesU32be), sha1("job-a\0\0\0\u{7}"));
    }

    #[test]
    fn what_is_hashed_is_told_as_it_is_read() {
        let uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
        for (id, reading, told) in [
            ("Job-A", HashText::TextConcat, "`job-a7`".to_owned()),
            ("Job-A", HashText::TextColon, "`job-a:7`".to_owned()),
            ("Job-A", HashText::UuidBytesDec, "`job-a` and `7`".to_owned()),
            (uuid, HashText::UuidBytesDec, format!("the bytes of `{uuid}` and `7`")),
            (uuid, HashText::UuidBytesU32be, format!("the bytes of `{uuid}` and 7 as four bytes")),
        ] {
            assert_eq!(hashed(reading, &SessionId::new(id), 7), told);
        }
    }
}
