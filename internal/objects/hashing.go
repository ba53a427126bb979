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

// hashing returns the variables that say how passwords are hashed. The calibration and the
// login container get the same ones.
func (b Builder) hashing() []corev1.EnvVar {
	recipe := matrix.Recipe(b.trial.Spec.Variant)
	environment := []corev1.EnvVar{variable(envvar.Algorithm, string(recipe.Algorithm))}
	for _, number := range []struct {
		name  string
		value int32
	}{
		{envvar.Cost, recipe.Cost},
		{envvar.MemoryKiB, recipe.MemoryKiB},
		{envvar.Iterations, recipe.Iterations},
		{envvar.Parallelism, recipe.Parallelism},
	} {
		if number.value != 0 {
			environment = append(environment, variable(number.name, decimal(number.value)))
		}
	}
	if recipe.Digest != "" {
		environment = append(environment, variable(envvar.Digest, recipe.Digest))
	}
	if recipe.MemoryHard() {
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
