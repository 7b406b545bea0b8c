//! The names that Go allows after `\p`, and the queries of their sets.
//!
//! Owns the list, which `tools/patterns/names.go` prints; the sets are in `sets`. Names are those of Go 1.26
//! with its Unicode 15.0 tables.

/// A category or script that a pattern may name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Property {
    /// `gc=Lu`, `sc=Greek`, or one of `any`, `assigned`, `ascii`.
    pub(super) query: &'static str,
    /// The number of runes in Go's tree; Go limits their sum.
    pub(super) runes: u32,
}

/// The length of the longest name; longer texts are refused without a lookup.
const MAX_NAME_LENGTH: usize = 32;

impl Property {
    /// Looks up a name as Go does: letter case, `_`, `-` and spaces do not matter.
    pub(super) fn by_name(name: &str) -> Option<Self> {
        let mut key = [0; MAX_NAME_LENGTH];
        let mut length = 0;
        for byte in name.bytes().filter(|b| !matches!(b, b'_' | b'-' | b' ')) {
            *key.get_mut(length)? =
                if length == 0 { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() };
            length += 1;
        }
        let key = &key[..length];
        let row = NAMES.binary_search_by(|row| row.0.as_bytes().cmp(key)).ok()?;
        let (_, query, runes) = NAMES[row];
        Some(Self { query, runes })
    }
}

/// The names in the form of Go's lookup, each with the query of its set and the number of its runes. Sorted
/// by name.
#[rustfmt::skip]
const NAMES: &[(&str, &str, u32)] = &[
    ("Adlam", "sc=Adlam", 6),
    ("Ahom", "sc=Ahom", 6),
    ("Any", "any", 0),
    ("Arabic", "sc=Arabic", 116),
    ("Armenian", "sc=Armenian", 8),
    ("Ascii", "ascii", 6),
    ("Assigned", "assigned", 1414),
    ("Avestan", "sc=Avestan", 4),
    ("Balinese", "sc=Balinese", 4),
    ("Bamum", "sc=Bamum", 4),
    ("Batak", "sc=Batak", 4),
    ("Bengali", "sc=Bengali", 28),
    ("Bhaiksuki", "sc=Bhaiksuki", 8),
    ("Bopomofo", "sc=Bopomofo", 6),
    ("Brahmi", "sc=Brahmi", 6),
    ("Braille", "sc=Braille", 2),
    ("Buginese", "sc=Buginese", 4),
    ("Buhid", "sc=Buhid", 2),
    ("C", "gc=C", 1424),
    ("Carian", "sc=Carian", 2),
    ("Casedletter", "gc=LC", 286),
    ("Cc", "gc=Cc", 4),
    ("Cf", "gc=Cf", 42),
    ("Chakma", "sc=Chakma", 4),
    ("Cham", "sc=Cham", 8),
    ("Cherokee", "sc=Cherokee", 6),
    ("Chorasmian", "sc=Chorasmian", 2),
    ("Closepunctuation", "gc=Pe", 152),
    ("Cn", "gc=Cn", 1414),
    ("Cntrl", "gc=Cc", 4),
    ("Co", "gc=Co", 6),
    ("Combiningmark", "gc=M", 626),
    ("Common", "sc=Common", 350),
    ("Connectorpunctuation", "gc=Pc", 12),
    ("Control", "gc=Cc", 4),
    ("Coptic", "sc=Coptic", 6),
    ("Cs", "gc=Cs", 2),
    ("Cuneiform", "sc=Cuneiform", 8),
    ("Currencysymbol", "gc=Sc", 42),
    ("Cypriot", "sc=Cypriot", 12),
    ("Cyrillic", "sc=Cyrillic", 20),
    ("Dashpunctuation", "gc=Pd", 38),
    ("Decimalnumber", "gc=Nd", 128),
    ("Deseret", "sc=Deseret", 2),
    ("Devanagari", "sc=Devanagari", 10),
    ("Digit", "gc=Nd", 128),
    ("Dogra", "sc=Dogra", 2),
    ("Duployan", "sc=Duployan", 10),
    ("Elbasan", "sc=Elbasan", 2),
    ("Elymaic", "sc=Elymaic", 2),
    ("Enclosingmark", "gc=Me", 10),
    ("Ethiopic", "sc=Ethiopic", 72),
    ("Finalpunctuation", "gc=Pf", 20),
    ("Format", "gc=Cf", 42),
    ("Georgian", "sc=Georgian", 20),
    ("Glagolitic", "sc=Glagolitic", 12),
    ("Gothic", "sc=Gothic", 2),
    ("Grantha", "sc=Grantha", 30),
    ("Greek", "sc=Greek", 76),
    ("Gujarati", "sc=Gujarati", 28),
    ("Gurmukhi", "sc=Gurmukhi", 32),
    ("Han", "sc=Han", 42),
    ("Hangul", "sc=Hangul", 28),
    ("Hanunoo", "sc=Hanunoo", 2),
    ("Hatran", "sc=Hatran", 6),
    ("Hebrew", "sc=Hebrew", 18),
    ("Hiragana", "sc=Hiragana", 12),
    ("Inherited", "sc=Inherited", 64),
    ("Initialpunctuation", "gc=Pi", 22),
    ("Javanese", "sc=Javanese", 6),
    ("Kaithi", "sc=Kaithi", 4),
    ("Kannada", "sc=Kannada", 26),
    ("Katakana", "sc=Katakana", 28),
    ("Kawi", "sc=Kawi", 6),
    ("Kharoshthi", "sc=Kharoshthi", 16),
    ("Khmer", "sc=Khmer", 8),
    ("Khojki", "sc=Khojki", 4),
    ("Khudawadi", "sc=Khudawadi", 4),
    ("L", "gc=L", 1320),
    ("Lao", "sc=Lao", 22),
    ("Latin", "sc=Latin", 78),
    ("Lc", "gc=LC", 286),
    ("Lepcha", "sc=Lepcha", 6),
    ("Letter", "gc=L", 1320),
    ("Letternumber", "gc=Nl", 24),
    ("Limbu", "sc=Limbu", 10),
    ("Lineseparator", "gc=Zl", 1),
    ("Lisu", "sc=Lisu", 4),
    ("Ll", "gc=Ll", 1316),
    ("Lm", "gc=Lm", 142),
    ("Lo", "gc=Lo", 1020),
    ("Lowercaseletter", "gc=Ll", 1316),
    ("Lt", "gc=Lt", 20),
    ("Lu", "gc=Lu", 1292),
    ("Lycian", "sc=Lycian", 2),
    ("Lydian", "sc=Lydian", 4),
    ("M", "gc=M", 626),
    ("Mahajani", "sc=Mahajani", 2),
    ("Makasar", "sc=Makasar", 2),
    ("Malayalam", "sc=Malayalam", 14),
    ("Mandaic", "sc=Mandaic", 4),
    ("Manichaean", "sc=Manichaean", 4),
    ("Marchen", "sc=Marchen", 6),
    ("Mark", "gc=M", 626),
    ("Mathsymbol", "gc=Sm", 128),
    ("Mc", "gc=Mc", 364),
    ("Me", "gc=Me", 10),
    ("Medefaidrin", "sc=Medefaidrin", 2),
    ("Miao", "sc=Miao", 6),
    ("Mn", "gc=Mn", 698),
    ("Modi", "sc=Modi", 4),
    ("Modifierletter", "gc=Lm", 142),
    ("Modifiersymbol", "gc=Sk", 62),
    ("Mongolian", "sc=Mongolian", 12),
    ("Mro", "sc=Mro", 6),
    ("Multani", "sc=Multani", 10),
    ("Myanmar", "sc=Myanmar", 6),
    ("N", "gc=N", 274),
    ("Nabataean", "sc=Nabataean", 4),
    ("Nandinagari", "sc=Nandinagari", 6),
    ("Nd", "gc=Nd", 128),
    ("Newa", "sc=Newa", 4),
    ("Nko", "sc=Nko", 4),
    ("Nl", "gc=Nl", 24),
    ("No", "gc=No", 144),
    ("Nonspacingmark", "gc=Mn", 698),
    ("Number", "gc=N", 274),
    ("Nushu", "sc=Nushu", 4),
    ("Ogham", "sc=Ogham", 2),
    ("Openpunctuation", "gc=Ps", 158),
    ("Oriya", "sc=Oriya", 28),
    ("Osage", "sc=Osage", 4),
    ("Osmanya", "sc=Osmanya", 4),
    ("Other", "gc=C", 1424),
    ("Otherletter", "gc=Lo", 1020),
    ("Othernumber", "gc=No", 144),
    ("Otherpunctuation", "gc=Po", 374),
    ("Othersymbol", "gc=So", 368),
    ("P", "gc=P", 382),
    ("Palmyrene", "sc=Palmyrene", 2),
    ("Paragraphseparator", "gc=Zp", 1),
    ("Pc", "gc=Pc", 12),
    ("Pd", "gc=Pd", 38),
    ("Pe", "gc=Pe", 152),
    ("Pf", "gc=Pf", 20),
    ("Phoenician", "sc=Phoenician", 4),
    ("Pi", "gc=Pi", 22),
    ("Po", "gc=Po", 374),
    ("Privateuse", "gc=Co", 6),
    ("Ps", "gc=Ps", 158),
    ("Punct", "gc=P", 382),
    ("Punctuation", "gc=P", 382),
    ("Rejang", "sc=Rejang", 4),
    ("Runic", "sc=Runic", 4),
    ("S", "gc=S", 464),
    ("Samaritan", "sc=Samaritan", 4),
    ("Saurashtra", "sc=Saurashtra", 4),
    ("Sc", "gc=Sc", 42),
    ("Separator", "gc=Z", 16),
    ("Sharada", "sc=Sharada", 2),
    ("Shavian", "sc=Shavian", 2),
    ("Siddham", "sc=Siddham", 4),
    ("Sinhala", "sc=Sinhala", 26),
    ("Sk", "gc=Sk", 62),
    ("Sm", "gc=Sm", 128),
    ("So", "gc=So", 368),
    ("Sogdian", "sc=Sogdian", 2),
    ("Soyombo", "sc=Soyombo", 2),
    ("Spaceseparator", "gc=Zs", 14),
    ("Spacingmark", "gc=Mc", 364),
    ("Sundanese", "sc=Sundanese", 4),
    ("Surrogate", "gc=Cs", 2),
    ("Symbol", "gc=S", 464),
    ("Syriac", "sc=Syriac", 8),
    ("Tagalog", "sc=Tagalog", 4),
    ("Tagbanwa", "sc=Tagbanwa", 6),
    ("Takri", "sc=Takri", 4),
    ("Tamil", "sc=Tamil", 36),
    ("Tangsa", "sc=Tangsa", 4),
    ("Tangut", "sc=Tangut", 8),
    ("Telugu", "sc=Telugu", 26),
    ("Thaana", "sc=Thaana", 2),
    ("Thai", "sc=Thai", 4),
    ("Tibetan", "sc=Tibetan", 14),
    ("Tifinagh", "sc=Tifinagh", 6),
    ("Tirhuta", "sc=Tirhuta", 4),
    ("Titlecaseletter", "gc=Lt", 20),
    ("Toto", "sc=Toto", 2),
    ("Ugaritic", "sc=Ugaritic", 4),
    ("Unassigned", "gc=Cn", 1414),
    ("Uppercaseletter", "gc=Lu", 1292),
    ("Vai", "sc=Vai", 2),
    ("Vithkuqi", "sc=Vithkuqi", 16),
    ("Wancho", "sc=Wancho", 4),
    ("Yezidi", "sc=Yezidi", 6),
    ("Yi", "sc=Yi", 4),
    ("Z", "gc=Z", 16),
    ("Zl", "gc=Zl", 1),
    ("Zp", "gc=Zp", 1),
    ("Zs", "gc=Zs", 14),
];

#[cfg(test)]
mod tests {
    use super::{MAX_NAME_LENGTH, NAMES, Property};

    #[test]
    fn rows_are_sorted_and_fit() {
        assert!(NAMES.is_sorted_by(|a, b| a.0 < b.0));
        assert!(NAMES.iter().all(|row| row.0.len() <= MAX_NAME_LENGTH));
    }

    #[test]
    fn spelling_is_loose() {
        for name in ["Greek", "greek", "GREEK", "g_r-e ek", "Lu", "lu", "LC", "upper case_letter"] {
            assert!(Property::by_name(name).is_some(), "{name}");
        }
        // Go drops the underscore, and then has no set with the remaining name.
        for name in ["", "Old_Italic", "Klingon", "Grec", "Γ", "^Lu", "Lu\0"] {
            assert!(Property::by_name(name).is_none(), "{name}");
        }
    }
}
