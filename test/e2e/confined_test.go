//go:build e2e

package e2e

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/internal/objects"
)

// confinement opens connections that no policy allows, from the first to the last moment of each
// trial's pod in a namespace: from strangers to the pod, and from the pod to strangers, to other pods
// of trials, and to the control plane.
//
// An enforcer learns of a new pod late. Before it has refused a connection on a way, others may
// succeed there; afterwards none may, as long as a container of the pod runs.
type confinement struct {
	namespace string
	strangers []podNetwork
	control   []string

	mutex sync.Mutex
	pods  []podNetwork
	tried map[way]*tally
	leaks []string
	begun map[types.UID]time.Time
}

// way is a connection that is tried again and again.
type way struct {
	from, to podNetwork
	network  string
	address  string
}

func (w way) String() string {
	return fmt.Sprintf("from %s to %s at %s (%s)", w.from.name, cmp.Or(w.to.name, "the control plane"), w.address, w.network)
}

// tally is what became of the tries on a way. The first was at begun, and the first refusal at enforced.
type tally struct {
	reached, refused int
	begun, enforced  time.Time
}

const (
	// probes is the time between two tries on each way.
	probes = 100 * time.Millisecond
	// late is how late an enforcer may be on a machine that does other work.
	late = 20 * time.Second
)

// served are the ports of login services, of own ones in the tests, and of their evidence.
var served = []uint16{objects.Port, objects.TLSPort, objects.EvidencePort, 2379}

// watchNetwork watches the pods of a namespace until confined is called. It adds a stranger to the
// namespace, on the node for services, and one to another namespace, on the node for loads.
func watchNetwork(t *testing.T, watched string) *confinement {
	t.Helper()
	control, err := controlPlane(t.Context())
	must(t, err)
	c := &confinement{namespace: watched, control: control, tried: map[way]*tally{}, begun: map[types.UID]time.Time{}}
	for ns, role := range map[string]string{watched: "service", namespace(t): "load"} {
		c.strangers = append(c.strangers, stranger(t, ns, role))
	}
	for _, s := range c.strangers {
		must(t, s.open(t.Context()))
		go func() { _ = s.inside(func() { c.probe(t.Context(), s) }) }()
	}
	go c.find(t.Context())
	return c
}

// stranger starts a pod without any label, and returns its network.
func stranger(t *testing.T, ns, role string) podNetwork {
	t.Helper()
	pod := create(t, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "stranger-" + role},
		Spec: corev1.PodSpec{
			NodeSelector:                 map[string]string{"hashmark.dev/role": role},
			Tolerations:                  []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			AutomountServiceAccountToken: ptr.To(false),
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: ptr.To(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: "pause", Image: cmp.Or(os.Getenv("HASHMARK_PAUSE_IMAGE"), "hashmark.dev/pause:local"), ImagePullPolicy: corev1.PullNever,
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: ptr.To(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
		},
	})
	var its podNetwork
	until(t, time.Minute, pod.Name+" to have a network", func() (bool, string) {
		found, err := networks(ns)
		must(t, err)
		at := slices.IndexFunc(found, func(n podNetwork) bool { return n.uid == pod.UID })
		if at >= 0 {
			its = found[at]
		}
		return at >= 0, fmt.Sprint(found)
	})
	return its
}

// find begins to watch each new pod of the namespace.
func (c *confinement) find(ctx context.Context) {
	known := map[types.UID]bool{}
	for _, s := range c.strangers {
		known[s.uid] = true
	}
	for ; ctx.Err() == nil; pause(ctx, probes/5) {
		found, _ := networks(c.namespace)
		for _, n := range found {
			if known[n.uid] || n.open(ctx) != nil {
				continue
			}
			known[n.uid] = true
			c.mutex.Lock()
			c.pods = append(c.pods, n)
			c.mutex.Unlock()
			go func() { _ = n.inside(func() { c.probe(ctx, n) }) }()
		}
	}
}

// pause waits, or returns when the context ends.
func pause(ctx context.Context, period time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(period):
	}
}

// probe tries all ways that begin in a network until it has gone.
func (c *confinement) probe(ctx context.Context, from podNetwork) {
	for ; ctx.Err() == nil && !from.gone(); pause(ctx, probes) {
		for _, w := range c.ways(from) {
			c.note(w, try(w.network, w.address))
		}
		if !c.strange(from) {
			c.noteBegin(from)
		}
	}
}

// noteBegin records when a pod's first container was seen to run.
func (c *confinement) noteBegin(pod podNetwork) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.begun[pod.uid].IsZero() && pod.works() {
		c.begun[pod.uid] = time.Now()
	}
}

// ways returns the ways from a network: to the doors of all others, from a pod of a trial also to
// strangers' resolvers and to the control plane, and from a stranger also to what such a pod serves.
func (c *confinement) ways(from podNetwork) []way {
	var ways []way
	to := func(n podNetwork, network string, port uint16) {
		ways = append(ways, way{from, n, network, netip.AddrPortFrom(n.address, port).String()})
	}
	for _, n := range c.others(from) {
		to(n, "tcp4", door)
		switch {
		case c.strange(from) && !c.strange(n):
			for _, port := range served {
				to(n, "tcp4", port)
			}
		case c.strange(n):
			to(n, "udp4", resolver)
		}
	}
	for _, address := range c.control {
		if !c.strange(from) {
			ways = append(ways, way{from, podNetwork{}, "tcp4", address})
		}
	}
	return ways
}

// others returns the networks that exist beside one.
func (c *confinement) others(from podNetwork) []podNetwork {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return slices.DeleteFunc(slices.Concat(c.strangers, c.pods), func(n podNetwork) bool { return n.uid == from.uid || n.gone() })
}

func (c *confinement) strange(n podNetwork) bool {
	return slices.ContainsFunc(c.strangers, func(s podNetwork) bool { return s.uid == n.uid })
}

// note counts what became of a try. A connection on a way that was refused before is a leak, if a
// container of the trial's pod runs.
func (c *confinement) note(w way, became outcome) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.tried[w] == nil {
		c.tried[w] = &tally{begun: time.Now()}
	}
	its, confined := c.tried[w], w.from
	if c.strange(confined) {
		confined = w.to
	}
	switch became {
	case reached:
		its.reached++
		free := c.strange(w.from) && c.strange(w.to)
		if !free && (c.enforced(w) || time.Since(its.begun) > late) && confined.works() {
			c.leaks = append(c.leaks, fmt.Sprintf("%s %s", time.Now().Format(time.StampMilli), w))
		}
	case refused:
		its.refused++
		if its.enforced.IsZero() {
			its.enforced = time.Now()
		}
	}
}

// enforced reports whether a connection was refused on a way. Where a pod serves, nothing may listen
// yet; there the way to its door says whether policies are enforced.
func (c *confinement) enforced(w way) bool {
	if slices.Contains(served, portOf(w.address)) {
		w.address = netip.AddrPortFrom(w.to.address, door).String()
	}
	return c.tried[w] != nil && !c.tried[w].enforced.IsZero()
}

func portOf(address string) uint16 { return netip.MustParseAddrPort(address).Port() }

// confined waits until the trials' pods have gone, and fails unless they were confined.
func (c *confinement) confined(t *testing.T) {
	t.Helper()
	until(t, time.Minute, "the pods of "+c.namespace+" to go", func() (bool, string) {
		found, err := networks(c.namespace)
		must(t, err)
		return !slices.ContainsFunc(found, func(n podNetwork) bool { return !c.strange(n) }), fmt.Sprint(found)
	})
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for w, its := range c.tried {
		// A policy forbids a connection again and again. A busy machine can lose one of hundreds.
		if c.strange(w.from) && c.strange(w.to) && (its.reached == 0 || its.refused > its.reached/20) {
			t.Errorf("no policy forbids a connection %s: %d were opened, %d refused", w, its.reached, its.refused)
		}
	}
	if len(c.leaks) > 0 {
		t.Errorf("%d connections were opened later than %s, or after one on the same way was refused; the first ones:\n%s",
			len(c.leaks), late, strings.Join(c.leaks[:min(len(c.leaks), 10)], "\n"))
	}
	known := 0
	for _, pod := range c.pods {
		if last := c.last(pod); !last.IsZero() {
			known++
			t.Logf("%s is confined %s after it had an address, %s after its first container began",
				pod.name, last.Sub(pod.found).Round(time.Millisecond), last.Sub(c.begun[pod.uid]).Round(time.Millisecond))
		}
	}
	if known < 2 {
		t.Errorf("%d pods of trials were confined, want at least a login service and a generator", known)
	}
}

// await waits until a pod of a trial is confined.
func (c *confinement) await(t *testing.T, uid types.UID) {
	t.Helper()
	until(t, late, "the pod to be confined", func() (bool, string) {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		at := slices.IndexFunc(c.pods, func(n podNetwork) bool { return n.uid == uid })
		if at < 0 {
			return false, "it has no network"
		}
		return !c.last(c.pods[at]).IsZero(), c.unenforced(uid)
	})
}

// unenforced lists the ways to and from a pod on which no connection was refused.
func (c *confinement) unenforced(uid types.UID) string {
	var all []string
	for w, its := range c.tried {
		if (w.from.uid == uid || w.to.uid == uid) && its.enforced.IsZero() {
			all = append(all, fmt.Sprintf("%s: %d reached", w, its.reached))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// last returns when the first connection was refused on the last of the ways between a pod of a trial
// and all that is older, or no time before that.
func (c *confinement) last(pod podNetwork) time.Time {
	var last time.Time
	for w, its := range c.tried {
		other := w.to
		if other.uid == pod.uid {
			other = w.from
		}
		if w.from.uid != pod.uid && w.to.uid != pod.uid || other.found.After(pod.found) && !c.strange(other) ||
			slices.Contains(served, portOf(w.address)) {
			continue
		}
		if its.enforced.IsZero() {
			return time.Time{}
		}
		if its.enforced.After(last) {
			last = its.enforced
		}
	}
	return last
}
