//! The error of a run as Lookout has it (`POST /api/v1/jobRunError`): what the executor reported about the failure.
//!
//! Of a pod that failed it is the message of the pod's status, or else a line for each failed container
//! (`internal/executor/util/pod_status.go`, `ExtractPodFailedReason`). A hint of the category may follow after an empty
//! line. Hints and messages have any form, so that some texts can be read in several ways: of those nothing is read.

use armada_retry::engine::Container;
use compact_str::CompactString;

/// The separator between the failure's text and a hint.
const BEFORE_HINT: &str = "\n\n";
/// The text behind the failure's text of a pod that could not be deleted.
const UNDELETABLE: &str =
    "\n\nThe failed pod could not be deleted, so the job is failed rather than retried.";

/// The parts of a failed pod that are in an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PodErrorText {
    /// The termination messages of the failed containers, in their order. The pod's status has no message.
    Messages(Vec<String>),
    /// The message of the pod's status.
    Status(String),
}

/// Reads the error of a pod with these failed containers: those of the spec, then init containers. `None` if the
/// error can be read in several ways.
pub fn pod_error(error: &str, failed: &[&Container]) -> Option<PodErrorText> {
    // Behind all messages, so that it has to go before they are told apart.
    let error = error.strip_suffix(UNDELETABLE).unwrap_or(error);
    let heads: Vec<String> = failed.iter().map(|container| head(container)).collect();
    if heads.first().is_some_and(|first| error.starts_with(first.as_str())) {
        return messages(error, &heads).map(PodErrorText::Messages);
    }
    let is_status = !error.is_empty() && !error.contains(BEFORE_HINT);
    is_status.then(|| PodErrorText::Status(error.to_owned()))
}

/// The only failed container that an error names, with its message, if nothing else is known of the pod.
pub fn container_of_error(error: &str) -> Option<Container> {
    let mut heads = error.split('\n').filter_map(container_of_line);
    let container = heads.next().filter(|_| heads.next().is_none())?;
    let messages = messages(error, &[head(&container)])?;
    Some(Container { message: messages.into_iter().next()?.into(), ..container })
}

/// The failure's text of an error without the hint, and whether no hint can have been there.
pub fn without_hint(error: &str) -> (&str, bool) {
    match error.rsplit_once(BEFORE_HINT) {
        Some((text, _)) => (text, false),
        None => (error, true),
    }
}

/// The beginning of a failed container's line.
fn head(container: &Container) -> String {
    let Container { name, reason, .. } = container;
    let code = container.exit_code.unwrap_or_default();
    format!("Container {name} failed with exit code {code} because {reason}: ")
}

/// The container of a line, without its message.
fn container_of_line(line: &str) -> Option<Container> {
    let is_word = |text: &str| !text.contains(char::is_whitespace);
    let (name, rest) = line.strip_prefix("Container ")?.split_once(" failed with exit code ")?;
    let (code, rest) = rest.split_once(" because ")?;
    // The reason ends at the first colon; messages may have others.
    let (reason, _) = rest.split_once(": ")?;
    let exit_code = code.parse::<i64>().ok().filter(|code| *code != 0)?;
    (is_word(name) && is_word(reason) && !name.is_empty()).then(|| Container {
        name: name.into(),
        init: false,
        exit_code: Some(exit_code),
        reason: reason.into(),
        message: CompactString::default(),
    })
}

/// The messages behind these beginnings of lines, if the error can be read in one way only.
fn messages(error: &str, heads: &[String]) -> Option<Vec<String>> {
    let (first, others) = heads.split_first()?;
    let mut rest = error.strip_prefix(first.as_str())?;
    let mut messages = Vec::new();
    for head in others {
        let separator = format!("\n{head}");
        let (message, after) = rest.split_once(&separator)?;
        // The beginning of a line also occurs in a message, so that the error can be cut in two ways.
        if after.contains(&separator) {
            return None;
        }
        messages.push(message.to_owned());
        rest = after;
    }
    messages.push(last_message(rest)?.to_owned());
    Some(messages)
}

/// The last message, which ends with a line break and, if there is a hint, an empty line before it.
fn last_message(rest: &str) -> Option<&str> {
    let Some(at) = rest.find("\n\n\n") else {
        // A shell may have removed the line break at the end.
        return Some(rest.strip_suffix('\n').unwrap_or(rest));
    };
    let is_hint = !rest.ends_with('\n') && !rest[at + 1..].contains("\n\n\n");
    is_hint.then(|| &rest[..at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn failed(name: &str, code: i64, reason: &str) -> Container {
        let (name, reason) = (name.into(), reason.into());
        Container { name, exit_code: Some(code), reason, ..Container::default() }
    }

    /// Writes the error of a pod as the executor does.
    fn report(containers: &[Container], messages: &[String], hint: &str) -> String {
        let mut text = String::new();
        for (container, message) in containers.iter().zip(messages) {
            text += &format!("{}{message}\n", head(container));
        }
        if hint.is_empty() { text } else { format!("{text}\n\n{hint}") }
    }

    fn messages_of(error: &str, containers: &[Container]) -> Option<Vec<String>> {
        match pod_error(error, &containers.iter().collect::<Vec<_>>())? {
            PodErrorText::Messages(messages) => Some(messages),
            PodErrorText::Status(_) => None,
        }
    }

    #[test]
    fn messages_are_read_where_there_is_one_way_to() {
        let containers = [failed("main", 137, "OOMKilled"), failed("side", 1, "")];
        let main = "Container main failed with exit code 137 because OOMKilled: ";
        let side = "Container side failed with exit code 1 because : ";
        let read = |rest: &str| messages_of(&format!("{main}{rest}"), &containers);
        let found = |main: &str, side: &str| Some(vec![main.to_owned(), side.to_owned()]);
        assert_eq!(read(&format!("a\nb\n{side}c\n")), found("a\nb", "c"));
        assert_eq!(read(&format!("\n{side}\n")), found("", ""));
        assert_eq!(read(&format!("\n{side}c\n\n\nAsk for more.")), found("", "c"));
        assert_eq!(read(&format!("\n{side}c\n\n\nd\n")), None, "a hint, or a message of 4 lines");
        assert_eq!(read(&format!("\n{side}c\n\n\nd\n\n\ne")), None, "two places for a hint");
        assert_eq!(read(&format!("\n{side}\n{side}\n")), None, "a message like a line");
        assert_eq!(read("c\n"), None, "a container is missing");
        let of = |error: &str| pod_error(error, &[]);
        let status = |text: &str| Some(PodErrorText::Status(text.to_owned()));
        assert_eq!(of("The node was low on resource."), status("The node was low on resource."));
        assert_eq!(of("The node was low on resource.\n\nUse less."), None);
        assert_eq!(of(&format!("Evicted{UNDELETABLE}")), status("Evicted"));
    }

    #[test]
    fn an_error_names_its_only_container() {
        let of = |error: &str| {
            container_of_error(error)
                .map(|it| format!("{}={:?} {} {}", it.name, it.exit_code, it.reason, it.message))
        };
        let line = "Container main failed with exit code 74 because Error: CUDA error: x\n";
        assert_eq!(of(line).unwrap(), "main=Some(74) Error CUDA error: x");
        assert_eq!(of(&format!("{line}{line}")), None);
        assert_eq!(of(&format!("x\n{line}")), None, "it is not at the beginning");
        assert_eq!(of("Container main failed"), None);
        assert_eq!(of("Container main failed with exit code 0 because Error: x\n"), None);
    }

    fn text() -> impl Strategy<Value = String> {
        let pieces =
            ["a", "\n", "\n\n", "Container b failed with exit code 2 because Error: ", " "];
        prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..5)
            .prop_map(|pieces| pieces.concat())
    }

    proptest! {
            /// The parts that are read are those that were reported, whatever the messages and the hint are.
            #[test]
            fn what_is_read_was_reported(first in text(), second in text(), hint in text()) {
                let containers = [failed("a", 1, "Error"), failed("b", 2, "Error")];
                let all = [first, second];
                let error = report(&containers, &all, &hint);
                if let Some(read) = messages_of(&error, &containers) {
                    prop_assert_eq!(read.as_slice(), all.as_slice(), "{:?}", error);
                }
                if hint.is_empty() {
                    let plain = ["x".to_owned(), "y\nz".to_owned()];
                    let error = report(&containers, &plain, "");
    let read = messages_of(&error, &containers);
                    prop_assert_eq!(read, Some(plain.to_vec()));
                }
            }
        }
}
