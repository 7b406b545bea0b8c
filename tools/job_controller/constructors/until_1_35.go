// The constructor of the Job controller in Kubernetes up to 1.35.

package job

import (
	"context"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/utils/clock"
)

// KeepsSuccessPolicy tells whether the API server stores the field successPolicy.
func KeepsSuccessPolicy() bool {
	return utilfeature.DefaultFeatureGate.Enabled(features.JobSuccessPolicy)
}

func newSimulatedController(ctx context.Context, factory informers.SharedInformerFactory, clock clock.WithTicker) (*Controller, error) {
	return newControllerWithClock(ctx, factory.Core().V1().Pods(), factory.Batch().V1().Jobs(), fake.NewSimpleClientset(), clock)
}
