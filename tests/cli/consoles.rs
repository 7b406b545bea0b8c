//! The commands that pages show, with their output.

use super::sandbox::root;

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

/// The YAML fences under a heading of a page.
pub fn fences(page: &str, heading: &str) -> Vec<String> {
    let section = page.split("\n## ").find_map(|part| part.strip_prefix(heading));
    let fences = section.unwrap_or_default().split("```yaml\n").skip(1);
    fences.map(|fence| fence.split("```").next().unwrap_or_default().to_owned()).collect()
}

/// The lines that differ, if any do.
pub fn difference(expected: &str, found: &str) -> Option<String> {
    let lines = similar::TextDiff::from_lines(expected, found);
    (expected != found).then(|| lines.unified_diff().header("expected", "found").to_string())
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
            let difference = difference(expected.trim_end(), printed.trim_end());
            assert!(difference.is_none(), "$ {command}\n{}", difference.unwrap_or_default());
        }
    }
    if is_update {
        std::fs::write(&path, text).expect("the page");
    }
}
