//! From a body to a message, as Go's `encoding/json` decodes one: unknown keys ignored, keys of any
//! case taken, the first wrong type reported when all is read.
//!
//! The answer is the message in its canonical form: known fields in their order, zeros left out.

use super::message::{Kind, Message, Zero};
use super::quote::quote;
use super::{Json, Number, Status};

/// What becomes of that which Armada ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// It is ignored here too.
    AsArmada,
    /// It is refused.
    Strict,
}

/// The message that a body says; an empty body is an empty message.
pub fn decode(
    message: &'static Message,
    body: &[u8],
    strictness: Strictness,
) -> Result<Json, Status> {
    let first = Json::first(body).map_err(|error| Status::invalid(error.to_string()))?;
    let mut reader = Decoder { path: Vec::new(), wrong: None, odd: Vec::new() };
    if first.followed {
        reader.odd.push("something follows the body's JSON".to_owned());
    }
    let decoded = match first.value {
        None => {
            reader.odd.push("the body is empty".to_owned());
            Json::Null
        }
        Some(value) => reader.value(Kind::Message(message), &value).map_err(Status::invalid)?,
    };
    if let Some(wrong) = reader.wrong {
        return Err(Status::invalid(wrong));
    }
    if strictness == Strictness::Strict && !reader.odd.is_empty() {
        return Err(Status::invalid(format!("refused by --strict: {}", reader.odd.join("; "))));
    }
    Ok(if decoded == Json::Null { Json::Object(Vec::new()) } else { decoded })
}

struct Decoder {
    /// The fields on the way to the value, each with the message that has it.
    path: Vec<(&'static str, &'static str)>,
    /// The first wrong type.
    wrong: Option<String>,
    /// What Armada ignores.
    odd: Vec<String>,
}

/// A mistake that ends the decoding at once.
type Abort = String;

impl Decoder {
    /// The value in canonical form; the zero of its kind for `null` or a wrong type.
    fn value(&mut self, kind: Kind, value: &Json) -> Result<Json, Abort> {
        match (kind, value) {
            (Kind::Action, value) => action(value).map_err(|refusal| match refusal {
                Refusal::Unknown(message) => message,
                Refusal::Mismatch(found) => self.mismatch_message(found, "string"),
            }),
            (kind, Json::Null) => Ok(zero(kind)),
            (Kind::Text, Json::Text(_)) | (Kind::Bool, Json::Bool(_)) => Ok(value.clone()),
            (Kind::Uint32, Json::Number(number)) => {
                let value = number.as_i64().filter(|value| u32::try_from(*value).is_ok());
                // Go's ParseUint takes no sign.
                let value = value.filter(|_| !number.to_string().starts_with('-'));
                Ok(self.number(kind, number, value.map(Number::Whole)))
            }
            (Kind::Int32, Json::Number(number)) => {
                let value = number.as_i64().filter(|value| i32::try_from(*value).is_ok());
                Ok(self.number(kind, number, value.map(Number::Whole)))
            }
            (Kind::Double, Json::Number(number)) => {
                let value = Some(number.as_f64()).filter(|value| value.is_finite());
                Ok(self.number(kind, number, value.map(Number::Float)))
            }
            (Kind::List(item), Json::List(items)) => {
                let items: Result<_, _> = items.iter().map(|i| self.value(*item, i)).collect();
                Ok(Json::List(items?))
            }
            (Kind::Map(item), Json::Object(entries)) => self.map(*item, entries),
            (Kind::Message(message), Json::Object(entries)) => self.message(message, entries),
            (kind, value) => {
                self.mismatch(kind, described(value));
                Ok(zero(kind))
            }
        }
    }

    /// A number as its kind has it, if there is such a number of its kind.
    fn number(&mut self, kind: Kind, written: &Number, value: Option<Number>) -> Json {
        if let Some(value) = value {
            return Json::Number(value);
        }
        self.mismatch(kind, &format!("number {written}"));
        zero(kind)
    }

    /// A map as Go writes it: keys in order, the last of equal ones.
    fn map(&mut self, item: Kind, entries: &[(String, Json)]) -> Result<Json, Abort> {
        let mut sorted = std::collections::BTreeMap::new();
        for (key, value) in entries {
            if sorted.insert(key.clone(), self.value(item, value)?).is_some() {
                self.odd.push(format!("{} is given twice", quote(key)));
            }
        }
        Ok(Json::Object(sorted.into_iter().collect()))
    }

    fn message(
        &mut self,
        message: &'static Message,
        entries: &[(String, Json)],
    ) -> Result<Json, Abort> {
        let mut values: Vec<Option<Json>> = vec![None; message.fields.len()];
        for (key, value) in entries {
            let exact = message.fields.iter().position(|field| field.name == key);
            let found = exact.or_else(|| message.fields.iter().position(|f| folds(key, f.name)));
            let Some(index) = found else {
                self.odd.push(format!("{} has no field {}", message.go, quote(key)));
                continue;
            };
            let field = &message.fields[index];
            if exact.is_none() {
                self.odd.push(format!("{} is written {}", quote(key), quote(field.name)));
            }
            self.path.push((message.go, field.name));
            let decoded = self.value(field.kind, value);
            self.path.pop();
            let decoded = decoded?;
            let stays = field.zero == Zero::Kept && *value != Json::Null;
            let kept = (stays || !is_zero(field.kind, &decoded)).then_some(decoded);
            if std::mem::replace(&mut values[index], kept).is_some() {
                self.odd.push(format!("{} is given twice", quote(field.name)));
            }
        }
        let fields = message.fields.iter().zip(values);
        let given = fields.filter_map(|(field, value)| Some((field.name.to_owned(), value?)));
        Ok(Json::Object(given.collect()))
    }

    fn mismatch(&mut self, kind: Kind, found: &str) {
        let message = self.mismatch_message(found, &go_type(kind));
        self.wrong.get_or_insert(message);
    }

    /// Go names the struct that has the field, and the path of fields from the root.
    fn mismatch_message(&self, found: &str, expected: &str) -> String {
        let Some((message, _)) = self.path.last() else {
            return format!("json: cannot unmarshal {found} into Go value of type {expected}");
        };
        let fields: Vec<&str> = self.path.iter().map(|(_, field)| *field).collect();
        let field = format!("{message}.{}", fields.join("."));
        format!("json: cannot unmarshal {found} into Go struct field {field} of type {expected}")
    }
}

/// Why a value is no action.
enum Refusal {
    /// It is of another type: this one.
    Mismatch(&'static str),
    /// No action has this name or number.
    Unknown(String),
}

/// Names, prefixed names and numbers are taken; nothing and null are unspecified.
fn action(value: &Json) -> Result<Json, Refusal> {
    let name = match value {
        Json::Null => "",
        Json::Number(number) => match number.as_i64() {
            Some(0) => "",
            Some(1) => "Fail",
            Some(2) => "Retry",
            Some(value) if i32::try_from(value).is_ok() => {
                return Err(Refusal::Unknown(format!("no RetryAction of value {value}")));
            }
            _ => return Err(Refusal::Mismatch("number")),
        },
        Json::Text(text) => named_action(text).map_err(Refusal::Unknown)?,
        other => return Err(Refusal::Mismatch(described(other))),
    };
    Ok(Json::Text(name.to_owned()))
}

fn named_action(text: &str) -> Result<&'static str, Abort> {
    let short = text.strip_prefix("RETRY_ACTION_");
    // The full name has one case only, the short one any.
    let upper = short.map_or_else(|| text.to_uppercase(), str::to_owned);
    match upper.as_str() {
        "UNSPECIFIED" => Ok(""),
        "FAIL" => Ok("Fail"),
        "RETRY" => Ok("Retry"),
        _ => Err(format!("no RetryAction of name {}", quote(text))),
    }
}

fn zero(kind: Kind) -> Json {
    match kind {
        Kind::Text | Kind::Action => Json::Text(String::new()),
        Kind::Bool => Json::Bool(false),
        Kind::Uint32 | Kind::Int32 => Json::Number(Number::Whole(0)),
        Kind::Double => Json::Number(Number::Float(0.0)),
        Kind::List(_) => Json::List(Vec::new()),
        Kind::Map(_) => Json::Object(Vec::new()),
        Kind::Message(_) => Json::Null,
    }
}

fn is_zero(kind: Kind, value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Bool(value) => !value,
        Json::Number(number) => number.as_f64() == 0.0,
        Json::Text(text) => text.is_empty(),
        Json::List(items) => items.is_empty(),
        // A message that is there and empty is not absent.
        Json::Object(entries) => entries.is_empty() && matches!(kind, Kind::Map(_)),
    }
}

fn described(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "bool",
        Json::Number(_) => "number",
        Json::Text(_) => "string",
        Json::List(_) => "array",
        Json::Object(_) => "object",
    }
}

fn go_type(kind: Kind) -> String {
    match kind {
        Kind::Text => "string".to_owned(),
        Kind::Bool => "bool".to_owned(),
        Kind::Uint32 => "uint32".to_owned(),
        Kind::Int32 => "int32".to_owned(),
        Kind::Double => "float64".to_owned(),
        Kind::Action => "api.RetryAction".to_owned(),
        Kind::Message(message) => format!("api.{}", message.go),
        Kind::List(item) => format!("[]{}{}", pointer(*item), go_type(*item)),
        Kind::Map(item) => format!("map[string]{}{}", pointer(*item), go_type(*item)),
    }
}

fn pointer(kind: Kind) -> &'static str {
    if matches!(kind, Kind::Message(_)) { "*" } else { "" }
}

/// Whether Go takes a key for a field's name: in any case, the long s and the Kelvin sign included.
fn folds(key: &str, name: &str) -> bool {
    let fold = |c: char| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    };
    key.chars().map(fold).eq(name.chars().map(fold))
}

#[cfg(test)]
mod tests;
