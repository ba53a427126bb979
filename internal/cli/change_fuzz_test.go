package cli

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hashmark-dev/hashmark/internal/pricing"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// FuzzFlagsOfRecommend: what the flags accept can be priced and sized, and is within the bounds of
// the API.
func FuzzFlagsOfRecommend(f *testing.F) {
	f.Add("--rate=20\n--max-total-cpu=8\n--per-cpu-hour=0.04\n--currency=EUR")
	f.Add("--p95=250ms\n--hashes=bcrypt,argon2id\n--guesses-at=a=12000")
	f.Add("--max-total-cpu=1e309\n--rate=2147483648\n--gpu-hour= 1\n--p99=1ns")
	f.Add("--max-total-cpu=٣\n--per-gib-hour=.5\n--guesses-at==0")
	f.Fuzz(func(t *testing.T, arguments string) {
		c, flags := &change{}, pflag.NewFlagSet("recommend", pflag.ContinueOnError)
		flags.Usage = func() {}
		c.addTo(flags)
		c.addStored(flags)
		if flags.Parse(strings.Split(arguments, "\n")) != nil {
			return
		}
		spec, err := c.apply(asked())
		if err != nil {
			return
		}
		if _, err := pricing.Of(spec.Prices, spec.Matrix.NodePools); err != nil {
			t.Errorf("accepted prices of %q: %v", arguments, err)
		}
		if o := spec.Objective; o.P95Milliseconds < 1 || int64(o.P95Milliseconds) > time.Minute.Milliseconds() {
			t.Errorf("accepted a p95 of %d ms of %q", o.P95Milliseconds, arguments)
		}
		d := spec.Demand
		if d == nil {
			return
		}
		cpu, err := resource.ParseQuantity(cmp.Or(units.Written(d.MaxTotalCPU), "1"))
		if d.MilliPerSecond() == 0 || err != nil || cpu.Sign() <= 0 {
			t.Errorf("accepted the demand %+v of %q", *d, arguments)
		}
	})
}
