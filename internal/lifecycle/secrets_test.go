package lifecycle

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// With a Secret named, what a service or a companion prints reaches no status. Kubelet and a program of the user's write
// anything into the message of a container.
func TestNothingIsQuotedFromAServiceWithASecret(t *testing.T) {
	const printed = "s3cret"
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Message: printed}}
	pod := func(container string) *corev1.Pod {
		status := []corev1.ContainerStatus{{Name: container, State: ended}}
		return &corev1.Pod{Status: corev1.PodStatus{InitContainerStatuses: status}}
	}
	for name, key := range map[string]*v1beta1.KeySource{
		"no key":               nil,
		"a key of a ConfigMap": {ConfigMapKeyRef: &v1beta1.KeyRef{Name: "a", Key: "b"}},
		"a key of a Secret":    {SecretKeyRef: &v1beta1.KeyRef{Name: "a", Key: "b"}},
	} {
		for place, put := range map[string]func(*v1beta1.OwnService){
			"a variable": func(own *v1beta1.OwnService) { own.Env = []v1beta1.EnvVar{{Name: "A", ValueFrom: key}} },
			"a file":     func(own *v1beta1.OwnService) { own.Files = []v1beta1.File{{Path: "/a", ContentFrom: key}} },
			"a variable of a companion": func(own *v1beta1.OwnService) {
				own.Companions = []v1beta1.Companion{{Env: []v1beta1.EnvVar{{Name: "A", ValueFrom: key}}}}
			},
		} {
			own := &v1beta1.OwnService{}
			put(own)
			o := &Observation{Trial: &v1beta1.SizingTrial{Spec: v1beta1.SizingTrialSpec{Service: v1beta1.Service{Own: own}}}}
			said := podFailed(pod(objects.CalibrateContainer), time.Time{}, o.withSecret()).Message +
				companionPodFailed(pod(objects.CompanionContainer), time.Time{}, o.withSecret()).Message
			secret := key != nil && key.SecretKeyRef != nil
			if quoted := strings.Count(said, printed); quoted != map[bool]int{true: 0, false: 2}[secret] || strings.Contains(said, "names a Secret") != secret {
				t.Errorf("%s as %s: the messages are %q", name, place, said)
			}
		}
	}
}

// A program of the service's can write the message of the calibration, and its result.
func TestACalibrationWithASecretGivesNumbersOnly(t *testing.T) {
	own := &v1beta1.OwnService{
		Env:   []v1beta1.EnvVar{{Name: "A", ValueFrom: &v1beta1.KeySource{SecretKeyRef: &v1beta1.KeyRef{Name: "a", Key: "b"}}}},
		Login: handover.Login{Setup: []handover.Request{{Name: "role"}}, Steps: []handover.Request{{Path: "/login"}}},
	}
	for message, want := range map[string]string{
		"LoginFailed: before the first login, role: the status was 404, and 200 to 299 was expected. s3cret":     "a request was not answered as expected, at role (status was 404). Its messages are not shown",
		"LoginFailed: a login failed at step 1: the status was 403, and 200 to 299 was expected. s3cret":         "a request was not answered as expected, at step 1 (status was 403). ",
		"HashMismatch: a login takes 209ms of CPU time, but a hash with s3cret takes 58.1ms: the service hashes": "the service hashes again at login (209ms, 58.1ms). ",
		"ServiceNotReady: the login service did not keep running: it ended with exit code 3, s3cret":             "it was not ready in time, or did not keep running (exit code 3). ",
		"WrongPasswordAccepted: s3cret": "a login with a wrong password succeeded, or is answered like one with the right password. ",
	} {
		got := calibrationFailed(&corev1.ContainerStateTerminated{ExitCode: 1, Message: message}, own).Message
		if !strings.Contains(got, want) || strings.Contains(got, "s3cret") {
			t.Errorf("%s became %q, want %q in it", message, got, want)
		}
	}
	const model = `,"cpuModel":"s3cret","bootID":"s3cret","goVersion":"s3cret"`
	read, err := ReadCalibration([]corev1.Pod{calibratedPod("a", "41000", 0, time.Second, model)}, true)
	if err != nil || read.CPUModel+read.BootID+read.GoVersion != "" || read.HashMicroseconds != 41_000 {
		t.Errorf("the calibration is %+v, %v", read, err)
	}
	_, err = ReadCalibration([]corev1.Pod{calibratedPod("a", `"s3cret"`, 0, time.Second, "")}, true)
	if err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("an unreadable calibration is told as %v", err)
	}
}
