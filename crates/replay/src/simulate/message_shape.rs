//! The shape of messages: messages that differ only in numbers have the same shape, so that they count as one
//! kind of failure.

/// Length of a shape in bytes.
// Messages that differ only after it have one shape, which keeps a kind of failure small and a row of the report on one
// line.
const MAX_BYTES: usize = 120;

/// Writes the shape of a message: every word (letters, digits, `_`) with a digit becomes `#`, and two of those
/// with a dot between them become one. Only the first line counts.
pub(crate) fn write_shape(message: &str, out: &mut String) {
    out.clear();
    let line = message.trim_start();
    let mut from = 0;
    // No more is read than a shape holds, as messages may be long.
    while from < line.len() && out.len() < MAX_BYTES {
        let (end, has_digit) = word(line.as_bytes(), from);
        if has_digit {
            // Versions and addresses of several numbers are one word to a reader.
            match out.strip_suffix("#.").map(str::len) {
                Some(before) => out.truncate(before + 1),
                None => out.push('#'),
            }
        } else {
            out.push_str(&line[from..end]);
        }
        // The byte that ends a word is ASCII.
        match line.as_bytes().get(end) {
            None | Some(b'\n') => break,
            Some(byte) => out.push(char::from(*byte)),
        }
        from = end + 1;
    }
    // A character of several bytes may be across the limit.
    let cut = (0..=MAX_BYTES.min(out.len())).rev().find(|at| out.is_char_boundary(*at));
    out.truncate(cut.unwrap_or(0));
    out.truncate(out.trim_end().len());
}

/// The class of a digit.
const DIGIT: u8 = 1;
/// The class of all bytes of words.
const WORD: u8 = 2;

/// The classes of each byte.
// A table, since every byte of every message that no rule matched is looked up.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte: u8 = 0;
    loop {
        classes[byte as usize] = if byte.is_ascii_digit() {
            WORD | DIGIT
        } else if byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii() {
            WORD
        } else {
            0
        };
        if byte == u8::MAX {
            break classes;
        }
        byte += 1;
    }
};

/// The end of the word that begins at `from`, and whether it has a digit.
fn word(bytes: &[u8], from: usize) -> (usize, bool) {
    let mut all = 0;
    let mut end = from;
    for byte in &bytes[from..] {
        let class = CLASSES[usize::from(*byte)];
        if class == 0 {
            break;
        }
        all |= class;
        end += 1;
    }
    (end, all & DIGIT != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape_of(message: &str) -> String {
        let mut out = String::new();
        write_shape(message, &mut out);
        out
    }

    #[test]
    fn messages_that_differ_in_numbers_have_one_shape() {
        assert_eq!(
            shape_of("dial tcp 10.1.2.3:443: connect: connection refused"),
            "dial tcp #:#: connect: connection refused"
        );
        assert_eq!(
            shape_of("exited with status 3 after 17 steps"),
            shape_of("exited with status 4 after 9 steps")
        );
        assert_eq!(shape_of("CUDA error\nat 0x1f"), "CUDA error");
        assert_eq!(shape_of("s3://logs/run-7/out.txt"), "#://logs/run-#/out.txt");
        assert_eq!(shape_of(""), "");
    }

    proptest::proptest! {
        #[test]
        fn a_shape_is_short_and_never_panics(text: String) {
            proptest::prop_assert!(shape_of(&text).len() <= MAX_BYTES);
        }
    }
}
