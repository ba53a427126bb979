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
	var told, named []string
	for description := range descriptions {
		if own := ownName.FindStringSubmatch(description.String()); own != nil {
			told = append(told, own[1])
		}
	}
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range namedRow.FindAllSubmatch(page, -1) {
		named = append(named, string(found[1]))
	}
	slices.Sort(told)
	slices.Sort(named)
	if diff := cmp.Diff(told, named); diff != "" {
		t.Errorf("series (-told +named on docs/metrics.md):\n%s", diff)
	}
}
