package cli

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

var update = flag.Bool("update", false, "write the golden files")

// noon is the time of the fake clock.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is a fake cluster. A watch of an experiment gets all stages at once, as if an
// operator had done its work.
type world struct {
	stages []func(*v1beta1.SizingExperiment)
	// functions replace the cluster's own responses.
	functions interceptor.Funcs
	objects   []client.Object
}

func (w world) client(t *testing.T) client.WithWatch {
	t.Helper()
	functions := w.functions
	if functions.Create == nil {
		functions.Create = func(ctx context.Context, c client.WithWatch, object client.Object, opts ...client.CreateOption) error {
			object.SetUID(types.UID("uid-of-" + object.GetName()))
			return c.Create(ctx, object, opts...)
		}
	}
	if functions.Watch == nil {
		functions.Watch = func(ctx context.Context, c client.WithWatch, _ client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
			list := &v1beta1.SizingExperimentList{}
			if err := c.List(ctx, list, opts...); err != nil {
				return nil, err
			}
			events := watch.NewFakeWithChanSize(len(w.stages), false)
			for e := &list.Items[0]; len(w.stages) > 0; w.stages = w.stages[1:] {
				w.stages[0](e)
				events.Modify(e.DeepCopy())
			}
			return events, nil
		}
	}
	return fake.NewClientBuilder().WithScheme(scheme()).WithObjects(w.objects...).
		WithIndex(&v1beta1.SizingExperiment{}, "metadata.name", func(o client.Object) []string { return []string{o.GetName()} }).
		WithInterceptorFuncs(functions).Build()
}

// said is what a command line printed, and its exit code.
type said struct {
	out, err string
	code     int
}

// carryOut runs a command line at noon in namespace ns.
func carryOut(t *testing.T, cluster client.WithWatch, stdin string, arguments ...string) said {
	t.Helper()
	return carryOutIn(t.Context(), t, cluster, stdin, arguments...)
}

func carryOutIn(ctx context.Context, t *testing.T, cluster client.WithWatch, stdin string, arguments ...string) said {
	t.Helper()
	return carryOutWith(ctx, t, cluster, strings.NewReader(stdin), arguments...)
}

func carryOutWith(ctx context.Context, t *testing.T, cluster client.WithWatch, stdin io.Reader, arguments ...string) said {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	var out, err bytes.Buffer
	program := Program{
		Streams: genericiooptions.IOStreams{In: stdin, Out: &out, ErrOut: &err},
		Clock:   clocktesting.NewFakeClock(noon), Version: "v1.2.3", replaced: cluster,
	}
	code := program.Run(ctx, append([]string{"--namespace=ns"}, arguments...))
	return said{out: out.String(), err: err.String(), code: code}
}

// golden compares the output with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
