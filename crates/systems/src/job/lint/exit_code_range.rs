//! Exit codes that no container of Linux ends with.

use super::subject::Subject;
use document::Node;
use document::diag::{Code, Diagnostic, Findings};

/// The exit codes of a process under POSIX, of whose status 8 bits are kept.
const EXIT_CODES: std::ops::RangeInclusive<i128> = 0..=255;

/// Adds a finding for each rule with such a code. Containers of Windows end with numbers of 32 bits, so that the
/// manifest has to name Linux.
pub(super) fn check(subject: &Subject<'_>, findings: &mut Findings) {
    if !is_of_linux(subject.spec) {
        return;
    }
    for (_, _, node) in subject.rules() {
        let values = node.at(&["onExitCodes", "values"]).map(Node::items).unwrap_or_default();
        let found = values.iter().find_map(|item| {
            let code = item.integer().filter(|code| !EXIT_CODES.contains(code))?;
            Some((item, code))
        });
        let Some((item, code)) = found else { continue };
        let message = format!("exit code {code} does not occur: those of Linux are 0 to 255");
        let help = match code.rem_euclid(256) {
            0 => format!("remove it; a process with the status {code} ends with 0"),
            kept => format!("remove it, or write {kept}, which a status of {code} ends as"),
        };
        let finding = Diagnostic::warning(Code::ExitCodeRange, subject.place(item), message);
        findings.push(finding.help(help));
    }
}

fn is_of_linux(spec: &Node) -> bool {
    let text = |path: &[&str]| {
        spec.at(&["template", "spec"]).and_then(|pod| pod.at(path)).and_then(Node::text)
    };
    let names = [text(&["os", "name"]), text(&["nodeSelector", "kubernetes.io/os"])];
    names.contains(&Some("linux"))
}
