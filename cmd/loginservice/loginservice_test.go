package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/login"
	"github.com/hashmark-dev/hashmark/internal/password"
	"github.com/hashmark-dev/hashmark/test/process"
)

// log is a writer that is safe for concurrent reads and writes.
type log struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *log) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(text)
}

func (l *log) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

// get retries until the service answers, for at most 20 s.
func get(t *testing.T, url string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil && response.StatusCode != http.StatusServiceUnavailable {
			t.Cleanup(func() { _ = response.Body.Close() })
			return response
		}
		if err == nil {
			_ = response.Body.Close()
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s was not answered: %v", url, err)
		case <-tick.C:
		}
	}
}

// calibrated writes a calibration of 8 hashes per second and CPU.
func calibrated(t *testing.T, cost int32) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "calibration.json")
	text, err := json.Marshal(calibration.Result{
		Cost:        cost,
		Calibration: handover.Calibration{CalibrationResult: handover.CalibrationResult{HashMicroseconds: 125_000}, Surroundings: handover.Surroundings{GoMaxProcs: 4, Cpuset: "0-3"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, outputMode); err != nil {
		t.Fatal(err)
	}
	return file
}

// started serves logins with some variables, and returns the service's URL once it is ready. stop ends
// it, and returns the exit code and its log.
func started(t *testing.T, variables map[string]string) (url string, stop func() (int, string)) {
	t.Helper()
	var output log
	address := process.FreeAddress(t)
	variables["HASHMARK_LISTEN"] = address
	w := environment(variables)
	w.stderr = &output
	ctx, cancel := context.WithCancel(t.Context())
	code := make(chan int, 1)
	go func() { code <- run(ctx, nil, w) }()
	get(t, "http://"+address+"/readyz")
	return "http://" + address, func() (int, string) {
		cancel()
		return <-code, output.String()
	}
}

func TestServeUntilToldToStop(t *testing.T) {
	t.Parallel()
	url, stop := started(t, map[string]string{
		"HASHMARK_COST": "4", "HASHMARK_CPU_LIMIT": "1500",
		"HASHMARK_CALIBRATION_FILE": calibrated(t, 4), "HASHMARK_REQUEST_TIMEOUT": "5s",
	})
	var got evidence.Service
	if err := json.NewDecoder(get(t, url+"/evidence").Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	// 1.5 CPUs round up to two workers, which hash 16 a second: 40 in half of 5 s.
	if got.Workers != 2 || got.QueueLength != 40 {
		t.Errorf("%d workers and a queue of %d, want 2 and 40", got.Workers, got.QueueLength)
	}
	if code, output := stop(); code != 0 {
		t.Errorf("exit code %d, want 0:\n%s", code, output)
	}
}

func TestServeHashesByAnotherRecipeAndKeepsSessions(t *testing.T) {
	t.Parallel()
	url, stop := started(t, map[string]string{
		"HASHMARK_ALGORITHM": "sha256", "HASHMARK_SESSIONS": "true", "HASHMARK_SESSION_KEY": "shared",
	})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.AddCookie(login.NewSessions("shared").Cookie())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("a cookie signed with the shared key is answered with %d (%v), want 200", response.StatusCode, err)
	}
	if code, output := stop(); code != 0 || !strings.Contains(output, "hash=SHA256") {
		t.Errorf("exit code %d, want 0 after hashing with SHA256:\n%s", code, output)
	}
}

func TestServeEndsAtItsDeadline(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		deadline time.Duration
		served   bool
	}{
		"that comes while it serves":          {deadline: 2 * time.Second, served: true},
		"that was past when it was restarted": {deadline: -time.Hour},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, output := program(t.Context(), nil, "serve", "--listen", "127.0.0.1:0", "--cost", "4", "--concurrency", unbounded,
				"--deadline", time.Now().Add(test.deadline).UTC().Format(time.RFC3339))
			if code != 0 || !strings.Contains(output, errDeadline.Error()) {
				t.Errorf("exit code %d, want 0 and a line with the reason:\n%s", code, output)
			}
			if served := strings.Contains(output, "serving logins"); served != test.served {
				t.Errorf("served: %t, want %t:\n%s", served, test.served, output)
			}
		})
	}
}

func TestServeFails(t *testing.T) {
	t.Parallel()
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	garbage := filepath.Join(t.TempDir(), "garbage.json")
	if err := os.WriteFile(garbage, []byte("out of memory"), outputMode); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		arguments []string
		says      string
	}{
		"on an address that is taken":        {[]string{"--listen", taken.Addr().String()}, "address already in use"},
		"without its calibration":            {[]string{"--calibration-file", garbage + ".lost"}, "read the calibration"},
		"with a calibration that is no JSON": {[]string{"--calibration-file", garbage}, "read the calibration"},
		"with a calibration of another cost": {[]string{"--calibration-file", calibrated(t, 12)}, "for another hash (cost 12"},
		"with a calibration of another hash": {[]string{"--algorithm", "sha256", "--cost", "0", "--calibration-file", calibrated(t, 0)},
			"for another hash (cost 0, recipe \"\") than SHA256"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// If it does not fail, the timeout ends it without an error.
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			code, output := program(ctx, nil, append([]string{"serve", "--cost", "4", "--listen", "127.0.0.1:0"}, test.arguments...)...)
			if code != exitFailed || !strings.Contains(output, test.says) {
				t.Errorf("exit code %d, want %d and %q:\n%s", code, exitFailed, test.says, output)
			}
		})
	}
}

func TestCalibrateWritesTheSameToEveryOutput(t *testing.T) {
	t.Parallel()
	first, second := filepath.Join(t.TempDir(), "message"), filepath.Join(t.TempDir(), "calibration.json")
	var stdout bytes.Buffer
	// The reference is cheap and the time short here, to keep the test short.
	w := environment(map[string]string{"HASHMARK_COST": "4", "HASHMARK_TIME": "300ms"})
	w.stdout = &stdout
	code := run(t.Context(), []string{
		"calibrate", "--reference-cost", "4", "--output", first, "--output", second,
	}, w)
	if code != 0 {
		t.Fatalf("exit code %d", code)
	}
	var message, shared calibration.Result
	if size := decode(t, first, &message); size > 4096 {
		t.Errorf("the message has %d bytes; kubelet keeps 4,096", size)
	}
	decode(t, second, &shared)
	if diff := cmp.Diff(message, shared); diff != "" {
		t.Errorf("outputs differ:\n%s", diff)
	}
	var printed calibration.Result
	if err := json.Unmarshal(stdout.Bytes(), &printed); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(message, printed); diff != "" {
		t.Errorf("what is printed differs:\n%s", diff)
	}
	if spent := message.HashMicroseconds * int64(message.Samples); spent > 1_000_000 {
		t.Errorf("hashes were timed for %d µs of CPU time, and 300 ms by the clock are asked for", spent)
	}
	complete(t, message)
}

// complete checks that a calibration of cost 4 has every value that exists on all machines.
func complete(t *testing.T, got calibration.Result) {
	t.Helper()
	if got.Cost != 4 || got.HashMicroseconds <= 0 || got.Samples < 10 || got.ReferenceMicroseconds <= 0 {
		t.Errorf("the times are missing: %+v", got)
	}
	// The reference has cost 4 too, and so is the subject itself.
	if got.RatioPerMillion != 1_000_000 || got.RatioErrorPerMillion != 0 || len(got.BlockMicroseconds) == 0 || len(got.BlockMicroseconds) > 64 {
		t.Errorf("the ratio to the reference is not 1, or blocks are missing: %+v", got)
	}
	if got.Cpuset == "" || got.BootID == "" || got.GoVersion == "" || got.GoMaxProcs == 0 {
		t.Errorf("the surroundings are missing: %+v", got)
	}
}

// decode reads a JSON file and returns its size.
func decode(t *testing.T, file string, into any) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
	return len(text)
}

// quick are limits for tests.
var quick = calibration.Limits{
	Least: 200 * time.Millisecond, LeastSamples: 4, Most: 20 * time.Second,
	BlockCPU: 20 * time.Millisecond, BlockWall: 80 * time.Millisecond,
}

func TestCalibrateTimesEveryAlgorithm(t *testing.T) {
	t.Parallel()
	for _, recipe := range []password.Recipe{
		{Algorithm: password.Argon2id, MemoryKiB: 1024, Iterations: 1, Parallelism: 1},
		{Algorithm: password.Scrypt, MemoryKiB: 1024, Parallelism: 1},
		{Algorithm: password.PBKDF2, Iterations: 1000, Digest: password.DigestSHA256},
		{Algorithm: password.PBKDF2, Iterations: 1000, Digest: password.DigestSHA512},
		{Algorithm: password.SHA256},
	} {
		timing, err := calibrationSettings{recipe: recipe, referenceCost: 4, limits: quick}.time()
		if err != nil {
			t.Fatal(err)
		}
		got := calibration.NewResult(timing, handover.Surroundings{})
		if got.Cost != 0 || got.Recipe != recipe.String() || got.HashMicroseconds < 1 || got.ReferenceMicroseconds < 100 ||
			got.RatioPerMillion < 1 || len(got.BlockMicroseconds) < 2 {
			t.Errorf("%s was calibrated as %+v", recipe, got)
		}
	}
}

// The calling thread waits while Argon2id's lanes are computed on others: by its own clock
// a hash with four lanes would take almost no time.
func TestCalibrateCountsAllThreadsOfAHash(t *testing.T) {
	var means []float64
	for _, lanes := range []int32{1, 4} {
		recipe := password.Recipe{Algorithm: password.Argon2id, MemoryKiB: 16 << 10, Iterations: 1, Parallelism: lanes}
		timing, err := calibrationSettings{recipe: recipe, referenceCost: 4, limits: quick}.time()
		if err != nil {
			t.Fatal(err)
		}
		means = append(means, timing.CPU.Median)
	}
	if ratio := means[1] / means[0]; ratio < 0.6 {
		t.Errorf("four lanes take %.2f of the CPU time of one, which fills the same memory", ratio)
	}
}

func TestCalibrateThatFailsLeavesTheReason(t *testing.T) {
	t.Parallel()
	message := filepath.Join(t.TempDir(), "message")
	code := run(t.Context(), []string{"calibrate", "--cost", "31", "--output", message}, environment(nil))
	text, err := os.ReadFile(message)
	if code != exitUsage || err != nil || !strings.Contains(string(text), "between 4 and 16") {
		t.Errorf("exit code %d, message %q (%v)", code, text, err)
	}
	code = run(t.Context(), []string{"calibrate", "--cost", "31", "--output", filepath.Join(message, "x")}, environment(nil))
	if code != exitUsage {
		t.Errorf("exit code %d, want %d even if the reason can't be written", code, exitUsage)
	}
}

func TestCalibrateEndsAtItsDeadline(t *testing.T) {
	t.Parallel()
	message := filepath.Join(t.TempDir(), "message")
	w := environment(map[string]string{"HASHMARK_DEADLINE": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)})
	code := run(t.Context(), []string{"calibrate", "--cost", "4", "--output", message}, w)
	text, err := os.ReadFile(message)
	if code != exitFailed || err != nil || !strings.Contains(string(text), errDeadline.Error()) {
		t.Errorf("after its deadline: exit code %d, message %q (%v)", code, text, err)
	}
	s := calibrationSettings{recipe: bcrypt(4), referenceCost: 4, limits: quick, deadline: time.Now().Add(20 * time.Millisecond)}
	if _, err := s.timeUntilDeadline(); !errors.Is(err, errDeadline) {
		t.Errorf("a deadline that comes while it times hashes ends it with %v", err)
	}
}
