//! The command line of `test`.

use crate::commands::input_files::{ARGUMENTS, InputFiles};
use crate::commands::policy_set::EngineName;
use crate::commands::report_files::ReportArgs;
use clap::Args;
use std::path::PathBuf;

const USAGE: &str = "armadactl test <FILE>... [OPTIONS]
       armadactl test --init <POLICY>... [--save FILE]";

const EXAMPLES: &str = "\
Examples:
  # Run the tests of a directory
  armadactl test tests/

  # Run some of them, each on a line
  armadactl test tests/ --run preempt -v

  # Fail unless the tests cover every rule, default and limit
  armadactl test tests/ --coverage-threshold 100

  # Write tests that cover the policies of a directory
  armadactl test --init policies/ --save tests/policies.yaml";

const EXITS: &str = "\
Exit codes:
    0  all tests passed
    1  a test failed, no test was run, or the coverage is below the threshold
    2  invalid command line
    3  a test file, policy or history is invalid, or names something that does not exist
    6  --save names a file that exists
  130  interrupted";

/// Run unit tests of policies and print their coverage
///
/// A test file (`kind: RetryPolicyTest`) names policies, and has tests: failures of a job and what the policies
/// decide about them. `explain retrypolicytest.spec.tests` describes the fields. In directories, documents of
/// other kinds are ignored.
///
/// Coverage counts rules, defaults and limits of the tested policies that a failure reaches. A rule is covered by a test that checks
/// what happens and which rule decided, a limit by one that checks the decision at which it is reached.
///
/// With -v there is a line for each test, and what coverage does not count is listed with the reason.
#[derive(Debug, Args)]
#[command(override_usage = USAGE, before_long_help = EXAMPLES, after_long_help = EXITS)]
#[command(mut_arg(ARGUMENTS, |arg| {
    arg.help("Run the tests of these files, directories or patterns; with --init: policies")
}))]
pub struct TestArgs {
    #[command(flatten)]
    pub(super) files: InputFiles,
    /// Run only tests whose name matches this pattern (repeatable)
    ///
    /// Patterns are in Go's dialect, as those of policies, and are searched anywhere in the name. A case of a
    /// table is named `NAME[2]`. It is an error (exit 1) if no test matches.
    #[arg(long = "run", value_name = "REGEX", conflicts_with = "init")]
    pub(super) patterns: Vec<String>,
    /// Exit 1 unless this percentage of rules, defaults and limits is covered
    #[arg(long, value_name = "PCT", value_parser = percentage, conflicts_with = "init")]
    #[arg(allow_negative_numbers = true)]
    pub(super) coverage_threshold: Option<f64>,
    /// Run the tests again whenever a file changes
    #[arg(long, conflicts_with_all = ["init", "report"])]
    pub(super) watch: bool,
    /// Generate a test file that covers the policies of FILE
    ///
    /// There is a test for each rule, default and limit that a failure reaches; the expectations are what the
    /// policies decide now. The file is printed, or written with --save. What no failure reaches is a comment.
    ///
    /// Each list of policies in a Queue document is a suite, and so is each policy that is in none.
    #[arg(long, conflicts_with = "report")]
    pub(super) init: bool,
    /// Write the generated tests to this file, which must not exist
    ///
    /// Directories above it that do not exist are made. Nothing is made or written after an error.
    #[arg(long, value_name = "FILE", requires = "init")]
    pub(super) save: Option<PathBuf>,
    /// Generate one suite, of these policies in this order [default: by queue]
    #[arg(long, value_delimiter = ',', value_name = "NAMES", requires = "init")]
    pub(super) queue_policies: Option<Vec<String>>,
    /// Generate tests under this scheduler configuration file
    #[arg(long, value_name = "FILE", requires = "init")]
    pub(super) scheduler_config: Option<PathBuf>,
    /// Generate tests by the rules of this engine [default: by the form]
    #[arg(long, value_enum, value_name = "ENGINE", requires = "init")]
    pub(super) engine: Option<EngineName>,
    #[command(flatten)]
    pub(super) reports: ReportArgs,
}

fn percentage(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.trim_end_matches('%').parse().ok();
    let number = number.filter(|number| (0.0..=100.0).contains(number));
    match number {
        // 80 % is meant, not 0.8 %.
        Some(share) if share > 0.0 && share < 1.0 && !text.ends_with('%') => {
            Err(format!("write a percentage: `{}` for {text}, or `{text}%`", share * 100.0))
        }
        _ => number.ok_or_else(|| "write a number from 0 to 100".to_owned()),
    }
}
