//! Rules for kinds of failure.

use armada_retry::policy::{Action, Condition, ExitCodes, Form, Operator, Rule, quoted};
use document::pattern::Pattern;
use replay::simulate::{Evidence, Group, Kind};

/// Returns the rule in YAML's flow form; `None` if no matcher distinguishes the failures. The recorded runs after
/// the failures determine its action; if they do not, the rule has a placeholder that no policy may contain.
pub(super) fn rule(form: Form, group: &Group, evidence: Evidence) -> Option<String> {
    let action = match evidence {
        Evidence::Succeeded => "Retry",
        Evidence::Failed => "Fail",
        Evidence::Missing => "<Retry or Fail>",
    };
    if form == Form::V1beta1 {
        let category = Some(&group.category).filter(|category| !category.is_empty())?;
        return Some(format!("{{action: {action}, onCategory: {}}}", quoted(category)));
    }
    let mut matchers = Vec::new();
    // No rule matches another name, such as `NODE_FAIL`, and its exit code is that of other failures too.
    let is_named = Condition::from_name(&group.condition).is_some();
    let code = group.exit_code.filter(|_| is_named || group.condition.is_empty());
    if let Some(code) = code.filter(|code| (1..=i64::from(i32::MAX)).contains(code)) {
        matchers.push(format!("onExitCodes: {{operator: In, values: [{code}]}}"));
    }
    if is_named {
        matchers.push(format!("onConditions: [{}]", group.condition));
    }
    if let Some(words) = words(&group.message) {
        let pattern = quoted(&regex_syntax::escape(words));
        matchers.push(format!("onTerminationMessage: {{pattern: {pattern}}}"));
    }
    if !group.category.is_empty() {
        matchers.push(format!("onFailureCategory: [{}]", quoted(&group.category)));
    }
    (!matchers.is_empty()).then(|| format!("{{action: {action}, {}}}", matchers.join(", ")))
}

/// A rule of a form for failures of a kind; `None` if it has no matcher for them.
pub fn rule_for_kind(form: Form, kind: &Kind, action: Action) -> Option<Rule> {
    let mut rule = Rule::new(action);
    match (kind, form) {
        (Kind::Category(category, subcategory), _) => {
            rule.categories.push(category.clone());
            let subcategory = Some(subcategory).filter(|name| !name.is_empty());
            rule.subcategories.extend(subcategory.cloned());
        }
        (Kind::Condition(name), Form::V1) => rule.conditions.push(Condition::from_name(name)?),
        (Kind::ExitCode(code), Form::V1) => {
            // Exit codes of a rule are positive numbers of 32 bits.
            let code = i32::try_from(*code).ok().filter(|code| *code > 0)?;
            rule.exit_codes = Some(ExitCodes { operator: Operator::In, values: vec![code] });
        }
        (Kind::Message { shape, .. }, Form::V1) => {
            let pattern = regex_syntax::escape(words(shape)?);
            rule.message = Some(Pattern::parse(&pattern).ok()?);
        }
        _ => return None,
    }
    Some(rule)
}

/// Returns the longest fixed piece of a message shape, if it has at least 4 bytes: shorter ones match too
/// much.
fn words(shape: &str) -> Option<&str> {
    let longest = shape.split('#').map(str::trim).max_by_key(|piece| piece.len())?;
    (longest.len() >= 4).then_some(longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use armada_retry::policy::read;

    fn group(category: &str, exit_code: Option<i64>, message: &str) -> Group {
        let (category, message) = (category.to_owned(), message.to_owned());
        Group { category, exit_code, condition: String::new(), message }
    }

    #[test]
    fn nothing_is_suggested_for_a_name_that_no_rule_matches() {
        let lost = Group { condition: "NODE_FAIL".to_owned(), ..group("", Some(1), "") };
        assert_eq!(rule(Form::V1, &lost, Evidence::Succeeded), None);
        let named = Group { category: "infra".to_owned(), ..lost };
        let expected = "{action: Retry, onFailureCategory: [infra]}";
        assert_eq!(rule(Form::V1, &named, Evidence::Succeeded).as_deref(), Some(expected));
    }

    #[test]
    fn what_is_suggested_is_a_policy() {
        let all = [
            group("network", Some(1), "dial tcp #:#: connect: it's (refused)?"),
            group("a b", None, ""),
            group("", Some(3), "\u{1b}[#m bell\u{7}s: ring"),
        ];
        for group in &all {
            let rule = rule(Form::V1, group, Evidence::Succeeded).unwrap();
            let text = format!(
                "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: p}}\nspec:\n  rules:\n  - {rule}\n"
            );
            let (documents, findings) = read(&[document::diag::Source::new("p.yaml", text)]);
            assert!(findings.is_empty(), "{rule}");
            assert_eq!(documents.policies.len(), 1);
        }
        let action = |evidence| rule(Form::V1beta1, &all[0], evidence).unwrap();
        assert_eq!(action(Evidence::Failed), "{action: Fail, onCategory: network}");
        assert_eq!(action(Evidence::Missing), "{action: <Retry or Fail>, onCategory: network}");
        assert_eq!(rule(Form::V1, &group("", None, ""), Evidence::Succeeded), None);
    }
}
