package password

import "errors"

// sample is what Prepare hashes: any password takes the same time.
const sample = "correct horse battery staple"

// ErrWrongAnswer means that an algorithm did not know its own hash again.
var ErrWrongAnswer = errors.New("the password did not match its own hash")

// Prepare makes a function that computes one hash, by checking a password against its
// own. Making it takes the time of a hash, too. The error is the recipe's own (see
// Recipe.Check), and the function's is ErrWrongAnswer.
func Prepare(r Recipe) (hash func() error, err error) {
	stored, err := Store(r, sample)
	if err != nil {
		return nil, err
	}
	return func() error {
		if !stored.Matches(sample) {
			return ErrWrongAnswer
		}
		return nil
	}, nil
}
