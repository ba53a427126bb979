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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/controllers"
	"github.com/hashmark-dev/hashmark/test/apiserver"
	"github.com/hashmark-dev/hashmark/test/chart"
)

var update = flag.Bool("update", false, "rewrite the golden files of this package")

// cachedCluster is the API server that the tests of this package share, with a cache. Each
// test uses namespaces of its own.
//
// Its client is the one that the operator itself uses: it reads from the same cache, with its
// indexes, and a read waits until the cache contains every write that was made through the
// client. The operator and the simulated cluster both write through it, so each pass sees the
// current state without polling, and much faster than by asking the server.
var cachedCluster cluster.Cluster

// uncached is a client without a cache, for objects that the operator's cache leaves out.
var uncached client.Client

func TestMain(m *testing.M) {
	flag.Parse()
	// The tests mostly wait for the API server, or for Kubernetes' own controllers, and compute
	// little.
	parallel := "8"
	if controllerManager != "" {
		parallel = "24"
	}
	if err := flag.Set("test.parallel", parallel); err != nil {
		panic(err)
	}
	code, err := runAgainstAPIServer(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "controllers:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// runAgainstAPIServer starts the API server, runs the tests, and stops the server
// even if they fail.
func runAgainstAPIServer(m *testing.M) (code int, err error) {
	environment, config, err := apiserver.Start(filepath.Join("..", "config", "crd"), func(server *envtest.APIServer) {
		// This plugin is off by default and on in some clusters. It requires the right to
		// update the owner's finalizers from a client that sets an owner reference.
		server.Configure().Append("enable-admission-plugins", "OwnerReferencesPermissionEnforcement")
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, environment.Stop()) }()
	if controllerManager != "" {
		stop, err := apiserver.StartControllers(controllerManager, environment.KubeConfig)
		if err != nil {
			return 0, err
		}
		defer stop()
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := startCachedCluster(ctx, config); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// startCachedCluster starts the cache and gives the operator its rights.
func startCachedCluster(ctx context.Context, config *rest.Config) error {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1beta1.AddToScheme(scheme)); err != nil {
		return err
	}
	config.QPS, config.Burst = -1, -1 // without the client's own rate limit, which would only slow the tests down
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return impersonator{next} })
	var err error
	cachedCluster, err = cluster.New(config, func(o *cluster.Options) {
		o.Scheme, o.Cache = scheme, controllers.CacheOptions(nil, nil)
		o.Client.Cache = &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(true)}
	})
	if err != nil {
		return err
	}
	if uncached, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	if err := controllers.IndexTrials(ctx, cachedCluster.GetFieldIndexer()); err != nil {
		return err
	}
	go func() {
		// The error is that of the context; with any other error the tests fail on the closed cache.
		_ = cachedCluster.Start(ctx)
	}()
	if !cachedCluster.GetCache().WaitForCacheSync(ctx) {
		return errors.New("the cache never filled")
	}
	return grantOperator(ctx)
}

// operatorUser is the user in the ClusterRoleBinding.
const operatorUser = "system:serviceaccount:hashmark-system:hashmark-operator"

type operatorKey struct{}

// asOperator returns a context whose requests the API server treats as the operator's user,
// with that user's rights.
func asOperator(ctx context.Context, user string) context.Context {
	return context.WithValue(ctx, operatorKey{}, user)
}

// impersonator sends requests as the operator's user if their context is marked.
type impersonator struct{ next http.RoundTripper }

func (a impersonator) RoundTrip(request *http.Request) (*http.Response, error) {
	if user, marked := request.Context().Value(operatorKey{}).(string); marked {
		request = request.Clone(request.Context())
		request.Header.Set("Impersonate-User", user)
	}
	return a.next.RoundTrip(request)
}

// grantOperator creates the role and the binding that are installed with the operator. The
// rights to its Leases are those of its own namespace there. Here they hold in every namespace,
// because each test has a Lease of its own.
func grantOperator(ctx context.Context) error {
	role, binding, leases := &rbacv1.ClusterRole{}, &rbacv1.ClusterRoleBinding{}, &rbacv1.Role{}
	if err := errors.Join(chart.Decode("rbac/operator_role.yaml", role, binding), chart.Decode("rbac/leases_role.yaml", leases)); err != nil {
		return err
	}
	everywhere := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "leases-of-tests"}, Rules: leases.Rules}
	bound := &rbacv1.ClusterRoleBinding{
		ObjectMeta: everywhere.ObjectMeta, Subjects: binding.Subjects,
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: everywhere.Name},
	}
	for _, object := range []client.Object{role, binding, everywhere, bound} {
		if err := uncached.Create(ctx, object); err != nil {
			return fmt.Errorf("granting the operator its rights: %w", err)
		}
	}
	return nil
}
