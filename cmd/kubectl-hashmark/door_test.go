//go:build integration

package main

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

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
