package telemetry

import (
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// currency is the label with the currency of a price: prices in different currencies must
// not be added up.
const currency = "currency"

// currencyOf returns the currency of an experiment's prices. It is empty without prices,
// which have no samples then.
func currencyOf(e *v1alpha1.SizingExperiment) string {
	if e.Spec.Prices == nil {
		return ""
	}
	return e.Spec.Prices.Currency
}

// decimal parses a number such as "0.83". It returns false if the number is absent.
func decimal(text string) (float64, bool) {
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil
}

// cpus parses a CPU quantity such as 2500m. It returns false if the quantity is absent.
func cpus(quantity string) (float64, bool) {
	amount, err := resource.ParseQuantity(quantity)
	return amount.AsApproximateFloat64(), err == nil
}
