package report_test

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
)

// TestPriceOfGuessesHasFootnote: a reader of somebody else's price must see how it
// was computed.
func TestPriceOfGuessesHasFootnote(t *testing.T) {
	const assumes, other = "The price of guesses assumes ", "The price of guesses is from a version of Hashmark with other defaults; run kubectl hashmark recommend to compute it again."
	for name, c := range map[string]struct {
		change func(*experiment)
		want   string
	}{
		"by default a GPU that is rented": {func(*experiment) {},
			assumes + "a GPU that makes 10,000 a second at bcrypt cost 10 and costs USD 0.80 an hour, the default: what a rented RTX 5090 cost in 2026."},
		"a rent that the experiment names": {func(e *experiment) { e.Spec.Prices.GPUHour = ptr.To(intstr.FromInt32(3)); attackedFor(e, "83.33") },
			assumes + "a GPU that makes 10,000 a second at bcrypt cost 10 and costs USD 3.00 an hour, as prices.gpuHour says."},
		"prices of an older operator, which took 3 USD": {func(e *experiment) { attackedFor(e, "83.33") }, other},
		"one older price among others":                  {func(e *experiment) { e.Status.Results[5].Price.AttackerPerBillionGuesses = "83.33" }, other},
		"a price at a cost that bcrypt does not have":   {func(e *experiment) { e.Status.Results[5].Hash = v1beta1.BcryptHash(1 << 30) }, other},
		"none where nothing is attacked":                {func(e *experiment) { attackedFor(e, "") }, ""},
		"none where prices are no decimals":             {func(e *experiment) { e.Spec.Prices.GPUHour = ptr.To(intstr.Parse("cheap")) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			document := full(t)
			c.change(document.Experiment)
			var got []string
			for _, section := range report.New(document.Experiment, document.Trials).Sections() {
				got = append(got, slices.DeleteFunc(section.Items, func(item string) bool { return !strings.HasPrefix(item, "The price of guesses ") })...)
			}
			if strings.Join(got, "\n") != c.want {
				t.Errorf("it says %q, want %q", got, c.want)
			}
		})
	}
}

// attackedFor prices guesses at cost 10, and at no other.
func attackedFor(e *experiment, price string) {
	for i := range e.Status.Results {
		row := &e.Status.Results[i]
		row.Price.AttackerPerBillionGuesses = ""
		if row.Hash.Cost() == 10 {
			row.Price.AttackerPerBillionGuesses = price
		}
	}
}
