//! The commands that pages show, run in a copy of the examples.

use super::sandbox::{Sandbox, root};
use std::path::Path;

/// The commands of the `console` fences of a page, with the output of each.
pub fn sessions(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match (line.strip_prefix("$ "), found.last_mut()) {
                (Some(command), _) => found.push((command.to_owned(), String::new())),
                (None, Some((_, output))) => *output += &format!("{line}\n"),
                (None, None) => panic!("output before a command: {line}"),
            },
            (false, _) => {}
        }
    }
    found
}

/// Runs the commands of a page one after the other, and expects of each the output that is shown. The page has at
/// least this many. `UPDATE_GENERATED=1` writes the outputs into the page instead.
#[track_caller]
pub fn check_page(page: &str, least: usize, print: impl Fn(&str) -> String) {
    let path = root().join(page);
    let mut text = std::fs::read_to_string(&path).expect("the page");
    let sessions = sessions(&text);
    assert!(sessions.len() >= least, "{page} shows {} commands", sessions.len());
    let is_update = std::env::var_os("UPDATE_GENERATED").is_some();
    for (command, expected) in sessions {
        let printed = print(&command);
        if is_update {
            let shown = format!("$ {command}\n{expected}");
            text = text.replace(&shown, &format!("$ {command}\n{}\n", printed.trim_end()));
        } else {
            assert_eq!(printed.trim_end(), expected.trim_end(), "$ {command}");
        }
    }
    if is_update {
        std::fs::write(&path, text).expect("the page");
    }
}

/// A directory with the examples of the repository.
pub struct Console {
    sandbox: Sandbox,
}

impl Console {
    /// A console before the first command.
    pub fn new() -> Self {
        let sandbox = Sandbox::new();
        copy(&root().join("examples"), &sandbox.path().join("examples"));
        Self { sandbox }
    }

    /// The output of `armadactl ..`, `cat FILE`, `head -n N FILE` or `grep -F WORD FILE`; of the first also with
    /// `| head -n N`, `| tail -n N`, `| grep -F WORD` or `| grep -A N WORD`.
    pub fn printed(&self, command: &str) -> String {
        let words: Vec<&str> = command.split(' ').collect();
        let lines = |file: &str| self.file(file).lines().map(str::to_owned).collect::<Vec<_>>();
        let selected = match words.as_slice() {
            ["cat", file] => lines(file),
            ["head", "-n", count, file] => {
                lines(file).into_iter().take(count.parse().expect("a number")).collect()
            }
            ["grep", "-F", word, file] => lines(file)
                .into_iter()
                .filter(|line| line.contains(word.trim_matches('\'')))
                .collect(),
            _ => return self.run(command),
        };
        selected.iter().map(|line| line.to_owned() + "\n").collect()
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.sandbox.path().join(name)).expect("a file")
    }

    fn run(&self, command: &str) -> String {
        if let Some((command, word)) = command.split_once(" | grep -F ") {
            let output = self.run(command);
            let lines = output.lines().filter(|line| line.contains(word));
            return lines.map(|line| line.to_owned() + "\n").collect();
        }
        if let Some((command, context)) = command.split_once(" | grep -A ") {
            let (count, word) = context.split_once(' ').expect("a number and a word");
            let count = count.parse::<usize>().expect("a number");
            let output = self.run(command);
            let lines = output.lines().skip_while(|line| !line.contains(word)).take(count + 1);
            return lines.map(|line| line.to_owned() + "\n").collect();
        }
        let filtered = |filter: &str| {
            let (command, count) = command.split_once(filter)?;
            Some((command, count.parse::<usize>().expect("a number")))
        };
        let (head, tail) = (filtered(" | head -n "), filtered(" | tail -n "));
        let (first, last) = (head.map(|(_, count)| count), tail.map(|(_, count)| count));
        let command = head.or(tail).map_or(command, |(command, _)| command);
        let line = command.strip_prefix("armadactl ").expect("a known command");
        // No quoted word of a page has blanks.
        let run = self.sandbox.run(&line.replace('\'', ""));
        let skipped = last.map_or(0, |count| run.stdout.lines().count().saturating_sub(count));
        let lines = run.stdout.lines().skip(skipped).take(first.unwrap_or(usize::MAX));
        lines.map(|line| line.to_owned() + "\n").collect()
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a directory");
    for entry in from.read_dir().expect("a directory").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("a copy");
        }
    }
}
