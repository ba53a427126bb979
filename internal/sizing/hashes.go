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
// and the guesses per second of an attacker are known, unless its hash is not compared with another one.
func (q Question) Admits(v v1beta1.Variant) bool {
	return q.allows(v.Hash.Kind()) && !v.Hash.Sessions && (q.OneHash || q.Tariff.Guesses(v) != nil)
}

// Never says why a variant can't be recommended even if each replica serves the given rate, times 1000, such as "has
// a cost below minimumCost 10". It returns "" if it can.
func (q Question) Never(v v1beta1.Variant, milliPerSecond int64) string {
	switch {
	case v.Hash.Sessions:
		return "has sessions, which are only for comparison"
	case !q.allows(v.Hash.Kind()):
		return fmt.Sprintf("has the hash %s, which is not in demand.hashes", v.Hash.Kind())
	}
	milliCPU, _ := matrix.MilliCPU(v.CPULimit) // 0 if it is unknown
	return q.breaks(q.size(Candidate{Variant: v, MilliCPU: milliCPU, Trust: Valid, Capacity: milliPerSecond}))
}

func (q Question) allows(kind v1beta1.HashKind) bool {
	if len(q.Hashes) == 0 {
		return kind == v1beta1.HashBcrypt || q.OneHash
	}
	return slices.Contains(q.Hashes, kind)
}

func (q Question) others() bool {
	return slices.ContainsFunc(q.Hashes, func(h v1beta1.HashKind) bool { return h != v1beta1.HashBcrypt })
}

// checks are those of what the API server accepts, although it can't be measured or compared. What costs least is first.
var checks = []func(v1beta1.SizingExperimentSpec) error{
	func(spec v1beta1.SizingExperimentSpec) error { return matrix.CheckSize(spec) },
	matrix.CheckBaseline, matrix.CheckAlso, matrix.CheckMemory, matrix.CheckNodePools, loadplan.CheckDuration, CheckHashes,
	func(spec v1beta1.SizingExperimentSpec) error { return matrix.CheckOwn(spec.Service.Own) }, matrix.CheckParameters,
}

// Check returns the first of Problems, or nil if there is none.
func Check(spec v1beta1.SizingExperimentSpec) error {
	for _, check := range checks {
		if err := check(spec); err != nil {
			return err
		}
	}
	return nil
}

// Problems returns each reason why an experiment can't be measured or compared, although the API server
// accepts it. Each says what to change.
func Problems(spec v1beta1.SizingExperimentSpec) []error {
	var all []error
	for _, check := range checks {
		err := check(spec)
		// Several checks return what is wrong with the matrix.
		if err != nil && !slices.ContainsFunc(all, func(known error) bool { return known.Error() == err.Error() }) {
			all = append(all, err)
		}
	}
	return all
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
	question, _ := QuestionOf(spec, tariff, nil)
	for _, kind := range spec.Demand.Hashes {
		if err := question.checkHash(kind, variants); err != nil {
			return err
		}
	}
	return nil
}

func (q Question) checkHash(kind v1beta1.HashKind, variants []v1beta1.Variant) error {
	found := false
	for _, v := range variants {
		if v.Hash.Sessions || v.Hash.Kind() != kind {
			continue
		}
		found = true
		if !q.Admits(v) {
			return fmt.Errorf("demand.hashes has %s, but the guesses per second of an attacker at %s (%s) are unknown, because they are published only for OWASP's Argon2id settings with parallelism 1 on the default GPU; "+
				"set its guessesPerSecond, such as {name: %s, guessesPerSecond: 12000}, or remove %s from demand.hashes", kind, v.Hash.Name, matrix.Hashing(v), v.Hash.Name, kind)
		}
	}
	if !found {
		return fmt.Errorf("demand.hashes has %s, but the matrix has no such hash without sessions; add one to matrix.hashes, or remove %s from demand.hashes", kind, kind)
	}
	return nil
}
