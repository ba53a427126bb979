package sizing

import (
	"fmt"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/pricing"
)

// Admits reports whether a variant can be recommended: a cost of the matrix if Bcrypt is
// allowed, or a control with another allowed hash whose guesses per second are known. A
// control with bcrypt, or with sessions, is only for comparison.
func (q Question) Admits(v v1beta1.Variant) bool {
	if v.Control == "" {
		return q.allows(v1beta1.AlgorithmBcrypt)
	}
	return v.Algorithm != v1beta1.AlgorithmBcrypt && q.allows(v.Algorithm) && q.Tariff.Guesses(v) != nil
}

func (q Question) allows(hash v1beta1.Algorithm) bool {
	if len(q.Hashes) == 0 {
		return hash == v1beta1.AlgorithmBcrypt
	}
	return slices.Contains(q.Hashes, hash)
}

func (q Question) others() bool {
	return slices.ContainsFunc(q.Hashes, func(h v1beta1.Algorithm) bool { return h != v1beta1.AlgorithmBcrypt })
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

// CheckHashes returns an error that says what to change if demand.hashes or prices.attackerRates name
// something that the matrix does not have, or a hash whose guesses per second are unknown. It also returns
// errors of the prices and the matrix.
func CheckHashes(spec v1beta1.SizingExperimentSpec) error {
	tariff, err := pricing.Of(spec.Prices, spec.Matrix.NodePools)
	if err != nil {
		return err
	}
	variants, err := matrix.Variants(spec.Matrix)
	if err != nil {
		return err
	}
	if err := checkRates(spec); err != nil || spec.Demand == nil {
		return err
	}
	for _, hash := range spec.Demand.Hashes {
		if hash != v1beta1.AlgorithmBcrypt {
			if err := checkHash(hash, variants, tariff); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkRates(spec v1beta1.SizingExperimentSpec) error {
	if spec.Prices == nil {
		return nil
	}
	for _, rate := range spec.Prices.AttackerRates {
		if !slices.ContainsFunc(spec.Matrix.Controls, func(c v1beta1.Control) bool { return c.Name == rate.Control }) {
			return fmt.Errorf("prices.attackerRates names control %s, which is not in matrix.controls; add the control, or remove the rate", rate.Control)
		}
	}
	return nil
}

func checkHash(hash v1beta1.Algorithm, variants []v1beta1.Variant, tariff pricing.Tariff) error {
	found := false
	for _, v := range variants {
		if v.Control == "" || v.Sessions || v.Algorithm != hash {
			continue
		}
		found = true
		if tariff.Guesses(v) == nil {
			return fmt.Errorf("demand.hashes has %s, but the guesses per second of an attacker at control %s (%s) are unknown, because they are published only for OWASP's Argon2id settings with parallelism 1 on the default GPU; "+
				"set prices.attackerRates, such as [{control: %s, guessesPerSecond: 12000}], or remove %s from demand.hashes", hash, v.Control, matrix.Hashing(v), v.Control, hash)
		}
	}
	if !found {
		return fmt.Errorf("demand.hashes has %s, but no control without sessions has it; add one to matrix.controls, or remove %s from demand.hashes", hash, hash)
	}
	return nil
}
