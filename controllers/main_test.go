//go:build integration

package controllers_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/controllers"
	"github.com/hashmark-dev/hashmark/test/apiserver"
)

var update = flag.Bool("update", false, "write the golden files of this package anew")

// backstage is the one API server of this package, with a cache over it. Tests
// share it and keep to namespaces of their own.
//
// The client is the one that the operator itself runs with: reads come from the
// same cache, with its indexes, and wait until the cache has seen every write
// that was made through the same client. Since the operator under test and the
// world around it both write through it, each pass sees the world as it is,
// without polling, and at a fraction of the cost of asking the server.
var backstage cluster.Cluster

// outside is a client without a cache, for what the operator's cache leaves out.
var outside client.Client

func TestMain(m *testing.M) {
	flag.Parse()
	// A world waits for the API server far more than it computes.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	code, err := runAgainstAPIServer(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "controllers:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// runAgainstAPIServer starts the API server, runs the tests and stops it again,
// whatever they did.
func runAgainstAPIServer(m *testing.M) (code int, err error) {
	environment, config, err := apiserver.Start(filepath.Join("..", "config", "crd"), func(server *envtest.APIServer) {
		// This plugin is off by default and on in some clusters: it asks for a right
		// on finalizers from whoever names an owner.
		server.Configure().Append("enable-admission-plugins", "OwnerReferencesPermissionEnforcement")
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, environment.Stop()) }()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := openBackstage(ctx, config); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// openBackstage fills the cache and gives the operator its rights.
func openBackstage(ctx context.Context, config *rest.Config) error {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return err
	}
	config.QPS, config.Burst = -1, -1 // a client that throttles itself would only slow the tests down
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return actor{next} })
	var err error
	backstage, err = cluster.New(config, func(o *cluster.Options) {
		o.Scheme, o.Cache = scheme, controllers.CacheOptions(nil)
		o.Client.Cache = &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(true)}
	})
	if err != nil {
		return err
	}
	if outside, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	if err := controllers.IndexTrials(ctx, backstage.GetFieldIndexer()); err != nil {
		return err
	}
	go func() {
		// Its error is that of the context, or tests find the cache closed.
		_ = backstage.Start(ctx)
	}()
	if !backstage.GetCache().WaitForCacheSync(ctx) {
		return errors.New("the cache never filled")
	}
	return grantOperator(ctx)
}

// operatorUser is the user that the role's binding names.
const operatorUser = "system:serviceaccount:hashmark-system:hashmark-operator"

type operatorKey struct{}

// asOperator marks a context: the API server then takes what is asked in it as
// coming from the operator's user, and refuses what that has no right to.
func asOperator(ctx context.Context, user string) context.Context {
	return context.WithValue(ctx, operatorKey{}, user)
}

// actor lets a request be made by the operator's user.
type actor struct{ next http.RoundTripper }

func (a actor) RoundTrip(request *http.Request) (*http.Response, error) {
	if user, marked := request.Context().Value(operatorKey{}).(string); marked {
		request = request.Clone(request.Context())
		request.Header.Set("Impersonate-User", user)
	}
	return a.next.RoundTrip(request)
}

// grantOperator creates the role and the binding that are installed with the operator.
func grantOperator(ctx context.Context) error {
	file, err := os.Open(filepath.Join("..", "config", "rbac", "operator_role.yaml"))
	if err != nil {
		return err
	}
	defer file.Close()
	documents := yaml.NewYAMLOrJSONDecoder(file, 4096)
	for _, object := range []client.Object{&rbacv1.ClusterRole{}, &rbacv1.ClusterRoleBinding{}} {
		if err := documents.Decode(object); err != nil {
			return fmt.Errorf("reading the operator's rights: %w", err)
		}
		if err := outside.Create(ctx, object); err != nil {
			return fmt.Errorf("granting the operator its rights: %w", err)
		}
	}
	return nil
}
