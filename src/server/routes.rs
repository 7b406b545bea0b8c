//! From a method and a path to a call, as Armada's gateway does it.
//!
//! The path is decoded first and then cut at `/`; a `:` in its last piece begins a verb, and no
//! route has one. So a name with either, escaped or not, has no path. Before that Go's router sends
//! a path with empty pieces, `.` or `..` on to the same path without them.

/// A call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    CreatePolicy,
    UpdatePolicy,
    DeletePolicy,
    GetPolicy,
    ListPolicies,
    CreateQueue,
    UpdateQueue,
    DeleteQueue,
    GetQueue,
    ListQueues,
    CreateQueues,
    UpdateQueues,
    Health,
    Swagger,
}

/// Where a request goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// To this call, with the name in the path.
    To(Call, String),
    /// Nowhere: there is no such path.
    NotFound,
    /// Nowhere: the path does not have this method, but these.
    WrongMethod(String),
    /// To this path, which is the same without empty pieces, `.` and `..`.
    Moved(String),
    /// Nowhere: the path cannot be decoded.
    Malformed,
}

/// Every route: method, path, call. A method of `*` is any.
pub(super) const ROUTES: [(&str, &str, Call); 14] = [
    ("*", "/health", Call::Health),
    ("*", "/swagger.json", Call::Swagger),
    ("POST", "/v1/retry-policy", Call::CreatePolicy),
    ("PUT", "/v1/retry-policy/{name}", Call::UpdatePolicy),
    ("DELETE", "/v1/retry-policy/{name}", Call::DeletePolicy),
    ("GET", "/v1/retry-policy/{name}", Call::GetPolicy),
    ("GET", "/v1/retry-policies", Call::ListPolicies),
    ("POST", "/v1/queue", Call::CreateQueue),
    ("PUT", "/v1/queue/{name}", Call::UpdateQueue),
    ("DELETE", "/v1/queue/{name}", Call::DeleteQueue),
    ("GET", "/v1/queue/{name}", Call::GetQueue),
    ("GET", "/v1/batched/queues", Call::ListQueues),
    ("POST", "/v1/batched/create_queues", Call::CreateQueues),
    ("PUT", "/v1/batched/update_queues", Call::UpdateQueues),
];

/// Where a request goes.
pub(super) fn route(method: &str, path: &str) -> Route {
    let Some(path) = decoded(path) else { return Route::Malformed };
    if path.starts_with('/') {
        let short = shortened(&path);
        if short != path {
            return Route::Moved(escaped(&short));
        }
    }
    if path.rsplit('/').next().is_some_and(|last| last.contains(':')) {
        return Route::NotFound;
    }
    let mut others = Vec::new();
    for (wanted, template, call) in ROUTES {
        let Some(name) = matched(template, &path) else { continue };
        if wanted == "*" || wanted == method {
            return Route::To(call, name.to_owned());
        }
        others.push(wanted);
    }
    if others.is_empty() { Route::NotFound } else { Route::WrongMethod(others.join(", ")) }
}

/// A path without empty pieces, `.` and `..`. A slash at its end stays.
fn shortened(path: &str) -> String {
    let mut pieces = Vec::new();
    for piece in path.split('/') {
        match piece {
            "" | "." => {}
            ".." => _ = pieces.pop(),
            piece => pieces.push(piece),
        }
    }
    let end = if path.ends_with('/') && !pieces.is_empty() { "/" } else { "" };
    format!("/{}{end}", pieces.join("/"))
}

/// A path with percent escapes where Go has them.
fn escaped(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

/// The name in a path of this template; empty if it has none.
fn matched<'p>(template: &str, path: &'p str) -> Option<&'p str> {
    match template.strip_suffix("{name}") {
        Some(before) => path.strip_prefix(before).filter(|name| !name.contains('/')),
        None => (template == path).then_some(""),
    }
}

/// A text without its percent escapes; what is not UTF-8 is replaced.
pub(super) fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
        let value = digit(0)? * 16 + digit(1)?;
        bytes.push(u8::try_from(value).ok()?);
        rest = &after[2..];
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cut_as_the_gateway_cuts_them() {
        let to = |call, name: &str| Route::To(call, name.to_owned());
        let wrong = |others: &str| Route::WrongMethod(others.to_owned());
        for (method, path, expected) in [
            ("GET", "/v1/retry-policy/p", to(Call::GetPolicy, "p")),
            ("GET", "/v1/retry-policy/a%20b%C3%A9", to(Call::GetPolicy, "a bé")),
            ("GET", "/v1/retry-policy/", to(Call::GetPolicy, "")),
            ("HEAD", "/health", to(Call::Health, "")),
            ("GET", "/v1/retry-policy/a/b", Route::NotFound),
            ("GET", "/v1/retry-policy/a%2Fb", Route::NotFound),
            ("GET", "/v1/retry-policy/a:b", Route::NotFound),
            ("GET", "/v1/retry-policy/a%3ab", Route::NotFound),
            ("GET", "/v1/retry-policies/", Route::NotFound),
            ("GET", "/", Route::NotFound),
            ("GET", "*", Route::NotFound),
            ("GET", "/v1/retry-policy/%zz", Route::Malformed),
            ("GET", "/v1/retry-policy/%", Route::Malformed),
            ("GET", "/v1/retry-policy", wrong("POST")),
            ("GET", "//evil.example/v1", Route::Moved("/evil.example/v1".to_owned())),
            ("PUT", "/v1/queue/%2e%2E/../..", Route::Moved("/".to_owned())),
            ("GET", "/v1/queue/./a%20b/", Route::Moved("/v1/queue/a%20b/".to_owned())),
            ("GET", "/v1/queue/a%2F%2E", Route::Moved("/v1/queue/a".to_owned())),
            ("GET", "/v1/queue/...", to(Call::GetQueue, "...")),
            ("PATCH", "/v1/queue/q", wrong("PUT, DELETE, GET")),
            ("HEAD", "/v1/queue/q", wrong("PUT, DELETE, GET")),
        ] {
            assert_eq!(route(method, path), expected, "{method} {path}");
        }
    }
}
