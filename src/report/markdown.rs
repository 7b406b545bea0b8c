//! The Markdown of this project's own pages for a terminal: headings, paragraphs, lists, fenced code, inline
//! code and links. Other Markdown is unchanged.

use crate::findings::Style;
use anstyle::{AnsiColor, Style as Paint};
use unicode_width::UnicodeWidthStr;

/// The maximum width of a line of prose: longer lines are hard to read.
const WIDEST: usize = 100;
/// The minimum width of a line of prose, on terminals of any width.
const NARROWEST: usize = 20;
/// The indentation of code.
const INDENT: &str = "    ";

/// Renders a page for a terminal of `width` columns. Prose is wrapped; code is indented and never wrapped.
pub fn markdown(page: &str, width: usize, style: Style) -> String {
    let width = width.clamp(NARROWEST, WIDEST);
    let mut out = String::with_capacity(page.len() * 2);
    let mut prose = String::new();
    let mut is_code = false;
    for line in page.lines() {
        let begins_block = line.is_empty()
            || line.starts_with("```")
            || line.starts_with('#')
            || line.starts_with("- ");
        if !is_code && begins_block {
            paragraph(&prose, width, style, &mut out);
            prose.clear();
        }
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            let code = painted(line, code_paint(), style);
            out += format!("{INDENT}{code}").trim_end();
            out.push('\n');
        } else if line.is_empty() {
            out.push('\n');
        } else if let Some(heading) = heading(line) {
            out += &painted(&heading.replace('`', ""), Paint::new().bold(), style);
            out.push('\n');
        } else {
            prose += if prose.is_empty() { "" } else { " " };
            prose += line.trim();
        }
    }
    paragraph(&prose, width, style, &mut out);
    out
}

/// The text of a heading; `None` for other lines.
fn heading(line: &str) -> Option<&str> {
    line.starts_with('#').then(|| line.trim_start_matches('#').strip_prefix(' ')).flatten()
}

/// Wraps a paragraph or an item of a list.
fn paragraph(text: &str, width: usize, style: Style, out: &mut String) {
    let text = without_links(text);
    let hanging = if text.starts_with("- ") { "  " } else { "" };
    let mut line = String::new();
    let mut is_code = false;
    for word in text.split_whitespace() {
        let columns = |text: &str| text.width() - text.matches('`').count();
        if !line.trim().is_empty() && columns(&line) + 1 + columns(word) > width {
            is_code = code_in_line(&line, is_code, style, out);
            hanging.clone_into(&mut line);
        }
        line += if line.trim().is_empty() { "" } else { " " };
        line += word;
    }
    if !line.trim().is_empty() {
        code_in_line(&line, is_code, style, out);
    }
}

/// Writes a line with colour in place of backticks. `is_code` is whether the line begins inside inline code;
/// the result is whether it ends inside.
fn code_in_line(line: &str, mut is_code: bool, style: Style, out: &mut String) -> bool {
    for (at, piece) in line.split('`').enumerate() {
        is_code ^= at > 0;
        let paint = if is_code { code_paint() } else { Paint::new() };
        out.push_str(&painted(piece, paint, style));
    }
    out.push('\n');
    is_code
}

/// The text without link syntax: links to other pages become their words, other links their words and their
/// address.
fn without_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(link) = next_link(rest) {
        out += link.before;
        out += link.words;
        if link.target.contains("://") {
            out += &format!(" ({})", link.target);
        }
        rest = link.after;
    }
    out + rest
}

/// A link in a text, with the text before and after it.
struct Link<'t> {
    before: &'t str,
    words: &'t str,
    target: &'t str,
    after: &'t str,
}

/// The first link outside inline code.
fn next_link(text: &str) -> Option<Link<'_>> {
    text.match_indices("](").find_map(|(middle, _)| {
        let start = text[..middle].rfind('[')?;
        let end = middle + text[middle..].find(')')?;
        let is_in_code = text[..start].matches('`').count() % 2 == 1;
        (!is_in_code).then(|| Link {
            before: &text[..start],
            words: &text[start + 1..middle],
            target: &text[middle + 2..end],
            after: &text[end + 1..],
        })
    })
}

fn code_paint() -> Paint {
    Paint::new().fg_color(Some(AnsiColor::Cyan.into()))
}

fn painted(text: &str, paint: Paint, style: Style) -> String {
    if style == Style::Plain || text.is_empty() || paint == Paint::new() {
        return text.to_owned();
    }
    format!("{paint}{text}{paint:#}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings;
    use document::diag::Code;

    const PAGE: &str = "# RP000: a `title`\n\nSome words with `code in it`, a [page](RP001.md) and\na [site](https://a.example).\n\n\
        ## Example\n\n```yaml\n# a `comment`\nkey: {a: b}\n```\n\n- an item of\n  two lines\n- another\n";

    #[test]
    fn a_page_without_marks() {
        let plain = markdown(PAGE, 40, Style::Plain);
        assert_eq!(
            plain,
            "RP000: a title\n\nSome words with code in it, a page and a\nsite (https://a.example).\n\n\
             Example\n\n    # a `comment`\n    key: {a: b}\n\n- an item of two lines\n- another\n"
        );
    }

    #[test]
    fn code_keeps_its_colour_over_the_end_of_a_line() {
        let page = "aaaaaaaaaaaaaaaa `bb cc` dd\n";
        let coloured = markdown(page, 20, Style::Coloured);
        let (on, off) = ("\u{1b}[36m", "\u{1b}[0m");
        assert_eq!(coloured, format!("aaaaaaaaaaaaaaaa {on}bb{off}\n{on}cc{off} dd\n"));
        assert!(markdown("# T\n", 20, Style::Coloured).starts_with("\u{1b}[1mT"));
    }

    #[test]
    fn every_page_fits_and_keeps_its_words() {
        for id in Code::ALL {
            let page = findings::page(*id);
            for width in [30, 60, 80, 120] {
                let shown = markdown(page, width, Style::Plain);
                for line in shown.lines().filter(|line| !line.starts_with(INDENT)) {
                    let is_heading = page.contains(&format!("# {line}"));
                    let is_one_word = !line.trim_start_matches("- ").contains(' ');
                    let fits = line.width() <= width.min(WIDEST) || is_one_word || is_heading;
                    assert!(fits && !line.contains('`') && !line.starts_with('#'), "{line}");
                }
                let pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
                assert_eq!(shown.contains(pattern), page.contains(pattern), "{}", id.id());
                let is_item = |line: &&str| line.starts_with("  - ");
                let code = shown.lines().filter_map(|line| line.strip_prefix(INDENT));
                let items = page.lines().filter(is_item).count();
                assert_eq!(code.filter(is_item).count(), items, "{}", id.id());
            }
        }
    }
}
