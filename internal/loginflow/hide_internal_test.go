package loginflow

import (
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/api/handover"
)

// A service or a script can report an outcome by itself, with any name.
func TestOnlyNamesOfTheFlowAreTold(t *testing.T) {
	flow := handover.Login{Steps: []handover.Request{{Path: "/", Extract: []handover.Extraction{{Name: "csrf"}}}}}
	for missing, want := range map[string]string{"csrf": "step 1: csrf was not found", "s3cret": "step 1: a value was not found"} {
		got := outcome{Step: 1, Status: 200, Missing: missing}
		got.hide(flow)
		if err := got.unexpected("step 1", handover.ExpectedResponse{}); !strings.HasPrefix(err.Error(), want) {
			t.Errorf("with %s missing: %v, want %s…", missing, err, want)
		}
	}
}
