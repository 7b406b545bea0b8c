//! Names of files in reports that others read, without the directories of the machine.

use super::report_paths::{ReportPaths, is_absolute};
use std::collections::{BTreeSet, HashMap};

/// The names of some files, each different from the others.
#[derive(Debug, Clone)]
pub struct ShortPaths {
    paths: ReportPaths,
    /// The number of files that end with a path.
    tails: HashMap<String, usize>,
    /// Absolute names and their short ones, the longest first.
    absolute: Vec<(String, String)>,
}

impl ShortPaths {
    /// The short names of these files.
    pub fn new<'n>(paths: ReportPaths, names: impl IntoIterator<Item = &'n str>) -> Self {
        let names: BTreeSet<&str> = names.into_iter().collect();
        let files: BTreeSet<String> = names.iter().map(|name| paths.absolute(name)).collect();
        let mut tails = HashMap::new();
        for tail in files.iter().flat_map(|file| all_tails(file)) {
            *tails.entry(tail.to_owned()).or_default() += 1;
        }
        let mut short = Self { paths, tails, absolute: Vec::new() };
        let absolute = names.into_iter().filter(|name| is_absolute(name));
        short.absolute = absolute.map(|name| (name.to_owned(), short.name(name))).collect();
        // The longest first, since a directory is the beginning of the names of its files.
        short.absolute.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        short
    }

    /// The path of a file relative to the root; of a file outside of it the last component, with as many before
    /// it as no other file has.
    pub fn name(&self, name: &str) -> String {
        let path = self.paths.path(name);
        if !is_absolute(&path) {
            return path;
        }
        let is_unique = |tail: &&str| self.tails.get(*tail).is_none_or(|count| *count < 2);
        let tail = all_tails(&path).find(is_unique).or_else(|| all_tails(&path).last());
        tail.map_or_else(|| path.clone(), str::to_owned)
    }

    /// A text with the names of the files in it replaced, and those of directories in the names of files below them.
    pub fn text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let begins = is_absolute(rest) && !out.ends_with(|c| c == '/' || is_of_name(c));
            let is_here = |(name, _): &&(String, String)| {
                rest.strip_prefix(name.as_str()).is_some_and(|end| !end.starts_with(is_of_name))
            };
            if let Some((name, short)) = self.absolute.iter().find(|it| begins && is_here(it)) {
                out.push_str(short);
                rest = &rest[name.len()..];
            } else {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        out
    }
}

/// Whether a character next to a name is a part of a longer one.
fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || "._-".contains(character)
}

/// The last component of an absolute path, the last two, and so on.
fn all_tails(path: &str) -> impl Iterator<Item = &str> {
    path.rmatch_indices('/').map(|(at, _)| &path[at + 1..]).filter(|tail| !tail.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_outside_has_the_shortest_tail_that_no_other_has() {
        let paths = ReportPaths::new("/srv/repo", "/srv/repo");
        let names = [
            "p/a.yaml",
            "/x/p/a.yaml",
            "/x/q/a.yaml",
            "/x/b.yaml",
            "/srv/repo/c.yaml",
            "/a.yaml",
            "../d.yaml",
        ];
        let short = ShortPaths::new(paths, names);
        let expected =
            ["p/a.yaml", "x/p/a.yaml", "q/a.yaml", "b.yaml", "c.yaml", "a.yaml", "d.yaml"];
        assert_eq!(names.map(|name| short.name(name)), expected);
        assert_eq!(short.name("/x/e.yaml"), "e.yaml");
        assert_eq!(short.name("-"), "<stdin>");
        assert_eq!(
            short.text("`/x/p/a.yaml`: /srv/repo/c.yaml is newer than /x/b.yaml.gz, x/b.yaml"),
            "`x/p/a.yaml`: c.yaml is newer than /x/b.yaml.gz, x/b.yaml"
        );
    }
}
