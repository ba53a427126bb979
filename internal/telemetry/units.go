package telemetry

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// none stands for a reason that nobody gave: an empty label would be no label.
const none = "None"

// orNone is a reason as a label has it.
func orNone(reason string) string {
	if reason == "" {
		return none
	}
	return reason
}

// perSecond reads a rate that is kept times 1000.
func perSecond(milli *int64) (float64, bool) {
	if milli == nil {
		return 0, false
	}
	return float64(*milli) / 1000, true
}

// seconds reads a time that is kept in microseconds.
func seconds(micro *int64) (float64, bool) {
	if micro == nil {
		return 0, false
	}
	return float64(*micro) / 1e6, true
}

// unix reads a moment as seconds since 1970.
func unix(moment *metav1.Time) (float64, bool) {
	if moment == nil {
		return 0, false
	}
	return float64(moment.Unix()), true
}

// ratio is part ÷ whole; not known of nothing.
func ratio(part, whole int64) (float64, bool) {
	if whole <= 0 {
		return 0, false
	}
	return float64(part) / float64(whole), true
}

// perMille reads a share that is kept in thousandths; one of 0 is not known.
func perMille(thousandths int64) (float64, bool) {
	return float64(thousandths) / 1000, thousandths > 0
}

// truth is 1 for yes and 0 for no.
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
