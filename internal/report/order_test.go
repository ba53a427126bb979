package report_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/report"
)

func TestTableOrders(t *testing.T) {
	document := full(t)
	document.Row("c8-1").Result.P95Microseconds = nil
	for i, price := range []string{"7.30", "14.60", "29.20", "21.90", "14.60", "none"} {
		document.Rows[i].Result.Price.PerMonth = price
	}
	for _, test := range []struct {
		section, order string
		want           []string
	}{
		{"Variants", "highest capacity", []string{"c8-1", "c8-500m", "c10-1", "c8-250m", "c10-500m", "c10-250m"}},
		{"Variants", "lowest p95", []string{"c8-250m", "c8-500m", "c10-1", "c10-500m", "c10-250m", "c8-1"}},
		{"Variants", "highest maximum", []string{"c8-1", "c8-500m", "c8-250m", "c10-1", "c10-500m", "c10-250m"}},
		{"Sizes for the demand", "lowest price per month", []string{"c8-250m", "c8-500m", "c10-500m", "c10-250m", "c8-1", "c11-1 (predicted)", "c10-1"}},
		{"Sizes for the demand", "least CPU", []string{"c8-250m", "c10-250m", "c8-500m", "c10-500m", "c8-1", "c10-1", "c11-1 (predicted)"}},
	} {
		t.Run(test.order, func(t *testing.T) {
			section := section(t, document, test.section)
			at := slices.IndexFunc(section.Orders, func(o report.Order) bool { return o.Label == test.order })
			if at < 0 {
				t.Fatalf("the orders are %v", section.Orders)
			}
			got := make([]string, len(section.Lines))
			for line, rank := range section.Orders[at].Ranks {
				got[rank] = section.Lines[line][0]
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOrderNeedsThreeNumbers(t *testing.T) {
	document := full(t)
	for i := range document.Rows[1:] {
		document.Rows[i+1].Result.CapacityMilliPerSecond = nil
	}
	for _, section := range document.Sections() {
		for _, order := range section.Orders {
			if order.Label == "highest capacity" {
				t.Errorf("%s can be ordered by capacity, which one of %d lines has", section.Title, len(section.Lines))
			}
		}
	}
}
