package controllers

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// recent keeps what was computed for some experiments, so that the next pass does not compute it
// again. It can be lost at any time. The zero value is ready to use.
type recent[V any] struct {
	lock sync.Mutex
	kept map[types.UID]computed[V]
}

// computed is a value, and what identifies all that it was computed from.
type computed[V any] struct {
	from  string
	value V
}

// of returns the value of an experiment, and computes it unless it was computed from the same. At
// most so many values are kept: a user decides how many experiments there are.
func (r *recent[V]) of(uid types.UID, from string, most int, compute func() V) V {
	r.lock.Lock()
	found, is := r.kept[uid]
	r.lock.Unlock()
	if is && found.from == from {
		return found.value
	}
	value := compute() // without the lock: it may take seconds
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.kept == nil {
		r.kept = map[types.UID]computed[V]{}
	}
	delete(r.kept, uid)
	for another := range r.kept {
		if len(r.kept) < most {
			break
		}
		delete(r.kept, another)
	}
	r.kept[uid] = computed[V]{from, value}
	return value
}

func (r *recent[V]) forget(uid types.UID) {
	r.lock.Lock()
	defer r.lock.Unlock()
	delete(r.kept, uid)
}
