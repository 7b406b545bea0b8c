//! Routing of method and path to a call, by the rules of Armada's gateway.
//!
//! The path is decoded first and then split at `/`. A `:` in its last segment starts a verb, and no route has
//! one. So a name with either character, escaped or not, has no path. Before that, Go's router redirects a
//! path with empty segments, `.` or `..` to the same path without them.

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

/// The route of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// A call, with the name in the path.
    To(Call, String),
    /// There is no such path.
    NotFound,
    /// The path exists, but only with these methods.
    WrongMethod(String),
    /// A redirect to the path without empty segments, `.` and `..`.
    Moved(String),
    /// The path cannot be decoded.
    Malformed,
}

/// All routes: method, path, call. The method `*` is any method.
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

/// The route of a request.
pub(super) fn route(method: &str, path: &str) -> Route {
    let Some(path) = decode_percent(path) else { return Route::Malformed };
    if path.starts_with('/') {
        // Go's `ServeMux` redirects a path with `..` or doubled slashes to its clean form.
        let short = clean_path(&path);
        if short != path {
            return Route::Moved(escape_path(&short));
        }
    }
    // The gateway reads the text behind the last colon as a verb, and none of these routes has one.
    if path.rsplit('/').next().is_some_and(|last| last.contains(':')) {
        return Route::NotFound;
    }
    let mut others = Vec::new();
    for (route_method, template, call) in ROUTES {
        let Some(name) = match_template(template, &path) else { continue };
        if route_method == "*" || route_method == method {
            return Route::To(call, name.to_owned());
        }
        others.push(route_method);
    }
    if others.is_empty() { Route::NotFound } else { Route::WrongMethod(others.join(", ")) }
}

/// Removes empty segments, `.` and `..` from a path. A slash at its end stays.
fn clean_path(path: &str) -> String {
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

/// Escapes the characters of a path that Go escapes.
fn escape_path(path: &str) -> String {
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

/// The name in a path that matches a template; empty if the template has none.
fn match_template<'p>(template: &str, path: &'p str) -> Option<&'p str> {
    match template.strip_suffix("{name}") {
        Some(before) => path.strip_prefix(before).filter(|name| !name.contains('/')),
        None => (template == path).then_some(""),
    }
}

/// Decodes percent escapes; invalid UTF-8 is replaced.
pub(super) fn decode_percent(text: &str) -> Option<String> {
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
