// The constructor of the Job controller in Kubernetes 1.37 and later.

package job

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/clock"
)

// KeepsSuccessPolicy tells whether the API server stores the field successPolicy; its gate is gone.
func KeepsSuccessPolicy() bool { return true }

func newSimulatedController(ctx context.Context, factory informers.SharedInformerFactory, clock clock.WithTicker) (*Controller, error) {
	return newControllerWithClock(ctx, fake.NewSimpleClientset(), clock,
		factory.Core().V1().Pods(), factory.Batch().V1().Jobs(),
		factory.Scheduling().V1beta1().Workloads(), factory.Scheduling().V1beta1().PodGroups())
}
