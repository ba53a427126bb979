package loadrun

import (
	"math"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// generatorOf is what the generator was given, or nil where that is not known.
func generatorOf(steps []edges) *measurement.Container {
	var readings []evidence.Reading
	for _, taken := range all(steps) {
		if taken.generator != nil {
			readings = append(readings, *taken.generator)
		}
	}
	return unchanged(readings)
}

// servicesOf is what each pod of the service was given that is known of.
func servicesOf(steps []edges, pods int) []measurement.ServicePod {
	var services []measurement.ServicePod
	for pod := range pods {
		var readings []evidence.Reading
		var last evidence.Service
		for _, taken := range all(steps) {
			if pod < len(taken.services) && taken.services[pod] != nil {
				last = *taken.services[pod]
				readings = append(readings, last.Reading)
			}
		}
		if given := unchanged(readings); given != nil {
			services = append(services, measurement.ServicePod{
				Container: *given, Workers: last.Workers, QueueLength: last.QueueLength, MemoryPeakKiB: wholeKiB(last.MemoryPeakBytes),
			})
		}
	}
	return services
}

// wholeKiB rounds up, and bounds what a pod says.
func wholeKiB(bytes int64) int32 {
	const kibibyte = 1024
	return int32(min((max(0, min(bytes, math.MaxInt64-kibibyte))+kibibyte-1)/kibibyte, math.MaxInt32))
}

// all are the readings of a load, in the order in which they were due.
func all(steps []edges) []reading {
	var readings []reading
	for _, step := range steps {
		readings = append(readings, step.settled, step.countedEnd, step.drained)
	}
	return readings
}

// unchanged is the container that all readings are of, as it was at last. It is
// nil of none, and where they are not of one: steps on other CPUs are not of one
// service, even where the move fell between two of them.
func unchanged(readings []evidence.Reading) *measurement.Container {
	var given *measurement.Container
	for _, r := range readings {
		if given != nil && (r.BootID != given.BootID || r.Cpuset != given.Cpuset) {
			return nil
		}
		given = &measurement.Container{BootID: r.BootID, Cpuset: r.Cpuset, QuotaMilliCPU: r.QuotaMilliCPU, GoMaxProcs: r.GoMaxProcs}
	}
	return given
}
