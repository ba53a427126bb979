// Command kubectl-hashmark is a kubectl plugin that runs experiments and shows their
// results. kubectl runs it as "kubectl hashmark". docs/cli.md describes its commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // all authentication methods of kubectl
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/hashmark-dev/hashmark/internal/cli"
)

// version is set by the linker in a release.
var version = ""

func main() {
	os.Exit(run())
}

func run() int {
	// Without this line controller-runtime prints a stack trace about its log.
	log.SetLogger(klog.Background())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The second interrupt has no handler, so that it ends the program at once.
	context.AfterFunc(ctx, stop)
	program := cli.Program{
		Streams: genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr},
		Clock:   clock.RealClock{},
		Columns: columns(),
		Version: release(),
	}
	return program.Run(ctx, os.Args[1:])
}

// columns returns the width of the terminal on standard error. It returns 0 if there is
// none, or if it is dumb (as in editors) and can't redraw a line.
func columns() int {
	width, _, err := term.GetSize(int(os.Stderr.Fd()))
	if err != nil || os.Getenv("TERM") == "dumb" {
		return 0
	}
	return width
}

// release returns the version that the linker set, or that of the module.
func release() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
