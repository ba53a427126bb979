package drift

import (
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/hashmark-dev/hashmark/internal/cgroup"
)

const (
	// Variable is the environment variable that names the schedule.
	Variable = "HASHMARK_DRIFT"
	// baseline is the factor of the steady service: what the fastest schedule requires plus
	// a margin, so that there is always something to burn.
	baseline = 1.3
	// chunkBytes are hashed between two readings of the clock. That takes a few
	// microseconds, which is little compared with the millisecond of a bcrypt hash of cost
	// 4.
	chunkBytes = 1024
)

// Pacer slows hashes down by a schedule. It is safe for concurrent use.
type Pacer struct {
	schedule Schedule
	serving  bool
	// cpu is the CPU time of the calling thread, wall the time by the clock.
	cpu  func() time.Duration
	wall func() time.Time
	burn func()

	mutex  sync.Mutex
	first  time.Time
	hashes int64
	// running is how many hashes run now.
	running int
}

// FromEnvironment returns the pacer that Variable names, or a steady one if it is not set.
// It panics if the schedule does not exist, because then the test image is wrong.
func FromEnvironment() *Pacer {
	name := os.Getenv(Variable)
	if name == "" {
		name = "steady"
	}
	schedule, err := Named(name)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", Variable, err))
	}
	serving := len(os.Args) < 2 || os.Args[1] != "calibrate"
	return &Pacer{schedule: schedule, serving: serving, cpu: threadCPU, wall: time.Now, burn: burn}
}

// Run runs a hash, and burns CPU on its thread until the time of the schedule is used up.
func (p *Pacer) Run(hash func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	factor := baseline * p.schedule(p.moment())
	begin := p.cpu()
	hash()
	wanted := time.Duration(factor * float64(p.cpu()-begin))
	for p.cpu()-begin < wanted {
		p.burn()
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.running--
}

// moment returns the moment of a hash that begins now, and counts the hash.
func (p *Pacer) moment() Moment {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.hashes == 0 {
		p.first = p.wall()
	}
	m := Moment{Serving: p.serving, Since: p.wall().Sub(p.first), Hash: p.hashes, Shared: p.running > 0}
	p.hashes++
	p.running++
	return m
}

// threadCPU panics if the kernel does not have this clock, which Linux always has.
func threadCPU() time.Duration {
	used, err := cgroup.ThreadCPUTime()
	if err != nil {
		panic(err)
	}
	return used
}

func burn() {
	var chunk [chunkBytes]byte
	sum := sha256.Sum256(chunk[:])
	runtime.KeepAlive(sum)
}
