//! Messages and help texts for invalid values. Owns no places: callers add them.

use super::{Field, Kind, Node, NodeKind, Scalar, ScalarStyle, Shape};
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
        // The limit of a label of Kubernetes is 63 characters.
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

/// The help for a scalar that is not a whole number: the number that was probably meant, or the numbers of a range.
pub(super) fn whole_help(scalar: &Scalar, min: i128) -> Option<String> {
    let text = scalar.text.trim();
    let digits = text.replace(['_', ','], "");
    if let Ok(number) = digits.parse::<i64>() {
        return Some(match scalar.style {
            // The length is equal only without separators: then a leading zero is the fault.
            ScalarStyle::Plain if digits.len() == text.len() => {
                format!("write {number}: some parsers read a leading zero as octal")
            }
            ScalarStyle::Plain => format!("write {number}"),
            _ => format!("write {number} without quotes"),
        });
    }
    if let Some(help) = numbers_of_range(text, min) {
        return Some(help);
    }
    let whole = text.trim_end_matches('0').strip_suffix('.')?;
    whole.parse::<i64>().ok().map(|number| format!("write {number}"))
}

/// The most numbers that a help text lists one by one: about as many as fit a line of 80 columns.
const MAX_NUMBERS: i64 = 12;

/// The help for a range in the place of numbers of at least `min`; `None` if the text is not a range.
fn numbers_of_range(text: &str, min: i128) -> Option<String> {
    let (first, last) = text.split_once('-').or_else(|| text.split_once(".."))?;
    let number = |text: &str| text.trim().parse::<i64>().ok();
    let (first, last) = (number(first)?, number(last)?);
    let first = first.max(i64::try_from(min).unwrap_or(first));
    let shown = first..=last.min(first.saturating_add(MAX_NUMBERS - 1));
    let mut numbers: Vec<String> = shown.map(|number| number.to_string()).collect();
    if last.saturating_sub(first) >= MAX_NUMBERS {
        // The first three show the pattern, and the last one the end.
        numbers.truncate(3);
        numbers.extend(["..".to_owned(), last.to_string()]);
    }
    Some(format!("ranges are not read; write each number: `{}`", numbers.join(", ")))
}

/// The help for a value in the place of a mapping of this shape. `fits` is whether a value is one of a kind.
pub(super) fn mapping_help(
    node: &Node,
    shape: &'static Shape,
    fits: impl Fn(&Node, &'static Kind) -> bool,
) -> Option<String> {
    if let [only] = node.items()
        && matches!(only.kind, NodeKind::Map(_))
    {
        return Some("remove the list around it: one mapping is expected".to_owned());
    }
    let in_field = |field: &&'static Field| match &field.kind {
        kind if fits(node, kind) => flow_text(node),
        Kind::List { item, .. } if fits(node, item) => {
            flow_text(node).map(|text| format!("[{text}]"))
        }
        _ => None,
    };
    let fields = shape.needed_fields();
    let candidates = if fields.is_empty() { shape.fields.iter().collect() } else { fields };
    let field = candidates.into_iter().find_map(|field| Some((field, in_field(&field)?)));
    let example = shape.example(field.as_ref().map(|(field, text)| (field.name, text.as_str())))?;
    is_short(&example).then(|| match field {
        Some(_) => format!("write `{example}`"),
        None => format!("write a mapping, such as `{example}`"),
    })
}

/// The help for a value in the place of a list of such items. `fits` is whether the value is an item.
pub(super) fn list_help(node: &Node, item: &'static Kind, fits: bool) -> Option<String> {
    let text = node.scalar().map(|scalar| scalar.text.as_str());
    match (text, item) {
        (None, _) => Some("begin each item with `- `".to_owned()),
        (Some(_), Kind::Object(_)) if !fits => {
            let example = item.example().filter(|example| is_short(example))?;
            Some(format!("write a list, such as `[{example}]`"))
        }
        (Some(text), Kind::Whole { min, .. }) if let Some(help) = numbers_of_range(text, *min) => {
            Some(help)
        }
        (Some(text), _) => is_short(text).then(|| format!("write `[{text}]`")),
    }
}

/// A value as a text within `{}`, if it is short: a scalar, or a list of scalars.
fn flow_text(node: &Node) -> Option<String> {
    let text = match node.scalar() {
        Some(scalar) if node.text().is_none() => scalar.text.clone(),
        Some(scalar) => flow_scalar(&scalar.text),
        None => {
            let items: Option<Vec<_>> = node.items().iter().map(flow_text).collect();
            format!("[{}]", items.filter(|items| !items.is_empty())?.join(", "))
        }
    };
    is_short(&text).then_some(text)
}

fn is_short(text: &str) -> bool {
    // Longer examples would fill more than a line of a terminal.
    !text.is_empty() && text.len() <= 80 && !text.contains('\n')
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
        // Signals of Linux go up to 64, and shells report them as 128 plus the signal.
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
    use crate::ScalarTag;

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
            whole_help(&Scalar { text: text.to_owned(), style, tag: ScalarTag::None }, 1)
        };
        assert_eq!(help("3", ScalarStyle::Double).unwrap(), "write 3 without quotes");
        assert_eq!(help("1_000", ScalarStyle::Plain).unwrap(), "write 1000");
        assert_eq!(help("3.0", ScalarStyle::Plain).unwrap(), "write 3");
        assert!(help("010", ScalarStyle::Plain).unwrap().starts_with("write 10:"));
        assert_eq!(help("3.5", ScalarStyle::Plain), None);
        assert_eq!(help("many", ScalarStyle::Plain), None);
        let range = help("0-3", ScalarStyle::Plain).unwrap();
        assert_eq!(range, "ranges are not read; write each number: `1, 2, 3`");
        assert!(help("1..255", ScalarStyle::Plain).unwrap().ends_with(": `1, 2, 3, .., 255`"));
        assert!(help("5-9223372036854775807", ScalarStyle::Plain).is_some());
    }
}
