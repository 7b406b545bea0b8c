// Makes random NonIndexed Jobs, lets Kubernetes' Job controller run them, and writes what a user would have of them: the
// Jobs, their pods as kubectl prints them or as JSON Lines, and how each Job ended by its status.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"sort"
	"time"

	batch "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"jobcontroller/job"
)

type object = map[string]any

func main() {
	jobs := flag.Int("jobs", 100, "number of Jobs")
	seed := flag.Int64("seed", 1, "seed of the first Job")
	out := flag.String("out", ".", "directory of the files")
	success := flag.Bool("success-policy", false, "run the one Job with a success policy, and print how it ends")
	flag.Parse()
	if *success {
		result, err := job.Simulate(successJob(), 1, successPlan())
		check(err)
		fmt.Println(result.Reason)
		return
	}
	var manifests, pods []any
	var lines []byte
	ended := object{}
	for number := 0; number < *jobs; number++ {
		own := *seed + int64(number)
		draw := rand.New(rand.NewSource(own))
		name := fmt.Sprintf("job-%d", own)
		made := makeJob(draw, name)
		result, err := job.Simulate(made, own, plan)
		check(err)
		if result == nil || !result.IsRecorded() {
			continue
		}
		manifests = append(manifests, manifest(made))
		if isOfLines(made, draw) {
			lines = append(lines, linesOf(name, result)...)
		} else {
			pods = append(pods, podsOf(made, result)...)
		}
		ended[name] = object{"reason": result.Reason, "failed": result.Failed, "succeeded": result.Succeeded}
	}
	write(*out, "jobs.json", object{"apiVersion": "v1", "kind": "List", "items": manifests})
	write(*out, "pods.json", object{"apiVersion": "v1", "kind": "List", "items": pods})
	write(*out, "ended.json", ended)
	check(os.WriteFile(filepath.Join(*out, "lines.jsonl"), lines, 0o644))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func write(out, name string, value any) {
	text, err := json.Marshal(value)
	check(err)
	check(os.WriteFile(filepath.Join(out, name), text, 0o644))
}

func chance(draw *rand.Rand, percent int) bool { return draw.Intn(100) < percent }

func some(number int) *int32 {
	value := int32(number)
	return &value
}

func makeJob(draw *rand.Rand, name string) *batch.Job {
	labels := map[string]string{"job-name": name}
	replacement := batch.TerminatingOrFailed
	spec := batch.JobSpec{
		Parallelism: some(1 + draw.Intn(5)), Completions: some(1 + draw.Intn(7)),
		BackoffLimit: some(draw.Intn(6)), Selector: &metav1.LabelSelector{MatchLabels: labels},
		PodReplacementPolicy: &replacement,
	}
	if chance(draw, 25) {
		spec.Completions = nil
	}
	if chance(draw, 15) {
		seconds := int64(10 + draw.Intn(200))
		spec.ActiveDeadlineSeconds = &seconds
	}
	spec.Template.Labels = labels
	spec.Template.Spec.RestartPolicy = v1.RestartPolicyNever
	spec.Template.Spec.Containers = []v1.Container{{Name: "main", Image: "busybox"}}
	switch {
	case chance(draw, 25):
		spec.Template.Spec.RestartPolicy = v1.RestartPolicyOnFailure
	case chance(draw, 50):
		spec.PodFailurePolicy = &batch.PodFailurePolicy{Rules: rules(draw)}
		replacement = batch.Failed
	case chance(draw, 30):
		replacement = batch.Failed
	}
	return &batch.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "d", UID: types.UID(name)}, Spec: spec,
	}
}

// successJob is the Job of the row job-success-policy, as the API server of this release stores it. Up to 1.30 it drops the
// field, since the gate is off (PrepareForCreate of pkg/registry/batch/job/strategy.go).
func successJob() *batch.Job {
	labels, mode, indexes := map[string]string{"job-name": "a"}, batch.IndexedCompletion, "0"
	replacement := batch.TerminatingOrFailed
	spec := batch.JobSpec{
		Parallelism: some(2), Completions: some(2), BackoffLimit: some(0), CompletionMode: &mode,
		Selector: &metav1.LabelSelector{MatchLabels: labels}, PodReplacementPolicy: &replacement,
	}
	if job.KeepsSuccessPolicy() {
		spec.SuccessPolicy = &batch.SuccessPolicy{Rules: []batch.SuccessPolicyRule{{SucceededIndexes: &indexes}}}
	}
	spec.Template.Labels = labels
	spec.Template.Spec.RestartPolicy = v1.RestartPolicyNever
	spec.Template.Spec.Containers = []v1.Container{{Name: "main", Image: "busybox"}}
	return &batch.Job{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "d", UID: "a"}, Spec: spec}
}

// successPlan lets the first pod, that of index 0, succeed, and the second fail later.
func successPlan() func(*rand.Rand, *batch.Job) job.Plan {
	pods := 0
	return func(*rand.Rand, *batch.Job) job.Plan {
		pods++
		if pods == 1 {
			return job.Plan{End: 10, Outcome: v1.PodSucceeded, Deleted: -1}
		}
		return job.Plan{End: 20, Outcome: v1.PodFailed, Code: 1, Deleted: -1}
	}
}

func rules(draw *rand.Rand) []batch.PodFailurePolicyRule {
	actions := []batch.PodFailurePolicyAction{
		batch.PodFailurePolicyActionIgnore, batch.PodFailurePolicyActionFailJob, batch.PodFailurePolicyActionCount,
	}
	rules := []batch.PodFailurePolicyRule{}
	for count := draw.Intn(4); count > 0; count-- {
		rule := batch.PodFailurePolicyRule{Action: actions[draw.Intn(len(actions))]}
		if chance(draw, 40) {
			rule.OnPodConditions = []batch.PodFailurePolicyOnPodConditionsPattern{
				{Type: v1.DisruptionTarget, Status: v1.ConditionTrue},
			}
			if rule.Action == batch.PodFailurePolicyActionFailJob {
				rule.Action = batch.PodFailurePolicyActionIgnore
			}
		} else {
			rule.OnExitCodes = &batch.PodFailurePolicyOnExitCodesRequirement{
				Operator: batch.PodFailurePolicyOnExitCodesOpIn, Values: []int32{1 + int32(draw.Intn(3))},
			}
		}
		rules = append(rules, rule)
	}
	return rules
}

// plan draws what happens to a pod.
func plan(draw *rand.Rand, made *batch.Job) job.Plan {
	drawn := job.Plan{End: 1 + draw.Intn(60), Outcome: v1.PodSucceeded, Deleted: -1}
	if chance(draw, 20) {
		// Pods that end in the same second are judged in one sync.
		drawn.End = 10
	}
	if chance(draw, 55) {
		drawn.Outcome, drawn.Code = v1.PodFailed, []int32{1, 1, 1, 2, 3}[draw.Intn(5)]
		drawn.Disrupted = chance(draw, 15)
	}
	if made.Spec.Template.Spec.RestartPolicy == v1.RestartPolicyOnFailure {
		for at := 1; at < drawn.End; at++ {
			if chance(draw, 2) {
				drawn.Restarts = append(drawn.Restarts, at)
			}
		}
	} else if chance(draw, 8) && drawn.End > 2 {
		drawn.Deleted = 1 + draw.Intn(drawn.End-1)
	}
	return drawn
}

func manifest(made *batch.Job) any {
	text, err := json.Marshal(made)
	check(err)
	var value object
	check(json.Unmarshal(text, &value))
	delete(value, "status")
	return value
}

// isOfLines tells whether the history of a Job is written as JSON Lines; only these have each restart in place.
func isOfLines(made *batch.Job, draw *rand.Rand) bool {
	return made.Spec.Template.Spec.RestartPolicy == v1.RestartPolicyOnFailure || chance(draw, 40)
}

func at(seconds int) string {
	return job.Begin.Add(time.Duration(seconds) * time.Second).Format(time.RFC3339)
}

func podsOf(made *batch.Job, result *job.Result) []any {
	var pods []any
	for _, pod := range result.Sorted() {
		status := object{"phase": "Running", "startTime": at(pod.Start)}
		container := object{"name": "main", "restartCount": 0, "state": object{"running": object{}}}
		if result.HasEnd(pod) {
			status["phase"] = pod.Outcome
			state := object{"exitCode": pod.Code, "startedAt": at(pod.Start), "finishedAt": at(pod.Start + pod.End)}
			container["state"] = object{"terminated": state}
			if pod.Disrupted {
				status["conditions"] = []any{object{"type": "DisruptionTarget", "status": "True"}}
			}
		}
		status["containerStatuses"] = []any{container}
		pods = append(pods, object{
			"apiVersion": "v1", "kind": "Pod",
			"metadata": object{
				"name": pod.Name, "namespace": made.Namespace, "creationTimestamp": at(pod.Start),
				"labels": object{"batch.kubernetes.io/job-name": made.Name},
			},
			"spec":   object{"containers": []any{object{"name": "main", "image": "busybox"}}},
			"status": status,
		})
	}
	return pods
}

// linesOf returns a record for each end and for each restart in place, by time. A pod that the end of its Job stopped
// has a record that it goes on.
func linesOf(name string, result *job.Result) []byte {
	type record struct {
		at   int
		text []byte
	}
	var records []record
	add := func(pod *job.Pod, time int, more object) {
		more["jobId"], more["podName"], more["startedAt"] = "d/"+name, pod.Name, at(pod.Start)
		text, err := json.Marshal(more)
		check(err)
		records = append(records, record{time, append(text, '\n')})
	}
	for _, pod := range result.Sorted() {
		restarts := 0
		for _, after := range pod.Restarts {
			if time := pod.Start + after; after <= pod.End && (pod.Over || time <= result.End) {
				restarts++
				add(pod, time, object{"outcome": "Running", "restarts": restarts, "finishedAt": at(time)})
			}
		}
		if !result.HasEnd(pod) {
			if restarts == 0 {
				add(pod, pod.Start, object{"outcome": "Running"})
			}
			continue
		}
		more := object{"outcome": pod.Outcome, "restarts": restarts, "finishedAt": at(pod.Start + pod.End)}
		if pod.Outcome == v1.PodFailed {
			more["containers"] = []any{object{"name": "main", "exitCode": pod.Code}}
			if pod.Disrupted {
				more["podConditions"] = []any{object{"type": "DisruptionTarget"}}
			}
		}
		add(pod, pod.Start+pod.End, more)
	}
	sort.SliceStable(records, func(a, b int) bool { return records[a].at < records[b].at })
	var lines []byte
	for _, record := range records {
		lines = append(lines, record.text...)
	}
	return lines
}
