package controllers

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/internal/lifecycle"
)

// cpuReading is the CPU time that this process had used at some time.
type cpuReading struct {
	at   time.Time
	used time.Duration
}

// loadMeter holds a reading from the beginning of each trial's load. It is lost with the process;
// the CPU of the operator before cannot be known by the one after.
type loadMeter struct {
	lock   sync.Mutex
	begins map[types.NamespacedName]loadBegin
}

type loadBegin struct {
	job types.UID
	cpuReading
}

// begin notes a reading from the beginning of a Job's load. Nil is not known, and not noted.
func (m *loadMeter) begin(trial types.NamespacedName, job types.UID, reading *cpuReading) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.begins == nil {
		m.begins = map[types.NamespacedName]loadBegin{}
	}
	delete(m.begins, trial)
	if reading != nil {
		m.begins[trial] = loadBegin{job, *reading}
	}
}

// since returns the average CPU since the beginning of a Job's load, in thousandths, or nil if
// this process did not begin it.
func (m *loadMeter) since(trial types.NamespacedName, job types.UID, now *cpuReading) *int64 {
	m.lock.Lock()
	defer m.lock.Unlock()
	begin, known := m.begins[trial]
	if !known || begin.job != job || now == nil || !now.at.After(begin.at) {
		return nil
	}
	milli := int64(1000 * (now.used - begin.used) / now.at.Sub(begin.at))
	return &milli
}

// forget drops the reading of a trial that does not exist any more.
func (m *loadMeter) forget(trial types.NamespacedName) {
	m.lock.Lock()
	defer m.lock.Unlock()
	delete(m.begins, trial)
}

// cpuReading reads the CPU time of this process, or returns nil if it is not known.
func (r *TrialReconciler) cpuReading(now time.Time) *cpuReading {
	if r.CPUTime == nil {
		return nil
	}
	used, err := r.CPUTime()
	if err != nil {
		return nil
	}
	return &cpuReading{now, used}
}

// operatorCPU returns the CPU that the operator used during the attempt's load, in thousandths, or
// nil if it is not known.
func (r *TrialReconciler) operatorCPU(seen *lifecycle.Observation) *int64 {
	trial := seen.Trial
	return r.loads.since(client.ObjectKeyFromObject(trial), lifecycle.Current(&trial.Status).JobUID, r.cpuReading(seen.Now))
}
