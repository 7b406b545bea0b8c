// Runs Argo's decision about the attempts of one retry node. The script `run` puts this file into a copy of the package
// workflow/controller of argo-workflows, because processNodeRetries is not exported, and lets that function read the clock
// of this file.
//
// Workflow, nodes and queue are simulated: the node's attempts are added one by one, and the function is called when an
// attempt has ended and, if it asks the queue to be called again, when that wait is over.

package controller

import (
	"context"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"

	wfv1 "github.com/argoproj/argo-workflows/v4/pkg/apis/workflow/v1alpha1"
	"github.com/argoproj/argo-workflows/v4/util/logging"
)

var armadactlClock time.Time

func armadactlNow() time.Time { return armadactlClock }

// Attempt is an attempt that has ended.
type Attempt struct {
	Phase    wfv1.NodePhase
	ExitCode *string
	Message  string
	Started  time.Time
	Finished time.Time
}

// Answer is the decision about an attempt.
type Answer struct {
	// Retry tells whether another attempt follows.
	Retry bool
	// Wait is what the queue was asked to wait; 0 if it was not.
	Wait time.Duration
	// Phase and Message are those of the retry node at the end.
	Phase, Message string
	// Fault is the error of the decision, with which Argo ends the node.
	Fault string
}

type queue struct {
	workqueue.TypedRateLimitingInterface[string]
	wait time.Duration
}

func (q *queue) AddAfter(_ string, wait time.Duration) { q.wait = wait }

// Node is a retry node of a workflow.
type Node struct {
	ctx      context.Context
	woc      *wfOperationCtx
	queue    *queue
	name     string
	strategy *wfv1.RetryStrategy
}

// NewNode makes the retry node of a template, whose strategy is merged as the controller does.
func NewNode(wf *wfv1.Workflow, template string) (*Node, error) {
	logger := logging.NewSlogLoggerCustom(logging.Error, logging.Text, io.Discard)
	ctx := logging.WithLogger(context.Background(), logger)
	q := &queue{}
	woc := &wfOperationCtx{
		wf: wf, orig: wf, execWf: wf, log: logger, controller: &WorkflowController{wfQueue: q},
	}
	wf.Status.Nodes = wfv1.Nodes{}
	merged := wf.GetTemplateByName(template).DeepCopy()
	if err := woc.mergedTemplateDefaultsInto(merged); err != nil {
		return nil, err
	}
	node := &Node{ctx: ctx, woc: woc, queue: q, name: wf.Name + "." + template, strategy: woc.retryStrategy(merged)}
	id := wf.NodeID(node.name)
	wf.Status.Nodes[id] = wfv1.NodeStatus{ID: id, Name: node.name, Type: wfv1.NodeTypeRetry, Phase: wfv1.NodeRunning}
	return node, nil
}

// Decide adds an attempt, and returns the decision about it.
func (n *Node) Decide(attempt Attempt) Answer {
	if n.strategy == nil {
		return Answer{Phase: string(attempt.Phase), Message: attempt.Message}
	}
	nodes := n.woc.wf.Status.Nodes
	parent := nodes[n.woc.wf.NodeID(n.name)]
	name := n.name + "(" + string(rune('0'+len(parent.Children))) + ")"
	id := n.woc.wf.NodeID(name)
	nodes[id] = wfv1.NodeStatus{
		ID: id, Name: name, Type: wfv1.NodeTypePod, Phase: attempt.Phase, Message: attempt.Message,
		StartedAt: metav1.NewTime(attempt.Started), FinishedAt: metav1.NewTime(attempt.Finished),
		Outputs: &wfv1.Outputs{ExitCode: attempt.ExitCode}, NodeFlag: &wfv1.NodeFlag{Retried: true},
	}
	parent.Children = append(parent.Children, id)
	nodes[parent.ID] = parent
	armadactlClock = attempt.Finished
	var answer Answer
	for {
		n.queue.wait = 0
		parent = nodes[parent.ID]
		processed, goesOn, err := n.woc.processNodeRetries(n.ctx, &parent, *n.strategy, &executeTemplateOpts{})
		if err != nil {
			answer.Phase, answer.Fault = string(wfv1.NodeError), err.Error()
			return answer
		}
		if !goesOn {
			answer.Wait += n.queue.wait
			armadactlClock = armadactlClock.Add(n.queue.wait)
			continue
		}
		answer.Phase, answer.Message = string(processed.Phase), processed.Message
		answer.Retry = !processed.Phase.Fulfilled(nil)
		return answer
	}
}
