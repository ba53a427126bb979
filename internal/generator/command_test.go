package generator_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/generator"
)

// TestMain lets the test binary act as k6: it writes FAKE_K6_SAYS to stderr, then ends as
// in FAKE_K6_ENDS.
func TestMain(m *testing.M) {
	if says, fake := os.LookupEnv("FAKE_K6_SAYS"); fake {
		prints, given := os.LookupEnv("FAKE_K6_PRINTS")
		if !given && len(os.Args) > 1 && os.Args[1] == "version" {
			fmt.Println("k6 v1.8.1 (go1.26.8, linux/amd64)")
			os.Exit(0)
		}
		fmt.Fprint(os.Stderr, os.Expand(says, func(name string) string {
			if name == "ARGS" {
				return strings.Join(os.Args[1:], " ")
			}
			return os.Getenv(name)
		}))
		fmt.Print(prints)
		switch ends := os.Getenv("FAKE_K6_ENDS"); ends {
		case "never":
			stay()
		case "killed":
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			stay()
		default:
			code, _ := strconv.Atoi(ends)
			os.Exit(code)
		}
	}
	os.Exit(m.Run())
}

func fake(says, ends string) generator.Command {
	return generator.Command{
		Binary:      os.Args[0],
		Environment: []string{"FAKE_K6_SAYS=" + says, "FAKE_K6_ENDS=" + ends},
	}
}

// A script can print what a service with a Secret answers.
func TestNoOutputOfK6IsKeptFromAPrivateService(t *testing.T) {
	command := fake("s3cret\n", "107")
	command.Private = true
	result, err := command.Run(t.Context())
	if err != nil || result.ExitCode != 107 || strings.Contains(result.Log.Tail(), "s3cret") || !strings.Contains(result.Log.Tail(), "names a Secret") {
		t.Errorf("k6 ended with %d, %v, and said %q", result.ExitCode, err, result.Log.Tail())
	}
}

func TestRunGathersRecordsTailAndExitCode(t *testing.T) {
	var clock time.Duration
	var talk bytes.Buffer
	command := fake("hm:zero -250000\nhm:s 0 0 1 2\nhm:total 1 0\nusage $K6_NO_USAGE_REPORT extensions $K6_AUTO_EXTENSION_RESOLUTION dashboard $K6_WEB_DASHBOARD\nRequest Failed\n$ARGS\nthe last line has no line feed", "107")
	command.Started = func(reads time.Duration) { clock = reads }
	command.Output = &talk
	command.RemoteWriteLabels = []string{"testid=a", "variant=b"}
	result, err := command.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if result.ExitCode != 107 || result.Signal != 0 {
		t.Errorf("k6 ended with %d, signal %d", result.ExitCode, result.Signal)
	}
	if clock != -250*time.Millisecond {
		t.Errorf("the clock read %s", clock)
	}
	if records, err := result.Log.Records(); err != nil || len(records) != 1 {
		t.Errorf("%d records, error %v", len(records), err)
	}
	tail := result.Log.Tail()
	for _, part := range []string{"usage true extensions false dashboard false", "run --quiet", "--address  ", "--log-format raw", "--out experimental-prometheus-rw --tag testid=a --tag variant=b /", "login.js\nthe last line has no line feed"} {
		if !strings.Contains(tail, part) {
			t.Errorf("the tail lacks %q:\n%s", part, tail)
		}
	}
	if strings.Contains(talk.String(), "hm:") || strings.Contains(talk.String(), "Request Failed") || !strings.Contains(talk.String(), "the last line") {
		t.Errorf("k6's own words are %q", talk.String())
	}
}

// A user's script decides what k6 says, and people read it in the pod's log and in a status.
func TestWhatK6SaysIsPlainText(t *testing.T) {
	var talk bytes.Buffer
	command := fake("one\x1b]0;mine\a\u009b2J\r\ntwo\u202e\u2028\n", "107")
	command.Output = &talk
	result, err := command.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const want = "one\ufffd]0;mine\ufffd\ufffd2J\ufffd\ntwo\ufffd\ufffd"
	if diff := cmp.Diff([]string{want + "\n", want}, []string{talk.String(), result.Log.Tail()}); diff != "" {
		t.Errorf("the log, and the end of it (-want +got):\n%s", diff)
	}
}

func TestK6HasNoProxy(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "https_proxy", "ALL_PROXY", "no_proxy"} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	result, err := fake("proxies: $HTTP_PROXY $https_proxy $ALL_PROXY $no_proxy.\n", "1").Run(t.Context())
	if err != nil || result.Log.Tail() != "proxies:    ." {
		t.Errorf("k6 has %q, %v", result.Log.Tail(), err)
	}
}

func TestRunEndsK6WithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := fake("hm:zero -1\n", "never")
	command.Started = func(time.Duration) { cancel() }
	result, err := command.Run(ctx)
	if err != nil || result.Signal != syscall.SIGKILL {
		t.Errorf("want k6 killed, got %+v, error %v", result, err)
	}
}

func TestRunWithoutK6IsAnError(t *testing.T) {
	if _, err := (generator.Command{Binary: "/nowhere/k6"}).Run(t.Context()); err == nil {
		t.Error("want an error, got none")
	}
	if _, _, err := (generator.Command{Binary: "/nowhere/k6"}).Version(t.Context()); err == nil {
		t.Error("want an error, got none")
	}
}

func TestVersion(t *testing.T) {
	for name, test := range map[string]struct{ prints, k6, golang string }{
		"v1.8.1 built from its module": {"k6 v1.8.1 (go1.26.8, linux/amd64)\n", "v1.8.1", "go1.26.8"},
		"a release":                    {"k6 v2.2.0 (commit/0a1b2c3d4e, go1.26.4, linux/arm64)\nExtensions:\n  none\n", "v2.2.0", "go1.26.4"},
		"another program":              {"vegeta 12\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("FAKE_K6_SAYS", "")
			t.Setenv("FAKE_K6_PRINTS", test.prints)
			version, golang, err := generator.Command{Binary: os.Args[0]}.Version(t.Context())
			if version != test.k6 || golang != test.golang || (err == nil) != (test.k6 != "") {
				t.Errorf("got %q and %q, error %v", version, golang, err)
			}
		})
	}
}

// stay waits to be killed. A bare select would be detected as a deadlock in a binary
// without C code.
func stay() {
	for {
		<-time.After(time.Hour)
	}
}
