//! Secrets in texts of servers, which may repeat what they were sent.

use super::name::segment;

/// Replaces secrets in a text, as they are and percent-encoded.
pub(super) fn redact<'s>(text: &str, secrets: impl IntoIterator<Item = &'s str>) -> String {
    let mut text = text.to_owned();
    let mut secrets: Vec<&str> = secrets.into_iter().filter(|secret| !secret.is_empty()).collect();
    // One may be the begin of another.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    for secret in secrets {
        // Forms encode a space as `+`, paths as `%20`.
        for form in [secret.to_owned(), segment(secret), segment(secret).replace("%20", "+")] {
            text = text.replace(&form, "REDACTED");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_replaced_in_each_form() {
        let text = "bad: hush pass+w, hush%20pass%2Bw, hush+pass%2Bw";
        assert_eq!(redact(text, ["hush", "hush pass+w", ""]), "bad: REDACTED, REDACTED, REDACTED");
    }
}
