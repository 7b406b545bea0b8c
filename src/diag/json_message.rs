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
        .and_then(|rest| rest.rsplit_once(", expected "));
    match mismatch {
        Some((found, expected)) => {
            format!("expected {}, found {}{position}", expected_words(expected), found_words(found))
        }
        None => format!("{message}{position}"),
    }
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
