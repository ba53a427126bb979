package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gobcrypt "golang.org/x/crypto/bcrypt"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/observe"
	"github.com/hashmark-dev/hashmark/internal/password"
)

func TestInstallLeavesWhatAnOwnServiceNeeds(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "hashmark")
	code, output := program(t.Context(), map[string]string{
		"HASHMARK_COST": "5", "HASHMARK_USER": "ada", "HASHMARK_PASSWORD": "sesame",
		"HASHMARK_WORKERS": "3",
		"HASHMARK_FILES":   `["$(HASHMARK_USER):$(HASHMARK_PASSWORD_HASH)\n","cost $(HASHMARK_COST), workers $(HASHMARK_WORKERS), 5 $$"]`,
	}, "install", "--to", folder)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, output)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	hash := read("password-hash")
	if cost, err := gobcrypt.Cost([]byte(hash)); err != nil || cost != 5 || gobcrypt.CompareHashAndPassword([]byte(hash), []byte("sesame")) != nil {
		t.Errorf("the hash is %q of cost %d, %v", hash, cost, err)
	}
	if got := read("files/0"); got != "ada:"+hash+"\n" {
		t.Errorf("the first file has %q", got)
	}
	if got := read("files/1"); got != "cost 5, workers 3, 5 $" {
		t.Errorf("the second file has %q", got)
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(own)
	if err != nil || read("loginservice") != string(want) {
		t.Errorf("the program was not copied: %v", err)
	}
	if info, err := os.Stat(filepath.Join(folder, "loginservice")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the program's mode is %v, %v", info.Mode(), err)
	}
}

// Kubelet leaves out the keys that do not exist, because they are optional: it would wait for them without a word.
func TestInstallSaysWhichKeysDoNotExist(t *testing.T) {
	keys := t.TempDir()
	if err := os.WriteFile(filepath.Join(keys, "1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for named, want := range map[string]string{
		`{"1":"key a of Secret b"}`: "",
		`{"0":"key tls.key of Secret web","1":"key a of Secret b","2":"key c of ConfigMap d"}`: "there is no key tls.key of Secret web and no key c of ConfigMap d in this namespace",
		`[]`: "--keys is not a JSON object of texts",
	} {
		code, output := program(t.Context(), nil, "install", "--to", filepath.Join(t.TempDir(), "hashmark"), "--keys", named, "--keys-folder", keys)
		if (code == 0) != (want == "") || !strings.Contains(output, want) {
			t.Errorf("%s: exit code %d: %s", named, code, output)
		}
	}
}

func TestTheHashReplacesItsNameInTheCommandAndTheEnvironment(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hash")
	if err := os.WriteFile(file, []byte("$2a$05$abc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("USERS", "ada=$(HASHMARK_PASSWORD_HASH)")
	command := []string{"/app/login", "--hash=$(HASHMARK_PASSWORD_HASH)", "$(HASHMARK_COST)"}
	got, err := substituteHash(file, command)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"/app/login", "--hash=$2a$05$abc", "$(HASHMARK_COST)"}; !slices.Equal(command, want) {
		t.Errorf("the command is %q", command)
	}
	if !slices.Contains(got, "USERS=ada=$2a$05$abc") {
		t.Errorf("the environment is %q", got)
	}
}

// TestALoginMustTakeAsLongAsItsHash has hashes of 60 ms.
func TestALoginMustTakeAsLongAsItsHash(t *testing.T) {
	for name, test := range map[string]struct {
		recipe password.Recipe
		login  float64
		want   string // "" if the login is accepted
	}{
		"a fast implementation":   {bcrypt(10), 0.0241, ""},
		"a cache":                 {bcrypt(10), 0.0239, "a login takes 23.9ms of CPU time, but a hash with bcrypt cost 10 takes 60ms: the result is cached"},
		"a framework around it":   {bcrypt(10), 0.169, ""},
		"a second, dearer hash":   {bcrypt(10), 0.171, "a login takes 171ms of CPU time, but a hash with bcrypt cost 10 takes 60ms: the service hashes again at login"},
		"Argon2id in Java":        {password.Recipe{Algorithm: password.Argon2id, MemoryKiB: 7168, Iterations: 5, Parallelism: 1}, 0.3, ""},
		"Argon2id with AVX-512":   {password.Recipe{Algorithm: password.Argon2id, MemoryKiB: 7168, Iterations: 5, Parallelism: 1}, 0.016, ""},
		"Argon2id with a cache":   {password.Recipe{Algorithm: password.Argon2id, MemoryKiB: 7168, Iterations: 5, Parallelism: 1}, 0.001, "a hash with Argon2id m=7168 t=5 p=1 takes 60ms: the result is cached"},
		"PBKDF2 with more rounds": {password.Recipe{Algorithm: password.PBKDF2, Iterations: 600_000, Digest: "SHA-256"}, 0.4, "the service hashes again at login"},
	} {
		err := calibrationSettings{recipe: test.recipe}.checkHash(test.login, 0.06)
		refusal, refused := errors.AsType[*observe.Refusal](err)
		if (test.want == "") != (err == nil) || refused && (refusal.Reason != handover.HashMismatch || !strings.Contains(refusal.Message, test.want)) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}

// A hash without a cost is timed beside the reference.
func TestTheTimeOfAHashWithoutACost(t *testing.T) {
	begin := time.Now()
	calibrator := calibration.Calibrator{Meter: calibration.Meter{Wall: func() time.Duration { return time.Since(begin) }}}
	s := calibrationSettings{referenceCost: 8}
	var times []float64
	for _, rounds := range []int32{50_000, 200_000} {
		s.recipe = password.Recipe{Algorithm: password.PBKDF2, Iterations: rounds, Digest: password.DigestSHA256}
		hash, err := s.hashTime(calibrator, 0.015)
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, hash)
	}
	if ratio := times[1] / times[0]; ratio < 2.5 || ratio > 6 {
		t.Errorf("four times the rounds take %.2f times as long: %v", ratio, times)
	}
	s.recipe = bcrypt(10)
	if hash, err := s.hashTime(calibrator, 0.015); err != nil || hash != 0.06 {
		t.Errorf("bcrypt at cost 10 takes %v, %v; want 60 ms", hash, err)
	}
}

func TestAServiceEndsOnceTheKernelHasKilledAProcessOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		var kills atomic.Int64
		var stderr bytes.Buffer
		go endOutOfMemory(ctx, kills.Load, &stderr, end)
		time.Sleep(time.Minute)
		synctest.Wait()
		if ctx.Err() != nil {
			t.Fatal("it ended without a killed process")
		}
		kills.Store(1)
		time.Sleep(2 * memoryCheckEvery)
		synctest.Wait()
		if ctx.Err() == nil || !strings.Contains(stderr.String(), "ran out of memory") {
			t.Errorf("it goes on, and says %q", stderr.String())
		}
	})
}
