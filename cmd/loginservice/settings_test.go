package main

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/password"
)

// environment returns a system with some variables and without output.
func environment(variables map[string]string) system {
	return system{
		lookup: func(name string) (string, bool) { value, found := variables[name]; return value, found },
		stdout: io.Discard, stderr: io.Discard,
	}
}

// program runs this program, and returns its exit code and what it wrote to stderr.
func program(ctx context.Context, variables map[string]string, arguments ...string) (int, string) {
	var output log
	w := environment(variables)
	w.stderr = &output
	code := run(ctx, arguments, w)
	return code, output.String()
}

func defaults() settings {
	return settings{
		listen: ":8080", recipe: bcrypt(10), concurrency: workerPool, requestTimeout: 10 * time.Second,
		user: "hashmark", password: "correct horse battery staple",
	}
}

func TestParseSettings(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		arguments []string
		variables map[string]string
		change    func(*settings)
	}{
		"nothing given: the defaults": {change: func(*settings) {}},
		"every flag has an environment variable": {
			variables: map[string]string{
				"HASHMARK_LISTEN": "127.0.0.1:1", "HASHMARK_TLS_LISTEN": "127.0.0.1:2", "HASHMARK_COST": "8", "HASHMARK_CONCURRENCY": "WorkerPool",
				"HASHMARK_WORKERS": "2", "HASHMARK_QUEUE_LENGTH": "64", "HASHMARK_CALIBRATION_FILE": "c.json",
				"HASHMARK_REQUEST_TIMEOUT": "3s", "HASHMARK_DEADLINE": "2026-11-21T04:00:00Z",
				"HASHMARK_USER": "u", "HASHMARK_PASSWORD": "p", "HASHMARK_CPU_LIMIT": "250",
				"HASHMARK_SESSIONS": "true", "HASHMARK_SESSION_KEY": "k",
			},
			change: func(s *settings) {
				*s = settings{
					listen: "127.0.0.1:1", tlsListen: "127.0.0.1:2", recipe: bcrypt(8), sessions: true, sessionKey: "k", concurrency: workerPool, workers: 2, queueLength: 64,
					calibrationFile: "c.json", requestTimeout: 3 * time.Second,
					deadline: time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC),
					user:     "u", password: "p", cpuLimitMilli: 250,
				}
			},
		},
		"a flag takes precedence over its variable": {
			arguments: []string{"--cost", "12"}, variables: map[string]string{"HASHMARK_COST": "8"},
			change: func(s *settings) { s.recipe.Cost = 12 },
		},
		"another hash has OWASP's numbers": {
			variables: map[string]string{"HASHMARK_ALGORITHM": "argon2id"},
			change: func(s *settings) {
				s.recipe = password.Recipe{Algorithm: password.Argon2id, MemoryKiB: 19_456, Iterations: 2, Parallelism: 1}
			},
		},
		"another hash with numbers of its own": {
			variables: map[string]string{
				"HASHMARK_ALGORITHM": "argon2id", "HASHMARK_MEMORY_KIB": "64", "HASHMARK_ITERATIONS": "3", "HASHMARK_PARALLELISM": "2",
			},
			change: func(s *settings) {
				s.recipe = password.Recipe{Algorithm: password.Argon2id, MemoryKiB: 64, Iterations: 3, Parallelism: 2}
			},
		},
		"another digest": {
			variables: map[string]string{"HASHMARK_ALGORITHM": "pbkdf2", "HASHMARK_ITERATIONS": "1000", "HASHMARK_DIGEST": "SHA-512"},
			change: func(s *settings) {
				s.recipe = password.Recipe{Algorithm: password.PBKDF2, Iterations: 1000, Digest: password.DigestSHA512}
			},
		},
		"an empty variable counts as not set": {
			variables: map[string]string{"HASHMARK_COST": "", "HASHMARK_DEADLINE": ""},
			change:    func(*settings) {},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := defaults()
			test.change(&want)
			got, err := parseSettings(test.arguments, environment(test.variables))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(settings{})); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestArgumentsThatAreRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		arguments []string
		variables map[string]string
		says      []string
	}{
		"a cost of 31":                 {[]string{"--cost", "31"}, nil, []string{"--cost is 31", "between 4 and 16"}},
		"an unknown hash":              {[]string{"--algorithm", "MD5"}, nil, []string{`"MD5"; it must be one of [bcrypt argon2id`}},
		"a cost of another hash":       {[]string{"--algorithm", "sha256", "--cost", "8"}, nil, []string{"sha256 has no cost"}},
		"memory without bound":         {[]string{"--algorithm", "scrypt", "--concurrency", "Unbounded"}, nil, []string{"does not limit the memory"}},
		"a key without sessions":       {[]string{"--session-key", "k"}, nil, []string{"requires --sessions"}},
		"a variable that is no number": {nil, map[string]string{"HASHMARK_COST": "ten"}, []string{`HASHMARK_COST="ten"`}},
		"a mode that does not exist":   {[]string{"--concurrency", "pool"}, nil, []string{"Unbounded or WorkerPool"}},
		"workers without a pool":       {[]string{"--concurrency", "Unbounded", "--workers", "2"}, nil, []string{"only for --concurrency WorkerPool"}},
		"a queue without a pool":       {[]string{"--concurrency", "Unbounded", "--queue-length", "2"}, nil, []string{"only for --concurrency WorkerPool"}},
		"too many workers":             {[]string{"--workers", "65"}, nil, []string{"between 0 and 64"}},
		"too long a queue":             {[]string{"--queue-length", "10001"}, nil, []string{"between 0 and 10000"}},
		"a timeout of nothing":         {[]string{"--request-timeout", "0s"}, nil, []string{"must be above 0"}},
		"a negative CPU limit":         {[]string{"--cpu-limit", "-1"}, nil, []string{"must not be negative"}},
		"no user":                      {[]string{"--user", ""}, nil, []string{"must not be empty"}},
		"a password that is too long":  {[]string{"--password", strings.Repeat("x", 73)}, nil, []string{"72 bytes"}},
		"a deadline that is no time":   {[]string{"--deadline", "soon"}, nil, []string{"soon"}},
		"a flag that does not exist":   {[]string{"--rounds", "10"}, nil, []string{"rounds"}},
		"a word that is no flag":       {[]string{"serve", "cost=10"}, nil, []string{"flags begin with --"}},
		"all that is wrong, at once":   {[]string{"--cost", "2", "--workers", "-1"}, nil, []string{"--cost is 2", "--workers is -1"}},
		"a command that is unknown":    {[]string{"crack"}, nil, []string{"use serve, calibrate, install or observe"}},
		"nothing to observe":           {[]string{"observe"}, nil, []string{"there is no command; give it after --"}},
		"nothing to observe after --":  {[]string{"observe", "--listen", ":0", "--"}, nil, []string{"there is no command; give it after --"}},
		"no time to calibrate":         {[]string{"calibrate", "--cost", "4", "--time", "0s"}, nil, []string{"at most 1m0s"}},
		"a calibration of 61 seconds":  {[]string{"calibrate", "--cost", "4", "--time", "61s"}, nil, []string{"at most 1m0s"}},
		"wrong variables, all of them": {nil, map[string]string{"HASHMARK_COST": "x", "HASHMARK_WORKERS": "y"}, []string{"HASHMARK_COST", "HASHMARK_WORKERS"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, output := program(t.Context(), test.variables, test.arguments...)
			if code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
			for _, says := range test.says {
				if !strings.Contains(output, says) {
					t.Errorf("the message lacks %q:\n%s", says, output)
				}
			}
		})
	}
}

func TestHelpIsNoFailure(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"serve", "calibrate"} {
		if code := run(t.Context(), []string{command, "--help"}, environment(nil)); code != 0 {
			t.Errorf("%s --help exits with %d", command, code)
		}
	}
}
