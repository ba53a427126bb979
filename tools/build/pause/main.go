// Command pause holds the namespaces of a pod open for the local cluster.
//
// It answers one need, a sandbox image that no registry has to serve. It does
// not reap orphans, which a pod without a shared process namespace never has.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A bare select would end in the runtime's deadlock check, since no other
	// goroutine could ever wake it; a registered signal is a reason to wait.
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	<-stop
}
