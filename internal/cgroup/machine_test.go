package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/cpuset"
)

func TestTicks(t *testing.T) {
	t.Parallel()
	machine := os.DirFS("testdata/machine")
	tests := map[string]struct {
		cpus cpuset.CPUSet
		want Ticks
	}{
		"one CPU: guest time is not counted twice": {
			cpus: cpuset.New(1),
			want: Ticks{
				IdleMicroseconds:  (91225 + 675) * 10_000,
				StealMicroseconds: 24 * 10_000,
				BusyMicroseconds:  (2361 + 32711 + 10142 + 0 + 119) * 10_000,
			},
		},
		"two CPUs are added up": {
			cpus: cpuset.New(0, 1),
			want: Ticks{
				IdleMicroseconds:  (94229 + 120 + 91225 + 675) * 10_000,
				StealMicroseconds: (25 + 24) * 10_000,
				BusyMicroseconds:  (1216 + 32471 + 9184 + 20 + 2361 + 32711 + 10142 + 119) * 10_000,
			},
		},
		"no CPU": {},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ReadTicks(machine, test.cpus)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("ticks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTicksThatAreNotThereAreAnError(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"a CPU without a line":     {"cpu 1\ncpu1 1 2 3 4 5 6 7 8\n", "no line for cpu0"},
		"a line without columns":   {"cpu0 1 2 3 4 5 6 7\n", "7 columns"},
		"a column that's no count": {"cpu0 1 2 3 4 5 6 7 x\n", "invalid syntax"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := fstest.MapFS{"proc/stat": {Data: []byte(test.text)}}
			_, err := ReadTicks(tree, cpuset.New(0))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one that says %q", err, test.want)
			}
		})
	}
}

func TestCoresHaveAllTheirThreads(t *testing.T) {
	t.Parallel()
	siblings := func(lists ...string) fstest.MapFS {
		files := fstest.MapFS{}
		for cpu, list := range lists {
			files[fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu)] = &fstest.MapFile{Data: []byte(list + "\n")}
		}
		return files
	}
	for name, test := range map[string]struct {
		files fstest.MapFS
		cpus  cpuset.CPUSet
		want  string
	}{
		"two threads a core":                {siblings("0,2", "1,3", "0,2", "1,3"), cpuset.New(0), "0,2"},
		"neighbours that share a core":      {siblings("0-1", "0-1", "2-3", "2-3"), cpuset.New(1, 2), "0-3"},
		"one thread a core":                 {siblings("0", "1"), cpuset.New(0, 1), ""},
		"the kernel doesn't say":            {fstest.MapFS{}, cpuset.New(0), ""},
		"the kernel says something strange": {siblings("zero"), cpuset.New(0), ""},
	} {
		if got := Cores(test.files, test.cpus).String(); got != test.want {
			t.Errorf("%s: the CPUs are %q, want %q", name, got, test.want)
		}
	}
}

func TestCPUModel(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"as x86 kernels report it": {"processor : 0\nmodel name\t: AMD EPYC\n", "AMD EPYC"},
		"combined on ARM":          {"CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "implementer 0x41 part 0xd0c"},
		"empty without any model":  {"processor : 0\n", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := CPUModel(fstest.MapFS{"proc/cpuinfo": {Data: []byte(test.text)}})
			if err != nil || got != test.want {
				t.Errorf("model %q (%v), want %q", got, err, test.want)
			}
		})
	}
}

func FuzzTicks(f *testing.F) {
	text, _ := fs.ReadFile(os.DirFS("testdata/machine"), "proc/stat")
	f.Add(string(text))
	f.Add("cpu\n\ncpu0 -1 2 3 4 5 6 7 8")
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = parseTicks(text, cpuset.New(0, 1))
		_ = parseModel(text)
		_ = unescape(text)
	})
}

func TestObserverReadsThisVeryProcess(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	observer, err := Observe(os.DirFS("/"))
	if err != nil {
		t.Fatal(err)
	}
	before, err := observer.Read()
	if err != nil {
		t.Fatal(err)
	}
	worked := burn(t, 50*time.Millisecond)
	after, err := observer.Read()
	if err != nil {
		t.Fatal(err)
	}
	used := time.Duration(after.CPUMicroseconds-before.CPUMicroseconds) * time.Microsecond
	const tick = 10 * time.Millisecond // at 100 ticks a second; the reading may lack the last one
	if used < worked-tick {
		t.Errorf("%s of work read as %s of CPU time", worked, used)
	}
	if after.UptimeMicroseconds <= before.UptimeMicroseconds {
		t.Errorf("the uptime went from %d to %d", before.UptimeMicroseconds, after.UptimeMicroseconds)
	}
	for _, text := range []string{before.BootID, before.Cpuset, before.GoVersion} {
		if text == "" || before.GoMaxProcs == 0 {
			t.Errorf("a reading lacks a required field: %+v", before)
		}
	}
	if _, err := observer.ReadContainer(); err != nil && !errors.Is(err, ErrNoUsage) {
		t.Error(err)
	}
}

func TestEachObserverIsAnInstanceOfItsOwn(t *testing.T) {
	t.Parallel()
	instances := make(map[string]bool)
	for range 2 {
		observer, err := Observe(os.DirFS("/"))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			reading, err := observer.Read()
			if err != nil {
				t.Fatal(err)
			}
			instances[reading.InstanceID] = true
		}
	}
	if len(instances) != 2 || instances[""] {
		t.Errorf("two observers read twice gave the instances %v", instances)
	}
}

func TestThreadCPUTimeIsFinerThanATick(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var fine int
	for range 20 {
		used := burn(t, 300*time.Microsecond)
		if used > 0 && used < 4*time.Millisecond {
			fine++
		}
	}
	if fine < 15 {
		t.Errorf("only %d of 20 short pieces of work had a time between 0 and 4 ms", fine)
	}
}

func TestAllThreadsCPUTimeCountsOtherThreads(t *testing.T) {
	begin, err := AllThreadsCPUTime()
	if err != nil {
		t.Fatal(err)
	}
	used := make(chan time.Duration)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		used <- burn(t, 20*time.Millisecond)
	}()
	other := <-used
	now, err := AllThreadsCPUTime()
	if err != nil || now-begin < other {
		t.Errorf("the process used %s while one of its threads used %s (%v)", now-begin, other, err)
	}
}

// burn works until the thread has used the CPU for a span, by its own clock, and returns
// the CPU time that it used. The caller must hold its thread.
func burn(t *testing.T, span time.Duration) time.Duration {
	t.Helper()
	begin, err := ThreadCPUTime()
	if err != nil {
		t.Fatal(err)
	}
	x := 1.0
	for {
		for range 1000 {
			x = math.Sqrt(x + 1)
		}
		now, err := ThreadCPUTime()
		if err != nil {
			t.Fatal(err)
		}
		if now-begin >= span {
			return now - begin
		}
	}
}
