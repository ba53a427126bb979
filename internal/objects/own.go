package objects

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/evidence"
)

const (
	// EvidencePort is where the container of a user's own login service answers for Hashmark.
	EvidencePort = 18080

	// InstallContainer is the name of the init container that copies Hashmark's program into the pod of another service.
	InstallContainer = "install"
	scriptContainer  = "script"

	ownPortName      = "login"
	evidencePortName = "evidence"
	installDir       = "/run/hashmark"
	installSize      = "192Mi"
	scriptDir        = installDir + "/script"
	// scriptMemory is for k6, which logs in beside the service while it is calibrated: it takes 45 MiB.
	scriptMemory  = "96Mi"
	ownProgram    = installDir + "/loginservice"
	ownHashFile   = installDir + "/password-hash"
	ownFiles      = "files"
	writableSize  = "256Mi"
	programVolume = "hashmark"
)

// ImageNotAllowedError means that the operator's settings do not admit an image of a field.
type ImageNotAllowedError struct{ Field, Image string }

// Error says what to do.
func (e *ImageNotAllowedError) Error() string {
	return fmt.Sprintf("%s %s is not in a repository that this operator admits; ask for it to be added to loginService.allowedImages", e.Field, e.Image)
}

// CheckImages returns an *ImageNotAllowedError if the experiment's own login service or a companion has an image that the
// settings do not admit.
func (s Settings) CheckImages(service v1beta1.Service) error {
	if service.Own == nil {
		return nil
	}
	images := []ImageNotAllowedError{{"service.own.image", service.Own.Image}}
	for _, companion := range service.Own.Companions {
		images = append(images, ImageNotAllowedError{"the image of companion " + companion.Name, companion.Image})
	}
	for _, image := range images {
		if !slices.ContainsFunc(s.AllowedServiceImages, func(repository string) bool { return within(image.Image, repository) }) {
			return &image
		}
	}
	return nil
}

// ownPod builds the pod of a user's own login service. Two init containers copy Hashmark's program and
// k6 into the pod. The third starts the service, and times logins instead of hashes, under the same
// limits. Then the service runs as a child of a process that reports what the container uses.
func (b Builder) ownPod() corev1.PodSpec {
	own := b.trial.Spec.Service.Own
	install := b.container(InstallContainer, b.settings.ServiceImage, b.serviceResources)
	install.Args = []string{"install", "--to", installDir}
	install.Env = append(b.ownVariables(), variable(envvar.Prefix+"FILES", b.fileContents()))
	install.TerminationMessagePolicy = corev1.TerminationMessageFallbackToLogsOnError // it runs nothing of the user's
	install.VolumeMounts = []corev1.VolumeMount{{Name: programVolume, MountPath: installDir}}

	target := fmt.Sprintf("http://127.0.0.1:%d", own.Port)
	flags := []string{
		"--output", corev1.TerminationMessagePathDefault,
		"--target", target,
		"--ready", escaped(own.Ready.HealthCheck), "--ready-within", seconds(own.Ready.TimeoutSeconds),
		"--warm-up", b.trial.Spec.Load.Warmup().String(), "--request-timeout", seconds(b.trial.Spec.Load.RequestTimeoutSeconds),
		"--script-folder", scriptDir,
	}
	if b.trial.Spec.Variant.Hash.Other != nil {
		flags = append(flags, "--any-hash")
	}
	calibrate := b.ownContainer(CalibrateContainer, "calibrate", flags...)
	calibrate.Env = append(calibrate.Env, variable(envvar.Login, ownLogin(own)))
	addMemory(&calibrate.Resources, scriptMemory)

	login := b.ownContainer(LoginContainer, "observe", "--listen", fmt.Sprintf(":%d", EvidencePort), "--target", target, "--ready", escaped(own.Ready.HealthCheck))
	login.Ports = []corev1.ContainerPort{
		{Name: ownPortName, ContainerPort: own.Port, Protocol: corev1.ProtocolTCP},
		{Name: evidencePortName, ContainerPort: EvidencePort, Protocol: corev1.ProtocolTCP},
	}
	login.StartupProbe = startupProbe(evidence.ReadyPath, evidencePortName)

	pod := b.podSpec()
	b.runAsOwn(&pod)
	away := &pod.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	*away = append(*away, b.awayFromCompanions()...)
	pod.InitContainers = []corev1.Container{install, b.copyScript(), calibrate}
	pod.Containers = []corev1.Container{login}
	pod.Volumes = []corev1.Volume{scratch(programVolume, corev1.StorageMediumDefault, installSize)}
	for _, container := range []string{CalibrateContainer, LoginContainer} {
		for i := range own.Writable {
			pod.Volumes = append(pod.Volumes, scratch(writable(container, i), corev1.StorageMediumDefault, writableSize))
		}
	}
	addKeys(&pod, own.Files)
	b.placeInPool(&pod)
	return pod
}

// copyScript returns the container that copies k6 and its scripts into the pod.
func (b Builder) copyScript() corev1.Container {
	c := b.container(scriptContainer, b.settings.GeneratorImage, b.serviceResources)
	c.Args = []string{"install", scriptDir}
	c.Env = []corev1.EnvVar{variable(envvar.Login, ownLogin(b.trial.Spec.Service.Own))}
	c.VolumeMounts = []corev1.VolumeMount{{Name: programVolume, MountPath: installDir}}
	return c
}

func addMemory(resources *corev1.ResourceRequirements, more string) {
	for _, list := range []corev1.ResourceList{resources.Requests, resources.Limits} {
		memory := list[corev1.ResourceMemory]
		memory.Add(resource.MustParse(more))
		list[corev1.ResourceMemory] = memory
	}
}

// ownContainer returns a container that runs the service as a child of Hashmark's program. What the
// service writes while it is calibrated is not there under load.
func (b Builder) ownContainer(name, command string, flags ...string) corev1.Container {
	own := b.trial.Spec.Service.Own
	c := b.container(name, own.Image, b.serviceResources)
	c.Command = append([]string{ownProgram, command, "--password-hash-file", ownHashFile}, flags...)
	c.Command = append(append(c.Command, "--"), own.Command...)
	c.Args = slices.Clone(own.Args)
	c.Env = b.ownVariables()
	c.Env = append(c.Env, variables(own.Env)...)
	c.Env = append(c.Env, b.privacy()...)
	c.Env = append(c.Env, variable(envvar.Deadline, deadlineText(b.deadline)))
	c.VolumeMounts = []corev1.VolumeMount{{Name: programVolume, MountPath: installDir, ReadOnly: true}}
	for i, path := range own.Writable {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: writable(name, i), MountPath: path})
	}
	for i, file := range own.Files {
		c.VolumeMounts = append(c.VolumeMounts, fileMount(i, file))
	}
	return c
}

// writable returns the name of the volume of a container's folder.
func writable(container string, folder int) string {
	return fmt.Sprintf("writable-%s-%d", container, folder)
}

// ownVariables returns the variables that a user's own login service can refer to.
func (b Builder) ownVariables() []corev1.EnvVar {
	return append(b.parameters(),
		variable(envvar.Workers, decimal(ptr.Deref(b.trial.Spec.Variant.Concurrency.Workers, 0))),
		variable(envvar.CPUMilli, b.cpuMilli()),
		variable(envvar.User, User),
		variable(envvar.Password, Password),
	)
}

// fileContents returns the files' contents in their order, as JSON.
func (b Builder) fileContents() string {
	contents := []string{}
	for _, file := range b.trial.Spec.Service.Own.Files {
		contents = append(contents, file.Content)
	}
	return escaped(contents)
}

// ownLogin returns how to log in, as package loginflow reads it.
func ownLogin(own *v1beta1.OwnService) string { return escaped(own.Login) }

// escaped returns a value as JSON, in a form that kubelet does not expand: it would replace $(NAME)
// before the program sees it. An escape of <, > and & would take six bytes of the 128 KiB that Linux
// allows for a variable, and matrix.CheckSize counts one.
func escaped(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // strings, numbers and maps of them always have a JSON form
	return strings.ReplaceAll(strings.TrimSuffix(text.String(), "\n"), "$", "$$")
}

func seconds(n int32) string { return (time.Duration(n) * time.Second).String() }

// endpoint is where a service's pods answer.
type endpoint struct {
	scheme, portName string
	// port is for logins. Evidence is read at evidencePort, without TLS.
	port, evidencePort int32
}

func (b Builder) endpoint() endpoint {
	to := endpoint{scheme: "http", portName: portName, port: Port, evidencePort: Port}
	switch service := b.trial.Spec.Service; {
	case service.Own != nil:
		to.portName, to.port, to.evidencePort = ownPortName, service.Own.Port, EvidencePort
	case b.tls() != nil:
		to.scheme, to.portName, to.port = "https", tlsPortName, TLSPort
	}
	return to
}

// tls returns how logins at Hashmark's own service are encrypted, or nil.
func (b Builder) tls() *v1beta1.TLS {
	return ptr.Deref(b.trial.Spec.Service.Builtin, v1beta1.Builtin{}).TLS
}

// ownEnvironment returns what the generator needs for a user's own login service.
func (b Builder) ownEnvironment() []corev1.EnvVar {
	own := b.trial.Spec.Service.Own
	if own == nil {
		return nil
	}
	return append([]corev1.EnvVar{
		variable(envvar.Login, ownLogin(own)),
		variable(envvar.Ready, escaped(own.Ready.HealthCheck)),
		variable(envvar.ReadyWithin, seconds(own.Ready.TimeoutSeconds)),
		variable(envvar.AlivePath, own.AlivePath),
	}, b.privacy()...)
}
