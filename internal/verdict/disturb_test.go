package verdict_test

import (
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// used sets the CPU that was used, in thousandths of a CPU.
func used(d *evidence.Delta, milli int64) { d.CPUMicroseconds = d.ElapsedMicroseconds * milli / 1000 }

// usesOfItsCPU sets the share of half a CPU that the service used. edges is the number of
// hashes that the ends of a window cut off or add.
func usesOfItsCPU(s *measurement.StepResult, share, edges float64) {
	d := s.Service
	d.Periods = 0
	share += edges / float64(d.Hashes)
	d.CPUMicroseconds = int64(share * 0.5 * float64(d.ElapsedMicroseconds))
	d.BusyMicroseconds = d.CPUMicroseconds
}

// throttled sets the throttled time in thousandths.
func throttled(d *evidence.Delta, perMille int64) {
	d.ThrottledMicroseconds = d.ElapsedMicroseconds * perMille / 1000
}

// sent sets how many of a thousand scheduled logins were sent in time.
func sent(s *measurement.StepResult, perMille int64) {
	*s = scaled(*s, 1000)
	s.SentInWindow = perMille
}

// samples sets the logins of a step, all of them successful.
func samples(s *measurement.StepResult, n int64) { *s = scaled(*s, n) }

func scaled(s measurement.StepResult, logins int64) measurement.StepResult {
	s.Scheduled, s.OK, s.SentInWindow, s.CompletedInWindow = logins, logins, logins, logins
	return s
}

// share puts service and generator on the same CPUs and sets the idle CPU time and that of
// others, in thousandths of a CPU.
func share(w *fixture, cpus, idleMilli, othersMilli int64) {
	list := map[int64]string{1: "0", 4: "0-3"}[cpus]
	w.Run.Services[0].Cpuset, w.Run.Generator.Cpuset = list, list
	d := w.reported().Service
	d.IdleMicroseconds = d.ElapsedMicroseconds * idleMilli / 1000
	d.BusyMicroseconds = d.CPUMicroseconds + d.ElapsedMicroseconds*othersMilli/1000
}

// stolen sets the share of the service's only CPU that other machines got, in thousandths.
func stolen(w *fixture, perMille int64) {
	d := w.reported().Service
	d.StealMicroseconds = d.ElapsedMicroseconds * perMille / 1000
}

// neighbour is share with a generator on CPUs of its own.
func neighbour(w *fixture, cpus, idleMilli, othersMilli int64) {
	share(w, cpus, idleMilli, othersMilli)
	w.Run.Generator.Cpuset = "8"
}

// siblings adds two replicas and places them. counted is how many of the three count their
// CPU time as busy, in addition to others.
func siblings(w *fixture, counted, othersMilli int64, place func(pod *measurement.ServicePod, i int)) {
	neighbour(w, 1, 300, othersMilli)
	for i := range 2 {
		pod := w.Run.Services[0]
		place(&pod, i)
		w.Run.Services = append(w.Run.Services, pod)
	}
	d := w.reported().Service
	d.BusyMicroseconds += (counted - 1) * d.CPUMicroseconds
}

func onOne(*measurement.ServicePod, int) {}

func onTheirOwn(pod *measurement.ServicePod, i int) { pod.Cpuset = []string{"2", "3"}[i] }

func onTheirMachines(pod *measurement.ServicePod, i int) {
	pod.BootID = []string{"boot-2", "boot-3"}[i]
}
