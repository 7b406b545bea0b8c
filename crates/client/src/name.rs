//! Names in paths: validation and encoding.

use super::{ClientError, ClientErrorKind};

/// Returns the name if it fits into Armada's paths. `what` is the kind of object, such as `queue`.
///
/// Armada's gateway decodes a path before it splits it at slashes, and reads the text after the last colon as
/// a verb. So names with these characters can only be used over gRPC.
pub fn check_name<'n>(what: &str, name: &'n str) -> Result<&'n str, ClientError> {
    let why = match name {
        "" => "it is empty",
        "." | ".." => "it would change the path",
        _ if name.contains('/') => "a name in a URL path cannot contain `/`",
        _ if name.contains(':') => "a name in a URL path cannot contain `:`",
        _ if name.chars().any(char::is_control) => "it contains control characters",
        _ => return Ok(name),
    };
    let message = format!("invalid {what} name `{name}`: {why}");
    Err(ClientError::new(ClientErrorKind::BadName, message))
}

/// Encodes a name as one segment of a path: all characters except RFC 3986's unreserved ones are escaped.
pub fn segment(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_path_cannot_carry_is_refused() {
        for name in ["", ".", "..", "a/b", "a:b", "a\nb", "a\u{9b}"] {
            let error = check_name("queue", name).unwrap_err();
            assert_eq!(error.kind, ClientErrorKind::BadName);
        }
        for name in ["a", "...", "a b", "a%2Fb", "é?#&+\\", "a.b"] {
            assert!(check_name("queue", name).is_ok(), "{name}");
        }
    }

    proptest! {
        #[test]
        fn a_segment_survives_a_url(name in "[^/:\\p{C}]{1,20}") {
            prop_assume!(check_name("queue", &name).is_ok());
            let url = reqwest::Url::parse(&format!("http://h/v1/queue/{}", segment(&name))).unwrap();
            let last = url.path_segments().unwrap().next_back().unwrap().to_owned();
            prop_assert_eq!(&last, &segment(&name));
            prop_assert_eq!(url.path_segments().unwrap().count(), 3);
            let bytes = decoded(&last);
            prop_assert_eq!(String::from_utf8(bytes).unwrap(), name);
        }
    }

    fn decoded(text: &str) -> Vec<u8> {
        let mut bytes = text.bytes();
        let mut out = Vec::new();
        while let Some(byte) = bytes.next() {
            let hex = |b: Option<u8>| char::from(b.unwrap()).to_digit(16).unwrap();
            out.push(match byte {
                b'%' => u8::try_from(hex(bytes.next()) * 16 + hex(bytes.next())).unwrap(),
                other => other,
            });
        }
        out
    }
}
