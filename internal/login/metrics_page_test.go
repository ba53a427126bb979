package login

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
)

var (
	ownName  = regexp.MustCompile(`fqName: "(hashmark_login_[a-z_]+)"`)
	namedRow = regexp.MustCompile("(?m)^\\| `(hashmark_login_[a-z_]+)` \\|")
)

func TestThePageNamesTheSeriesOfTheLoginService(t *testing.T) {
	t.Parallel()
	service, _ := start(t, hold(1, 4))
	descriptions := make(chan *prometheus.Desc)
	go func() {
		service.metrics.registry.Describe(descriptions)
		close(descriptions)
	}()
	var registered, documented []string
	for description := range descriptions {
		if own := ownName.FindStringSubmatch(description.String()); own != nil {
			registered = append(registered, own[1])
		}
	}
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range namedRow.FindAllSubmatch(page, -1) {
		documented = append(documented, string(match[1]))
	}
	slices.Sort(registered)
	slices.Sort(documented)
	if diff := cmp.Diff(registered, documented); diff != "" {
		t.Errorf("series (-registered +documented in docs/metrics.md):\n%s", diff)
	}
}
