package controllers

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// refusals are the answers of the API server that an object of a trial can't be deleted. They are lost
// with the process; the next one tries again.
type refusals struct {
	lock    sync.Mutex
	answers map[types.UID]map[types.UID]string // by trial, and by object
}

func (r *refusals) note(trial, object types.UID, answer string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.answers == nil {
		r.answers = map[types.UID]map[types.UID]string{}
	}
	if r.answers[trial] == nil {
		r.answers[trial] = map[types.UID]string{}
	}
	r.answers[trial][object] = answer
}

func (r *refusals) forget(trial, object types.UID) {
	r.lock.Lock()
	defer r.lock.Unlock()
	delete(r.answers[trial], object)
	if len(r.answers[trial]) == 0 {
		delete(r.answers, trial)
	}
}

// of returns the answer about an object, or "".
func (r *refusals) of(trial, object types.UID) string {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.answers[trial][object]
}
