package sizing

import (
	"fmt"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/pricing"
)

// Admits reports whether a variant can be recommended: its kind of hash is allowed, every request hashes,
// and the guesses per second of an attacker are known.
func (q Question) Admits(v v1beta1.Variant) bool {
	return q.allows(v.Hash.Kind()) && q.Tariff.Guesses(v) != nil
}

func (q Question) allows(kind v1beta1.HashKind) bool {
	if len(q.Hashes) == 0 {
		return kind == v1beta1.HashBcrypt
	}
	return slices.Contains(q.Hashes, kind)
}

func (q Question) others() bool {
	return slices.ContainsFunc(q.Hashes, func(h v1beta1.HashKind) bool { return h != v1beta1.HashBcrypt })
}

// Check returns an error that says what to change if an experiment can't be measured or compared, although
// the API server accepts it.
func Check(spec v1beta1.SizingExperimentSpec) error {
	for _, check := range []func(v1beta1.SizingExperimentSpec) error{
		matrix.CheckBaseline, matrix.CheckMemory, matrix.CheckNodePools, loadplan.CheckDuration, CheckHashes,
	} {
		if err := check(spec); err != nil {
			return err
		}
	}
	return nil
}

// CheckHashes returns an error that says what to change if demand.hashes names a kind of hash that the matrix
// does not have, or one whose guesses per second are unknown. It also returns errors of the prices and the
// matrix.
func CheckHashes(spec v1beta1.SizingExperimentSpec) error {
	tariff, err := pricing.Of(spec.Prices, spec.Matrix.NodePools)
	if err != nil {
		return err
	}
	variants, err := matrix.Variants(spec.Matrix)
	if err != nil {
		return err
	}
	if spec.Demand == nil {
		return nil
	}
	for _, kind := range spec.Demand.Hashes {
		if err := checkHash(kind, variants, tariff); err != nil {
			return err
		}
	}
	return nil
}

func checkHash(kind v1beta1.HashKind, variants []v1beta1.Variant, tariff pricing.Tariff) error {
	found := false
	for _, v := range variants {
		if v.Hash.Sessions || v.Hash.Kind() != kind {
			continue
		}
		found = true
		if tariff.Guesses(v) == nil {
			return fmt.Errorf("demand.hashes has %s, but the guesses per second of an attacker at %s (%s) are unknown, because they are published only for OWASP's Argon2id settings with parallelism 1 on the default GPU; "+
				"set its guessesPerSecond, such as {name: %s, guessesPerSecond: 12000}, or remove %s from demand.hashes", kind, v.Hash.Name, matrix.Hashing(v), v.Hash.Name, kind)
		}
	}
	if !found {
		return fmt.Errorf("demand.hashes has %s, but the matrix has no such hash without sessions; add one to matrix.hashes, or remove %s from demand.hashes", kind, kind)
	}
	return nil
}
