//! Decoding of a body to a message by the rules of Go's `encoding/json`: unknown keys are ignored, keys match
//! in any case, and the first wrong type is reported after the whole value has been read.
//!
//! The result is the message in its canonical form: known fields in their order, without zeros.

use super::message::{Kind, Message, Zero};
use super::{Json, Number, Status};
use document::diag::go_quote;

/// How to handle input that Armada ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Ignore it, like Armada.
    AsArmada,
    /// Refuse it.
    Strict,
}

/// Decodes the message of a body; an empty body is an empty message.
pub fn decode(
    message: &'static Message,
    body: &[u8],
    strictness: Strictness,
) -> Result<Json, Status> {
    let first = Json::first(body).map_err(|error| Status::invalid(error.to_string()))?;
    let mut reader = Decoder { path: Vec::new(), first_mismatch: None, ignored: Vec::new() };
    if first.has_more {
        reader.ignored.push("something follows the body's JSON".to_owned());
    }
    let decode_percent = match first.value {
        None => {
            reader.ignored.push("the body is empty".to_owned());
            Json::Null
        }
        Some(value) => reader.value(Kind::Message(message), &value).map_err(Status::invalid)?,
    };
    // Go's decoder reads on after a value of the wrong type, and reports the first one at the end.
    if let Some(first_mismatch) = reader.first_mismatch {
        return Err(Status::invalid(first_mismatch));
    }
    if strictness == Strictness::Strict && !reader.ignored.is_empty() {
        return Err(Status::invalid(format!("refused by --strict: {}", reader.ignored.join("; "))));
    }
    Ok(if decode_percent == Json::Null { Json::Object(Vec::new()) } else { decode_percent })
}

struct Decoder {
    /// The path of fields to the current value, each with its message.
    path: Vec<(&'static str, &'static str)>,
    /// The first wrong type.
    first_mismatch: Option<String>,
    /// Input that Armada ignores.
    ignored: Vec<String>,
}

/// The message of an error that ends the decoding at once.
type Abort = String;

impl Decoder {
    /// Decodes a value to its canonical form; the zero of its kind for `null` or a wrong type.
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
                // Go's `ParseUint` accepts no sign.
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
                self.mismatch(kind, json_type(value));
                Ok(zero(kind))
            }
        }
    }

    /// Decodes a number, if it is in the range of its kind.
    fn number(&mut self, kind: Kind, written: &Number, value: Option<Number>) -> Json {
        if let Some(value) = value {
            return Json::Number(value);
        }
        self.mismatch(kind, &format!("number {written}"));
        zero(kind)
    }

    /// Decodes a map to Go's order: keys are sorted, and the last of equal ones wins.
    fn map(&mut self, item: Kind, entries: &[(String, Json)]) -> Result<Json, Abort> {
        let mut sorted = std::collections::BTreeMap::new();
        for (key, value) in entries {
            if sorted.insert(key.clone(), self.value(item, value)?).is_some() {
                self.ignored.push(format!("{} is given twice", go_quote(key)));
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
            // Go prefers the exact name of a field, and else takes one in any case.
            let exact = message.fields.iter().position(|field| field.name == key);
            let found =
                exact.or_else(|| message.fields.iter().position(|f| matches_key(key, f.name)));
            let Some(index) = found else {
                self.ignored.push(format!("{} has no field {}", message.go, go_quote(key)));
                continue;
            };
            let field = &message.fields[index];
            if exact.is_none() {
                self.ignored.push(format!("{} is written {}", go_quote(key), go_quote(field.name)));
            }
            self.path.push((message.go, field.name));
            let decode_percent = self.value(field.kind, value);
            self.path.pop();
            // After the path is restored, so that the next field of this message has the right one.
            let decode_percent = decode_percent?;
            // A wrapper of a number distinguishes 0 from an absent value.
            let stays = field.zero == Zero::Kept && *value != Json::Null;
            let present_value =
                (stays || !is_zero(field.kind, &decode_percent)).then_some(decode_percent);
            if std::mem::replace(&mut values[index], present_value).is_some() {
                self.ignored.push(format!("{} is given twice", go_quote(field.name)));
            }
        }
        let fields = message.fields.iter().zip(values);
        let set_fields = fields.filter_map(|(field, value)| Some((field.name.to_owned(), value?)));
        Ok(Json::Object(set_fields.collect()))
    }

    fn mismatch(&mut self, kind: Kind, found: &str) {
        let message = self.mismatch_message(found, &go_type(kind));
        self.first_mismatch.get_or_insert(message);
    }

    /// The message about a wrong type. Like Go's, it names the struct of the field and the path of fields
    /// from the root.
    fn mismatch_message(&self, found: &str, expected: &str) -> String {
        let Some((message, _)) = self.path.last() else {
            return format!("json: cannot unmarshal {found} into Go value of type {expected}");
        };
        let fields: Vec<&str> = self.path.iter().map(|(_, field)| *field).collect();
        let field = format!("{message}.{}", fields.join("."));
        format!("json: cannot unmarshal {found} into Go struct field {field} of type {expected}")
    }
}

/// The reason that a value is not an action.
enum Refusal {
    /// The value has this other type.
    Mismatch(&'static str),
    /// No action has this name or number.
    Unknown(String),
}

/// Decodes an action: a name, a prefixed name or a number; an empty text and null are unspecified.
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
        other => return Err(Refusal::Mismatch(json_type(other))),
    };
    Ok(Json::Text(name.to_owned()))
}

fn named_action(text: &str) -> Result<&'static str, Abort> {
    let short = text.strip_prefix("RETRY_ACTION_");
    // The full name must be upper case; the short name may have any case.
    let upper = short.map_or_else(|| text.to_uppercase(), str::to_owned);
    match upper.as_str() {
        "UNSPECIFIED" => Ok(""),
        "FAIL" => Ok("Fail"),
        "RETRY" => Ok("Retry"),
        _ => Err(format!("no RetryAction of name {}", go_quote(text))),
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
        // An empty message is present, so it is not a zero.
        Json::Object(entries) => entries.is_empty() && matches!(kind, Kind::Map(_)),
    }
}

fn json_type(value: &Json) -> &'static str {
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

/// Whether Go matches a key with a field's name: in any case, with the long s as `s` and the Kelvin sign as
/// `k`.
fn matches_key(key: &str, name: &str) -> bool {
    let fold = |c: char| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    };
    key.chars().map(fold).eq(name.chars().map(fold))
}

#[cfg(test)]
mod tests;
