package cli

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/follow"
	"github.com/hashmark-dev/hashmark/internal/report"
)

// connection connects to the cluster that the flags name.
type connection struct {
	program Program
	flags   *genericclioptions.ConfigFlags
}

// scheme returns a scheme with Hashmark's kinds, and with Deployments, which init reads.
func scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	if err := errors.Join(v1beta1.AddToScheme(s), appsv1.AddToScheme(s)); err != nil {
		panic(err) // it would fail in every test too
	}
	return s
}

// client returns a client. It does not send a request yet.
func (c *connection) client() (client.WithWatch, error) {
	if c.program.replaced != nil {
		return c.program.replaced, nil
	}
	config, err := c.flags.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("no cluster is configured; set KUBECONFIG, --kubeconfig or --context: %w", err)
	}
	config.UserAgent = rest.DefaultKubernetesUserAgent()
	config.QPS, config.Burst = 50, 300 // as kubectl's: to stop hundreds of experiments takes seconds
	config.WarningHandler = rest.NewWarningWriter(c.program.messages(), rest.WarningWriterOptions{Deduplicate: true})
	return client.NewWithWatch(config, client.Options{Scheme: scheme()})
}

// namespace returns the namespace of the flags or of the kubeconfig. named reports
// whether it was given on the command line.
func (c *connection) namespace() (name string, named bool, err error) {
	name, _, err = c.flags.ToRawKubeConfigLoader().Namespace()
	if clientcmd.IsEmptyConfig(err) {
		return "default", false, nil
	}
	return name, c.flags.Namespace != nil && *c.flags.Namespace != "", err
}

func (c *connection) document(ctx context.Context, key client.ObjectKey) (report.Document, error) {
	cluster, err := c.client()
	if err != nil {
		return report.Document{}, err
	}
	e := &v1beta1.SizingExperiment{}
	if err := cluster.Get(ctx, key, e); err != nil {
		return report.Document{}, follow.Refused(err, "get", key)
	}
	return documentOf(ctx, cluster, e)
}

// documentOf reads the trials of an experiment. It selects them by the experiment's UID,
// since an earlier experiment may have had the same name.
func documentOf(ctx context.Context, cluster client.Client, e *v1beta1.SizingExperiment) (report.Document, error) {
	trials := &v1beta1.SizingTrialList{}
	err := cluster.List(ctx, trials, client.InNamespace(e.Namespace), client.MatchingLabels{v1beta1.LabelExperimentUID: string(e.UID)})
	switch {
	case apierrors.IsForbidden(err):
		return report.Document{}, fmt.Errorf("you can't list sizingtrials in namespace %s, which contain the measurements; "+
			"ask for the chart's view role (%w)", e.Namespace, err)
	case err != nil:
		return report.Document{}, fmt.Errorf("can't read the trials of %s: %w", e.Name, err)
	}
	return report.New(e, trials.Items), nil
}
