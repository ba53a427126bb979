package cgroup

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestContainer(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tree    string
		version Version
		cpu     CPU
		usage   int64
		peak    int64
		kills   int64
	}{
		"version 1 in a pod, whose mount shows only the container's own part": {
			tree: "v1-pod", version: V1,
			cpu: CPU{
				QuotaMilliCPU: 250, PeriodMicroseconds: 100_000,
				Periods: 412, ThrottledPeriods: 297, ThrottledMicroseconds: 21_984_127,
			},
			usage: 10_364_127, peak: 11_534_336, kills: 2,
		},
		"version 1 on a machine: the process's own folder, not the root's, and a space in its name": {
			tree: "v1-host", version: V1, cpu: CPU{}, usage: 77,
		},
		"version 2 in a cgroup namespace": {
			tree: "v2-pod", version: V2,
			cpu: CPU{
				QuotaMilliCPU: 1500, PeriodMicroseconds: 100_000,
				Periods: 88, ThrottledPeriods: 41, ThrottledMicroseconds: 1_200_456,
			},
			usage: 5_120_345, peak: 23_068_672, kills: 1,
		},
		"version 2 without a namespace, and no quota because the CPUs are whole": {
			tree: "v2-host-namespace", version: V2, cpu: CPU{}, usage: 900,
		},
		"a hybrid machine whose CPU is bound to version 1": {
			tree: "hybrid", version: V1,
			cpu: CPU{
				QuotaMilliCPU: 2000, PeriodMicroseconds: 100_000,
				Periods: 7, ThrottledPeriods: 3, ThrottledMicroseconds: 4,
			},
		},
		"a hybrid machine whose CPU is in the unified hierarchy": {
			tree: "hybrid-v2", version: V2,
			cpu: CPU{
				QuotaMilliCPU: 500, PeriodMicroseconds: 100_000,
				Periods: 2, ThrottledPeriods: 1, ThrottledMicroseconds: 30,
			},
			usage: 11,
		},
		"a nested runtime whose path leads out of the namespace": {
			tree: "nested", version: V2,
			cpu:   CPU{QuotaMilliCPU: 333, PeriodMicroseconds: 100_000, Periods: 1},
			usage: 5,
		},
		"the root of version 2 has no quota": {tree: "v2-root", version: V2, usage: 123},
		"no controller of the CPU":           {tree: "no-cpu", version: None},
		"a kernel without cgroups":           {tree: "machine", version: None},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			container, err := Open(os.DirFS("testdata/" + test.tree))
			if err != nil {
				t.Fatal(err)
			}
			if got := container.Version(); got != test.version {
				t.Errorf("version %d, want %d", got, test.version)
			}
			cpu, err := container.CPU()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.cpu, cpu); diff != "" {
				t.Errorf("CPU (-want +got):\n%s", diff)
			}
			usage, err := container.UsageMicroseconds()
			if test.usage == 0 {
				if !errors.Is(err, ErrNoUsage) {
					t.Errorf("usage error %v, want ErrNoUsage", err)
				}
			} else if usage != test.usage || err != nil {
				t.Errorf("usage %d (%v), want %d", usage, err, test.usage)
			}
			if peak := container.MemoryPeakBytes(); peak != test.peak {
				t.Errorf("memory peak %d, want %d", peak, test.peak)
			}
			if kills := container.MemoryKills(); kills != test.kills {
				t.Errorf("%d processes were killed for their memory, want %d", kills, test.kills)
			}
		})
	}
}

func TestMalformedFilesAreErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ tree, file, text, want string }{
		"a cgroup line without a path":      {"v2-pod", "proc/self/cgroup", "0:\n", "not of the form"},
		"a mount line without a type":       {"v2-pod", "proc/self/mountinfo", "30 24 0:26 / /sys\n", "not a mount"},
		"a quota without a period":          {"v2-pod", "sys/fs/cgroup/cpu.max", "1000\n", "not a quota and a period"},
		"a quota that is no number":         {"v2-pod", "sys/fs/cgroup/cpu.max", "few 1000\n", "invalid syntax"},
		"a quota of nothing":                {"v2-pod", "sys/fs/cgroup/cpu.max", "0 100000\n", "invalid quota"},
		"a period of nothing":               {"v2-pod", "sys/fs/cgroup/cpu.max", "1000 0\n", "invalid quota"},
		"a counter without a number":        {"v2-pod", "sys/fs/cgroup/cpu.stat", "nr_periods\n", "not a name and a number"},
		"a counter that is no number":       {"v2-pod", "sys/fs/cgroup/cpu.stat", "nr_periods x\n", "invalid syntax"},
		"a version 1 quota no number":       {"v1-pod", "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "max\n", "cpu.cfs_quota_us"},
		"a version 1 period no number":      {"v1-pod", "sys/fs/cgroup/cpu/cpu.cfs_period_us", "\n", "cpu.cfs_period_us"},
		"a version 1 quota below unbounded": {"v1-pod", "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-2\n", "invalid quota"},
		"a version 1 burst no number":       {"v1-pod", "sys/fs/cgroup/cpu/cpu.cfs_burst_us", "max\n", "cpu.cfs_burst_us"},
		"a burst that is no number":         {"v2-pod", "sys/fs/cgroup/cpu.max.burst", "max\n", "cpu.max.burst"},
		"a negative burst":                  {"v2-pod", "sys/fs/cgroup/cpu.max.burst", "-1\n", "must not be negative"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := load(t, test.tree)
			tree[test.file] = &fstest.MapFile{Data: []byte(test.text)}
			_, err := Open(tree)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one that says %q", err, test.want)
			}
		})
	}
}

func TestPeriodAndBurstAreRead(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tree  string
		files map[string]string
		want  CPU
	}{
		"version 1": {"v1-pod", map[string]string{"cpu/cpu.cfs_quota_us": "2500\n", "cpu/cpu.cfs_period_us": "10000\n", "cpu/cpu.cfs_burst_us": "1250\n"},
			CPU{QuotaMilliCPU: 250, PeriodMicroseconds: 10_000, BurstMicroseconds: 1_250}},
		"version 2": {"v2-pod", map[string]string{"cpu.max": "15000 10000\n", "cpu.max.burst": "7500\n"},
			CPU{QuotaMilliCPU: 1500, PeriodMicroseconds: 10_000, BurstMicroseconds: 7_500}},
		"no burst": {"v2-pod", map[string]string{"cpu.max": "15000 10000\n", "cpu.max.burst": "0\n"},
			CPU{QuotaMilliCPU: 1500, PeriodMicroseconds: 10_000}},
		"without a quota there is nothing to save up": {"v2-pod", map[string]string{"cpu.max": "max 10000\n", "cpu.max.burst": "7500\n"}, CPU{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := load(t, test.tree)
			for file, text := range test.files {
				tree["sys/fs/cgroup/"+file] = &fstest.MapFile{Data: []byte(text)}
			}
			container, err := Open(tree)
			if err != nil {
				t.Fatal(err)
			}
			got, err := container.CPU()
			if err != nil {
				t.Fatal(err)
			}
			got.Periods, got.ThrottledPeriods, got.ThrottledMicroseconds = 0, 0, 0
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("CPU (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVersion1WithoutBandwidthControlHasNoQuota(t *testing.T) {
	t.Parallel()
	tree := load(t, "v1-pod")
	delete(tree, "sys/fs/cgroup/cpu/cpu.cfs_quota_us")
	delete(tree, "sys/fs/cgroup/cpu/cpu.cfs_period_us")
	container, err := Open(tree)
	if err != nil {
		t.Fatal(err)
	}
	cpu, err := container.CPU()
	if err != nil || cpu.QuotaMilliCPU != 0 {
		t.Errorf("quota %d (%v), want none", cpu.QuotaMilliCPU, err)
	}
}

// load copies a recorded tree, so that a test can break a file in it.
func load(t *testing.T, name string) fstest.MapFS {
	t.Helper()
	tree := fstest.MapFS{}
	source := os.DirFS("testdata/" + name)
	err := fs.WalkDir(source, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(source, path)
		tree[path] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func FuzzOpen(f *testing.F) {
	for _, tree := range []string{"v1-pod", "v2-pod", "hybrid"} {
		source := os.DirFS("testdata/" + tree)
		memberships, _ := fs.ReadFile(source, "proc/self/cgroup")
		mounts, _ := fs.ReadFile(source, "proc/self/mountinfo")
		f.Add(string(memberships), string(mounts), "25000 100000", "nr_periods 4\nnr_throttled 3\n")
	}
	f.Add("0::/a\n", `1 2 0:1 / /sys/\040\134\7 rw - cgroup2 c rw`, "max 1", "")
	f.Fuzz(func(t *testing.T, memberships, mounts, quota, stat string) {
		tree := fstest.MapFS{
			"proc/self/cgroup":                    {Data: []byte(memberships)},
			"proc/self/mountinfo":                 {Data: []byte(mounts)},
			"sys/fs/cgroup/cpu.max":               {Data: []byte(quota)},
			"sys/fs/cgroup/cpu.stat":              {Data: []byte(stat)},
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us":  {Data: []byte(quota)},
			"sys/fs/cgroup/cpu/cpu.cfs_period_us": {Data: []byte("100000")},
			"sys/fs/cgroup/cpu/cpu.stat":          {Data: []byte(stat)},
		}
		container, err := Open(tree)
		if err != nil {
			return
		}
		cpu, err := container.CPU()
		if err != nil {
			t.Fatalf("a container that opened can't be read: %v", err)
		}
		if cpu.QuotaMilliCPU < 0 || (cpu.QuotaMilliCPU > 0 && cpu.PeriodMicroseconds <= 0) {
			t.Errorf("quota of %d in a period of %d", cpu.QuotaMilliCPU, cpu.PeriodMicroseconds)
		}
	})
}
