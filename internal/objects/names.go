package objects

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
)

// nameDigits is how much of the digest a name holds: 40 bits, enough that two
// children of one namespace do not meet, short enough to be read aloud.
const nameDigits = 10

// Child is the name of an attempt's Deployment, Service and Job. It is a
// function of the trial's UID and the attempt's number alone: whoever looks
// for the child needs no memory, and a trial that was deleted and created
// again under its old name has other children.
func Child(trialUID types.UID, attempt int32) string {
	return "hm-" + digest(fmt.Sprintf("%s/%d", trialUID, attempt))
}

// ServicePolicyName is the name of the policy around an attempt's login service.
func ServicePolicyName(trialUID types.UID, attempt int32) string {
	return Child(trialUID, attempt) + "-service"
}

// GeneratorPolicyName is the name of the policy around an attempt's generator.
func GeneratorPolicyName(trialUID types.UID, attempt int32) string {
	return Child(trialUID, attempt) + "-generator"
}

// ServiceAccountName is the name of the service account of an experiment's pods.
func ServiceAccountName(experimentUID types.UID) string {
	return "hm-" + digest(string(experimentUID))
}

func digest(of string) string {
	sum := sha256.Sum256([]byte(of))
	return hex.EncodeToString(sum[:])[:nameDigits]
}
