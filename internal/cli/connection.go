package cli

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/report"
)

// connection is the way to the cluster that the flags name.
type connection struct {
	program Program
	flags   *genericclioptions.ConfigFlags
}

// scheme knows Hashmark's kinds, and no others: nothing else is asked for.
func scheme() *runtime.Scheme {
	known := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(known); err != nil {
		panic(err) // it can't fail at run time without failing in every test
	}
	return known
}

// client connects. It asks the API server nothing yet.
func (c *connection) client() (client.WithWatch, error) {
	if c.program.replaced != nil {
		return c.program.replaced, nil
	}
	config, err := c.flags.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("no cluster to talk to; set KUBECONFIG, or name one by --kubeconfig or --context: %w", err)
	}
	config.UserAgent = rest.DefaultKubernetesUserAgent()
	config.WarningHandler = rest.NewWarningWriter(c.program.Streams.ErrOut, rest.WarningWriterOptions{Deduplicate: true})
	return client.NewWithWatch(config, client.Options{Scheme: scheme()})
}

// namespace is the one of the flags or of the kubeconfig; named tells whether it
// was asked for on the command line.
func (c *connection) namespace() (name string, named bool, err error) {
	name, _, err = c.flags.ToRawKubeConfigLoader().Namespace()
	if clientcmd.IsEmptyConfig(err) {
		return "default", false, nil
	}
	return name, c.flags.Namespace != nil && *c.flags.Namespace != "", err
}

// document is an experiment with its trials as the cluster has them.
func (c *connection) document(ctx context.Context, key client.ObjectKey) (report.Document, error) {
	cluster, err := c.client()
	if err != nil {
		return report.Document{}, err
	}
	e := &v1alpha1.SizingExperiment{}
	if err := cluster.Get(ctx, key, e); err != nil {
		return report.Document{}, refused(err, "get", key)
	}
	return documentOf(ctx, cluster, e)
}

// documentOf adds the trials to an experiment. They are found by its UID, since
// an earlier experiment may have had its name.
func documentOf(ctx context.Context, cluster client.Client, e *v1alpha1.SizingExperiment) (report.Document, error) {
	trials := &v1alpha1.SizingTrialList{}
	err := cluster.List(ctx, trials, client.InNamespace(e.Namespace), client.MatchingLabels{v1alpha1.LabelExperimentUID: string(e.UID)})
	switch {
	case apierrors.IsForbidden(err):
		return report.Document{}, fmt.Errorf("you may not list sizingtrials in namespace %s, which hold what was measured; "+
			"the chart's view role has that right (%w)", e.Namespace, err)
	case err != nil:
		return report.Document{}, errors.Join(fmt.Errorf("the trials of %s could not be read", e.Name), err)
	}
	return report.New(e, trials.Items), nil
}
