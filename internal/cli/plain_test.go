package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

func TestMessagesFromTheClusterCanNotControlTheTerminal(t *testing.T) {
	const nasty = "a pod said \x1b]0;title\x07\x1b[31m\u009b2J\u202e\xff\rand\tnothing\nelse"
	const want = "a pod said \ufffd]0;title\ufffd\ufffd[31m\ufffd2J\ufffd\ufffd and nothing else"
	for name, write := range map[string]func(Program){
		"an error": func(p Program) { exit(errors.New(nasty), p.messages()) },
		"a line of progress": func(p Program) {
			p.newReporter().Disconnected(errors.New(nasty))
		},
		"a bar": func(p Program) {
			p.Columns = 200
			bar := p.newReporter()
			bar.Update(under(nasty))
			bar.Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			write(Program{Streams: genericiooptions.IOStreams{ErrOut: &out}, Clock: clocktesting.NewFakeClock(noon)})
			if !strings.Contains(out.String(), want) {
				t.Errorf("it prints %q, without %q", out.String(), want)
			}
		})
	}
}

// forged is a text that begins a line of its own and controls the terminal, if it is printed as it is.
const forged = "no\r\n\x1b[2Jforged: \u009b\u202e\u2028yes"

// checkPlain fails if what a command printed has a line of somebody else.
func checkPlain(t *testing.T, got said) {
	t.Helper()
	all := got.out + got.err
	if units.Plain(all) != all {
		t.Errorf("it prints characters that control a terminal: %q", all)
	}
	if strings.Contains(all, "\nforged") || strings.Contains(all, "\n\ufffd[2Jforged") {
		t.Errorf("it prints a line that is not its own: %s", all)
	}
}

// refusing is a cluster that answers one kind of request with an error, in all the words of which
// somebody else wrote.
func refusing(verb string, err error) world {
	w := world{objects: append(steerable(), deployed()), functions: interceptor.Funcs{
		Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
			return nil, err
		},
	}}
	switch verb {
	case "get":
		w.functions.Get = func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return err
		}
	case "list":
		w.functions.List = func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return err }
	case "create":
		w.functions.Create = func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error { return err }
	case "patch":
		w.functions.Patch = func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			return err
		}
	}
	return w
}

func TestNoAnswerOfTheAPIServerControlsTheTerminal(t *testing.T) {
	kind := schema.GroupKind{Group: v1beta1.GroupVersion.Group, Kind: "SizingExperiment"}
	experiments := schema.GroupResource{Group: kind.Group, Resource: "sizingexperiments"}
	for why, answer := range map[string]error{
		"forbidden": apierrors.NewForbidden(experiments, "runs", errors.New(forged)),
		"a webhook": &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 400, Reason: metav1.StatusReasonBadRequest, Message: forged}},
		"a rule":    apierrors.NewInvalid(kind, forged, field.ErrorList{field.Invalid(field.NewPath(forged), forged, forged)}),
		"a proxy":   errors.New(forged),
	} {
		for _, verb := range []string{"get", "list", "create", "patch", "watch"} {
			for _, line := range []string{
				"run -f -", "watch runs", "report runs", "compare runs paused", "recommend runs --rate 5", "init --from deployment/login",
				"cancel runs", "suspend --all", "cancel --all --yes -A", "resume paused",
			} {
				got := carryOut(t, refusing(verb, answer).client(t), login, strings.Fields(line)...)
				checkPlain(t, got)
				if t.Failed() {
					t.Fatalf("%s: %s, answered by %s", line, verb, why)
				}
			}
		}
	}
}

func TestNoMessageOfAnExperimentControlsTheTerminal(t *testing.T) {
	for _, end := range []v1beta1.ExperimentPhase{v1beta1.ExperimentSucceeded, v1beta1.ExperimentFailed, forged} {
		stages := []func(*v1beta1.SizingExperiment){reaches(forged, forged), reaches(v1beta1.ExperimentRunning, forged), func(e *v1beta1.SizingExperiment) {
			ends(true, false)(e)
			reaches(end, forged)(e)
			e.Status.Recommendation = &v1beta1.Recommendation{Reason: forged, Changes: []string{forged}}
			e.Status.Results[0].Reasons = []v1beta1.Reason{{Type: forged, Message: forged}}
		}}
		if end == forged {
			stages = append(stages, ends(true))
		}
		for format := range layouts {
			if format == "html" {
				continue // a line feed is a space there; TestPageHasNoControlCharacters
			}
			checkPlain(t, carryOut(t, world{stages: stages}.client(t), login, "run", "-f", "-", "-o", format))
		}
	}
}

func TestInitWritesOneExperimentWhateverTheDeploymentSays(t *testing.T) {
	of := deployed()
	pod := &of.Spec.Template.Spec
	app := &pod.Containers[1]
	pod.InitContainers[0].Name, pod.Containers[0].Name, app.Name = forged, forged, "app"+forged
	app.VolumeMounts = []corev1.VolumeMount{{Name: forged, MountPath: "/data\nkind: ClusterRoleBinding\n---\n# "}}
	app.Env = append(app.Env, corev1.EnvVar{Name: forged, ValueFrom: &corev1.EnvVarSource{}}, corev1.EnvVar{Name: "HASHMARK_" + forged}, corev1.EnvVar{Name: "A", Value: forged})
	app.EnvFrom[0].SecretRef.Name, app.EnvFrom[1].ConfigMapRef.Name = forged, forged
	app.Image, app.Args, app.ReadinessProbe = "image"+forged, []string{forged}, httpProbe("/"+forged)
	got := carryOut(t, world{objects: []client.Object{of}}.client(t), "", "init", "--from", "deployment/login", "--container", app.Name)
	checkPlain(t, got)
	if got.code != 0 {
		t.Fatal(got.err)
	}
	comments, document, _ := strings.Cut(got.out, "apiVersion: ")
	for line := range strings.Lines(comments) {
		if !strings.HasPrefix(line, "# ") {
			t.Errorf("a line before the experiment is no comment: %q", line)
		}
	}
	var experiment v1beta1.SizingExperiment
	if err := yaml.UnmarshalStrict([]byte("apiVersion: "+document), &experiment); err != nil || strings.Contains(document, "\n---") {
		t.Fatalf("it writes more than an experiment: %v\n%s", err, got.out)
	}
	env := experiment.Spec.Service.Own.Env
	last := env[len(env)-1]
	if want := "no\r\n\x1b[2Jforged: \ufffd\ufffd\u2028yes"; last != (v1beta1.EnvVar{Name: "A", Value: want}) || !strings.Contains(comments, "- Check the characters") {
		t.Errorf("the last variable is %q, and the comments are\n%s", last.Value, comments)
	}
	checkPlain(t, carryOut(t, world{objects: []client.Object{of}}.client(t), "", "init", "--from", "deployment/login", "--container", "other"))
}
