package objects

import corev1 "k8s.io/api/core/v1"

// Settings are the operator's flags that apply to every attempt.
type Settings struct {
	// ServiceImage is the login service's image.
	ServiceImage string
	// GeneratorImage is the image of the load runner with k6.
	GeneratorImage string
	// PullPolicy is when a node pulls both images; empty means Kubernetes' default.
	PullPolicy corev1.PullPolicy

	// GeneratorCPULimit is the generator's CPU limit, a quantity, for trials that set none.
	GeneratorCPULimit string
	// GeneratorMemoryLimit is the generator's memory limit, a quantity, for trials that set none.
	GeneratorMemoryLimit string
	// GeneratorTolerations let the generator run on nodes that are reserved for load.
	GeneratorTolerations []corev1.Toleration
	// GeneratorNodeSelector restricts the generator to certain nodes; empty means any.
	GeneratorNodeSelector map[string]string
	// GeneratorRawOutput makes k6 also write each sample to RawOutputFile, for tests that
	// compute the numbers again. It costs CPU time of the generator.
	GeneratorRawOutput bool
	// RemoteWrite is where k6 sends its own series while it runs; nil disables it.
	RemoteWrite *RemoteWrite
}
