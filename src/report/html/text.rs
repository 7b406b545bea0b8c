//! Texts of a page: escaped, with parts as code.

use document::diag::printable;
use maud::{Markup, Render, html};

/// A text; parts between backticks are code. If they are not in pairs, all of it is text.
pub(super) fn text(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return printable(text).as_ref().render();
    }
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if at % 2 == 1 { code { (printable(part)) } } @else { (printable(part)) }
        }
    }
}

/// A text without markup.
pub(super) fn plain(text: &str) -> String {
    printable(&text.replace('`', "")).into_owned()
}
