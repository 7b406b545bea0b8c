//! Adds what Lookout's debug JSON and error of a run hold to the run.

use super::observed_pod::{ObservedPod, UnknownText, UnknownTexts};
use super::run_debug::{DebugContainer, DebugTrigger, RunDebug};
use super::run_error::{PodErrorText, container_of_error, pod_error};
use crate::history::armada::ArmadaRun;
use armada_retry::engine::{Container, Outcome, Unplaced};

/// Adds them, once all other fields of the run are set. Containers and conditions of the record itself stay as they are.
pub(crate) fn complete_run(run: &mut ArmadaRun) {
    let Some(mut observed) = run.observed.take() else { return };
    observed.unknown = UnknownTexts::OF_RECORD;
    match observed.debug.take() {
        Some(debug) => take_debug(&mut observed, &debug, run),
        None => {
            observed.reason = run.conditions.first().map(ToString::to_string).unwrap_or_default();
        }
    }
    take_error(&mut observed, run);
    run.unplaced = Unplaced::from_error(&observed.error);
    run.observed = Some(observed);
}

fn take_debug(observed: &mut ObservedPod, debug: &RunDebug, run: &mut ArmadaRun) {
    observed.reason.clone_from(&debug.pod.reason);
    observed.has_started = debug.has_started();
    observed.is_pending = matches!(debug.pod.phase.as_str(), "Pending" | "Unknown");
    observed.trigger = Some(debug.trigger);
    observed.events = debug.events();
    observed.unknown = observed.unknown.with(UnknownText::CutEvent);
    if !debug.may_lack_events() {
        observed.unknown = observed.unknown.without(UnknownText::Event);
    }
    if run.containers.is_empty() {
        run.containers = containers(debug).into();
        if debug.may_lack_containers() {
            observed.unknown = observed.unknown.with(UnknownText::Container);
        }
    }
    if run.conditions.is_empty() && !observed.reason.is_empty() {
        run.conditions = vec![observed.reason.as_str().into()].into();
    }
}

/// The containers, init containers first. One that waits or runs has neither an exit code nor a reason.
fn containers(debug: &RunDebug) -> Vec<Container> {
    let container = |container: &DebugContainer, init: bool| Container {
        name: container.name.as_str().into(),
        init,
        exit_code: container.exit_code.map(i64::from),
        reason: container.exit_code.map_or("", |_| &container.reason).into(),
        ..Container::default()
    };
    let init = debug.pod.init_containers.iter().map(|it| container(it, true));
    init.chain(debug.pod.containers.iter().map(|it| container(it, false))).collect()
}

/// Reads the texts of the pod from the error, if the error is about a failed pod and can be read in one way only.
fn take_error(observed: &mut ObservedPod, run: &mut ArmadaRun) {
    let is_of_failed_pod = match observed.trigger {
        None | Some(DebugTrigger::PodFailed) => !observed.is_pending,
        Some(trigger) => trigger == DebugTrigger::Undeletable,
    };
    let lacks_containers = observed.unknown.has(UnknownText::Container);
    let has_failed = run.outcome == Outcome::Failed && is_of_failed_pod;
    if observed.error.is_empty() || !has_failed || lacks_containers {
        return;
    }
    if observed.trigger.is_none() && run.containers.is_empty() {
        if let Some(container) = container_of_error(&observed.error) {
            run.containers = vec![container].into();
            know_all_messages(observed);
        }
        return;
    }
    let mut containers: Vec<Container> = run.containers.to_vec();
    let failed = failed_in_order(&containers);
    let order: Vec<&Container> = failed.iter().map(|number| &containers[*number]).collect();
    match pod_error(&observed.error, &order) {
        Some(PodErrorText::Messages(messages)) => {
            for (number, message) in failed.into_iter().zip(messages) {
                containers[number].message = message.into();
            }
            run.containers = containers.into();
            know_all_messages(observed);
        }
        // Without the debug JSON the error may be about something other than a failed pod.
        Some(PodErrorText::Status(message)) if observed.trigger.is_some() => {
            observed.message = message;
            observed.unknown = observed.unknown.without(UnknownText::StatusMessage);
        }
        Some(PodErrorText::Status(_)) | None => {}
    }
}

/// The failure's text was a line for each failed container: so the status has no message.
fn know_all_messages(observed: &mut ObservedPod) {
    let unknown = observed.unknown.without(UnknownText::TerminationMessage);
    observed.unknown = unknown.without(UnknownText::StatusMessage);
}

/// The numbers of the failed containers in the order of the failure's text: init containers last.
fn failed_in_order(containers: &[Container]) -> Vec<usize> {
    let is_failed = |number: &usize| containers[*number].exit_code.is_some_and(|code| code != 0);
    let mut failed: Vec<usize> = (0..containers.len()).filter(is_failed).collect();
    // A stable sort: containers of one kind stay in the order of the pod.
    failed.sort_by_key(|number| containers[*number].init);
    failed
}
