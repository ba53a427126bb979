package password

import (
	"math"
	"testing"
)

func TestEveryAlgorithmsHashIsGuessedAsItWasTimed(t *testing.T) {
	for milliseconds, recipe := range map[float64]Recipe{
		56.6:  {Algorithm: Bcrypt, Cost: 10},
		21.9:  Recipe{Algorithm: Argon2id}.WithDefaults(),
		322:   Recipe{Algorithm: Scrypt}.WithDefaults(),
		99.6:  Recipe{Algorithm: PBKDF2}.WithDefaults(),
		86.1:  {Algorithm: PBKDF2, Iterations: 210_000, Digest: DigestSHA512},
		0.001: {Algorithm: SHA256},
		1:     {Algorithm: Other},
	} {
		if got := recipe.GuessedTime().Seconds() * 1000; math.Abs(got/milliseconds-1) > 0.01 {
			t.Errorf("%s is guessed at %.3g ms, want %.3g", recipe, got, milliseconds)
		}
	}
}
