package measurement_test

import (
	"testing"

	"github.com/hashmark-dev/hashmark/internal/measurement"
)

func BenchmarkDecodeOfTheWidestMessage(b *testing.B) {
	message, err := measurement.Encode(widest(20, 1))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := measurement.Decode(message); err != nil {
			b.Fatal(err)
		}
	}
}
