//! Messages of serde in the words of the other findings.

/// The message of a `serde_json` error, without the names of Rust types: "invalid type: string
/// "one", expected i64" becomes "expected a whole number, found the string `one`". A position at its
/// end stays, and so does a message of any other form.
pub fn json_message(message: &str) -> String {
    let (message, position) = match message.rfind(" at line ") {
        Some(at) => message.split_at(at),
        None => (message, ""),
    };
    let mismatch = ["invalid type: ", "invalid value: "]
        .into_iter()
        .find_map(|kind| message.strip_prefix(kind))
        // The last one: the value that was found may have the same words.
        .and_then(|rest| rest.rsplit_once(", expected "));
    match mismatch {
        Some((found, expected)) => {
            format!("expected {}, found {}{position}", expected_words(expected), found_words(found))
        }
        None => format!("{message}{position}"),
    }
}

/// The message and the help about a text that ends too early.
pub fn cut_off() -> (String, String) {
    let help = "complete it, or remove it: a file that was copied in part, or is still being written, ends like this";
    ("the text ends in the middle of a value".to_owned(), help.to_owned())
}

/// The message and the help about a comma before the end of a list or an object.
pub fn trailing_comma(end: u8) -> (String, String) {
    let message = format!("invalid JSON: a comma before `{}`", char::from(end));
    (message, "remove the comma".to_owned())
}

/// The message and the help about another mistake.
pub fn not_json(message: &str) -> (String, String) {
    let help = match message {
        "trailing characters" => "write each value on a line of its own",
        _ => "write JSON: keys and texts in double quotes, commas between values",
    };
    (format!("invalid JSON: {message}"), help.to_owned())
}

/// The message and the help about a text that is not JSON, and the byte that they are about.
pub fn json_syntax(text: &[u8], error: &serde_json::Error) -> ((String, String), usize) {
    let at = json_offset(text, error);
    if error.is_eof() {
        return (cut_off(), at);
    }
    let before = text[..at].trim_ascii_end();
    match text.get(at) {
        // The comma is the mistake, not the bracket that shows it.
        Some(end @ (b'}' | b']')) if before.ends_with(b",") => {
            (trailing_comma(*end), before.len() - 1)
        }
        _ => {
            let message = error.to_string();
            let message = json_message(message.split(" at line ").next().unwrap_or_default());
            (not_json(&message), at)
        }
    }
}

/// The byte that an error of `serde_json` is about: it counts columns in bytes, from 1.
pub fn json_offset(text: &[u8], error: &serde_json::Error) -> usize {
    let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1));
    // `serde_json` reports line 0 for an error that has no place.
    let start = starts.take(error.line().max(1)).last().unwrap_or(0);
    (start + error.column().saturating_sub(1)).min(text.len())
}

fn expected_words(expected: &str) -> &str {
    match expected {
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "`true` or `false`",
        "a sequence" => "a list",
        "a map" | "map" => "an object",
        "any valid JSON value" => "a value",
        other if other.starts_with("struct ") || other.starts_with("a map ") => "an object",
        other => other,
    }
}

fn found_words(found: &str) -> String {
    if let Some(text) = found.strip_prefix("string \"").and_then(|rest| rest.strip_suffix('"')) {
        return format!("the string `{text}`");
    }
    for (kind, words) in [
        ("integer ", "the number "),
        ("floating point ", "the number "),
        ("number ", "the number "),
        ("boolean ", "the boolean "),
    ] {
        if let Some(value) = found.strip_prefix(kind) {
            return format!("{words}{value}");
        }
    }
    match found {
        "sequence" => "a list".to_owned(),
        "map" => "an object".to_owned(),
        "unit value" | "Option value" => "null".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::json_message;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    struct Inner {
        #[expect(dead_code, reason = "only its type matters")]
        count: Option<u8>,
    }

    fn message<'t, T: Deserialize<'t>>(text: &'t str) -> String {
        let error = serde_json::from_str::<T>(text).err().map(|error| error.to_string());
        json_message(&error.unwrap_or_default())
    }

    #[test]
    fn types_of_rust_are_not_named() {
        assert_eq!(
            message::<Inner>(r#"{"count":"a, expected b"}"#),
            "expected a whole number, found the string `a, expected b` at line 1 column 24"
        );
        let all = [
            message::<Inner>("3"),
            message::<Inner>(r#"{"count":-1}"#),
            message::<Inner>(r#"{"count":300}"#),
            message::<Vec<bool>>(r#"{"a":1}"#),
            message::<Vec<bool>>("[null]"),
            message::<Vec<String>>("[[]]"),
            message::<Vec<f64>>("[true]"),
        ];
        let all = all.each_ref().map(|text| text.split(" at line ").next().unwrap_or_default());
        assert_eq!(
            all,
            [
                "expected an object, found the number `3`",
                "expected a whole number, found the number `-1`",
                "expected a whole number, found the number `300`",
                "expected a list, found an object",
                "expected `true` or `false`, found null",
                "expected a string, found a list",
                "expected a number, found the boolean `true`",
            ]
        );
    }

    #[test]
    fn other_messages_stay() {
        assert_eq!(message::<Inner>("{"), "EOF while parsing an object at line 1 column 1");
        assert_eq!(json_message("missing field `a`"), "missing field `a`");
    }
}
