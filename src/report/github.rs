//! GitHub workflow commands, which annotate a pull request: findings and failed tests.

use super::TestOutcome;
use super::ci_report::{CiReport, RunFacts, failure_of};
use crate::findings::{github_command, github_named};

/// Renders a command for each finding and each failed test.
pub(super) fn render(reported: &CiReport<'_>, run: &RunFacts) -> String {
    let path = |name: &str| run.paths.path(name);
    let mut out = github_named(reported.findings, path);
    for test in reported.tests.iter().filter(|test| test.outcome == TestOutcome::Failed) {
        let line = test.line.to_string();
        let properties =
            [("file", path(&test.file).as_str()), ("line", &line), ("title", &test.name)]
                .map(|(name, value)| (name, value.to_owned()));
        let message = failure_of(test);
        out.push_str(&github_command("error", &properties, message));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::ci_report::samples;
    use super::*;

    #[test]
    fn findings_and_failed_tests_are_commands() {
        let (findings, tests) = (samples::findings(), samples::tests());
        let reported = CiReport { tests: &tests, ..samples::reported(&findings) };
        assert_eq!(
            render(&reported, &samples::run()),
            "::error title=RP034::cannot read `../no.yaml`: gone\n\
             ::error file=policies/a b/ü&<1>.yaml,line=2,col=5,endLine=2,endColumn=6,title=RP005::unknown \"field\" <x> & 100%25\\u{1b}[0m%0Ahelp: did you mean `y`?\n\
             ::error file=policies/a b/ü&<1>.yaml,line=2,col=1,endLine=2,endColumn=2,title=RP001::a syntax error\n\
             ::warning file=policies/a b/ü&<1>.yaml,line=3,col=1,endLine=3,endColumn=2,title=RP024::an odd spelling\n\
             ::notice file=policies/a b/ü&<1>.yaml,line=3,col=1,endLine=3,endColumn=2,title=RP024::an odd spelling\n\
             ::error file=policies/tests/gpu.yaml,line=9,title=100%25%2C then%3A fails::expected: Retry%0Agot: Fail\n"
        );
    }
}
