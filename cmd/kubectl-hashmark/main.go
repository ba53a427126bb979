// Command kubectl-hashmark asks Hashmark a question and shows the answer; kubectl
// runs it as "kubectl hashmark". docs/cli.md tells of its commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // every way to log in that kubectl has
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/hashmark-dev/hashmark/internal/cli"
)

// version is set by the linker, for a release.
var version = ""

func main() {
	os.Exit(run())
}

func run() int {
	// Without this line controller-runtime prints a stack trace about its log.
	log.SetLogger(klog.Background())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The second interrupt meets no handler, and ends the program at once.
	context.AfterFunc(ctx, stop)
	program := cli.Program{
		Streams: genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr},
		Clock:   clock.RealClock{},
		Columns: columns(),
		Version: release(),
	}
	return program.Run(ctx, os.Args[1:])
}

// columns is how wide the terminal is that shows standard error, 0 where none
// does. A dumb one, as editors have it, can't draw over a line.
func columns() int {
	width, _, err := term.GetSize(int(os.Stderr.Fd()))
	if err != nil || os.Getenv("TERM") == "dumb" {
		return 0
	}
	return width
}

// release is the version that was linked in, or else the module's.
func release() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
