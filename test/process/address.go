// Package process runs the binary of a test as the program that it tests, so that tests can start it, send it
// signals and kill it.
package process

import (
	"net"
	"testing"
)

// FreeAddress returns an address of this machine that is free, at least for now.
func FreeAddress(t testing.TB) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
