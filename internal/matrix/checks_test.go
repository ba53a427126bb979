package matrix

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

func TestABaselineIsAVariantThatIsMeasured(t *testing.T) {
	all := v1beta1.Matrix{Costs: []int32{8, 10}, CPULimits: fixture.Limits("250m", "1")}
	corners := v1beta1.Matrix{Costs: []int32{8, 9, 10, 11, 12}, CPULimits: fixture.Limits("1"), Measure: v1beta1.MeasureCorners}
	for name, test := range map[string]struct {
		matrix         v1beta1.Matrix
		baseline, want string
	}{
		"no baseline":                 {v1beta1.Matrix{}, "", ""},
		"the first variant":           {all, "c8-250m", ""},
		"the last variant":            {all, "c10-1", ""},
		"a variant that is not there": {all, "c12-1", `baseline "c12-1" is not a measured variant; choose one of: c8-250m, c8-1, c10-250m, c10-1`},
		"the beginning of a name":     {all, "c8", `baseline "c8" is not a measured variant; choose one of: c8-250m, c8-1, c10-250m, c10-1`},
		"the only variant": {v1beta1.Matrix{Costs: []int32{10}, CPULimits: fixture.Limits("1")}, "c10-1",
			`baseline "c10-1" has no effect, because c10-1 is the only measured variant; remove baseline, or add a variant`},
		"a corner":                    {corners, "c12-1", ""},
		"a variant that is predicted": {corners, "c11-1", `baseline "c11-1" is not a measured variant; choose one of: c8-1, c9-1, c10-1, c12-1`},
		"no matrix":                   {v1beta1.Matrix{}, "c8-1", ErrEmpty.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			err := CheckBaseline(v1beta1.SizingExperimentSpec{Matrix: test.matrix, Baseline: test.baseline})
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("error is %q, want %q", got, test.want)
			}
		})
	}
}

func TestWhatAlsoMeasureCanName(t *testing.T) {
	decision := v1beta1.SizingExperimentSpec{
		Matrix: v1beta1.Matrix{Costs: []int32{8, 10}, CPULimits: fixture.Limits("1"), Measure: v1beta1.MeasureDecision}, Demand: &v1beta1.Demand{},
	}
	all := *decision.DeepCopy()
	all.Matrix.Measure = v1beta1.MeasureAll
	for name, test := range map[string]struct {
		spec v1beta1.SizingExperimentSpec
		also []string
		want string
	}{
		"nothing":        {all, nil, ""},
		"two variants":   {decision, []string{"c8-1", "c10-1"}, ""},
		"no variant":     {decision, []string{"c8-1", "c9-1"}, `alsoMeasure names "c9-1", which is no variant; choose from: c8-1, c10-1`},
		"all are anyway": {all, []string{"c8-1"}, "alsoMeasure adds variants to what measure: Decision measures, and this experiment has measure: All; remove alsoMeasure"},
	} {
		t.Run(name, func(t *testing.T) {
			test.spec.AlsoMeasure = test.also
			got := ""
			if err := CheckAlso(test.spec); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("error is %q, want %q", got, test.want)
			}
		})
	}
}

// A hash of Argon2id takes 19,456 KiB by default, one of Scrypt 131,072 KiB.
func TestTheMemoryLimitIsEnoughForEveryWorker(t *testing.T) {
	argon2id := v1beta1.Hash{Name: "argon2id", Argon2id: &v1beta1.Argon2id{MemoryKiB: 19_456, Iterations: 2, Parallelism: 1}}
	scrypt := v1beta1.Hash{Name: "scrypt", Scrypt: &v1beta1.Scrypt{MemoryKiB: 131_072, Parallelism: 1}}
	pools := func(workers ...int32) []v1beta1.Concurrency {
		var all []v1beta1.Concurrency
		for _, n := range workers {
			all = append(all, v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To(n)})
		}
		return all
	}
	for name, test := range map[string]struct {
		limit string
		cpus  []string
		of    v1beta1.Hash
		pools []v1beta1.Concurrency
		least string
	}{
		// 64 Mi + 3 × 19,456 KiB = 123,904 KiB
		"exactly as much as three workers need":      {"123904Ki", nil, argon2id, pools(3), ""},
		"one KiB less":                               {"123903Ki", nil, argon2id, pools(3), "121Mi"},
		"three workers by the CPU limit":             {"123904Ki", []string{"2500m"}, argon2id, nil, ""},
		"three workers by the CPU limit, a KiB less": {"123903Ki", []string{"2500m"}, argon2id, nil, "121Mi"},
		"in one of two pools":                        {"123903Ki", nil, argon2id, pools(1, 3), "121Mi"},
		"a default Scrypt":                           {"128Mi", nil, scrypt, nil, "192Mi"},
		"a smaller Scrypt":                           {"128Mi", nil, v1beta1.Hash{Name: "scrypt", Scrypt: &v1beta1.Scrypt{MemoryKiB: 65536, Parallelism: 1}}, nil, ""},
		"parts of a byte":                            {"134217728500m", nil, argon2id, nil, ""},
		"a hash that is not memory-hard":             {"32Mi", nil, v1beta1.Hash{Name: "cheap", SHA256: &v1beta1.SHA256{}}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			spec := v1beta1.SizingExperimentSpec{
				Matrix:  v1beta1.Matrix{Costs: []int32{8}, Hashes: []v1beta1.Hash{test.of}, CPULimits: fixture.Limits(test.cpus...), Concurrency: test.pools},
				Service: v1beta1.Service{MemoryLimit: ptr.To(intstr.Parse(test.limit))},
			}
			if spec.Matrix.CPULimits == nil {
				spec.Matrix.CPULimits = fixture.Limits("1")
			}
			err := CheckMemory(spec)
			if test.least == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if test.least != "" && (err == nil || !strings.Contains(err.Error(), test.limit+" is too low") || !strings.Contains(err.Error(), test.least)) {
				t.Errorf("want a refusal that names %s, got %v", test.least, err)
			}
		})
	}
}

func TestANodePoolThatNoPodCanHaveIsRefused(t *testing.T) {
	exists := v1beta1.Toleration{Operator: "Exists"}
	for name, test := range map[string]struct {
		pool v1beta1.NodePool
		want string
	}{
		"labels and taints as nodes have them": {v1beta1.NodePool{
			NodeSelector: map[string]v1beta1.LabelValue{"example.com/pool": "small", "Zone_1": ""},
			Tolerations:  []v1beta1.Toleration{{Key: "example.com/pool", Value: "small"}, exists},
		}, ""},
		"a label with a space": {v1beta1.NodePool{NodeSelector: map[string]v1beta1.LabelValue{"a b": ""}}, `the label "a b", which`},
		"a label with a letter that is not ASCII": {
			v1beta1.NodePool{NodeSelector: map[string]v1beta1.LabelValue{"é": ""}}, `the label "é", which`,
		},
		"a label with two slashes": {v1beta1.NodePool{NodeSelector: map[string]v1beta1.LabelValue{"a/b/c": ""}}, `the label "a/b/c", which`},
		"a taint that is no name":  {v1beta1.NodePool{Tolerations: []v1beta1.Toleration{exists, {Key: "-a"}}}, `the toleration of the taint "-a", which`},
		"a value that no taint has": {
			v1beta1.NodePool{Tolerations: []v1beta1.Toleration{{Key: "a", Value: "a\x1bb"}}}, `a toleration with the value "a\x1bb", which`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.pool.Name = "small"
			err := CheckNodePools(experiment(func(e *v1beta1.SizingExperiment) { e.Spec.Matrix.NodePools = []v1beta1.NodePool{test.pool} }).Spec)
			if (err == nil) != (test.want == "") || err != nil && !strings.HasPrefix(err.Error(), "node pool small has "+test.want) {
				t.Errorf("error is %v, want %q", err, test.want)
			}
		})
	}
}

func TestACPULimitThatTheWorkersCanNotUseIsTold(t *testing.T) {
	pool := func(workers int32) []v1beta1.Concurrency {
		return []v1beta1.Concurrency{{Mode: v1beta1.ConcurrencyWorkerPool, Workers: &workers}}
	}
	argon := v1beta1.Hash{Name: "argon", Argon2id: &v1beta1.Argon2id{MemoryKiB: 19_456, Iterations: 2, Parallelism: 2}}
	tests := map[string]struct {
		limit       string
		concurrency []v1beta1.Concurrency
		hash        *v1beta1.Hash
		want        string
	}{
		"one worker beyond one CPU": {"1500m", pool(1), nil,
			"c10-1500m has a limit of 1500m and 1 worker, which can use 1 CPU: the rest is paid for and never used; set workers: 2, or cpuLimit: 1"},
		"a limit as it was written": {"1.5", pool(1), nil,
			"c10-1500m has a limit of 1.5 and 1 worker, which can use 1 CPU: the rest is paid for and never used; set workers: 2, or cpuLimit: 1"},
		"a whole CPU": {"2", pool(1), nil,
			"c10-2 has a limit of 2 and 1 worker, which can use 1 CPU: the rest is paid for and never used; set workers: 2, or cpuLimit: 1"},
		"several": {"64", pool(2), nil,
			"c10-64 has a limit of 64 and 2 workers, which can use 2 CPUs: the rest is paid for and never used; set workers: 64, or cpuLimit: 2"},
		"a thousandth of a CPU": {"1001m", pool(1), nil,
			"c10-1001m has a limit of 1001m and 1 worker, which can use 1 CPU: the rest is paid for and never used; set workers: 2, or cpuLimit: 1"},
		"as many workers as CPUs":                 {"2", pool(2), nil, ""},
		"more workers than CPUs":                  {"500m", pool(4), nil, ""},
		"as many workers as there are by default": {"1500m", nil, nil, ""},
		"a goroutine for each login":              {"4", []v1beta1.Concurrency{{Mode: v1beta1.ConcurrencyUnbounded}}, nil, ""},
		"a hash with two lanes uses two CPUs":     {"2", pool(1), &argon, ""},
		"but not a third CPU": {"2500m", pool(1), &argon,
			"argon-2500m has a limit of 2500m and 1 worker, which can use 2 CPUs: the rest is paid for and never used; set workers: 2, or cpuLimit: 2"},
		"with sessions requests take the CPU": {"2", pool(1), &v1beta1.Hash{
			Name: "session", Bcrypt: &v1beta1.Bcrypt{Cost: 10}, Sessions: true}, ""},
		"with a cheap hash requests take the CPU": {"2", pool(1), &v1beta1.Hash{Name: "cheap", SHA256: &v1beta1.SHA256{}}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := v1beta1.Matrix{CPULimits: fixture.Limits(test.limit), Concurrency: test.concurrency}
			if test.hash != nil {
				m.Hashes = []v1beta1.Hash{*test.hash}
			} else {
				m.Costs = []int32{10}
			}
			variants, err := Variants(m)
			if err != nil || len(variants) != 1 {
				t.Fatalf("%d variants, %v", len(variants), err)
			}
			if got := Unused(variants[0]); got != test.want {
				t.Errorf("it says %q, want %q", got, test.want)
			}
		})
	}
}
