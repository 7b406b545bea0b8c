//! Helpers of the tests of screens.

use super::layout::Layout;
use crate::findings::Style;

/// The layout of a terminal of a width, without colours.
pub(super) fn layout(width: usize) -> Layout {
    Layout { wide: false, headers: true, width: Some(width), style: Style::Plain }
}

/// The groups of digits in a text, without separators of thousands.
pub(super) fn digits(text: &str) -> Vec<String> {
    let text = text.replace(',', "");
    let runs = text.split(|letter: char| !letter.is_ascii_digit());
    runs.filter(|run| !run.is_empty()).map(str::to_owned).collect()
}
