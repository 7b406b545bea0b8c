//! Pictures as SVG: in a page, and as files of their own.
//!
//! x is in percent and y in pixels, so that a picture fills its column and its text keeps its size. Lines and areas
//! are in an inner picture of 1,000 units that stretches in x alone. A file of its own has the same marks in a frame
//! with its title, its key and the labels of its rows.

use super::page::Page;
use super::page::chart::{
    Anchor, Chart, Filling, KeyEntry, Mark, Point, RowLabel, Stroke, Text, TextRank, Tone,
    text_width,
};
use document::diag::printable;
use maud::{Markup, PreEscaped, Render, html};
use std::fmt::Write;

/// The style of pictures, with both of its schemes; pages have it too.
pub(super) const COLOURS: &str = include_str!("svg.css");

/// A coordinate with at most two decimals.
struct Number(f64);

impl Render for Number {
    fn render_to(&self, out: &mut String) {
        let text = format!("{:.2}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        out.push_str(if text == "-0" { "0" } else { text });
    }
}

/// A share of a width.
pub(super) struct Percent(pub(super) f64);

impl Render for Percent {
    fn render_to(&self, out: &mut String) {
        Number(self.0 * 100.0).render_to(out);
        out.push('%');
    }
}

/// The class of a filling. One that is hatched has the pattern of its picture instead.
pub(super) fn fill_class(filling: Filling) -> String {
    match filling {
        Filling::Solid(tone) => format!("f-{}", tone.class()),
        Filling::Hatched(_) => String::new(),
        Filling::Dashed => "dashed".to_owned(),
    }
}

/// The pattern of a hatched filling, by the id of its picture.
fn pattern(filling: Filling, id: &str) -> Option<String> {
    match filling {
        Filling::Hatched(tone) => Some(format!("url(#{id}-{})", tone.class())),
        Filling::Solid(_) | Filling::Dashed => None,
    }
}

/// A picture in a page.
pub(super) fn inline(chart: &Chart, id: &str) -> Markup {
    html! {
        svg.chart role="img" aria-labelledby={ (id) "t " (id) "d" } width="100%" height=(Number(chart.height)) {
            (inner(chart, id))
        }
    }
}

/// The look of an entry of a key.
pub(super) fn swatch(entry: &KeyEntry, id: &str) -> Markup {
    html! {
        svg aria-hidden="true" width="11" height="11" { (swatch_mark(entry, id, (0.0, 0.0))) }
    }
}

fn swatch_mark(entry: &KeyEntry, id: &str, (x, y): Point) -> Markup {
    let class = Some(fill_class(entry.filling)).filter(|class| !class.is_empty());
    html! {
        rect x=(Number(x)) y=(Number(y)) width="11" height="11" rx="2" class=[class]
            fill=[pattern(entry.filling, id)] {}
    }
}

/// The marks of a picture, its title and its description.
fn inner(chart: &Chart, id: &str) -> Markup {
    let bars = chart.marks.iter().filter_map(|mark| match mark {
        Mark::Bar { filling, .. } => Some(*filling),
        _ => None,
    });
    let mut hatched: Vec<Tone> = bars
        .chain(chart.key.iter().map(|entry| entry.filling))
        .filter_map(|filling| if let Filling::Hatched(tone) = filling { Some(tone) } else { None })
        .collect();
    hatched.sort_unstable();
    hatched.dedup();
    html! {
        title id={ (id) "t" } { (without_code(&chart.title)) }
        desc id={ (id) "d" } { (without_code(&chart.description)) }
        @if !hatched.is_empty() {
            defs {
                @for tone in hatched {
                    pattern id={ (id) "-" (tone.class()) } width="6" height="6"
                        patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                        rect.f-bg width="6" height="6" {}
                        line class={ "s-" (tone.class()) } x1="0" y1="0" x2="0" y2="6" stroke-width="3" {}
                    }
                }
            }
        }
        @for mark in &chart.marks { (self::mark(mark, chart.height, id)) }
    }
}

/// A text without the backticks of code.
fn without_code(text: &str) -> String {
    printable(&text.replace('`', "")).into_owned()
}

fn tip(text: &str) -> Markup {
    html! { @if !text.is_empty() { title { (printable(text)) } } }
}

fn mark(mark: &Mark, height: f64, id: &str) -> Markup {
    match mark {
        Mark::Bar { x, y, height, filling, tip } => {
            let class = Some(fill_class(*filling)).filter(|class| !class.is_empty());
            html! {
                rect x=(Percent(x.0)) y=(Number(*y)) width=(Percent(x.1 - x.0)) height=(Number(*height))
                    class=[class] fill=[pattern(*filling, id)] { (self::tip(tip)) }
            }
        }
        Mark::Line { from, to, stroke } => {
            let class = match stroke {
                Stroke::Thin(tone) => format!("s-{}", tone.class()),
                Stroke::Reference => "ref".to_owned(),
                Stroke::Interval(tone) => format!("interval s-{}", tone.class()),
            };
            html! {
                line x1=(Percent(from.0)) y1=(Number(from.1)) x2=(Percent(to.0)) y2=(Number(to.1)) class=(class) {}
            }
        }
        Mark::Dot { at, radius, tone, tip } => html! {
            circle cx=(Percent(at.0)) cy=(Number(at.1)) r=(Number(*radius)) class={ "f-" (tone.class()) } {
                (self::tip(tip))
            }
        },
        Mark::Text(text) => self::text(text),
        Mark::Path { points, tone, tip } => {
            inner_path(height, points, false, &format!("path s-{}", tone.class()), tip)
        }
        Mark::Area { points, tone, is_faint, tip } => {
            let faint = if *is_faint { " faint" } else { "" };
            inner_path(height, points, true, &format!("f-{}{faint}", tone.class()), tip)
        }
    }
}

fn text(text: &Text) -> Markup {
    let rank = match text.rank {
        TextRank::Tick => "s",
        TextRank::Label => "",
        TextRank::Name => "b",
        TextRank::Optional => "s opt",
    };
    let tone =
        if text.tone == Tone::Ink { String::new() } else { format!("t-{}", text.tone.class()) };
    let class = format!("{rank} {tone}");
    let class = Some(class.trim().to_owned()).filter(|class| !class.is_empty());
    let anchor = match text.anchor {
        Anchor::Start => None,
        Anchor::Middle => Some("middle"),
        Anchor::End => Some("end"),
    };
    let shift = Some(Number(text.shift)).filter(|_| text.shift != 0.0);
    html! {
        text x=(Percent(text.at.0)) y=(Number(text.at.1)) dx=[shift] text-anchor=[anchor] class=[class] {
            (printable(&text.words))
            @if !text.more.is_empty() { tspan.m.opt dx="5" { (printable(&text.more)) } }
        }
    }
}

/// A line or an area in a picture that stretches in x alone.
fn inner_path(height: f64, points: &[Point], is_closed: bool, class: &str, tip: &str) -> Markup {
    let mut path = String::new();
    let mut last: Option<(String, String)> = None;
    for (x, y) in points {
        let (x, y) = (number(x * 1000.0), number(*y));
        let _ = match &last {
            None => write!(path, "M{x} {y}"),
            Some((before, _)) if *before == x => write!(path, "V{y}"),
            Some((_, before)) if *before == y => write!(path, "H{x}"),
            Some(_) => write!(path, "L{x} {y}"),
        };
        last = Some((x, y));
    }
    if is_closed {
        path.push('Z');
    }
    html! {
        svg width="100%" height=(Number(height)) viewBox={ "0 0 1000 " (Number(height)) }
            preserveAspectRatio="none" overflow="visible" {
            path d=(path) class=(class) { (self::tip(tip)) }
        }
    }
}

fn number(value: f64) -> String {
    Number(value).render().into_string()
}

/// The most characters of a name beside a row.
const NAME: usize = 18;

/// A name beside a row, cut if it is long.
pub(super) fn short_name(name: &str) -> String {
    let name = printable(name);
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}..", &name[..end]),
        None => name.into_owned(),
    }
}

/// The width of a text in pixels, rounded up.
fn whole_width(text: &str) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "texts are short")]
    let width = text_width(text).ceil() as u32;
    width
}

/// The width of the names of rows in pixels, where the texts after them begin.
pub(super) fn names_width(rows: &[RowLabel]) -> u32 {
    rows.iter().map(|row| whole_width(&short_name(&row.name))).max().unwrap_or_default() + 8
}

/// The width of the labels of rows in pixels.
pub(super) fn labels_width(rows: &[RowLabel]) -> u32 {
    let texts = rows.iter().map(|row| whole_width(&short_name(&row.text))).max();
    names_width(rows) + texts.unwrap_or_default()
}

/// The width of a file's frame.
const FRAME: f64 = 16.0;

/// The files of the pictures of a page: names and texts.
pub fn files(page: &Page) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for chart in page.charts() {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let name: String =
            chart.name.chars().map(|c| if is_of_name(c) { c } else { '_' }).take(60).collect();
        let is_taken = |name: &str| files.iter().any(|(other, _)| other == name);
        let numbered = (2..).map(|number| format!("{name}-{number}.svg"));
        let name = std::iter::once(format!("{name}.svg")).chain(numbered).find(|it| !is_taken(it));
        files.extend(name.map(|name| (name, file(chart))));
    }
    files
}

/// A picture as a file of its own.
fn file(chart: &Chart) -> String {
    const ID: &str = "c";
    let (mut x, mut lines) = (0.0, 0.0);
    let mut entries: Vec<(&KeyEntry, Point)> = Vec::new();
    let left =
        if chart.rows.is_empty() { 0.0 } else { f64::from(labels_width(&chart.rows)) + 10.0 };
    for entry in &chart.key {
        // 16 pixels belong to the swatch before the text, the others are the gap to the next entry.
        let width = 34.0 + f64::from(whole_width(&entry.text));
        if x > 0.0 && x + width > chart.width + left {
            (x, lines) = (0.0, lines + 18.0);
        }
        entries.push((entry, (x, 30.0 + lines)));
        x += width;
    }
    let top = if entries.is_empty() { 36.0 } else { 56.0 + lines };
    let (width, height) = (chart.width + left + 2.0 * FRAME, chart.height + top + FRAME);
    let view = format!("{} -8 {} {}", number(-FRAME), number(width), number(height));
    let title = without_code(&chart.title);
    let markup = html! {
        svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="ct cd" viewBox=(view)
            width=(Number(width)) height=(Number(height)) {
            style { (PreEscaped(COLOURS)) }
            rect.f-bg x=(Number(-FRAME)) y="-8" width=(Number(width)) height=(Number(height)) {}
            text.b x="0" y="16" style="font-size:15px" { (title) }
            @for (entry, at) in &entries {
                (swatch_mark(entry, ID, *at))
                text.m.s x=(Number(at.0 + 16.0)) y=(Number(at.1 + 10.0)) { (without_code(&entry.text)) }
            }
            @for row in &chart.rows {
                text x="0" y=(Number(top + row.y)) {
                    tspan.b { (short_name(&row.name)) }
                    tspan.m x=(names_width(&chart.rows)) { (short_name(&row.text)) }
                }
            }
            svg x=(Number(left)) y=(Number(top)) width=(Number(chart.width)) height=(Number(chart.height))
                viewBox={ "0 0 " (Number(chart.width)) " " (Number(chart.height)) } overflow="visible" {
                (inner(chart, ID))
            }
        }
    };
    markup.into_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_have_two_decimals() {
        for (value, wanted) in
            [(0.0, "0"), (-0.001, "0"), (12.345, "12.35"), (100.0, "100"), (0.1, "0.1")]
        {
            assert_eq!(number(value), wanted);
        }
    }
}
