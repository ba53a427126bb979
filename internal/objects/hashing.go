package objects

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

// besideGoMemory is the memory of a memory-hard service that GOMEMLIMIT leaves free: half of
// the 64Mi that its limit must have in addition to the memory of its hashes.
const besideGoMemory = 32 << 20

// parameters returns the variables that say how passwords are hashed.
func (b Builder) parameters() []corev1.EnvVar {
	var environment []corev1.EnvVar
	for _, parameter := range matrix.Parameters(b.trial.Spec.Variant) {
		environment = append(environment, variable(parameter.Name, parameter.Value))
	}
	return environment
}

// hashing returns the variables of Hashmark's own login service. The calibration and the login container get the same
// ones.
func (b Builder) hashing() []corev1.EnvVar {
	environment := b.parameters()
	if matrix.Recipe(b.trial.Spec.Variant).MemoryHard() {
		// The runtime returns freed memory to the system before this limit is exceeded.
		// Without it the runtime keeps some, and the container is OOM-killed.
		limit := b.serviceResources.Limits.Memory().Value() - besideGoMemory
		environment = append(environment, variable("GOMEMLIMIT", strconv.FormatInt(limit, 10)))
	}
	return environment
}

// sessions returns the variables that enable sessions, if the variant has them.
func (b Builder) sessions() []corev1.EnvVar {
	if !b.trial.Spec.Variant.Hash.Sessions {
		return nil
	}
	return []corev1.EnvVar{variable(envvar.Sessions, "true"), variable(envvar.SessionKey, b.sessionKey())}
}

// sessionKey returns the key that all replicas of an attempt sign cookies with. It is readable
// in the Deployment, like the password. Both only protect a service without data, and a Secret
// would need one more right for the operator.
func (b Builder) sessionKey() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d/session", b.trial.UID, b.number))
	return hex.EncodeToString(sum[:])
}
