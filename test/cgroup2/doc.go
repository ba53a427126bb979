// Package cgroup2 measures on a kernel with cgroup version 2, in a virtual machine: the machines that
// the other tests run on may have only version 1. One test runs a trial without Kubernetes, the other
// an experiment on the cluster of tools/cluster. QEMU emulates the CPU, which makes it several times
// slower and not comparable, so the tests assert what was read and not how fast it was.
package cgroup2

import (
	"encoding/json"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
)

// Begin and End are the lines around the report on the console.
const (
	Begin = "hashmark report begins"
	End   = "hashmark report ends"
)

// ServiceMilliCPU and GeneratorMilliCPU are the limits of the two containers.
const (
	ServiceMilliCPU   = 500
	GeneratorMilliCPU = 900
)

// Report is what the virtual machine prints, as JSON.
type Report struct {
	// Error says why there is no result; empty if there is one.
	Error string `json:"error,omitempty"`
	// Kernel is the release of the kernel.
	Kernel string `json:"kernel"`
	// Calibration is the output of the calibration.
	Calibration json.RawMessage `json:"calibration,omitempty"`
	// Message is the termination message of the generator.
	Message string `json:"message,omitempty"`
	// Log is what the programs wrote, for whoever looks for the reason of an error.
	Log string `json:"log,omitempty"`
}

// Trial returns the trial that is measured, and its calibration as the operator stores it: an open
// step at about 40 % of what the service can hash.
func Trial(calibrated []byte) (v1beta1.SizingTrialSpec, handover.Calibration, error) {
	var result calibration.Result
	if err := json.Unmarshal(calibrated, &result); err != nil {
		return v1beta1.SizingTrialSpec{}, handover.Calibration{}, fmt.Errorf("the calibration %q: %w", calibrated, err)
	}
	rate := intstr.FromString(strconv.FormatFloat(0.4*calibration.PerSecond(result.Calibration, 0), 'f', 1, 64))
	return v1beta1.SizingTrialSpec{
		Variant: v1beta1.Variant{
			Name: "c6-500m", Hash: v1beta1.BcryptHash(6), CPULimit: strconv.Itoa(ServiceMilliCPU) + "m",
			Concurrency: v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded},
		},
		Repetition: 1, Seed: 7, Service: v1beta1.Service{Replicas: 1}, Generator: v1beta1.Generator{CPULimit: ptr.To(intstr.Parse(strconv.Itoa(GeneratorMilliCPU) + "m"))},
		Objective: v1beta1.Objective{P95Milliseconds: 10_000, MaxErrorPerMille: ptr.To[int32](50)},
		Load: v1beta1.Load{
			Rates:       &v1beta1.RatesLoad{PerSecond: []intstr.IntOrString{rate}},
			StepSeconds: 10, WarmupSeconds: ptr.To[int32](2), RequestTimeoutSeconds: 10,
		},
	}, result.Calibration, nil
}
