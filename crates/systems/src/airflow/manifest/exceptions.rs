//! Names of exception classes, and the bases of those that every installation has.
//!
//! A class has the name `module.qualified_name`. Names are compared as texts, so only the aliases listed
//! here are resolved: another import path of a class is another name.

use compact_str::CompactString;

/// The prefix of Python's built-in classes. Tracebacks leave it out.
const BUILTINS: &str = "builtins.";

/// The module that old import paths of Airflow's exceptions lead to.
const AIRFLOW: &str = "airflow.exceptions.";

/// The module that has defined most of them since 3.2.
const AIRFLOW_SDK: &str = "airflow.sdk.exceptions.";

/// The base of all exceptions.
pub(crate) const BASE: &str = "builtins.BaseException";

/// The base of all classes, which ends every complete list.
const OBJECT: &str = "builtins.object";

/// Returns the name under which a class is compared: with `builtins.` before a bare name, and for an alias
/// the name of its class.
pub(crate) fn canonical(name: &str) -> CompactString {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, class)| *class);
    match (alias, name.strip_prefix(AIRFLOW_SDK)) {
        (Some(class), _) => class.into(),
        (None, Some(class)) => [AIRFLOW, class].concat().into(),
        (None, None) if name.contains('.') => name.into(),
        (None, None) => [BUILTINS, name].concat().into(),
    }
}

/// Appends the bases of the last class, as far as they are known. The list then ends with `builtins.object` if
/// it is complete, and otherwise with `builtins.BaseException`, which every exception has.
pub(crate) fn complete(classes: &mut Vec<CompactString>) {
    let add = |classes: &mut Vec<CompactString>, name: &str| {
        if !classes.iter().any(|class| class == name) {
            classes.push(name.into());
        }
    };
    let mut last = classes.last().cloned();
    while let Some(base) = last.as_deref().and_then(base) {
        // The one built-in exception of two bases.
        if last.as_deref() == Some("builtins.ExceptionGroup") {
            add(classes, base);
            add(classes, "builtins.Exception");
            add(classes, BASE);
        }
        add(classes, base);
        last = Some(base.into());
    }
    match last.as_deref() {
        Some(OBJECT) | None => {}
        Some(BASE) => add(classes, OBJECT),
        Some(_) => add(classes, BASE),
    }
}

/// Returns whether a completed list holds all bases of its first class.
pub(crate) fn is_complete(classes: &[CompactString]) -> bool {
    classes.last().is_some_and(|last| last == OBJECT)
}

/// Returns a class without its module and outer classes: `__name__`.
pub(crate) fn bare_name(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

/// Returns the first base of a class, if it is known; `None` for `builtins.BaseException`.
pub(crate) fn base(class: &str) -> Option<&'static str> {
    let own = || class.starts_with(AIRFLOW).then_some(class);
    let name = class.strip_prefix(BUILTINS).or_else(own)?;
    let group = BASES.iter().find(|(_, derived)| derived.split(' ').any(|one| one == name));
    group.map(|(base, _)| *base)
}

/// Other import paths of classes: of `builtins`, and of Python 3.11 and later.
const ALIASES: [(&str, &str); 11] = [
    ("IOError", "builtins.OSError"),
    ("EnvironmentError", "builtins.OSError"),
    ("builtins.IOError", "builtins.OSError"),
    ("builtins.EnvironmentError", "builtins.OSError"),
    ("os.error", "builtins.OSError"),
    ("select.error", "builtins.OSError"),
    ("socket.error", "builtins.OSError"),
    ("socket.timeout", "builtins.TimeoutError"),
    ("asyncio.TimeoutError", "builtins.TimeoutError"),
    ("concurrent.futures.TimeoutError", "builtins.TimeoutError"),
    ("concurrent.futures._base.TimeoutError", "builtins.TimeoutError"),
];

/// The built-in exceptions by their base, without `builtins.`, and those of Airflow that end tries.
const BASES: [(&str, &str); 16] = [
    (
        "builtins.BaseException",
        "BaseExceptionGroup Exception GeneratorExit KeyboardInterrupt SystemExit \
         airflow.exceptions.AirflowTaskTerminated airflow.exceptions.AirflowTaskTimeout",
    ),
    ("builtins.BaseExceptionGroup", "ExceptionGroup"),
    (
        "builtins.Exception",
        "ArithmeticError AssertionError AttributeError BufferError EOFError ImportError LookupError \
         MemoryError NameError OSError ReferenceError RuntimeError StopAsyncIteration StopIteration \
         SyntaxError SystemError TypeError ValueError Warning airflow.exceptions.AirflowException",
    ),
    ("builtins.ArithmeticError", "FloatingPointError OverflowError ZeroDivisionError"),
    ("builtins.ImportError", "ModuleNotFoundError"),
    ("builtins.LookupError", "IndexError KeyError"),
    ("builtins.NameError", "UnboundLocalError"),
    (
        "builtins.OSError",
        "BlockingIOError ChildProcessError ConnectionError FileExistsError FileNotFoundError \
         InterruptedError IsADirectoryError NotADirectoryError PermissionError ProcessLookupError \
         TimeoutError",
    ),
    (
        "builtins.ConnectionError",
        "BrokenPipeError ConnectionAbortedError ConnectionRefusedError ConnectionResetError",
    ),
    ("builtins.RuntimeError", "NotImplementedError PythonFinalizationError RecursionError"),
    ("builtins.SyntaxError", "IndentationError"),
    ("builtins.IndentationError", "TabError"),
    ("builtins.ValueError", "UnicodeError"),
    ("builtins.UnicodeError", "UnicodeDecodeError UnicodeEncodeError UnicodeTranslateError"),
    (
        "builtins.Warning",
        "BytesWarning DeprecationWarning EncodingWarning FutureWarning ImportWarning \
         PendingDeprecationWarning ResourceWarning RuntimeWarning SyntaxWarning UnicodeWarning \
         UserWarning",
    ),
    (
        "airflow.exceptions.AirflowException",
        "airflow.exceptions.AirflowFailException airflow.exceptions.AirflowNotFoundException \
         airflow.exceptions.AirflowSensorTimeout airflow.exceptions.AirflowSkipException \
         airflow.exceptions.TaskDeferralError airflow.exceptions.TaskDeferralTimeout \
         airflow.exceptions.XComNotFound",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(classes: &[&str]) -> Vec<CompactString> {
        let mut classes = classes.iter().copied().map(canonical).collect();
        complete(&mut classes);
        classes
    }

    /// Expected values: `__mro__` in `CPython` 3.11.
    #[test]
    fn bases_are_those_of_python() {
        for (class, bases) in [
            ("ConnectionResetError", "ConnectionResetError ConnectionError OSError Exception"),
            ("builtins.IOError", "OSError Exception"),
            ("socket.timeout", "TimeoutError OSError Exception"),
            ("TabError", "TabError IndentationError SyntaxError Exception"),
            ("UnicodeDecodeError", "UnicodeDecodeError UnicodeError ValueError Exception"),
            ("ExceptionGroup", "ExceptionGroup BaseExceptionGroup Exception"),
            ("KeyboardInterrupt", "KeyboardInterrupt"),
        ] {
            let bases = bases.split(' ').chain(["BaseException", "object"]);
            let expected: Vec<String> = bases.map(|base| [BUILTINS, base].concat()).collect();
            assert_eq!(completed(&[class]), expected, "{class}");
            assert!(is_complete(&completed(&[class])));
        }
    }

    #[test]
    fn bases_of_other_classes_are_not_known() {
        let classes = completed(&["shop.Unreachable"]);
        assert_eq!(classes, ["shop.Unreachable", BASE]);
        assert!(!is_complete(&classes) && !is_complete(&completed(&[])));
        let classes = completed(&["shop.Unreachable", "ConnectionError", "OSError"]);
        assert_eq!(classes[2..], ["builtins.OSError", "builtins.Exception", BASE, OBJECT]);
        let timeout = completed(&["airflow.sdk.exceptions.AirflowTaskTimeout"]);
        assert_eq!(timeout, ["airflow.exceptions.AirflowTaskTimeout", BASE, OBJECT]);
        let failed = completed(&["airflow.exceptions.AirflowFailException"]);
        assert_eq!(failed[1..3], ["airflow.exceptions.AirflowException", "builtins.Exception"]);
    }
}
