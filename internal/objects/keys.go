package objects

import (
	"fmt"
	"path"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/envvar"
)

const (
	keysVolume = "keys"
	// keysDir is where the install container finds the keys, to check that they exist.
	keysDir = "/run/hashmark-keys"
	// keyMode lets any user read a key, because the platform can choose the user.
	keyMode = 0o444
)

// SecretNotAllowedError means that an experiment names a Secret, and nothing checks who may read it.
type SecretNotAllowedError struct{ Field, Secret, Why string }

// Error says what to do.
func (e *SecretNotAllowedError) Error() string {
	return fmt.Sprintf("%s names Secret %s, but %s; use a value or a ConfigMap, or ask an administrator to install the chart with loginService.allowSecrets, and without rbac.namespaced", e.Field, e.Secret, e.Why)
}

// CheckSecrets returns a *SecretNotAllowedError if the experiment's own login service or a companion has a key of a Secret,
// and the settings name no policy that checks who may read it.
func (s Settings) CheckSecrets(service v1beta1.Service) error {
	if s.SecretsPolicy == "" {
		return RefuseSecrets(service, "this operator has no admission policy that checks who may read it")
	}
	return nil
}

// RefuseSecrets returns a *SecretNotAllowedError if a service has a key of a Secret. Why is a clause.
func RefuseSecrets(service v1beta1.Service, why string) error {
	if field, secret := secretOf(service); secret != "" {
		return &SecretNotAllowedError{field, secret, why}
	}
	return nil
}

// NamesSecret reports whether a user's own login service or a companion of it has a key of a Secret. Then nothing that they
// answer or print is quoted.
func NamesSecret(service v1beta1.Service) bool {
	_, secret := secretOf(service)
	return secret != ""
}

// secretOf returns the first Secret that a service names, and where; "" without any.
func secretOf(service v1beta1.Service) (field, secret string) {
	if service.Own == nil {
		return "", ""
	}
	for _, v := range service.Own.Env {
		if name := secretIn(v.ValueFrom); name != "" {
			return "service.own.env " + v.Name, name
		}
	}
	for _, file := range service.Own.Files {
		if name := secretIn(file.ContentFrom); name != "" {
			return "service.own.files " + file.Path, name
		}
	}
	for _, companion := range service.Own.Companions {
		for _, v := range companion.Env {
			if name := secretIn(v.ValueFrom); name != "" {
				return "env " + v.Name + " of companion " + companion.Name, name
			}
		}
	}
	return "", ""
}

func secretIn(source *v1beta1.KeySource) string {
	if source == nil || source.SecretKeyRef == nil {
		return ""
	}
	return source.SecretKeyRef.Name
}

// variables returns the environment that a user describes. Kubelet reads the keys.
func variables(all []v1beta1.EnvVar) []corev1.EnvVar {
	var env []corev1.EnvVar
	for _, v := range all {
		if v.ValueFrom == nil {
			env = append(env, variable(v.Name, v.Value))
			continue
		}
		env = append(env, corev1.EnvVar{Name: v.Name, ValueFrom: &corev1.EnvVarSource{
			SecretKeyRef: secretKey(v.ValueFrom.SecretKeyRef), ConfigMapKeyRef: configMapKey(v.ValueFrom.ConfigMapKeyRef),
		}})
	}
	return env
}

func secretKey(ref *v1beta1.KeyRef) *corev1.SecretKeySelector {
	if ref == nil {
		return nil
	}
	return &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: ref.Name}, Key: ref.Key}
}

func configMapKey(ref *v1beta1.KeyRef) *corev1.ConfigMapKeySelector {
	if ref == nil {
		return nil
	}
	return &corev1.ConfigMapKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: ref.Name}, Key: ref.Key}
}

// keyFiles returns the volume with the keys that are files, each with the file's number as its name, and what they are, by
// number. A key that does not exist is left out of the volume, and the install container says so: kubelet would wait for it
// without a word in the pod's status.
func keyFiles(files []v1beta1.File) (volume corev1.Volume, names map[string]string) {
	names = map[string]string{}
	projected := &corev1.ProjectedVolumeSource{DefaultMode: ptr.To[int32](keyMode)}
	for i, file := range files {
		if file.ContentFrom == nil {
			continue
		}
		number := strconv.Itoa(i)
		var source corev1.VolumeProjection
		if ref := file.ContentFrom.SecretKeyRef; ref != nil {
			source.Secret = &corev1.SecretProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: ref.Name}, Items: []corev1.KeyToPath{{Key: ref.Key, Path: number}}, Optional: ptr.To(true),
			}
			names[number] = fmt.Sprintf("key %s of Secret %s", ref.Key, ref.Name)
		}
		if ref := file.ContentFrom.ConfigMapKeyRef; ref != nil {
			source.ConfigMap = &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: ref.Name}, Items: []corev1.KeyToPath{{Key: ref.Key, Path: number}}, Optional: ptr.To(true),
			}
			names[number] = fmt.Sprintf("key %s of ConfigMap %s", ref.Key, ref.Name)
		}
		projected.Sources = append(projected.Sources, source)
	}
	return corev1.Volume{Name: keysVolume, VolumeSource: corev1.VolumeSource{Projected: projected}}, names
}

// addKeys adds the keys that are files to the pod of a user's own login service.
func addKeys(pod *corev1.PodSpec, files []v1beta1.File) {
	volume, names := keyFiles(files)
	if len(names) == 0 {
		return
	}
	pod.Volumes = append(pod.Volumes, volume)
	install := &pod.InitContainers[0]
	install.Args = append(install.Args, "--keys", escaped(names), "--keys-folder", keysDir)
	install.VolumeMounts = append(install.VolumeMounts, corev1.VolumeMount{Name: keysVolume, MountPath: keysDir, ReadOnly: true})
}

// fileMount returns where the container of a user's own login service reads a file.
func fileMount(i int, file v1beta1.File) corev1.VolumeMount {
	mount := corev1.VolumeMount{Name: programVolume, MountPath: file.Path, SubPath: path.Join(ownFiles, strconv.Itoa(i)), ReadOnly: true}
	if file.ContentFrom != nil {
		mount.Name, mount.SubPath = keysVolume, strconv.Itoa(i)
	}
	return mount
}

// privacy tells a program to quote nothing, if the service has a key of a Secret.
func (b Builder) privacy() []corev1.EnvVar {
	if !NamesSecret(b.trial.Spec.Service) {
		return nil
	}
	return []corev1.EnvVar{variable(envvar.Private, "true")}
}
