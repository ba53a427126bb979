package generator

import (
	"math"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// generatorOf returns the generator's container, or nil if it is unknown.
func generatorOf(steps []stepReadings) *measurement.Container {
	var readings []evidence.Reading
	for _, taken := range all(steps) {
		if taken.generator != nil {
			readings = append(readings, *taken.generator)
		}
	}
	return unchanged(readings)
}

// servicesOf returns the pods of the service whose containers are known.
func servicesOf(steps []stepReadings, pods int) []measurement.ServicePod {
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
		if container := unchanged(readings); container != nil {
			services = append(services, measurement.ServicePod{
				Container: *container, Workers: last.Workers, QueueLength: last.QueueLength, MemoryPeakKiB: wholeKiB(last.MemoryPeakBytes),
			})
		}
	}
	return services
}

// wholeKiB rounds up, and limits the number from a pod.
func wholeKiB(bytes int64) int32 {
	const kibibyte = 1024
	return int32(min((max(0, min(bytes, math.MaxInt64-kibibyte))+kibibyte-1)/kibibyte, math.MaxInt32))
}

// all returns the readings of a load in the order of their due times.
func all(steps []stepReadings) []reading {
	var readings []reading
	for _, step := range steps {
		readings = append(readings, step.settled, step.countedEnd, step.drained)
	}
	return readings
}

// unchanged returns the container of the last reading. It returns nil if there are no
// readings, or if the boot ID or cpuset changed between them, which means that the container
// moved to other CPUs.
func unchanged(readings []evidence.Reading) *measurement.Container {
	var container *measurement.Container
	for _, r := range readings {
		if container != nil && (r.BootID != container.BootID || r.Cpuset != container.Cpuset) {
			return nil
		}
		container = &measurement.Container{BootID: r.BootID, Cpuset: r.Cpuset, QuotaMilliCPU: r.QuotaMilliCPU, GoMaxProcs: r.GoMaxProcs}
	}
	return container
}
