package calibration

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/handover"
)

func TestSummarise(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		seconds []float64
		want    Statistics
	}{
		"without samples all are 0":        {nil, Statistics{}},
		"one sample has no spread":         {[]float64{2}, Statistics{Mean: 2, Median: 2, Samples: 1}},
		"equal samples have an error of 0": {[]float64{3, 3, 3}, Statistics{Mean: 3, Median: 3, Samples: 3}},
		// t(0.9995, 4) = 8.610 (any printed table), s = √2.5, n = 5.
		"five samples, with Student's t from a table": {
			[]float64{5, 1, 3, 2, 4},
			Statistics{Mean: 3, Median: 3, HalfWidth: 8.610301581 * math.Sqrt(2.5) / math.Sqrt(5), Samples: 5},
		},
		// t(0.9995, 1) = 636.62.
		"an even number has its median between two": {
			[]float64{1, 2},
			Statistics{Mean: 1.5, Median: 1.5, HalfWidth: 636.6192488 * math.Sqrt(0.5) / math.Sqrt2, Samples: 2},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Summarise(test.seconds)
			alike := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*(1+math.Abs(a)) })
			if diff := cmp.Diff(test.want, got, alike); diff != "" {
				t.Errorf("statistics (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSummariseLeavesItsInputAlone(t *testing.T) {
	t.Parallel()
	seconds := []float64{3, 1, 2}
	Summarise(seconds)
	if diff := cmp.Diff([]float64{3, 1, 2}, seconds); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
}

func TestScaleWidensTheError(t *testing.T) {
	t.Parallel()
	low := Statistics{Mean: 1 + 256, Median: 1 + 256, HalfWidth: 1, Samples: 9}
	high := Statistics{Mean: 1 + 1024, Median: 1 + 1024, HalfWidth: 2, Samples: 7}
	got := scale(low, high, 8, 10, 11)
	reach := (2048.0 - 256) / (1024 - 256)
	want := Statistics{
		Mean: 1 + 2048, Median: 1 + 2048, Samples: 7,
		HalfWidth: math.Hypot(2*reach, reach-1),
	}
	alike := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(a) })
	if diff := cmp.Diff(want, got, alike); diff != "" {
		t.Errorf("statistics (-want +got):\n%s", diff)
	}
}

func TestResultIsOneFlatObject(t *testing.T) {
	t.Parallel()
	quota := int64(250)
	timing := Timing{
		Cost: 16, TimedCost: 14,
		CPU:       Statistics{Mean: 3.6208, HalfWidth: 0.0123, Median: 3.6199, Samples: 12},
		Wall:      Statistics{Mean: 14.5},
		Reference: Statistics{Mean: 0.0141784, Median: 0.0140001},
		Ratio:     Statistics{Mean: 255.3745, HalfWidth: 0.8765432},
		Blocks:    []float64{0.0142, 0.0141}, Length: 2900 * time.Millisecond,
	}
	where := handover.Surroundings{
		GoMaxProcs: 2, Cpuset: "0-1", QuotaMilliCPU: &quota, QuotaPeriodMicroseconds: 10_000, QuotaBurstMicroseconds: 1_250, CPUModel: "AMD EPYC",
		CgroupVersion: 1, BootID: "b", GoVersion: "go1.26.8",
	}
	got, err := json.MarshalIndent(NewResult(timing, where), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "cost": 16,
  "hashMicroseconds": 3620800,
  "errorMicroseconds": 12300,
  "samples": 12,
  "clockHashesMilliPerSecond": 69,
  "medianMicroseconds": 3619900,
  "referenceMicroseconds": 14178,
  "ratioPerMillion": 255374500,
  "ratioErrorPerMillion": 876543,
  "blockMicroseconds": [
    14200,
    14100
  ],
  "lengthMilliseconds": 2900,
  "scaledFromCost": 14,
  "goMaxProcs": 2,
  "cpuset": "0-1",
  "quotaMilliCPU": 250,
  "quotaPeriodMicroseconds": 10000,
  "quotaBurstMicroseconds": 1250,
  "cpuModel": "AMD EPYC",
  "cgroupVersion": 1,
  "bootID": "b",
  "goVersion": "go1.26.8"
}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	timing.TimedCost = 16
	if scaled := NewResult(timing, where).ScaledFromCost; scaled != nil {
		t.Errorf("a cost that was timed itself is said to be scaled from %d", *scaled)
	}
}

func TestNeighbouringBlocksAreAveragedUntilTheyFit(t *testing.T) {
	t.Parallel()
	for count, want := range map[int]int{0: 0, 1: 1, 64: 64, 65: 33, 128: 64, 129: 43, 1000: 63} {
		seconds := make([]float64, count)
		for i := range seconds {
			seconds[i] = 0.014 + float64(i%2)*0.001
		}
		blocks := NewResult(Timing{Blocks: seconds}, handover.Surroundings{}).BlockMicroseconds
		if len(blocks) != want {
			t.Errorf("%d blocks are reported as %d, want %d", count, len(blocks), want)
		}
		if count == 128 && blocks[5] != 14_500 {
			t.Errorf("two neighbours of 14 and 15 ms are reported as %d µs", blocks[5])
		}
	}
}

func TestPerSecond(t *testing.T) {
	t.Parallel()
	quota := func(milli int64) *int64 { return &milli }
	tests := map[string]struct {
		calibrated handover.Calibration
		workers    int32
		want       float64
	}{
		"the quota is the least":         {handover.Calibration{CalibrationResult: handover.CalibrationResult{HashMicroseconds: 50_000}, Surroundings: handover.Surroundings{GoMaxProcs: 2, Cpuset: "0-1", QuotaMilliCPU: quota(250)}}, 1, 5},
		"the workers are the least":      {handover.Calibration{CalibrationResult: handover.CalibrationResult{HashMicroseconds: 50_000}, Surroundings: handover.Surroundings{GoMaxProcs: 4, Cpuset: "0-7", QuotaMilliCPU: quota(4000)}}, 3, 60},
		"GOMAXPROCS is the least":        {handover.Calibration{CalibrationResult: handover.CalibrationResult{HashMicroseconds: 50_000}, Surroundings: handover.Surroundings{GoMaxProcs: 2, Cpuset: "0-7"}}, 0, 40},
		"the cpuset is the least":        {handover.Calibration{CalibrationResult: handover.CalibrationResult{HashMicroseconds: 50_000}, Surroundings: handover.Surroundings{GoMaxProcs: 2, Cpuset: "3"}}, 8, 20},
		"a cpuset that is no list":       {handover.Calibration{CalibrationResult: handover.CalibrationResult{HashMicroseconds: 50_000}, Surroundings: handover.Surroundings{GoMaxProcs: 2, Cpuset: "x"}}, 0, 40},
		"without a hash time it is zero": {handover.Calibration{Surroundings: handover.Surroundings{GoMaxProcs: 2}}, 0, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := PerSecond(test.calibrated, test.workers); math.Abs(got-test.want) > 1e-9 {
				t.Errorf("%.3f hashes a second, want %.3f", got, test.want)
			}
		})
	}
}
