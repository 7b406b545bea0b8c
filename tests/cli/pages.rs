//! Every id of a finding has a page. Pages are short, and links lead to all of them. The pairs of the page of all systems
//! are what `convert` makes of one another. What the commands and documents of each page show is a test of `tests/fixtures`.
//!
//! Holds cli.md Diagnostics.

use crate::consoles::fences;
use crate::diagnostics::findings;
use crate::sandbox::{Sandbox, root};
use armadactl::internals::findings::{Style, human, page};
use document::diag::Code;
use std::collections::BTreeSet;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

#[test]
fn every_page_has_an_example_and_what_to_write_instead() {
    for code in Code::ALL {
        let (id, page) = (code.id(), page(*code));
        for heading in ["Example\n", "Instead\n"] {
            assert!(page.contains(&format!("\n## {heading}")), "{id}: {heading}");
        }
        assert!(page.split_whitespace().count() > 60, "{id} says too little");
    }
}

#[test]
fn policies_side_by_side_have_no_finding_and_are_what_convert_writes() {
    let sandbox = Sandbox::new();
    let converted =
        |policy: &str| sandbox.run_on("convert -q -f - --to v1 -o json", policy).exits(0).json();
    let page = read_to_string(root().join("docs/side-by-side.md")).expect("the page");
    let fences = fences(&page, "Policies of each system in Armada's form\n");
    assert_eq!(fences.len(), 14);
    for pair in fences.chunks(2) {
        let &[theirs, ours] = &pair else { panic!("a policy without its pair") };
        assert!(!theirs.contains("kind: RetryPolicy\n") && ours.contains("kind: RetryPolicy\n"));
        for fence in [theirs, ours] {
            let items = findings("side-by-side.md", fence);
            assert!(items.is_empty(), "{}", human(&items, Style::Plain, Some(100)));
        }
        assert_eq!(converted(theirs), converted(ours));
    }
}

/// The pages of `docs`, by path.
fn pages() -> BTreeSet<PathBuf> {
    let pattern = root().canonicalize().unwrap().join("docs/**/*.md");
    glob::glob(pattern.to_str().unwrap()).unwrap().map(Result::unwrap).collect()
}

#[test]
fn no_page_is_long_and_no_cell_of_a_table_is_wide() {
    for page in pages() {
        let (text, page) = (read_to_string(&page).unwrap(), page.display());
        let words = text.split_whitespace().count();
        assert!(words <= 3_000, "{page} has {words} words: split it");
        let mut is_code = false;
        for line in text.lines() {
            is_code ^= line.trim_start().starts_with("```");
            let is_row = !is_code && line.starts_with('|');
            for cell in line.split('|').filter(|_| is_row).map(str::trim) {
                let width = cell.chars().count();
                assert!(width <= 160, "{page}: shorten the cell, or use a list: {cell}");
            }
        }
    }
}

/// The links of a page to files: each file, and the heading in it if the link has one.
fn links(page: &Path) -> Vec<(PathBuf, Option<String>)> {
    let text = read_to_string(page).unwrap();
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    // A pattern in a code span may look like a link.
    let targets = targets.filter(|target| !target.contains("://") && !target.contains('*'));
    let resolve = |target: &str| {
        let (file, heading) = target.split_once('#').map_or((target, None), |(a, b)| (a, Some(b)));
        let path = if file.is_empty() { page.into() } else { page.parent().unwrap().join(file) };
        let path = path.canonicalize().unwrap_or_else(|_| panic!("{}: {target}", page.display()));
        (path, heading.map(str::to_owned))
    };
    targets.map(resolve).collect()
}

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches(['#', ' ']).to_lowercase().replace(' ', "-");
    words.chars().filter(|&c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}

#[test]
fn links_go_to_headings_that_exist() {
    let others = ["README.md", "CONTRIBUTING.md"].map(|name| root().join(name));
    for page in pages().into_iter().chain(others) {
        for (path, heading) in links(&page) {
            let Some(heading) = heading else { continue };
            let text = read_to_string(&path).unwrap();
            let mut headings = text.lines().filter(|line| line.starts_with('#')).map(anchor);
            assert!(headings.any(|it| it == heading), "{}: #{heading}", page.display());
        }
    }
}

#[test]
fn every_page_is_reached_from_the_first() {
    let pages = pages();
    let mut reached = BTreeSet::new();
    let mut next = vec![root().join("docs/README.md").canonicalize().unwrap()];
    while let Some(page) = next.pop() {
        if reached.insert(page.clone()) {
            let paths = links(&page).into_iter().map(|(path, _)| path);
            next.extend(paths.filter(|path| pages.contains(path)));
        }
    }
    let missing: Vec<&PathBuf> = pages.difference(&reached).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
