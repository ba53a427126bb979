package objects

import corev1 "k8s.io/api/core/v1"

// Settings is what the operator's flags say about every attempt.
type Settings struct {
	// ServiceImage is the login service's image.
	ServiceImage string
	// GeneratorImage is the image of the load runner with k6.
	GeneratorImage string
	// PullPolicy is when a node fetches them; empty leaves it to Kubernetes.
	PullPolicy corev1.PullPolicy

	// GeneratorCPULimit is the generator's CPU limit, a quantity, for trials that
	// name none.
	GeneratorCPULimit string
	// GeneratorMemoryLimit is its memory limit, a quantity, likewise.
	GeneratorMemoryLimit string
	// GeneratorTolerations let the generator run on nodes kept for load.
	GeneratorTolerations []corev1.Toleration
	// GeneratorNodeSelector keeps the generator to certain nodes; empty means any.
	GeneratorNodeSelector map[string]string
	// GeneratorRawOutput makes k6 write each sample to RawOutputFile as well, for
	// checks that compute the numbers afresh. It costs the generator CPU.
	GeneratorRawOutput bool
	// RemoteWrite is where k6 sends its own series while it runs; nowhere when nil.
	RemoteWrite *RemoteWrite
}
