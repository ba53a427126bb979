package password

import "errors"

// sample is the password that Prepare hashes. Every password takes the same time.
const sample = "correct horse battery staple"

// ErrWrongAnswer means that a password did not match its own hash.
var ErrWrongAnswer = errors.New("the password did not match its own hash")

// Prepare returns a function that computes one hash by checking a password against its own
// hash. Prepare itself takes the time of a hash, too. Its error is that of Recipe.Check,
// and the function's error is ErrWrongAnswer.
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
