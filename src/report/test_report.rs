//! The results of unit tests of policies (cli.md, `test`).

use schemars::JsonSchema;
use serde::Serialize;

/// One test of a file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestItem {
    /// The test file.
    pub file: String,
    /// The name of the test; of a row of a table, that of its test and its number: `name[2]`.
    pub name: String,
    /// The line of the test, from 1.
    pub line: usize,
    /// Whether it passed.
    pub outcome: TestOutcome,
    /// What was expected and what came instead; null if the test passed.
    pub message: Option<String>,
}

/// Whether a test passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum TestOutcome {
    /// Everything that the test expects came.
    Passed,
    /// Something else came.
    Failed,
}
