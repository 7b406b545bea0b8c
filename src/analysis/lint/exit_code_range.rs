//! Exit codes above 255, which no container of Linux ends with.

use super::context::{Context, Policy};
use super::definition::Lint;
use armada_retry::policy::{ExitCodes, Operator};
use document::Node;
use document::diag::{Code, Diagnostic, Findings};

pub(super) const LINT: Lint = Lint { code: Code::ExitCodeRange, check };

/// The largest exit status of a process under POSIX, of which 8 bits are kept.
const MAX_EXIT_STATUS: i32 = 255;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        for (number, rule, node) in policy.numbered() {
            if let (Some(codes), Some(list)) =
                (&rule.exit_codes, node.at(&["onExitCodes", "values"]))
            {
                findings.extend(check_rule(policy, number, codes, list));
            }
        }
    }
}

fn check_rule(
    policy: &Policy<'_>,
    number: usize,
    codes: &ExitCodes,
    list: &Node,
) -> Option<Diagnostic> {
    let is_beyond = |code: i32| code > MAX_EXIT_STATUS;
    let values = codes.values.iter().zip(list.items());
    let (code, item) = values.into_iter().find(|(code, _)| is_beyond(**code))?;
    let name = policy.rule_name(number);
    let is_all = codes.values.iter().all(|code| is_beyond(*code));
    let message = match (codes.operator, is_all) {
        (Operator::In, true) => format!("{name} matches no failure: exit codes end at 255"),
        (Operator::NotIn, true) => {
            format!("{name} matches every exit code: none of those that it leaves out exists")
        }
        (_, false) => format!("exit code {code} does not occur: exit codes end at 255"),
    };
    let help = match code % 256 {
        0 => "remove it; a status of a multiple of 256 ends as 0".to_owned(),
        kept => format!("remove it, or write {kept}, which a status of {code} ends as"),
    };
    let place = policy.place(item.span);
    Some(Diagnostic::warning(Code::ExitCodeRange, place, message).help(help))
}
