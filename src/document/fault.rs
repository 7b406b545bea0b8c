//! Messages and help texts for invalid values. Owns no places: callers add them.

use super::{Need, Node, NodeKind, Scalar, ScalarStyle, Shape};
use crate::units::{GoDuration, Time, TimeError};

/// The message and help for an invalid time; with `offsets` a duration is valid too.
pub(super) fn time_fault(text: &str, offsets: bool) -> Option<(String, String)> {
    let error = Time::parse(text).err()?;
    if offsets && GoDuration::parse(text).is_ok() {
        return None;
    }
    let may_be_offset = offsets && matches!(error, TimeError::NoTime(_));
    let offset = if may_be_offset { ", or an offset from spec.start such as `1h30m`" } else { "" };
    Some((error.to_string(), error.help() + offset))
}

const NAME_RULE: &str = "a name is a-z, 0-9 and `-`, with a letter or digit at both ends";

/// The message and help for an invalid name; the help has a valid name if one can be derived.
pub(super) fn name_fault(text: &str) -> Option<(String, String)> {
    if text.is_empty() {
        return Some(("the name is empty".to_owned(), NAME_RULE.to_owned()));
    }
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_valid = text.bytes().all(|byte| is_inner(byte) || byte == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-');
    if is_valid {
        let over = text.len().checked_sub(64)? + 1;
        let message = format!("the name has {} characters; at most 63 are allowed", text.len());
        return Some((message, format!("shorten it by {over}")));
    }
    let corrected: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect();
    let corrected = corrected.trim_matches('-');
    let help = if corrected.is_empty() || corrected.len() > 63 || !text.is_ascii() {
        NAME_RULE.to_owned()
    } else {
        format!("write `{corrected}`: {NAME_RULE}")
    };
    Some((format!("invalid name `{text}`"), help))
}

/// The help for a scalar that is not a whole number: the number that was probably meant.
pub(super) fn whole_help(scalar: &Scalar) -> Option<String> {
    let text = scalar.text.trim();
    let digits = text.replace(['_', ','], "");
    if let Ok(number) = digits.parse::<i64>() {
        return Some(match scalar.style {
            ScalarStyle::Plain if digits.len() == text.len() => {
                format!("write {number}: some parsers read a leading zero as octal")
            }
            ScalarStyle::Plain => format!("write {number}"),
            _ => format!("write {number} without quotes"),
        });
    }
    let whole = text.trim_end_matches('0').strip_suffix('.')?;
    whole.parse::<i64>().ok().map(|number| format!("write {number}"))
}

/// The help for a value in the place of a mapping of this shape.
pub(super) fn mapping_help(node: &Node, shape: &Shape) -> Option<String> {
    if let [only] = node.items() {
        let mapping = matches!(only.kind, NodeKind::Map(_));
        return mapping.then(|| "remove the list around it: one mapping is expected".to_owned());
    }
    let scalar = node.scalar().filter(|scalar| is_short(&scalar.text))?;
    let mut required = shape.fields.iter().filter(|field| field.need == Need::Required);
    let (Some(field), None) = (required.next(), required.next()) else { return None };
    Some(format!("write `{{{}: {}}}`", field.name, flow_scalar(&scalar.text)))
}

/// The help for a scalar in the place of a list.
pub(super) fn list_help(scalar: &Scalar) -> Option<String> {
    is_short(&scalar.text).then(|| format!("write `[{}]`", scalar.text))
}

fn is_short(text: &str) -> bool {
    !text.is_empty() && text.len() <= 60 && !text.contains('\n')
}

/// A text as a scalar within `{}`: in quotes, unless all its characters are safe.
fn flow_scalar(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '/');
    if text.chars().all(plain) && text.starts_with(char::is_alphanumeric) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "''"))
}

/// The help for an exit code that cannot be matched.
pub(super) fn exit_code_help(code: i128) -> String {
    match code {
        0 => "exit code 0 is success; no rule matches it".to_owned(),
        -64..=-1 => format!("a process killed by signal {} exits with {}", -code, 128 - code),
        _ => "exit codes are positive, and rarely over 255".to_owned(),
    }
}

/// The help for a whole number that is out of its range.
pub(super) fn range_help(value: i128, min: i128, max: i128) -> String {
    if value < min { format!("write {min} or more") } else { format!("write {max} or less") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::ScalarTag;

    #[test]
    fn a_name_is_mended_where_it_can_be() {
        let help = |text: &str| name_fault(text).unwrap().1;
        assert_eq!(name_fault("ml-training"), None);
        assert_eq!(name_fault(&"a".repeat(63)), None);
        assert_eq!(help(&"a".repeat(70)), "shorten it by 7");
        assert!(help("-ML_training.").starts_with("write `ml-training`"));
        assert_eq!(help("___"), NAME_RULE);
    }

    #[test]
    fn a_number_is_read_as_it_was_meant() {
        let help = |text: &str, style| {
            whole_help(&Scalar { text: text.to_owned(), style, tag: ScalarTag::None })
        };
        assert_eq!(help("3", ScalarStyle::Double).unwrap(), "write 3 without quotes");
        assert_eq!(help("1_000", ScalarStyle::Plain).unwrap(), "write 1000");
        assert_eq!(help("3.0", ScalarStyle::Plain).unwrap(), "write 3");
        assert!(help("010", ScalarStyle::Plain).unwrap().starts_with("write 10:"));
        assert_eq!(help("3.5", ScalarStyle::Plain), None);
        assert_eq!(help("many", ScalarStyle::Plain), None);
    }
}
