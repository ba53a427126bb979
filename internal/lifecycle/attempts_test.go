package lifecycle

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// What waits for a trial reads the conditions alone, whose reasons fit their values.
func TestConditionsSayWhy(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		reach                       func(*v1beta1.SizingTrial)
		ready, reconciling, stalled string
	}{
		"while it is measured": {func(trial *v1beta1.SizingTrial) {
			ShowProgress(trial, Decision{Action: Wait, Reason: v1beta1.ReasonUnderLoad}, false, now)
		}, "False NotFinished", "True NotFinished", "False NotStalled"},
		"while it is suspended": {func(trial *v1beta1.SizingTrial) {
			ShowProgress(trial, Decision{Action: Rest, Reason: v1beta1.ReasonSuspended}, true, now)
		}, "False NotFinished", "False Suspended", "False NotStalled"},
		"after it was measured": {func(trial *v1beta1.SizingTrial) {
			trial.Status.Result = &v1beta1.VariantResult{}
			ReleaseTrial(trial, now, false)
		}, "True Measured", "False Finished", "False NotStalled"},
		"after it failed": {func(trial *v1beta1.SizingTrial) {
			FailTrial(trial, now, v1beta1.ReasonImagePull, "")
		}, "False ImagePull", "False Finished", "True ImagePull"},
	} {
		t.Run(name, func(t *testing.T) {
			trial := &v1beta1.SizingTrial{}
			test.reach(trial)
			for kind, want := range map[string]string{
				v1beta1.ConditionReady: test.ready, v1beta1.ConditionReconciling: test.reconciling, v1beta1.ConditionStalled: test.stalled,
			} {
				c := meta.FindStatusCondition(trial.Status.Conditions, kind)
				if c == nil || string(c.Status)+" "+c.Reason != want {
					t.Errorf("condition %s is %+v, want %s", kind, c, want)
				}
			}
		})
	}
}

func TestALongMessageKeepsItsBeginningAndItsEnd(t *testing.T) {
	const mostInAPI = 1024
	long := "The load failed: " + strings.Repeat("é", 4000) + " the last words"
	got := Clip(long)
	if n := len([]rune(got)); n > mostInAPI {
		t.Errorf("%d characters are left, of at most %d", n, mostInAPI)
	}
	if !strings.HasPrefix(got, "The load failed: ") || !strings.HasSuffix(got, " the last words") {
		t.Errorf("the beginning or the end is lost: %s", got)
	}
	if short := "The Job was deleted"; Clip(short) != short {
		t.Errorf("a short message became %q", Clip(short))
	}
}

// What a pod, a user's script or a webhook said is shown on terminals.
func TestAMessageIsOneLineOfPlainText(t *testing.T) {
	for text, want := range map[string]string{
		"k6 said:\n\x1b]0;mine\a\u009b2J\r\n\tdone":           "k6 said: \ufffd]0;mine\ufffd\ufffd2J done",
		"pod \u202ex\u2028 failed\xff":                        "pod \ufffdx failed\ufffd",
		strings.Repeat("\x1b", 999) + "ab":                    strings.Repeat("\ufffd", 250) + " … " + strings.Repeat("\ufffd", 745) + "ab",
		strings.Repeat("a ", 125) + strings.Repeat("b ", 500): strings.TrimSpace(strings.Repeat("a ", 125)) + " … " + strings.TrimSpace(strings.Repeat("b ", 374)),
	} {
		got := Clip(text)
		if got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		if again := Clip(got); again != got {
			t.Errorf("%q becomes %q when it is stored again", got, again)
		}
	}
}

func TestACalibrationThatFailedIsToldInPlainText(t *testing.T) {
	ended := &corev1.ContainerStateTerminated{ExitCode: 1, Message: "LoginFailed: \x1b]0;mine\a\x1b[2J\u202etxt.exe\nNAME READY"}
	failed := calibrationFailed(ended, nil)
	trial := &v1beta1.SizingTrial{Status: v1beta1.SizingTrialStatus{Attempts: []v1beta1.Attempt{{Number: 1}}}}
	EndAttempt(trial, time.Time{}, v1beta1.OutcomeBroken, failed.Reason, failed.Message)
	const want = "The login service can't be measured: \ufffd]0;mine\ufffd\ufffd[2J\ufffdtxt.exe NAME READY"
	if got := trial.Status.Attempts[0].Message; got != want {
		t.Errorf("the attempt says %q, want %q", got, want)
	}
}
