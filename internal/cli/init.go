package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/units"
)

type begin struct {
	cluster   *connection
	from      string
	container string
}

func initCommand(cluster *connection) *cobra.Command {
	b := &begin{cluster: cluster}
	command := &cobra.Command{
		Use:   "init",
		Short: "Write an experiment that measures your own login service, from its Deployment",
		Long: `Reads a Deployment, and writes an experiment whose spec.service.own has its image,
arguments, literal environment variables, port and probes. A variable with the URL of a
database or cache becomes a companion. Comments say what was left out, such as Secrets
and volumes, and what you must fill in: how the cost reaches the service, and how to log
in.

It changes nothing in the cluster.`,
		Example: `  kubectl hashmark init --from deployment/login > experiment.yaml
  kubectl hashmark init --from deployment/login --container app -n team-a`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return b.run(command.Context()) },
	}
	command.Flags().StringVar(&b.from, "from", "", "the Deployment of your login service, as deployment/NAME")
	command.Flags().StringVar(&b.container, "container", "", "the container that serves logins; by default the only one, or the first with a port")
	_ = command.MarkFlagRequired("from") // fails only if there is no such flag
	return command
}

func (b *begin) run(ctx context.Context) error {
	kind, name, found := strings.Cut(b.from, "/")
	if !found || name == "" || !slices.Contains([]string{"deployment", "deployments", "deploy", "deployment.apps"}, kind) {
		return fmt.Errorf("--from %q: use deployment/NAME, such as deployment/login", b.from)
	}
	namespace, _, err := b.cluster.namespace()
	if err != nil {
		return err
	}
	cluster, err := b.cluster.client()
	if err != nil {
		return err
	}
	deployment := &appsv1.Deployment{}
	err = cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, deployment)
	switch {
	case apierrors.IsForbidden(err):
		return fmt.Errorf("you can't get Deployments in namespace %s; ask for the cluster's view role (%w)", namespace, err)
	case err != nil:
		return fmt.Errorf("can't read Deployment %s in namespace %s: %w", name, namespace, err)
	}
	container, err := b.choose(deployment.Spec.Template.Spec.Containers)
	if err != nil {
		return err
	}
	return write(b.cluster.program.Streams.Out, deployment, container)
}

// choose returns the container that serves logins.
func (b *begin) choose(all []corev1.Container) (corev1.Container, error) {
	var names []string
	var first *corev1.Container
	for i := range all {
		names = append(names, all[i].Name)
		if all[i].Name == b.container {
			return all[i], nil
		}
		if first == nil && (len(all) == 1 || len(all[i].Ports) > 0) {
			first = &all[i]
		}
	}
	switch {
	case b.container != "":
		return corev1.Container{}, fmt.Errorf("--container %s: the Deployment has no such container; it has %s", b.container, strings.Join(names, ", "))
	case first == nil:
		return corev1.Container{}, errors.New("the Deployment has several containers, and none of them names a port; choose one with --container")
	}
	return *first, nil
}

// write writes the experiment, after comments that say what is missing.
func write(out io.Writer, deployment *appsv1.Deployment, container corev1.Container) error {
	own, left := ownFrom(deployment.Spec.Template.Spec, container)
	// As a person would write it, without what the API fills in.
	experiment := map[string]any{
		"apiVersion": v1beta1.GroupVersion.String(), "kind": "SizingExperiment",
		"metadata": map[string]any{"name": deployment.Name, "namespace": deployment.Namespace},
		"spec": map[string]any{
			"matrix": map[string]any{
				"costs": []int32{10, 12}, "cpuLimits": []string{limitOf(container, corev1.ResourceCPU, "500m")},
				"concurrency": []map[string]any{{"mode": v1beta1.ConcurrencyUnbounded}},
			},
			"objective": map[string]any{"p95Milliseconds": 1000},
			"service":   map[string]any{"memoryLimit": limitOf(container, corev1.ResourceMemory, "256Mi"), "own": own},
		},
	}
	text, changed, err := report.PlainYAML(experiment)
	if err != nil {
		return err
	}
	comments := append([]string{
		"From Deployment " + deployment.Name + ", container " + container.Name + ". Before you apply it:",
		"- Let $(" + envvar.Cost + ") or $(" + envvar.PasswordHash + ") reach the service, in command, args, env or files.",
		"- Describe login.setup and login.steps, and what answers a wrong password. Those below are an example.",
		"- Check matrix.concurrency: WorkerPool with its workers, if the service computes a fixed number of logins at a time.",
		"- Name the folders that the service writes to in writable.",
	}, left...)
	if changed {
		comments = append(comments, "- Check the characters \ufffd: they stand for some that control a terminal.")
	}
	for _, comment := range comments {
		if _, err := fmt.Fprintln(out, "#", units.Line(comment)); err != nil {
			return err
		}
	}
	_, err = io.WriteString(out, text)
	return err
}

func limitOf(container corev1.Container, name corev1.ResourceName, otherwise string) string {
	if limit, has := container.Resources.Limits[name]; has {
		return limit.String()
	}
	return otherwise
}

// ownFrom returns the service of a container, and what it leaves out.
func ownFrom(pod corev1.PodSpec, container corev1.Container) (own *v1beta1.OwnService, left []string) {
	own = &v1beta1.OwnService{
		Image: container.Image, Command: container.Command, Args: container.Args, Port: 8080,
		Ready: v1beta1.ReadyWhen{HealthCheck: handover.HealthCheck{Path: "/"}},
		Login: handover.Login{
			Steps: []handover.Request{{
				Name: "password", Method: "POST", Path: "/login",
				Form: []handover.Field{{Name: "username", Value: "$(" + envvar.User + ")"}, {Name: "password", Value: "$(" + envvar.Password + ")"}},
			}},
			Wrong: handover.ExpectedResponse{Status: []int32{401}},
		},
	}
	if len(own.Command) == 0 {
		own.Command = []string{"/path/to/your/program"}
		left = append(left, "- Fill in command: the Deployment uses the image's entrypoint, which is not known here.")
	}
	if port, known := servedPort(container); known {
		own.Port = port
	} else {
		left = append(left, "- Fill in port: the container names none.")
	}
	if path, known := readyPath(container); known {
		own.Ready.Path = path
	} else {
		left = append(left, "- Fill in ready.path: the container has no HTTP probe.")
	}
	if path := probePath(container.LivenessProbe); path != own.Ready.Path {
		own.AlivePath = path
	}
	left = append(left, addVariables(own, container)...)
	left = append(left, addCompanions(own)...)
	return own, append(left, leftOut(pod, container)...)
}

// addVariables adds the variables of a container, and returns what it leaves out, or what to check.
func addVariables(own *v1beta1.OwnService, container corev1.Container) (left []string) {
	for _, v := range container.Env {
		switch {
		case strings.HasPrefix(v.Name, envvar.Prefix):
			left = append(left, fmt.Sprintf("- Left out: env %s, because the name is reserved.", v.Name))
		case v.ValueFrom != nil && keySource(v.ValueFrom) == nil:
			left = append(left, fmt.Sprintf("- Left out: env %s, whose value is not in the Deployment.", v.Name))
		default:
			// Of variables with the same name, a container gets the last.
			own.Env = slices.DeleteFunc(own.Env, func(earlier v1beta1.EnvVar) bool { return earlier.Name == v.Name })
			own.Env = append(own.Env, v1beta1.EnvVar{Name: v.Name, Value: v.Value, ValueFrom: keySource(v.ValueFrom)})
			if v.ValueFrom != nil && v.ValueFrom.SecretKeyRef != nil {
				left = append(left, fmt.Sprintf("- Check env %s: name a Secret with an account for the measurement instead of %s, if that is the one of production.", v.Name, v.ValueFrom.SecretKeyRef.Name))
			}
		}
	}
	return left
}

// keySource returns the key of a Secret or a ConfigMap that has a variable's value, or nil.
func keySource(from *corev1.EnvVarSource) *v1beta1.KeySource {
	switch {
	case from == nil:
		return nil
	case from.SecretKeyRef != nil && from.SecretKeyRef.Name != "":
		return &v1beta1.KeySource{SecretKeyRef: &v1beta1.KeyRef{Name: from.SecretKeyRef.Name, Key: from.SecretKeyRef.Key}}
	case from.ConfigMapKeyRef != nil && from.ConfigMapKeyRef.Name != "":
		return &v1beta1.KeySource{ConfigMapKeyRef: &v1beta1.KeyRef{Name: from.ConfigMapKeyRef.Name, Key: from.ConfigMapKeyRef.Key}}
	}
	return nil
}

// leftOut says which parts of a pod have no counterpart in an experiment.
func leftOut(pod corev1.PodSpec, container corev1.Container) []string {
	var left []string
	for _, source := range container.EnvFrom {
		switch {
		case source.ConfigMapRef != nil:
			left = append(left, "- Left out: the environment from ConfigMap "+source.ConfigMapRef.Name+". Name its keys in env with valueFrom.")
		case source.SecretRef != nil:
			left = append(left, "- Left out: the environment from Secret "+source.SecretRef.Name+". Name its keys in env with valueFrom.")
		}
	}
	for _, mount := range container.VolumeMounts {
		left = append(left, fmt.Sprintf("- Left out: volume %s at %s. Use files or writable instead.", mount.Name, mount.MountPath))
	}
	for _, other := range pod.InitContainers {
		left = append(left, "- Left out: init container "+other.Name+".")
	}
	for _, other := range pod.Containers {
		if other.Name != container.Name {
			left = append(left, "- Left out: container "+other.Name+".")
		}
	}
	return left
}

// servedPort returns the container's only port, or the one that is named http.
func servedPort(container corev1.Container) (port int32, known bool) {
	for _, p := range container.Ports {
		if len(container.Ports) == 1 || p.Name == "http" {
			return p.ContainerPort, true
		}
	}
	return 0, false
}

// readyPath returns the path of the first probe that has one, or "" if a probe is content with a connection.
func readyPath(container corev1.Container) (path string, known bool) {
	probes := []*corev1.Probe{container.ReadinessProbe, container.StartupProbe, container.LivenessProbe}
	connects := func(p *corev1.Probe) bool { return p != nil && p.TCPSocket != nil }
	path = probePath(probes...)
	return path, path != "" || slices.ContainsFunc(probes, connects)
}

// probePath returns the path of the first probe that has one.
func probePath(probes ...*corev1.Probe) string {
	for _, probe := range probes {
		if probe != nil && probe.HTTPGet != nil && probe.HTTPGet.Port != (intstr.IntOrString{}) {
			if probe.HTTPGet.Path == "" {
				return "/"
			}
			return probe.HTTPGet.Path
		}
	}
	return ""
}
