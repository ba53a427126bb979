package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashmark-dev/hashmark/internal/calibration"
	"time"

	"github.com/hashmark-dev/hashmark/internal/login"
)

// FuzzCalibrationFile: from a calibration that is accepted the service makes a pool within its
// bounds, and a finite rate of hashes.
func FuzzCalibrationFile(f *testing.F) {
	f.Add(`{"cost":8,"hashMicroseconds":14178,"samples":50}`, int64(500))
	f.Add(`{"cost":8,"hashMicroseconds":0}`, int64(1))
	f.Add(`{"cost":8,"hashMicroseconds":-9223372036854775808,"quotaMilliCPU":-1,"goMaxProcs":2147483647}`, int64(64_000))
	f.Add(`{"cost":8,"hashMicroseconds":1,"cpuset":"0-9999999999"}`, int64(64_000))
	f.Add(`[]`, int64(500))
	file := filepath.Join(f.TempDir(), "calibration.json")
	f.Fuzz(func(t *testing.T, text string, limit int64) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := parseSettings([]string{"--cost=8", "--calibration-file=" + file}, environment(nil))
		if err != nil {
			t.Fatal(err)
		}
		s.cpuLimitMilli = max(1, limit)
		calibrated, err := s.calibration(nil, time.Millisecond)
		if err != nil {
			return
		}
		pool, err := s.arrange(nil, calibrated)
		if err != nil {
			return
		}
		defer pool.(*login.Pool).Close()
		perSecond := calibration.PerSecond(calibrated.Calibration, s.threads(pool.Workers()))
		if pool.Workers() < 1 || pool.Workers() > maxWorkers || pool.QueueLength() < 1 || pool.QueueLength() > maxQueueLength ||
			math.IsNaN(perSecond) || math.IsInf(perSecond, 0) || perSecond < 0 {
			t.Errorf("%d workers, a queue of %d and %g hashes per second", pool.Workers(), pool.QueueLength(), perSecond)
		}
	})
}
