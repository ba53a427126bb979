package telemetry

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// none is the label value for a missing reason: an empty label is the same as no label.
const none = "None"

// orNone returns the label value for a reason.
func orNone(reason string) string {
	if reason == "" {
		return none
	}
	return reason
}

// perSecond converts a rate in thousandths.
func perSecond(milli *int64) (float64, bool) {
	if milli == nil {
		return 0, false
	}
	return float64(*milli) / 1000, true
}

// seconds converts a time in microseconds.
func seconds(micro *int64) (float64, bool) {
	if micro == nil {
		return 0, false
	}
	return float64(*micro) / 1e6, true
}

// unix converts a time to seconds since 1970.
func unix(moment *metav1.Time) (float64, bool) {
	if moment == nil {
		return 0, false
	}
	return float64(moment.Unix()), true
}

// ratio returns part ÷ whole. It is absent if whole is 0.
func ratio(part, whole int64) (float64, bool) {
	if whole <= 0 {
		return 0, false
	}
	return float64(part) / float64(whole), true
}

// perMille converts a share in thousandths. 0 means that it is absent.
func perMille(thousandths int64) (float64, bool) {
	return float64(thousandths) / 1000, thousandths > 0
}

// truth returns 1 for true and 0 for false.
func truth(yes *bool) (float64, bool) {
	switch {
	case yes == nil:
		return 0, false
	case *yes:
		return 1, true
	default:
		return 0, true
	}
}
