//! Corrections of findings and formatting: new texts of files, written or printed as a diff.

use crate::cli::{Exit, Refusal};
use crate::report::unified_diff;
use crate::ui::Ui;
use anyhow::Result;
use client::config::replace_file;
use document::diag::{Code, Diagnostic, Fix, Source};
use document::{Limits, apply_fixes, parse};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The maximum of rounds of corrections. One round applies all corrections that do not overlap, so more than a few are
/// needed only for lists of which nearly every item is removed.
const ROUNDS: usize = 100;

/// Refuses standard input as a file to be rewritten.
pub(super) fn refuse_stdin(paths: &[PathBuf], flag: &str) -> Result<()> {
    if !paths.iter().any(|path| path.as_os_str() == "-") {
        return Ok(());
    }
    let message = format!("`{flag}` rewrites files, but `-` is standard input");
    Err(Refusal::usage(message).help("name a file, or print the changes with `--diff`").into())
}

/// The result of corrections.
pub(super) struct Fixed {
    /// The texts with corrections, in the order of the input.
    pub(super) sources: Vec<Arc<Source>>,
    /// The findings of these texts.
    pub(super) findings: Vec<Diagnostic>,
    /// The number of applied corrections.
    pub(super) applied: usize,
}

/// Applies the corrections of findings until there are none left. `find` returns the findings of texts.
pub(super) fn fix_all(
    sources: &[Arc<Source>],
    mut find: impl FnMut(&[Arc<Source>]) -> Vec<Diagnostic>,
) -> Fixed {
    let mut fixed = Fixed { sources: sources.to_vec(), findings: find(sources), applied: 0 };
    for _ in 0..ROUNDS {
        let (sources, applied) = fix_once(&fixed.sources, &fixed.findings);
        if applied == 0 {
            break;
        }
        fixed.findings = find(&sources);
        fixed.sources = sources;
        fixed.applied += applied;
    }
    fixed
}

/// Applies those corrections of findings that do not overlap. Returns the new texts and the number of corrections.
fn fix_once(sources: &[Arc<Source>], findings: &[Diagnostic]) -> (Vec<Arc<Source>>, usize) {
    let mut total = 0;
    let fixed = sources.iter().map(|source| {
        let fixes: Vec<&Fix> = fixes_of(source, findings).collect();
        let Some((text, applied)) = fixed_text(source.text(), &fixes) else {
            return Arc::clone(source);
        };
        total += applied;
        with_text(source, text)
    });
    (fixed.collect(), total)
}

/// A text with another content.
pub(super) fn with_text(source: &Arc<Source>, text: String) -> Arc<Source> {
    let new = Source::new(source.name(), text);
    if source.is_in_walk() { new.found_in_walk() } else { new }
}

/// The corrections that change this text only.
fn fixes_of<'f>(source: &Arc<Source>, findings: &'f [Diagnostic]) -> impl Iterator<Item = &'f Fix> {
    let fixes = findings.iter().filter_map(|finding| finding.fix.as_ref());
    fixes.filter(move |fix| {
        !fix.edits.is_empty()
            && fix.edits.iter().all(|edit| Arc::ptr_eq(&edit.place.source, source))
    })
}

/// The text with corrections, and their number; `None` if it is unchanged. Corrections that would make a valid text
/// invalid are left out.
fn fixed_text(text: &str, fixes: &[&Fix]) -> Option<(String, usize)> {
    let all = apply_fixes(text, fixes.iter().copied());
    if all.text == text {
        return None;
    }
    if is_valid(&all.text) || !is_valid(text) {
        return Some((all.text, all.count));
    }
    let mut accepted: Vec<&Fix> = Vec::new();
    for fix in fixes {
        let applied = apply_fixes(text, accepted.iter().copied().chain([*fix]));
        if applied.skipped == 0 && is_valid(&applied.text) {
            accepted.push(fix);
        }
    }
    let applied = apply_fixes(text, accepted);
    (applied.text != text).then_some((applied.text, applied.count))
}

/// Whether a text is YAML, without a key twice in one mapping.
fn is_valid(text: &str) -> bool {
    let (documents, findings) = parse(&Source::new("", text), Limits::POLICY);
    !findings.has_errors() && !documents.iter().any(|document| has_double_key(&document.root))
}

fn has_double_key(node: &document::Node) -> bool {
    let entries = node.entries();
    let mut keys: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
        || entries.iter().any(|entry| has_double_key(&entry.value))
        || node.items().iter().any(has_double_key)
}

/// The pairs of old and new texts that differ.
pub(super) fn changed<'s>(
    old: &'s [Arc<Source>],
    new: &'s [Arc<Source>],
) -> impl Iterator<Item = (&'s Arc<Source>, &'s Arc<Source>)> {
    old.iter().zip(new).filter(|(old, new)| old.text() != new.text())
}

/// Prints the changes of texts as unified diffs.
pub(super) fn print_diff(ui: &mut Ui, old: &[Arc<Source>], new: &[Arc<Source>]) -> Result<()> {
    let style = ui.style();
    for (old, new) in changed(old, new) {
        ui.data(&unified_diff(old.name(), old.text(), new.text(), style))?;
    }
    Ok(())
}

/// Replaces the files whose text changes, each atomically and with its permissions. Returns their number.
///
/// # Errors
///
/// If a file is read-only or has other names: then nothing is written. If a file cannot be written, is compressed, or was
/// changed since it was read: files before it are written, those after it are not.
pub(super) fn write(old: &[Arc<Source>], new: &[Arc<Source>]) -> Result<usize> {
    changed(old, new).try_for_each(|(old, _)| refuse_protected(Path::new(old.name())))?;
    let mut count = 0;
    for (old, new) in changed(old, new) {
        let path = Path::new(old.name());
        let bytes = fs::read(path).map_err(|error| cannot_write(path, &error))?;
        if bytes != old.text().as_bytes() {
            let message = format!(
                "`{}` is compressed, not UTF-8, or was changed in the meantime",
                old.name()
            );
            let refusal = Refusal { exit: Exit::Refused, ..Refusal::input(message) };
            return Err(refusal.help("its new text is not written; run the command again").into());
        }
        replace_file(path, new.text()).map_err(|error| cannot_write(path, &error))?;
        count += 1;
    }
    Ok(count)
}

/// Refuses a file whose replacement would surprise: one that is protected from writes, or that has several names, of
/// which the others would keep the old text.
fn refuse_protected(path: &Path) -> Result<()> {
    let metadata = fs::metadata(path).map_err(|error| cannot_write(path, &error))?;
    let names = link_count(&metadata);
    let (why, help) = if metadata.permissions().readonly() {
        ("is read-only".to_owned(), "make it writable, or print the changes with `--diff`")
    } else if names > 1 {
        let why = format!("has {names} hard links, of which the others would keep the old text");
        (why, "replace it by a copy, or print the changes with `--diff`")
    } else {
        return Ok(());
    };
    let message = format!("`{}` {why}", path.display());
    let refusal = Refusal { exit: Exit::Refused, ..Refusal::input(message) };
    Err(refusal.help(format!("nothing was written; {help}")).into())
}

#[cfg(unix)]
fn link_count(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn link_count(_: &fs::Metadata) -> u64 {
    1
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Refusal {
    let message = format!("cannot write `{}`: {error}", path.display());
    let finding = Diagnostic::without_place(Code::Unreadable, message);
    Refusal::findings(vec![finding])
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::diag::{Edit, Place, Span};

    /// A finding for each `x` of a text, which its fix replaces by `to`.
    fn find(source: &Arc<Source>, to: &str) -> Vec<Diagnostic> {
        let found = source.text().match_indices('x').map(|(at, x)| {
            let place = Place::new(source, Span::new(at, at + x.len()));
            let edits = vec![Edit { place: place.clone(), text: to.to_owned() }];
            let fix = Fix { title: String::new(), edits };
            Diagnostic::warning(Code::EmptyText, place, "x").fixed_by(Some(fix))
        });
        found.collect()
    }

    #[test]
    fn corrections_are_applied_until_there_are_none() {
        let sources = [Source::new("a", "a: [x, x]\n"), Source::new("b", "b: 1\n")];
        let fixed =
            fix_all(&sources, |sources| sources.iter().flat_map(|it| find(it, "y")).collect());
        assert_eq!((fixed.applied, fixed.findings.len()), (2, 0));
        assert_eq!(fixed.sources[0].text(), "a: [y, y]\n");
        assert!(Arc::ptr_eq(&fixed.sources[1], &sources[1]));
        let endless = fix_all(&sources[..1], |sources| find(&sources[0], "x"));
        assert_eq!((endless.applied, endless.sources[0].text()), (0, "a: [x, x]\n"));
    }

    #[test]
    fn a_correction_that_breaks_the_text_is_left_out() {
        let source = Source::new("a", "a: [x, z]\nb: x\n");
        let mut findings = find(&source, "y");
        findings[0].fix.as_mut().unwrap().edits[0].text = "]".to_owned();
        let (fixed, applied) = fix_once(&[Arc::clone(&source)], &findings);
        assert_eq!((fixed[0].text(), applied), ("a: [x, z]\nb: y\n", 1));
        let double = Source::new("a", "a: 1\nx: 2\n");
        assert_eq!(fix_once(&[Arc::clone(&double)], &find(&double, "a")).1, 0);
    }
}
