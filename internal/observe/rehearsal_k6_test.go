//go:build k6

package observe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/internal/observe"
	"github.com/hashmark-dev/hashmark/loadtests"
)

func init() { modes["rehearse"] = rehearse }

// rehearse is a login service, or the rehearsal of one, depending on the arguments.
func rehearse() {
	target, kind := os.Args[1], os.Args[2]
	if kind == "serve" {
		serve(strings.TrimPrefix(target, "http://"), os.Args[3])
	}
	flow, _ := loginflow.Parse(`{"setup":[{"path":"/setup"}],"steps":[{"path":"/","auth":"Basic"}],"wrong":{"status":[401]}}`)
	if kind == "answers everybody alike" {
		flow.Wrong.Status = []int32{http.StatusOK}
	}
	r := observe.Rehearsal{
		Command: []string{os.Args[0], target, "serve", kind}, Environment: os.Environ(), Account: loginflow.Account{Address: target, User: "ada", Password: "sesame"},
		Ready: handover.HealthCheck{Path: "/ready"}, ReadyWithin: 20 * time.Second, Flow: flow, RequestTimeout: 5 * time.Second,
		ScriptFolder: os.Args[3],
	}
	if kind == "is never ready" {
		r.ReadyWithin = 2 * time.Second
	}
	r.Private = strings.HasSuffix(kind, "privately")
	if kind == "is no program privately" {
		r.Command[0] = "/s3cret"
	}
	logins := 0
	err := r.Run(func(with observe.Logins) error {
		if with.Wrong() != nil || (with.Unknown == nil) != (kind == "names its users") {
			return errors.New("a wrong login was not refused as before")
		}
		for ; logins < 3; logins++ {
			if err := with.Right(); err != nil {
				return err
			}
		}
		return nil
	})
	fmt.Printf("\n%d logins, error: %v", logins, err)
	os.Exit(0)
}

// serve is a login service with a defect.
func serve(address, kind string) {
	if strings.HasPrefix(kind, "ends at once") {
		if kind == "ends at once and leaves a process" {
			left := exec.Command("sleep", "60")
			left.Stdout, left.Stderr = os.Stdout, os.Stderr
			if err := left.Start(); err != nil {
				panic(err)
			}
		}
		fmt.Fprintf(os.Stderr, "starting%s\nno database\n", strings.Repeat(".", 1000))
		fmt.Println(strings.Repeat("banner ", 100))
		os.Exit(3)
	}
	logins := 0
	mux := http.NewServeMux()
	mux.HandleFunc("/ready", func(w http.ResponseWriter, _ *http.Request) {
		if kind == "is never ready" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("/setup", func(w http.ResponseWriter, _ *http.Request) {
		if kind == "refuses the setup" {
			w.WriteHeader(http.StatusConflict)
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		logins++
		user, password, _ := r.BasicAuth()
		switch {
		case kind == "ends later" && logins == 7:
			os.Exit(4)
		case strings.HasPrefix(kind, "refuses everybody"), kind == "refuses later" && logins == 7:
			http.Error(w, "locked", http.StatusForbidden)
		case user != "ada" && kind == "names its users":
			w.WriteHeader(http.StatusNotFound)
		case password != "sesame" && kind == "crashes at a wrong password":
			w.WriteHeader(http.StatusInternalServerError)
		case password != "sesame" && kind != "accepts everybody" && kind != "answers everybody alike":
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	_ = http.ListenAndServe(address, mux)
	os.Exit(1)
}

func TestAServiceThatCannotBeMeasuredIsRefusedWithAReason(t *testing.T) {
	k6 := os.Getenv("HASHMARK_K6")
	if k6 == "" {
		t.Fatal("HASHMARK_K6 is not set: run `make test-unit`, which compiles k6 first, or set it to a k6 program")
	}
	folder := t.TempDir()
	if err := errors.Join(loadtests.Write(folder, ""), os.Symlink(k6, filepath.Join(folder, loadtests.K6))); err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]string{
		"works":                             "3 logins, error: <nil>",
		"names its users":                   "3 logins, error: <nil>",
		"ends at once":                      "0 logins, error: ServiceNotReady: the login service did not keep running: it ended with exit code 3, and its output ends with \"no database\"",
		"ends at once and leaves a process": "0 logins, error: ServiceNotReady: the login service did not keep running: it ended with exit code 3, and its output ends with \"no database\"",
		"ends at once privately":            "0 logins, error: ServiceNotReady: the login service did not keep running: it ended with exit code 3",
		"is never ready":                    "0 logins, error: ServiceNotReady: the login service was not ready within 2s: GET /ready returned 503 Service Unavailable",
		"refuses the setup":                 "0 logins, error: LoginFailed: before the first login, setup request 1: the status was 409",
		"refuses everybody":                 "0 logins, error: LoginFailed: a login failed at step 1: the status was 403, and 200 to 299 was expected. The response begins with \"locked",
		"refuses everybody privately":       "0 logins, error: LoginFailed: a login failed at step 1: the status was 403, and 200 to 299 was expected. The response is not shown",
		"is no program privately":           "0 logins, error: ServiceNotReady: the login service did not keep running: it could not be started",
		"accepts everybody":                 "0 logins, error: WrongPasswordAccepted: ",
		"answers everybody alike":           "0 logins, error: WrongPasswordAccepted: ",
		"crashes at a wrong password":       "0 logins, error: LoginFailed: with a wrong password, ",
		"refuses later":                     "1 logins, error: LoginFailed: a login failed at step 1: the status was 403",
		"ends later":                        "1 logins, error: ServiceNotReady: the login service did not keep running: it ended with exit code 4",
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(nil)
			target := server.URL // free now, as nothing else asks for ports
			server.Close()
			// The process that a service leaves behind sleeps longer.
			ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
			defer cancel()
			command := exec.CommandContext(ctx, os.Args[0], target, kind, folder)
			command.Env, command.SysProcAttr = append(os.Environ(), mode+"=rehearse"), &syscall.SysProcAttr{Setpgid: true}
			var out strings.Builder
			command.Stdout, command.Stderr = &out, io.Discard
			err := command.Run()
			_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)        // fails if nothing is left
			says := out.String()[strings.LastIndex(out.String(), "\n")+1:] // the lines before are the service's
			if err != nil || !strings.HasPrefix(says, want) || strings.HasSuffix(kind, "privately") && strings.Contains(says, "database") {
				t.Errorf("%v, %s; want %s", err, says, want)
			}
		})
	}
}
