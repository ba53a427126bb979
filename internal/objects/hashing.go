package objects

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// besideGoMemory is what a memory-hard service is left beyond what the Go
// runtime counts as its own: half of the 64Mi that its limit must hold beside
// the memory of its hashes.
const besideGoMemory = 32 << 20

// hashing says how passwords are hashed, the same to the container that times
// hashes and to the one that serves logins.
func (a Attempt) hashing() []corev1.EnvVar {
	variant := a.trial.Spec.Variant
	environment := []corev1.EnvVar{variable("HASHMARK_ALGORITHM", string(variant.Algorithm))}
	if variant.Algorithm == v1alpha1.AlgorithmBcrypt {
		environment = append(environment, variable("HASHMARK_COST", decimal(variant.Cost)))
	}
	for _, number := range []struct {
		name  string
		value *int32
	}{
		{"HASHMARK_MEMORY_KIB", variant.MemoryKiB},
		{"HASHMARK_ITERATIONS", variant.Iterations},
		{"HASHMARK_PARALLELISM", variant.Parallelism},
	} {
		if number.value != nil {
			environment = append(environment, variable(number.name, decimal(*number.value)))
		}
	}
	if variant.MemoryKiB != nil {
		// Freed memory is given back to the system before this is exceeded. Without
		// it the runtime holds on to some, and the container is killed for it.
		limit := a.serviceResources.Limits.Memory().Value() - besideGoMemory
		environment = append(environment, variable("GOMEMLIMIT", strconv.FormatInt(limit, 10)))
	}
	return environment
}

// sessions makes the service keep them, where the variant has them.
func (a Attempt) sessions() []corev1.EnvVar {
	if !a.trial.Spec.Variant.Sessions {
		return nil
	}
	return []corev1.EnvVar{variable("HASHMARK_SESSIONS", "true"), variable("HASHMARK_SESSION_KEY", a.sessionKey())}
}

// sessionKey is what all replicas of an attempt sign cookies by. It stands in
// the Deployment for all to read, as the password does: both open a service that
// guards nothing, and a Secret would be a right more for the operator.
func (a Attempt) sessionKey() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d/session", a.trial.UID, a.number))
	return hex.EncodeToString(sum[:])
}
