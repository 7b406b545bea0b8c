//! A page as one HTML file: no request, and no script that it needs to be read.
//!
//! All elements are closed and all attributes quoted, so that the file is well-formed XML too.

mod table;
mod text;

use super::page::chart::{Chart, RowLabel};
use super::page::{Line, Page, Part, Picture, Reply, Section};
use super::svg::{self, COLOURS};
use document::diag::printable;
use maud::{Markup, PreEscaped, html};
use text::{plain, text};

const STYLE: &str = include_str!("page.css");
/// Sorts tables by a column.
const SCRIPT: &str = include_str!("sort.js");

/// The start of the file. The policy lets nothing be requested, and no script run but ours, which has this hash.
const HEAD: &str = "<meta charset=\"utf-8\"/>\n\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
    <meta name=\"color-scheme\" content=\"light dark\"/>\n\
    <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
    style-src 'unsafe-inline'; script-src 'sha256-zvGo+VUEQYUShPwVjSZCTA4xmxPv9yjOBLPO6ethEds='\"/>\n";

/// Writes a page.
pub fn html(page: &Page) -> String {
    let mut numbers = Numbers::default();
    let title = plain(&page.headline);
    let markup = html! {
        (PreEscaped("<!DOCTYPE html>\n"))
        html lang="en" {
            head {
                (PreEscaped(HEAD))
                title { (title) }
                style { (PreEscaped(COLOURS)) (PreEscaped(STYLE)) }
            }
            body {
                header {
                    p.context { (text(&page.context)) }
                    h1 { (text(&page.headline)) }
                    @if !page.second_headline.is_empty() { p.second { (text(&page.second_headline)) } }
                    @for warning in &page.warnings { p.warning { (text(warning)) } }
                    @for (line, holds) in &page.assertions {
                        p.assertion.holds[*holds] { (text(line)) }
                    }
                }
                main {
                    (first(page, &mut numbers))
                    @for section in &page.sections { (self::section(section, &mut numbers)) }
                }
                footer {
                    @if !page.notes.is_empty() {
                        ul { @for note in &page.notes { li { (text(note)) } } }
                    }
                    dl {
                        @if !page.command.is_empty() {
                            dt { "Command" }
                            dd { code { (printable(&page.command)) } }
                        }
                        @for (name, texts) in &page.sources {
                            dt { (name) }
                            @for text in texts { dd { (text::text(text)) } }
                        }
                    }
                }
                // CDATA, so that an XML parser reads no markup in it.
                script {
                    (PreEscaped("//<![CDATA[\n")) (PreEscaped(SCRIPT)) (PreEscaped("//]]>\n"))
                }
            }
        }
    };
    markup.into_string() + "\n"
}

/// The numbers of pictures and tables, of which ids and labels are made.
#[derive(Default)]
struct Numbers {
    charts: u32,
    tables: u32,
}

impl Numbers {
    fn chart(&mut self) -> String {
        self.charts += 1;
        format!("c{}", self.charts)
    }

    fn table(&mut self) -> u32 {
        self.tables += 1;
        self.tables
    }
}

fn first(page: &Page, numbers: &mut Numbers) -> Markup {
    html! {
        @if !page.questions.is_empty() || page.picture.is_some() {
            section.first.wide[page.is_wide || page.picture.is_none()] {
                dl.questions {
                    @for Reply { question, answer, figures } in &page.questions {
                        div {
                            dt { (question) }
                            dd { b { (text(answer)) } " " (text(figures)) }
                        }
                    }
                }
                @if let Some(picture) = &page.picture { (self::picture(picture, true, numbers)) }
            }
        }
    }
}

fn section(section: &Section, numbers: &mut Numbers) -> Markup {
    html! {
        section {
            h2 { (text(&section.title)) }
            @if !section.text.is_empty() { p { (text(&section.text)) } }
            @for part in &section.parts { (self::part(part, numbers)) }
        }
    }
}

fn part(part: &Part, numbers: &mut Numbers) -> Markup {
    match part {
        Part::Table(table) => table::table(table, numbers.table()),
        Part::Picture(picture) => self::picture(picture, false, numbers),
        Part::Beside(parts) => html! {
            div.beside { @for part in parts { div { (self::part(part, numbers)) } } }
        },
        Part::Titled(title, how, table) => html! {
            h3 { (text(title)) }
            @if !how.is_empty() { p.how { (text(how)) } }
            (table::table(table, numbers.table()))
        },
        Part::Sentence(sentence) => html! { p { (text(sentence)) } },
        Part::Sentences(all) => html! { ul { @for sentence in all { li { (text(sentence)) } } } },
        Part::Listing(lines) => listing(lines),
    }
}

fn listing(lines: &[Line]) -> Markup {
    html! {
        pre tabindex="0" {
            @for line in lines {
                span.yes[line.is_good == Some(true)].not[line.is_good == Some(false)] {
                    @if lines.len() > 1 { span.no { (line.number) } }
                    (printable(&line.text))
                }
                @for remark in &line.remarks { span.remark { (text(remark)) } }
            }
        }
    }
}

fn picture(picture: &Picture, is_first: bool, numbers: &mut Numbers) -> Markup {
    html! {
        figure.picture {
            figcaption {
                @if is_first { h2 { (text(&picture.title)) } } @else { h3 { (text(&picture.title)) } }
                @if !picture.text.is_empty() { p.how { (text(&picture.text)) } }
            }
            (charts(picture, numbers))
            @if !picture.note.is_empty() { p.more { (text(&picture.note)) } }
            @if let Some(table) = &picture.table {
                details open=[picture.is_open.then_some("")] {
                    summary { "The figures as a table" }
                    (table::table(table, numbers.table()))
                }
            }
        }
    }
}

fn charts(picture: &Picture, numbers: &mut Numbers) -> Markup {
    let charts: Vec<(&str, &Chart, String)> = picture
        .charts
        .iter()
        .map(|(name, chart)| (name.as_str(), chart, numbers.chart()))
        .collect();
    let key_id = charts.first().map_or("", |(.., id)| id);
    html! {
        @if !picture.key.is_empty() {
            p.key {
                @for entry in &picture.key {
                    span { (svg::swatch(entry, key_id)) (text(&entry.text)) } " "
                }
            }
        }
        @match charts.as_slice() {
            [(_, chart, id)] => (one_chart(chart, id)),
            several => div.columns {
                @for (name, chart, id) in several {
                    div { h4 { (text(name)) } (one_chart(chart, id)) }
                }
            },
        }
    }
}

/// A chart, with the labels of its rows at its left.
fn one_chart(chart: &Chart, id: &str) -> Markup {
    if chart.rows.is_empty() {
        return svg::inline(chart, id);
    }
    let width = svg::labels_width(&chart.rows);
    html! {
        div.rows {
            svg.chart aria-hidden="true" width=(width) height=(chart.height) {
                @for RowLabel { y, name, text } in &chart.rows {
                    text x="0" y=(y) {
                        tspan.b { (svg::short_name(name)) }
                        @if !text.is_empty() {
                            tspan.m x=(svg::names_width(&chart.rows)) { (svg::short_name(text)) }
                        }
                    }
                }
            }
            (svg::inline(chart, id))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    /// Base64 (RFC 4648).
    fn base64(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for part in bytes.chunks(3) {
            let byte = |at: usize| u32::from(part.get(at).copied().unwrap_or_default());
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for digit in 0..4 {
                let value = bits >> (18 - 6 * digit) & 63;
                let is_padding = digit > part.len();
                text.push(if is_padding { '=' } else { char::from(DIGITS[value as usize]) });
            }
        }
        text
    }

    #[test]
    fn the_policy_has_the_hash_of_the_script() {
        let script = format!("//<![CDATA[\n{SCRIPT}//]]>\n");
        let hash = base64(&Sha256::digest(script.as_bytes()));
        assert!(HEAD.contains(&format!("'sha256-{hash}'")), "{hash}");
    }
}
