package main

import (
	"strings"
	"testing"
)

// FuzzSettings: settings that are accepted can be served within their bounds, by whichever mixture
// of flags and variables they came.
func FuzzSettings(f *testing.F) {
	f.Add("--cost=8\n--workers=2", "3s", "64", "bcrypt")
	f.Add("--memory-kib=131072", "9223372036854775807ns", "-1", "scrypt")
	f.Add("--iterations=2147483648", "", "10000", "argon2id")
	f.Fuzz(func(t *testing.T, arguments, timeout, queue, algorithm string) {
		s, err := parseSettings(strings.Split(arguments, "\n"), environment(map[string]string{
			"HASHMARK_REQUEST_TIMEOUT": timeout, "HASHMARK_QUEUE_LENGTH": queue, "HASHMARK_ALGORITHM": algorithm,
		}))
		if err != nil {
			return
		}
		if err := s.recipe.Check(); err != nil {
			t.Errorf("accepted a hash that can't be computed: %v", err)
		}
		if s.workers < 0 || s.workers > maxWorkers || s.queueLength < 0 || s.queueLength > maxQueueLength || s.requestTimeout <= 0 || s.cpuLimitMilli < 0 {
			t.Errorf("accepted %+v", s)
		}
	})
}
