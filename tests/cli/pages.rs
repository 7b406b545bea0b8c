//! Every id of a finding has a page, and what the pages show is what they say it is: a document
//! under `## Example` has a finding of the page's id, and one under `## Instead` has none.

use crate::diagnostics::{ELSEWHERE, findings, ids};
use armadactl::diag::{Code, Style, human};

/// The YAML fences under a heading of a page.
fn fences(page: &str, heading: &str) -> Vec<String> {
    let section = page.split("\n## ").find_map(|part| part.strip_prefix(heading));
    let fences = section.unwrap_or_default().split("```yaml\n").skip(1);
    fences.map(|fence| fence.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_page_has_an_example_and_what_to_write_instead() {
    for code in Code::ALL {
        let page = code.page();
        for heading in ["Example\n", "Instead\n"] {
            assert!(page.text.contains(&format!("\n## {heading}")), "{}: {heading}", page.id);
        }
        assert!(page.text.split_whitespace().count() > 60, "{} says too little", page.id);
    }
}

#[test]
fn documents_on_the_pages_are_what_the_pages_say() {
    let document = |fence: &String| fence.starts_with("apiVersion:");
    for code in Code::ALL {
        let page = code.page();
        for fence in fences(page.text, "Instead\n").iter().filter(|fence| document(fence)) {
            let items = findings(page.id, fence);
            assert!(items.is_empty(), "{}", human(&items, Style::Plain, Some(100)));
        }
        if ELSEWHERE.iter().any(|(other, _)| other == code) {
            continue;
        }
        for fence in fences(page.text, "Example\n").iter().filter(|fence| document(fence)) {
            assert!(ids(&findings(page.id, fence)).contains(page.id), "{}:\n{fence}", page.id);
        }
    }
}
