package handover_test

import (
	"testing"

	"github.com/hashmark-dev/hashmark/internal/handover"
)

func BenchmarkDecodeOfTheWidestMessage(b *testing.B) {
	message, err := handover.Encode(widest(20, 1))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := handover.Decode(message); err != nil {
			b.Fatal(err)
		}
	}
}
