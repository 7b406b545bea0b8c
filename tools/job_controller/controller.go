// Runs Kubernetes' Job controller over simulated pods. The script `run` puts this file into a copy of the package
// k8s.io/kubernetes/pkg/controller/job, because syncJob and the clock of the controller are not exported.
//
// Clock, informer stores and pods are simulated: a pod that the controller creates starts at once, and ends at a time
// and in a way that were drawn for it. The controller syncs whenever something has happened, until nothing changes.

package job

import (
	"context"
	"fmt"
	"math/rand"
	"sort"
	"sync"
	"time"

	batch "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	clocktesting "k8s.io/utils/clock/testing"
)

// Begin is the time at which every simulated Job is created.
var Begin = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

// maxPods is the number of pods after which a Job that does not end is given up.
const maxPods = 120

// Plan is what happens to a pod, in seconds after its start.
type Plan struct {
	Start, End int
	Outcome    v1.PodPhase
	Code       int32
	Disrupted  bool
	// Restarts are the times at which its container is restarted in place.
	Restarts []int
	// Deleted is when it is deleted; its containers go on until End. Negative: it is not.
	Deleted int
}

// Pod is a pod that was simulated.
type Pod struct {
	Name string
	Plan
	// Over tells whether it ended before its Job did.
	Over bool
}

// Result is how a Job ended, by its status.
type Result struct {
	Reason            string
	Failed, Succeeded int32
	// End is the second in which it ended.
	End  int
	Pods []*Pod
}

type world struct {
	sync.Mutex
	ctx    context.Context
	logger klog.Logger
	clock  *clocktesting.FakeClock
	jm     *Controller
	jobs   cache.Indexer
	pods   cache.Indexer
	job    *batch.Job
	draw   *rand.Rand
	plan   func(*rand.Rand, *batch.Job) Plan
	all    []*Pod
	// fault is the first error of a sync.
	fault error
}

// Simulate runs a Job to its end; nil if it does not end.
func Simulate(job *batch.Job, seed int64, plan func(*rand.Rand, *batch.Job) Plan) (*Result, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory := informers.NewSharedInformerFactory(fake.NewSimpleClientset(), 0)
	fakeClock := clocktesting.NewFakeClock(Begin)
	jm, err := newSimulatedController(ctx, factory, fakeClock)
	if err != nil {
		return nil, err
	}
	defer jm.queue.ShutDown()
	defer jm.orphanQueue.ShutDown()
	w := &world{
		ctx: ctx, logger: klog.FromContext(ctx), clock: fakeClock, jm: jm, plan: plan,
		jobs: factory.Batch().V1().Jobs().Informer().GetIndexer(),
		pods: factory.Core().V1().Pods().Informer().GetIndexer(),
		job:  job, draw: rand.New(rand.NewSource(seed)),
	}
	jm.podControl = w
	jm.updateStatusHandler = func(_ context.Context, job *batch.Job) (*batch.Job, error) {
		job = job.DeepCopy()
		return job, w.jobs.Update(job)
	}
	if err := w.jobs.Add(job); err != nil {
		return nil, err
	}
	return w.run()
}

func (w *world) run() (*Result, error) {
	key := w.job.Namespace + "/" + w.job.Name
	now := 0
	for len(w.all) <= maxPods {
		for {
			before := w.state()
			if err := w.jm.syncJob(w.ctx, key); err != nil {
				return nil, err
			}
			if w.fault != nil {
				return nil, w.fault
			}
			if result := w.result(); result != nil {
				return result, nil
			}
			if w.state() == before {
				break
			}
			w.stopDeleted()
		}
		now = w.next(now)
		w.clock.SetTime(Begin.Add(time.Duration(now) * time.Second))
		w.happen(now)
	}
	return nil, nil
}

func (w *world) current() *batch.Job {
	job, _, _ := w.jobs.Get(w.job)
	return job.(*batch.Job)
}

// state is a text that changes whenever a sync changes something.
func (w *world) state() string {
	status := w.current().Status
	return fmt.Sprint(len(w.all), status, len(w.pods.List()))
}

func (w *world) result() *Result {
	status := w.current().Status
	for _, condition := range status.Conditions {
		isEnd := condition.Type == batch.JobComplete || condition.Type == batch.JobFailed
		if isEnd && condition.Status == v1.ConditionTrue {
			reason := condition.Reason
			if condition.Type == batch.JobComplete {
				reason = "Complete"
			}
			end := int(w.clock.Now().Sub(Begin) / time.Second)
			return &Result{Reason: reason, Failed: status.Failed, Succeeded: status.Succeeded, End: end, Pods: w.all}
		}
	}
	return nil
}

// isEnding tells whether the Job is deleting its pods because it is over.
func (w *world) isEnding() bool {
	for _, condition := range w.current().Status.Conditions {
		if condition.Type == batch.JobFailureTarget || condition.Type == batch.JobSuccessCriteriaMet {
			return condition.Status == v1.ConditionTrue
		}
	}
	return false
}

// stopDeleted ends the pods that the controller deletes, at the moment it does.
func (w *world) stopDeleted() {
	if !w.isEnding() {
		return
	}
	for _, object := range w.pods.List() {
		pod := object.(*v1.Pod)
		if pod.DeletionTimestamp != nil && pod.Status.Phase == v1.PodRunning {
			w.change(pod, func(pod *v1.Pod) { pod.Status.Phase = v1.PodFailed })
		}
	}
}

// next is the next second in which something may happen.
func (w *world) next(now int) int {
	next := now + 1
	if w.isWaiting() {
		return next
	}
	next = now + 3600
	earlier := func(at int) {
		if at > now && at < next {
			next = at
		}
	}
	if deadline := w.job.Spec.ActiveDeadlineSeconds; deadline != nil {
		earlier(int(*deadline))
	}
	for _, pod := range w.all {
		if pod.Over {
			continue
		}
		earlier(pod.Start + pod.End)
		earlier(pod.Start + pod.Deleted)
		for _, at := range pod.Restarts {
			earlier(pod.Start + at)
		}
	}
	return next
}

// isWaiting tells whether fewer pods are active than the Job may want.
func (w *world) isWaiting() bool {
	active := 0
	for _, pod := range w.all {
		if !pod.Over {
			active++
		}
	}
	return active < int(*w.job.Spec.Parallelism)
}

// happen lets pods change as they were planned to at a second.
func (w *world) happen(now int) {
	for _, planned := range w.all {
		object, exists, _ := w.pods.GetByKey(w.job.Namespace + "/" + planned.Name)
		if planned.Over || !exists {
			continue
		}
		pod, since := object.(*v1.Pod), now-planned.Start
		for _, at := range planned.Restarts {
			if at == since {
				w.change(pod, func(pod *v1.Pod) { pod.Status.ContainerStatuses[0].RestartCount++ })
				object, _, _ = w.pods.Get(pod)
				pod = object.(*v1.Pod)
			}
		}
		if planned.Deleted == since {
			w.change(pod, func(pod *v1.Pod) { pod.DeletionTimestamp = w.now() })
			if *w.job.Spec.PodReplacementPolicy == batch.TerminatingOrFailed {
				// It counts as failed from now on.
				planned.End, planned.Outcome, planned.Over = since, v1.PodFailed, true
			}
		} else if planned.End == since {
			w.change(pod, func(pod *v1.Pod) { end(pod, planned, w.now()) })
			planned.Over = true
		}
	}
}

func end(pod *v1.Pod, planned *Pod, now *metav1.Time) {
	pod.Status.Phase = planned.Outcome
	status := &pod.Status.ContainerStatuses[0]
	ended := &v1.ContainerStateTerminated{ExitCode: planned.Code, FinishedAt: *now}
	status.State = v1.ContainerState{Terminated: ended}
	if planned.Disrupted {
		condition := v1.PodCondition{Type: v1.DisruptionTarget, Status: v1.ConditionTrue}
		pod.Status.Conditions = append(pod.Status.Conditions, condition)
	}
}

func (w *world) now() *metav1.Time {
	now := metav1.NewTime(w.clock.Now())
	return &now
}

// change replaces a pod in the store, and tells the controller.
func (w *world) change(old *v1.Pod, change func(*v1.Pod)) {
	pod := old.DeepCopy()
	change(pod)
	pod.ResourceVersion += "1"
	if pod.DeletionTimestamp != nil && len(pod.Finalizers) == 0 {
		w.keep(w.pods.Delete(pod))
		w.jm.deletePod(w.logger, pod, true)
		return
	}
	w.keep(w.pods.Update(pod))
	w.jm.updatePod(w.logger, old, pod)
}

func (w *world) keep(err error) {
	if err != nil && w.fault == nil {
		w.fault = err
	}
}

// CreatePods implements controller.PodControlInterface.
func (w *world) CreatePods(ctx context.Context, namespace string, template *v1.PodTemplateSpec, object runtime.Object, owner *metav1.OwnerReference) error {
	return w.CreatePodsWithGenerateName(ctx, namespace, template, object, owner, "")
}

// CreatePodsWithGenerateName implements controller.PodControlInterface: the pod runs at once.
func (w *world) CreatePodsWithGenerateName(_ context.Context, namespace string, template *v1.PodTemplateSpec, _ runtime.Object, owner *metav1.OwnerReference, _ string) error {
	w.Lock()
	defer w.Unlock()
	name := fmt.Sprintf("%s-%03d", w.job.Name, len(w.all))
	planned := &Pod{Name: name, Plan: w.plan(w.draw, w.job)}
	planned.Start = int(w.clock.Now().Sub(Begin) / time.Second)
	w.all = append(w.all, planned)
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: namespace, UID: types.UID(name), ResourceVersion: "1",
			Labels: template.Labels, Annotations: template.Annotations, Finalizers: template.Finalizers, CreationTimestamp: *w.now(),
			OwnerReferences: []metav1.OwnerReference{*owner},
		},
		Spec: template.Spec,
		Status: v1.PodStatus{
			Phase: v1.PodRunning, StartTime: w.now(),
			ContainerStatuses: []v1.ContainerStatus{{Name: "main"}},
		},
	}
	w.keep(w.pods.Add(pod))
	w.jm.addPod(w.logger, pod)
	return nil
}

// DeletePod implements controller.PodControlInterface.
func (w *world) DeletePod(_ context.Context, namespace, name string, _ runtime.Object) error {
	w.Lock()
	defer w.Unlock()
	if object, exists, _ := w.pods.GetByKey(namespace + "/" + name); exists {
		w.change(object.(*v1.Pod), func(pod *v1.Pod) { pod.DeletionTimestamp = w.now() })
	}
	return nil
}

// PatchPod implements controller.PodControlInterface: the controller's only patch removes its finalizer.
func (w *world) PatchPod(_ context.Context, namespace, name string, _ []byte) error {
	w.Lock()
	defer w.Unlock()
	if object, exists, _ := w.pods.GetByKey(namespace + "/" + name); exists {
		w.change(object.(*v1.Pod), func(pod *v1.Pod) { pod.Finalizers = nil })
	}
	return nil
}

var _ controller.PodControlInterface = &world{}

// HasEnd tells whether the end of a pod is written: of pods that the Job's end stopped only if it was the clock that
// ended the Job, since then a replay needs a record of a later time.
func (r *Result) HasEnd(pod *Pod) bool {
	return pod.Over || r.Reason == batch.JobReasonDeadlineExceeded
}

// IsRecorded tells whether records show how the Job ended: a pod ran, or ended, when the Job did, so that not the clock
// alone ended it; and no pod of a complete Job was still terminating, which records do not tell from one that runs.
func (r *Result) IsRecorded() bool {
	isRecorded := false
	for _, pod := range r.Pods {
		if !pod.Over && r.Reason == "Complete" {
			return false
		}
		isRecorded = isRecorded || !pod.Over || pod.Start+pod.End >= r.End
	}
	return isRecorded
}

// Sorted returns the pods by their start.
func (r *Result) Sorted() []*Pod {
	sort.SliceStable(r.Pods, func(a, b int) bool { return r.Pods[a].Start < r.Pods[b].Start })
	return r.Pods
}
