//! Names of files as reports have them: relative to the root of the repository, as path or as URI.

use serde_json::{Value, json};

/// The base of relative URIs in SARIF. GitHub resolves it to the root of the repository.
pub(super) const SOURCE_ROOT: &str = "%SRCROOT%";

/// The directories that names of files are relative to.
#[derive(Debug, Clone)]
pub struct ReportPaths {
    /// The working directory, absolute: names on the command line are relative to it.
    directory: String,
    /// The root of the repository, absolute.
    root: String,
}

impl ReportPaths {
    /// The paths of a run in a directory of a repository.
    pub fn new(directory: &str, root: &str) -> Self {
        Self { directory: slashes(directory), root: slashes(root).trim_end_matches('/').to_owned() }
    }

    /// The path of a file relative to the root; absolute for a file outside of it. Standard input has a name
    /// that is no file's.
    pub(super) fn path(&self, name: &str) -> String {
        if name == "-" {
            return "<stdin>".to_owned();
        }
        let absolute = self.absolute(name);
        let below = absolute.strip_prefix(&self.root).and_then(|path| path.strip_prefix('/'));
        below.map_or_else(|| absolute.clone(), str::to_owned)
    }

    /// The location of a file in SARIF.
    pub(super) fn location(&self, name: &str) -> Value {
        let path = self.path(name);
        if is_absolute(&path) {
            return json!({"uri": file_uri(&path)});
        }
        json!({"uri": encode(&path), "uriBaseId": SOURCE_ROOT})
    }

    /// The URI of the root, with a slash at its end.
    pub(super) fn root_uri(&self) -> String {
        format!("{}/", file_uri(&self.root))
    }

    /// The absolute path of a file, without `.` and `..`.
    pub(super) fn absolute(&self, name: &str) -> String {
        let name = slashes(name);
        let whole = if is_absolute(&name) { name } else { format!("{}/{name}", self.directory) };
        let mut parts: Vec<&str> = Vec::new();
        for part in whole.split('/') {
            match part {
                "" | "." if !parts.is_empty() => {}
                ".." if parts.len() > 1 => _ = parts.pop(),
                ".." => {}
                part => parts.push(part),
            }
        }
        parts.join("/")
    }
}

/// A path with slashes.
fn slashes(path: &str) -> String {
    if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() }
}

/// Whether a path begins at a root: `/a` or `C:/a`.
pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || cfg!(windows) && path.as_bytes().get(1) == Some(&b':')
}

/// The URI of an absolute path (RFC 8089).
fn file_uri(path: &str) -> String {
    format!("file:///{}", encode(path.trim_start_matches('/')))
}

/// A path as a relative reference (RFC 3986): all but unreserved characters and slashes are percent-encoded.
fn encode(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        // A byte that is not UTF-8 is `\xff` in names of files.
        if let Some((raw, after)) = escaped_byte(*byte, after) {
            uri.push_str(&format!("%{raw:02X}"));
            rest = after;
        } else if byte.is_ascii_alphanumeric() || b"-._~/".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// The byte of an escape `\xff`, and what follows.
fn escaped_byte(first: u8, after: &[u8]) -> Option<(u8, &[u8])> {
    let digits = after.strip_prefix(b"x").filter(|_| first == b'\\')?;
    let text = std::str::from_utf8(digits.get(..2)?).ok()?;
    let byte = u8::from_str_radix(text, 16).ok().filter(|byte| *byte >= 0x80)?;
    Some((byte, &digits[2..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_relative_to_the_root_of_the_repository() {
        let paths = ReportPaths::new("/srv/repo/sub", "/srv/repo");
        for (name, path) in [
            ("a.yaml", "sub/a.yaml"),
            ("./a//b/./c.yaml", "sub/a/b/c.yaml"),
            ("../a.yaml", "a.yaml"),
            ("/srv/repo/x/../a.yaml", "a.yaml"),
            ("/srv/repository/a.yaml", "/srv/repository/a.yaml"),
            ("../../a.yaml", "/srv/a.yaml"),
            ("../../../../../a.yaml", "/a.yaml"),
            ("-", "<stdin>"),
        ] {
            assert_eq!(paths.path(name), path, "{name}");
        }
        let at_root = ReportPaths::new("/", "/");
        assert_eq!(at_root.path("a.yaml"), "a.yaml");
    }

    #[test]
    fn uris_are_percent_encoded() {
        let paths = ReportPaths::new("/w/a b", "/w/a b");
        let uri = |name: &str| paths.location(name)["uri"].as_str().unwrap().to_owned();
        assert_eq!(uri("ü:100%/[x]#?.yaml"), "%C3%BC%3A100%25/%5Bx%5D%23%3F.yaml");
        assert_eq!(uri("\\xff\\x41.yaml"), "%FF%5Cx41.yaml");
        assert_eq!(uri("-"), "%3Cstdin%3E");
        assert_eq!(paths.location("/c d/x"), json!({"uri": "file:///c%20d/x"}));
        assert_eq!(paths.root_uri(), "file:///w/a%20b/");
    }
}
