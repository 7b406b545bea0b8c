//! Suppression of findings at every line of texts that a person wrote out here.

use super::{Suppressed, apply};
use document::apply_fixes;
use document::diag::{Code, Diagnostic, Place, Source, Span};
use jiff::civil::{Date, date};
use std::sync::Arc;

const TODAY: Date = date(2026, 6, 15);

/// A warning with a code at the first content of each line of a text that has content.
fn findings(source: &Arc<Source>, code: Code) -> Vec<Diagnostic> {
    let text = source.text();
    let mut start = 0;
    let mut all = Vec::new();
    for line in text.split_inclusive('\n') {
        let content = line.trim_start().trim_start_matches("- ").trim_start();
        if !content.is_empty()
            && !content.starts_with(['#', '\u{feff}'])
            && !content.starts_with("---")
        {
            let at = start + line.len() - content.len();
            let place = Place::new(source, Span::new(at, at + 1));
            all.push(Diagnostic::warning(code, place, format!("line {}", all.len())));
        }
        start += line.len();
    }
    all
}

fn applied(text: &str, codes: &[Code]) -> Suppressed {
    let source = Source::new("x", text);
    let all = codes.iter().flat_map(|code| findings(&source, *code)).collect();
    apply(&[source], all, TODAY, |_| true)
}

/// The lines, from 1, of suppressed findings, and what is found about the comments.
fn lines(text: &str) -> (Vec<usize>, Vec<(&'static str, String)>) {
    let result = applied(text, &[Code::OddSpelling]);
    let line = |finding: &Diagnostic| finding.place.as_ref().map_or(0, |place| place.start().line);
    let suppressed = result.suppressed.iter().map(|one| line(&one.finding)).collect();
    let about = result.findings.iter().filter(|finding| finding.code != Code::OddSpelling);
    (suppressed, about.map(|it| (it.code.id(), it.message.clone())).collect())
}

fn suppressed(text: &str) -> Vec<usize> {
    let (lines, about) = lines(text);
    assert_eq!(about, [], "{text}");
    lines
}

const IGNORE: &str = "# armadactl:ignore RP024 -- because";

#[test]
fn a_comment_after_content_applies_to_its_line() {
    assert_eq!(suppressed(&format!("a: 1\nb: 2 {IGNORE}\nc: 3\n")), [2]);
    assert_eq!(suppressed(&format!("a: 1\r\nb: {IGNORE}\r\n- 1\r\n")), [2]);
    assert_eq!(suppressed(&format!("a: [1,\n  2, {IGNORE}\n  3]\n")), [2]);
}

#[test]
fn a_comment_above_applies_to_the_block_below() {
    for (text, wanted) in [
        ("a:\nIGNORE\n- b: 1\n\n  c: 2\n- d: 3\n", vec![3, 5]),
        ("a:\n  IGNORE\n# more\n\n  b:\n    c: 1\n  d: 1\n", vec![5, 6]),
        ("a: 1\nIGNORE\nb:\n- 1\n- 2\nc: 1\n", vec![3, 4, 5]),
        ("a: 1\nIGNORE\nb: |\n  x\n  y\nc: 1\n", vec![3, 4, 5]),
        ("a: {b: 1,\n  IGNORE\n  c: 2,\n  d: 3}\n", vec![3]),
        ("a:\n- - 1\n  IGNORE\n  - 2\n- 3\n", vec![4]),
        // The line continues a value, so the comment applies to the line alone.
        ("a: [\n  1\n  IGNORE\n  ]\nb: 1\n", vec![4]),
    ] {
        assert_eq!(suppressed(&text.replace("IGNORE", IGNORE)), wanted, "{text}");
    }
}

#[test]
fn a_comment_at_the_top_applies_to_the_document() {
    for (text, wanted) in [
        ("IGNORE\n\n# more\na: 1\nb: 2\n", vec![4, 5]),
        ("\u{feff}IGNORE\na: 1\n", vec![2]),
        ("a: 1\n---\nIGNORE\nb: 1\nc: 2\n---\nd: 1\n", vec![4, 5]),
        ("IGNORE\n---\na: 1\n---\nb: 1\n", vec![3]),
        ("a: 1\nIGNORE\n---\nb: 1\n", vec![4]),
        ("IGNORE\n- a\n- b\n", vec![2, 3]),
    ] {
        assert_eq!(suppressed(&text.replace("IGNORE", IGNORE)), wanted, "{text}");
    }
}

#[test]
fn a_comment_for_the_file_applies_everywhere() {
    let text = "a: 1\n---\nb: 1\n# armadactl:ignore-file RP024 -- old\n";
    assert_eq!(suppressed(text), [1, 3]);
    let sources = [Source::new("x", text), Source::new("y", "a: 1\n")];
    let all = sources.iter().flat_map(|it| findings(it, Code::OddSpelling)).collect();
    let result = apply(&sources, all, TODAY, |_| true);
    assert_eq!((result.suppressed.len(), result.findings.len()), (2, 1));
    assert_eq!(result.suppressed[0].reason, "old");
    assert_eq!(result.suppressed[0].comment.to_string(), "x:4:1");
}

#[test]
fn only_comments_suppress() {
    for text in [
        "a: '# armadactl:ignore RP024 -- x'\n",
        "a: |\n  # armadactl:ignore RP024 -- x\n",
        "a: x#armadactl:ignore RP024 -- x\n",
        "# see armadactl:ignore RP024 -- x\na: 1\n",
        "# armadactl: validates this file\na: 1\n",
    ] {
        assert_eq!(suppressed(text), [0_usize; 0], "{text}");
    }
    let broken = format!("a: 1 {IGNORE}\nb: [\n");
    assert_eq!(suppressed(&broken), [0_usize; 0]);
}

#[test]
fn a_date_is_the_last_day() {
    let text = |date| format!("a: 1 # armadactl:ignore RP024 until={date} -- x\n");
    assert_eq!(suppressed(&text("2026-06-15")), [1]);
    let (suppressed, about) = lines(&text("2026-06-14"));
    let wanted = ("RP191", "the suppression ended on 2026-06-14".to_owned());
    assert_eq!((suppressed, about), (vec![], vec![wanted]));
}

#[test]
fn invalid_comments_suppress_nothing() {
    for (comment, wanted) in [
        ("armadactl:ignore", "the suppression names no finding"),
        ("armadactl:ignore RP024", "the suppression has no reason"),
        ("armadactl:ignore RP024 --", "the suppression has no reason"),
        ("armadactl:ignore -- because", "the suppression names no finding"),
        ("armadactl:ignore RP924 -- x", "no finding has the id `RP924`"),
        ("armadactl:ignore RP1 -- x", "no finding has the id `RP1`"),
        ("armadactl:ignore RP024 because", "no finding has the id `because`"),
        ("armadactl:ignore RP190 -- x", "`RP190` cannot be suppressed by a comment"),
        ("armadactl:ignore RP024 until=soon -- x", "`soon` is not a date"),
        ("armadactl:ignore RP024 until=2026-02-30 -- x", "`2026-02-30` is not a date"),
        ("armadactl:ignore RP024 until=2027-01-01 RP023 -- x", "unexpected `RP023`"),
        ("armadactl:ignore RP024 until=2027-01-01 until=2027-01-01 -- x", "`until` is given twice"),
        ("armadactl:ignroe RP024 -- x", "unknown comment `armadactl:ignroe`"),
        (
            "armadactl: ignore RP024 -- x",
            "a blank after `armadactl:`: the comment suppresses nothing",
        ),
    ] {
        let (suppressed, about) = lines(&format!("a: 1 # {comment}\n"));
        assert_eq!((suppressed, about), (vec![], vec![("RP192", wanted.to_owned())]), "{comment}");
    }
}

#[test]
fn an_error_of_a_document_cannot_be_suppressed() {
    let source = Source::new("x", "a: 1 # armadactl:ignore RP008, RP024 -- x\n");
    let place = Place::new(&source, Span::new(0, 1));
    let error = Diagnostic::error(Code::WrongType, place.clone(), "wrong");
    let warning = Diagnostic::warning(Code::OddSpelling, place, "odd");
    let result = apply(&[source], vec![error.clone(), error, warning], TODAY, |_| true);
    assert_eq!(result.suppressed.len(), 1);
    let codes: Vec<Code> = result.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Code::WrongType, Code::WrongType, Code::InvalidSuppression]);
    assert_eq!(result.findings[2].others.len(), 1);
}

#[test]
fn a_comment_without_effect_is_removed() {
    for (text, codes, message, wanted) in [
        (
            "a: 1 # armadactl:ignore RP023 -- x\nb: 2\n",
            &[Code::OddSpelling][..],
            "`RP023` suppresses nothing on its line",
            "a: 1\nb: 2\n",
        ),
        (
            "a: 1\r\n  # armadactl:ignore RP023, RP011 -- x\r\nb: 2\r\n",
            &[],
            "`RP023` and `RP011` suppress nothing in the block below it",
            "a: 1\r\nb: 2\r\n",
        ),
        (
            "# armadactl:ignore RP023,RP024 , rp011 until=2027-01-01 -- x\na: 1\n",
            &[Code::OddSpelling],
            "`RP023` and `RP011` suppress nothing in its document",
            "# armadactl:ignore RP024 until=2027-01-01 -- x\na: 1\n",
        ),
        (
            "a: 1\n# armadactl:ignore RP023 -- x",
            &[],
            "`RP023` suppresses nothing since nothing is below the comment",
            "a: 1\n",
        ),
    ] {
        let result = applied(text, codes);
        let about = result.findings.iter().find(|it| it.code == Code::UnusedSuppression).unwrap();
        assert_eq!(about.message, message);
        assert_eq!(apply_fixes(text, &about.fix).text, wanted);
    }
}

#[test]
fn a_comment_about_findings_that_are_not_looked_for_is_not_unused() {
    let source = Source::new("x", "a: 1 # armadactl:ignore RP023 -- x\n");
    let result = apply(&[source], Vec::new(), TODAY, |code| code != Code::BadBackoff);
    assert!(result.findings.is_empty());
    let source = Source::new("x", "a: 1 # armadactl:ignore RP023\n");
    let result = apply(&[source], Vec::new(), TODAY, |code| code != Code::InvalidSuppression);
    assert!(result.findings.is_empty());
}
