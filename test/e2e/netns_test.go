//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// podNetwork is the network of a pod on a node of this machine. A connection that is opened inside is one
// of the pod for everything outside, whatever image the pod has and before any of its containers
// starts.
type podNetwork struct {
	name      string
	namespace string
	uid       types.UID
	address   netip.Addr
	// path is that of the network namespace, and found the time when it was first seen.
	path  string
	found time.Time
}

// networks returns the networks of a namespace's pods, from what the bridge plugin leaves behind for
// each pod as soon as it has an address.
func networks(namespace string) ([]podNetwork, error) {
	var all []podNetwork
	for _, root := range nodeRoots() {
		files, err := filepath.Glob(root + "/var/lib/cni/results/*-eth0")
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				continue // its pod has just gone
			}
			// A file that is not complete is so at the next look.
			if found, err := parseNetwork(text); err == nil && found.namespace == namespace {
				// /var/run is a link to /run, which would lead out of the node.
				found.path = root + strings.Replace(found.path, "/var/run/", "/run/", 1)
				all = append(all, found)
			}
		}
	}
	return all, nil
}

// nodeRoots returns where the files of the nodes are. Nodes of kind are containers with roots of their own.
func nodeRoots() []string {
	if roots := strings.Fields(os.Getenv("HASHMARK_NODE_ROOTS")); len(roots) > 0 {
		return roots
	}
	return []string{""}
}

func parseNetwork(text []byte) (podNetwork, error) {
	var left struct {
		CNIArgs [][2]string `json:"cniArgs"`
		Result  struct {
			Interfaces []struct{ Sandbox string }
			IPs        []struct{ Address netip.Prefix }
		}
	}
	if err := json.Unmarshal(text, &left); err != nil {
		return podNetwork{}, err
	}
	found := podNetwork{found: time.Now()}
	for _, argument := range left.CNIArgs {
		switch argument[0] {
		case "K8S_POD_NAMESPACE":
			found.namespace = argument[1]
		case "K8S_POD_NAME":
			found.name = argument[1]
		case "K8S_POD_UID":
			found.uid = types.UID(argument[1])
		}
	}
	for _, end := range left.Result.Interfaces {
		if end.Sandbox != "" {
			found.path = end.Sandbox
		}
	}
	if found.uid == "" || found.path == "" || len(left.Result.IPs) != 1 {
		return podNetwork{}, fmt.Errorf("no pod's network: %s", text)
	}
	found.address = left.Result.IPs[0].Address.Addr()
	return found, nil
}

// gone reports whether the pod's network was removed.
func (n podNetwork) gone() bool {
	_, err := os.Stat(n.path)
	return errors.Is(err, os.ErrNotExist)
}

// inside runs a function while its thread is in the pod's network namespace. It fails if that has
// gone. The thread goes back afterwards and does not end: with the thread that started it, an operator
// of the tests would end.
func (n podNetwork) inside(run func()) error {
	there, err := os.Open(n.path)
	if err != nil {
		return err
	}
	defer there.Close()
	runtime.LockOSThread()
	home, err := os.Open("/proc/thread-self/ns/net") // that of the process may be the one of another thread
	if err != nil {
		runtime.UnlockOSThread()
		return err
	}
	defer home.Close()
	if err := unix.Setns(int(there.Fd()), unix.CLONE_NEWNET); err != nil {
		runtime.UnlockOSThread()
		return err
	}
	run()
	if err := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); err != nil {
		return err // the thread stays locked, since nothing else may run in that namespace
	}
	runtime.UnlockOSThread()
	return nil
}

// works reports whether a process of one of the pod's containers runs in the network. Between two
// containers, and after the last one, only the pause program does.
func (n podNetwork) works() bool {
	namespace := &unix.Stat_t{}
	if unix.Stat(n.path, namespace) != nil {
		return false
	}
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		its := &unix.Stat_t{}
		if unix.Stat(process+"/ns/net", its) != nil || its.Ino != namespace.Ino {
			continue
		}
		if name, err := os.ReadFile(process + "/comm"); err == nil && strings.TrimSpace(string(name)) != "pause" {
			return true
		}
	}
	return false
}

const (
	// door is a port on which a test listens in the network of each pod that it watches.
	door = 9999
	// resolver is the port of DNS, where a test answers in the networks of strangers.
	resolver = 53
)

// open listens on the door of the pod, and echoes on its resolver's port, until the context ends.
func (n podNetwork) open(ctx context.Context) error {
	var listener net.Listener
	var echo net.PacketConn
	var failed error
	err := n.inside(func() {
		var first, second error
		listener, first = net.Listen("tcp4", fmt.Sprintf(":%d", door))
		echo, second = net.ListenPacket("udp4", fmt.Sprintf(":%d", resolver))
		failed = errors.Join(first, second)
	})
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	context.AfterFunc(ctx, func() {
		_ = listener.Close()
		_ = echo.Close()
	})
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_ = connection.Close()
		}
	}()
	go func() {
		question := make([]byte, 64)
		for {
			size, from, err := echo.ReadFrom(question)
			if err != nil {
				return
			}
			_, _ = echo.WriteTo(question[:size], from)
		}
	}()
	return nil
}

// outcome is what became of a try to reach an address.
type outcome int

const (
	// unanswered says nothing: the machine may be slow, or the pod about to go.
	unanswered outcome = iota
	reached
	refused
)

// questions counts the tries with UDP. Each has a port of its own: a question from a port that asked
// before belongs to the same flow, which policies let pass.
var questions atomic.Uint32

// try tries to reach an address from the network of the thread that calls it. It takes at most
// half a second.
func try(network, address string) outcome {
	dialer := net.Dialer{Timeout: 500 * time.Millisecond}
	if network == "udp4" {
		dialer.LocalAddr = &net.UDPAddr{Port: 1024 + int(questions.Add(1)%64000)}
	}
	connection, err := dialer.Dial(network, address)
	if err == nil {
		defer connection.Close()
		if network == "udp4" {
			err = ask(connection, dialer.Timeout)
		}
	}
	switch {
	case err == nil:
		return reached
	case errors.Is(err, syscall.ECONNREFUSED):
		return refused
	}
	return unanswered
}

func ask(connection net.Conn, patience time.Duration) error {
	_ = connection.SetDeadline(time.Now().Add(patience))
	if _, err := connection.Write([]byte("?")); err != nil {
		return err
	}
	_, err := connection.Read(make([]byte, 1))
	return err
}

// controlPlane returns the addresses that pods use to reach the API server, and those of the nodes'
// kubelets.
func controlPlane(ctx context.Context) ([]string, error) {
	service := &corev1.Service{}
	if err := cluster.Get(ctx, client.ObjectKey{Namespace: "default", Name: "kubernetes"}, service); err != nil {
		return nil, err
	}
	addresses := []string{net.JoinHostPort(service.Spec.ClusterIP, "443")}
	nodes := &corev1.NodeList{}
	if err := cluster.List(ctx, nodes); err != nil {
		return nil, err
	}
	for _, node := range nodes.Items {
		for _, address := range node.Status.Addresses {
			if address.Type == corev1.NodeInternalIP {
				addresses = append(addresses, net.JoinHostPort(address.Address, "10250"))
			}
		}
	}
	return addresses, nil
}
