//! "Did you mean": the known names that are similar to an unknown one.

/// The known name that is most similar to `word`, if it is similar enough.
///
/// Case, `_` and `-` are ignored; otherwise about one edit in three letters is similar enough.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest(word, known, 1).into_iter().next()
}

/// The known names that are similar to `word`, nearest first, at most `most` of them.
pub fn nearest<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    let folded_word = fold(word);
    let mut candidates: Vec<(usize, &str)> = known
        .into_iter()
        // A much longer name is never near, and the distance takes time in proportion to both lengths.
        .filter(|name| !name.is_empty() && name.len() <= word.len() * 3 + 8)
        .map(|name| (distance(&folded_word, &fold(name)), name))
        .filter(|(edits, name)| {
            // A third of the longer name, rounded to the nearest: in a short name one letter may be wrong.
            *edits <= (name.chars().count().max(folded_word.chars().count()) + 1) / 3
        })
        .collect();
    // By name where the distance is equal, so that messages do not depend on the order of the names.
    candidates.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(b.1)));
    candidates.dedup_by(|a, b| a.1 == b.1);
    candidates.into_iter().take(most).map(|(_, name)| name).collect()
}

/// The known name that `word` is a typo of: equal except for case, `_` and `-`, or one edit away.
///
/// Stricter than [`did_you_mean`], for words that may be correct.
pub fn typo_of<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded_word = fold(word);
    let candidates = known.into_iter().filter(|name| !name.is_empty());
    let candidates = candidates.map(|name| (strsim::osa_distance(&folded_word, &fold(name)), name));
    candidates.filter(|(edits, _)| *edits <= 1).min().map(|(_, name)| name)
}

/// The known name that `word` misspells: at most one edit in three letters of the shorter of the two, and at
/// least one. Of equally near names the first wins.
///
/// Stricter than [`did_you_mean`], which also matches prefixes and suffixes: the flag `--file` is not
/// `--ca-file`.
pub fn misspelling_of<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded_word = fold(word);
    let candidates = known.into_iter().filter_map(|name| {
        let name_folded = fold(name);
        let edits = strsim::osa_distance(&folded_word, &name_folded);
        let shorter = folded_word.chars().count().min(name_folded.chars().count());
        (shorter > 0 && edits <= (shorter / 3).max(1)).then_some((edits, name))
    });
    candidates.min_by_key(|(edits, _)| *edits).map(|(_, name)| name)
}

fn distance(a: &str, b: &str) -> usize {
    let edits = strsim::osa_distance(a, b);
    // A prefix or suffix of a name (`conditions` for `onConditions`) is a likely mistake at any difference in
    // length. It needs 4 letters, as shorter ones are part of too many names.
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if short.len() >= 4 && (long.starts_with(short) || long.ends_with(short)) {
        edits.min(2)
    } else {
        edits
    }
}

fn fold(word: &str) -> String {
    // Names have fewer letters; a longer word would only take time.
    word.chars().take(80).filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_leaves_strangers_alone() {
        let known = ["retryLimit", "defaultAction", "onConditions", "rules"];
        assert_eq!(did_you_mean("retry_limit", known), Some("retryLimit"));
        assert_eq!(did_you_mean("retryLimits", known), Some("retryLimit"));
        assert_eq!(did_you_mean("conditions", known), Some("onConditions"));
        assert_eq!(did_you_mean("rule", known), Some("rules"));
        assert_eq!(did_you_mean("tolerations", known), None);
        assert_eq!(did_you_mean("", known), None);
    }

    #[test]
    fn a_misspelling_is_near_by_edits_alone() {
        let known = ["get", "validate", "simulate", "allow-insecure-auth", "filename", "ca-file"];
        for (word, name) in [
            ("simulte", "simulate"),
            ("vaildate", "validate"),
            ("gt", "get"),
            ("allow-insecure-aut", "allow-insecure-auth"),
            ("FileName", "filename"),
            ("cafile", "ca-file"),
        ] {
            assert_eq!(misspelling_of(word, known), Some(name), "{word}");
        }
        for word in ["test", "all", "allow", "lint", "file", "", "-"] {
            assert_eq!(misspelling_of(word, known), None, "{word}");
        }
    }

    #[test]
    fn a_slip_is_one_edit_at_the_most() {
        let known = ["backoffLimit", "backoffLimitPerIndex", "template"];
        for slip in ["backofflimit", "backoff_limit", "backofLimit", "BackoffLimits"] {
            assert_eq!(typo_of(slip, known), Some("backoffLimit"), "{slip}");
        }
        for other in ["backLimit", "backoffLimitPer", "templ", ""] {
            assert_eq!(typo_of(other, known), None, "{other}");
        }
    }
}
