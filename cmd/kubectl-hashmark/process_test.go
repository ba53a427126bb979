//go:build integration

package main

import (
	"context"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/clientcmd"
)

// patience is the timeout of everything here.
const patience = time.Minute

// process is the plugin, running as its own process.
type process struct {
	t           *testing.T
	command     *exec.Cmd
	out, errOut string
	ended       chan struct{}
}

// start runs the plugin until it or the test ends.
func start(t *testing.T, kubeconfig, stdin string, arguments ...string) *process {
	t.Helper()
	folder := t.TempDir()
	p := &process{t: t, out: filepath.Join(folder, "out"), errOut: filepath.Join(folder, "err"), ended: make(chan struct{})}
	p.command = exec.Command(os.Args[0], arguments...)
	p.command.Env = append(os.Environ(), beThePlugin+"=yes", "KUBECONFIG="+kubeconfig)
	p.command.Stdin = strings.NewReader(stdin)
	for name, stream := range map[string]*io.Writer{p.out: &p.command.Stdout, p.errOut: &p.command.Stderr} {
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		*stream = file
	}
	// The plugin is killed if the test dies.
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.command.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.signal(syscall.SIGKILL)
		<-p.ended
		if t.Failed() {
			t.Logf("%v printed to standard error:\n%s", arguments, p.stderr())
		}
	})
	return p
}

func (p *process) signal(signal syscall.Signal) { _ = p.command.Process.Signal(signal) }

// code waits until the plugin has ended by itself.
func (p *process) code() int {
	p.t.Helper()
	select {
	case <-p.ended:
		return p.command.ProcessState.ExitCode()
	case <-time.After(patience):
		p.t.Fatalf("it has not ended after %s", patience)
		return 0
	}
}

// stderr returns what it has written to standard error, printed that of standard output.
func (p *process) stderr() string  { return content(p.errOut) }
func (p *process) printed() string { return content(p.out) }

func content(file string) string {
	text, _ := os.ReadFile(file)
	return string(text)
}

// awaits waits until standard error contains the words.
func (p *process) awaits(words string) {
	p.t.Helper()
	eventually(p.t, "it says "+words, func(context.Context) bool { return strings.Contains(p.stderr(), words) })
}

func eventually(t *testing.T, what string, holds func(context.Context) bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		return holds(ctx), nil
	})
	if err != nil {
		t.Fatalf("%s: not within %s", what, patience)
	}
}

// door is a TCP proxy in front of the API server. When it is shut, it closes all
// connections and accepts no new ones.
type door struct {
	t        *testing.T
	target   string
	address  string
	mutex    sync.Mutex
	listener net.Listener
	inside   []net.Conn
}

// behindADoor returns a door, and a kubeconfig that connects through it.
func behindADoor(t *testing.T, kubeconfig string) (*door, string) {
	t.Helper()
	config, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	d := &door{t: t, address: "127.0.0.1:0"}
	t.Cleanup(d.shut)
	d.open()
	for _, cluster := range config.Clusters {
		server, err := url.Parse(cluster.Server)
		if err != nil {
			t.Fatal(err)
		}
		d.target = server.Host
		server.Host = d.address
		cluster.Server = server.String()
	}
	through := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, through); err != nil {
		t.Fatal(err)
	}
	return d, through
}

func (d *door) open() {
	d.t.Helper()
	listener, err := net.Listen("tcp", d.address)
	if err != nil {
		d.t.Fatal(err)
	}
	d.listener, d.address = listener, listener.Addr().String()
	go func() {
		for {
			guest, err := listener.Accept()
			if err != nil {
				return
			}
			go d.lead(guest)
		}
	}()
}

func (d *door) lead(guest net.Conn) {
	host, err := net.Dial("tcp", d.target)
	if err != nil {
		guest.Close()
		return
	}
	d.mutex.Lock()
	d.inside = append(d.inside, guest, host)
	d.mutex.Unlock()
	go func() {
		_, _ = io.Copy(host, guest)
		host.Close()
	}()
	_, _ = io.Copy(guest, host)
	guest.Close()
}

// hang makes the door accept connections without answering.
func (d *door) hang() {
	d.t.Helper()
	d.shut()
	listener, err := net.Listen("tcp", d.address)
	if err != nil {
		d.t.Fatal(err)
	}
	d.listener = listener
}

func (d *door) shut() {
	d.listener.Close()
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, connection := range d.inside {
		connection.Close()
	}
	d.inside = nil
}
