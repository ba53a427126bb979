package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gobcrypt "golang.org/x/crypto/bcrypt"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/observe"
)

func TestInstallLeavesWhatAnOwnServiceNeeds(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "hashmark")
	code, output := program(t.Context(), map[string]string{
		"HASHMARK_COST": "5", "HASHMARK_USER": "ada", "HASHMARK_PASSWORD": "sesame",
		"HASHMARK_FILES": `["$(HASHMARK_USER):$(HASHMARK_PASSWORD_HASH)\n","cost $(HASHMARK_COST), 5 $$"]`,
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
	if got := read("files/1"); got != "cost 5, 5 $" {
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

// TestALoginMustTakeAsLongAsItsHash has a reference hash of cost 8 in 15 ms, so that one of cost 10
// takes 60 ms.
func TestALoginMustTakeAsLongAsItsHash(t *testing.T) {
	var timing calibration.Timing
	timing.Reference.Mean, timing.CPU.Mean = 0.015, 0.0241
	s := calibrationSettings{recipe: bcrypt(10), referenceCost: 8}
	if err := s.checkHash(timing); err != nil {
		t.Error(err)
	}
	timing.CPU.Mean = 0.0239
	var refusal *observe.Refusal
	if err := s.checkHash(timing); !errors.As(err, &refusal) || refusal.Reason != handover.HashMismatch ||
		!strings.HasPrefix(refusal.Message, "a login takes 23.9ms of CPU time, but a bcrypt hash of cost 10 takes 60ms") {
		t.Errorf("got %v", err)
	}
	s.anyHash = true
	if err := s.checkHash(timing); err != nil {
		t.Error(err)
	}
}
