"""Checks the reading of Rust on a workspace of a few lines: python3 tools/tree/check.py"""

from __future__ import annotations

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import arrows
import counts
import tokens
from modules import Workspace

FILES = {
    "src/lib.rs": "//! | folder | owns |\n//! |---|---|\n//! | [`a`] | x |\n//! | [`b`] | y |\n//! | [`low_level::inner`] | z |\n//! | [`low_level`] | z |\nmod a;\nmod b;\n",
    "src/a/mod.rs": r"""
//! use crate::b::Comment;
mod one; pub(crate) mod two;
pub(in crate::b) mod three;
pub use one::One;
pub(crate) use two::{Two, deep::Deep as D};
const TEXTS: [&str; 2] = ["use crate::b::x; \" use crate::b::y;", r#"crate::b::z "quoted" "#];
fn life<'a>(text: &'a str) -> [char; 2] { ['\'', '"'] }
pub struct Parent;
#[cfg(test)]
mod tests { use crate::b::Thing; }
#[cfg(test)] mod helper;
""",
    "src/a/one.rs": "use super::{Two, D};\npub struct One;\n/* /* nested */ use crate::b::Thing; */\n",
    "src/a/two.rs": "pub mod deep;\npub struct Two(super::Parent);\nfn f() { let x = crate::a::One; }\n",
    "src/a/two/deep.rs": "items! { pub struct Deep; }\n",
    "src/a/three.rs": "use super::*;\nfn g() -> Parent { Parent }\n",
    "src/a/helper.rs": "use crate::b::Thing;\n",
    "src/a/one_tests/mod.rs": "use crate::b::Thing;\n",
    "src/b/mod.rs": "pub struct Thing;\nfn up() { crate::a::Parent; }\nuse ::low_level::inner::Deep;\n",
    "crates/low-level/src/lib.rs": "pub mod inner;\npub mod top;\npub use top::Top;\n",
    "crates/low-level/src/inner.rs": "pub struct Deep(crate::Top);\n",
    "crates/low-level/src/top.rs": "pub struct Top;\n",
}


class Reading(unittest.TestCase):
    """The arrows of the workspace."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        for name, text in FILES.items():
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_text(text)
        self.workspace = Workspace(self.tree)

    def test_files_of_tests_are_apart(self) -> None:
        self.assertEqual({str(file) for file in self.workspace.tests}, {"a/helper.rs", "a/one_tests/mod.rs"})

    def test_comments_are_counted_outside_of_tests(self) -> None:
        source = "//! a\n/// b\n// c\nfn f() {\n    // d\n} // e\n#[cfg(test)]\nmod tests {\n    // f\n}\n"
        self.assertEqual(tokens.lines_of_reasons(source), 2)

    def test_lines_of_tests_are_apart(self) -> None:
        source = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n#[cfg(test)] use x::{\n  y,\n};\nfn c() {}\n"
        self.assertEqual(tokens.lines_of_tests(source), 4 + 3)

    def test_re_exports_are_followed_to_the_file_that_defines(self) -> None:
        self.assertEqual(
            {arrow: sorted(names) for arrow, names in arrows.between_files(self.workspace).items()},
            {
                ("a/one.rs", "a/two.rs"): ["Two"],
                ("a/one.rs", "a/two/deep.rs"): ["D"],
                ("a/two.rs", "a/mod.rs"): ["Parent"],
                ("a/two.rs", "a/one.rs"): ["One"],
                ("a/three.rs", "a/mod.rs"): ["Parent"],
                ("b/mod.rs", "a/mod.rs"): ["Parent"],
                ("b/mod.rs", "low_level/inner.rs"): ["Deep"],
                ("low_level/inner.rs", "low_level/top.rs"): ["Top"],
            },
        )

    def test_circles_and_upward_arrows(self) -> None:
        files = arrows.inside(arrows.between_files(self.workspace), "a")
        self.assertEqual(arrows.circles(files), [["a/one.rs", "a/two.rs"]])
        table = arrows.order(self.tree / "src/lib.rs")
        folders = arrows.between_folders(self.workspace, table)
        self.assertEqual(arrows.upward(folders, table), [("b", "a")])
        self.assertIn(("b", "low_level::inner"), folders)

    def test_members_of_a_trait_are_counted_at_its_own_level(self) -> None:
        source = "trait Engine: Sized { type A; const B: u8 = { 1 }; fn f(); fn g() { fn inner() {} } }\ntrait X { fn h(); }"
        self.assertEqual(counts.members(source, "Engine"), 4)

    def test_a_count_rises_or_falls(self) -> None:
        self.assertEqual(counts.compare({"a": 1, "b": 2}, {"a": 1, "b": 1}), [])
        self.assertEqual(counts.compare({"a": 1}, {"a": 2, "c": 1}), ["a: 1 before, 2 now", "c: 0 before, 1 now"])


if __name__ == "__main__":
    unittest.main()
