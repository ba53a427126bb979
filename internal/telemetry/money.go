package telemetry

import (
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// currency is the label that says what a price is told in: prices of several
// currencies must not be added up.
const currency = "currency"

// currencyOf is what an experiment's prices are told in. Empty without prices,
// which then have no sample either.
func currencyOf(e *v1alpha1.SizingExperiment) string {
	if e.Spec.Prices == nil {
		return ""
	}
	return e.Spec.Prices.Currency
}

// decimal reads a number such as "0.83"; not known of one that is not told.
func decimal(text string) (float64, bool) {
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil
}

// cpus reads an amount of CPU, such as 2500m; not known of one that is not told.
func cpus(quantity string) (float64, bool) {
	amount, err := resource.ParseQuantity(quantity)
	return amount.AsApproximateFloat64(), err == nil
}
