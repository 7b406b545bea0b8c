//! Subcategories of `internal` that no policy sees. With configurations of executors their audit reports them.

use super::context::Context;
use super::definition::Lint;
use document::diag::{Code, Findings};
use systems::armada::classifier::audit_internal;

pub(super) const LINT: Lint = Lint { code: Code::NeverReported, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    if context.input.executors.is_some() {
        return;
    }
    findings.extend(audit_internal(&context.input.documents.policies));
}
