package objects

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
)

// nameDigits is the number of hex digits of the hash in a name. 40 bits make collisions in a
// namespace unlikely, and keep the name short.
const nameDigits = 10

// Child returns the name of an attempt's Deployment, Service and Job. It depends only on the
// trial's UID and the attempt's number. A child is therefore found without stored state, and a
// trial that was deleted and created again under the same name has other children.
func Child(trialUID types.UID, attempt int32) string {
	return "hm-" + digest(fmt.Sprintf("%s/%d", trialUID, attempt))
}

// ServicePolicyName returns the name of the NetworkPolicy of an attempt's login service.
func ServicePolicyName(trialUID types.UID, attempt int32) string {
	return Child(trialUID, attempt) + "-service"
}

// GeneratorPolicyName returns the name of the NetworkPolicy of an attempt's generator.
func GeneratorPolicyName(trialUID types.UID, attempt int32) string {
	return Child(trialUID, attempt) + "-generator"
}

// ServiceAccountName returns the name of the service account of an experiment's pods.
func ServiceAccountName(experimentUID types.UID) string {
	return "hm-" + digest(string(experimentUID))
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:nameDigits]
}
