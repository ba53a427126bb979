package preview

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/config/crd"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/sizing"
	"github.com/hashmark-dev/hashmark/internal/verdict"
	"github.com/hashmark-dev/hashmark/test/simulated"
)

// world is a base with its nodes. A change of a node changes the object.
type world struct {
	object map[string]any
	nodes  []node
	// variants are the names of its variants, and done and said what the operator does and says.
	variants   []string
	done, said string
	// runs are the results of the trials that were simulated, by their specs.
	runs map[string]v1beta1.SizingTrialStatus
}

func schemaOfSpec(t *testing.T) apiextensionsv1.JSONSchemaProps {
	t.Helper()
	installed := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(crd.SizingExperiments, installed); err != nil {
		t.Fatal(err)
	}
	return installed.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
}

// newWorld returns a base after more changes of its spec.
func newWorld(t *testing.T, base string, more ...string) *world {
	t.Helper()
	var changes []string
	for _, change := range slices.Concat(bases[base].changes, more) {
		changes = append(changes, "spec: {"+change+"}")
	}
	w := &world{object: object(t, bases[base].of, changes...), runs: map[string]v1beta1.SizingTrialStatus{}}
	w.nodes = node{"spec", schemaOfSpec(t), w.object["spec"], nil}.all()
	return w
}

// observe notes what the operator does and says with the base, from which changes must differ.
func (w *world) observe(t *testing.T) *world {
	t.Helper()
	e, refusals := accept(t.Context(), w.object)
	if len(refusals) > 0 {
		t.Fatal(refusals)
	}
	for _, planned := range plan(t, e) {
		w.variants = append(w.variants, planned.Spec.Variant.Name)
	}
	w.done, w.said = done(t, e), w.say(t, e)
	return w
}

// differs reports whether the experiment is accepted after a change, and whether the operator then does or says
// something else.
func (w *world) differs(t *testing.T) (accepted, differs bool) {
	t.Helper()
	e, refusals := accept(t.Context(), w.object)
	if len(refusals) > 0 {
		return false, false
	}
	return true, done(t, e) != w.done || w.say(t, e) != w.said
}

// done returns the loads and the objects of the trials, in their order.
func done(t *testing.T, e *v1beta1.SizingExperiment) string {
	t.Helper()
	var all []any
	settings := objects.Settings{AllowedServiceImages: []string{"registry.example"}, SecretsPolicy: "own-secrets", GeneratorCPULimit: "1", GeneratorMemoryLimit: "1Gi"}
	for _, planned := range plan(t, e) {
		trial := &v1beta1.SizingTrial{Spec: planned.Spec}
		trial.UID, trial.OwnerReferences = "trial", []metav1.OwnerReference{*metav1.NewControllerRef(e, v1beta1.GroupVersion.WithKind("SizingExperiment"))}
		builder, err := objects.New(settings, trial, 1, time.Time{})
		if err != nil {
			return err.Error()
		}
		load, _, _ := planOf(t, planned.Spec)
		job, err := builder.Job(objects.Load{Plan: load, PodIPs: []string{"198.18.16.4"}})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, planned.Name, builder.Deployment(nil), builder.Service(), job, builder.ServicePolicy(), builder.GeneratorPolicy(),
			builder.Companions(), builder.CompanionPolicy(), lifecycle.RunAllowance(planned.Spec))
	}
	return text(t, all)
}

// say returns the judgements of simulated runs, and what the operator concludes from them, without what it only
// copies from the spec.
func (w *world) say(t *testing.T, e *v1beta1.SizingExperiment) string {
	t.Helper()
	var trials []v1beta1.SizingTrial
	for needed := true; needed; {
		trials = nil
		for _, planned := range plan(t, e) {
			key := text(t, planned.Spec)
			if _, has := w.runs[key]; !has {
				w.runs[key] = run(t, planned.Spec)
			}
			trials = append(trials, v1beta1.SizingTrial{Spec: planned.Spec, Status: w.runs[key]})
		}
		if err := sizing.Conclude(e.Spec, trials, &e.Status); err != nil {
			t.Fatal(err)
		}
		var load v1beta1.DecisionLoad
		var err error
		if load, needed, err = sizing.Decide(e.Spec, trials, &e.Status); err != nil {
			t.Fatal(err)
		}
		if needed {
			e.Status.Decision.Loads = append(e.Status.Decision.Loads, load)
		}
	}
	next, _ := sizing.NextVerification(e, trials)
	tariff, err := pricing.Of(e.Spec.Prices, e.Spec.Matrix.NodePools)
	if err != nil {
		t.Fatal(err)
	}
	all := []any{next, results.Conclusion(&e.Status, e.Spec.Prices, ""), tariff.Assumption()}
	for i := range trials {
		all = append(all, trials[i].Status)
	}
	for i := range e.Status.Results {
		e.Status.Results[i].Hash, e.Status.Results[i].CPULimit = v1beta1.Hash{}, ""
	}
	for i := range e.Status.Predictions {
		e.Status.Predictions[i].CPULimit = ""
	}
	for i := range e.Status.HashTimes {
		e.Status.HashTimes[i].Hash = v1beta1.Hash{}
	}
	return text(t, append(all, e.Status))
}

func plan(t *testing.T, e *v1beta1.SizingExperiment) []matrix.PlannedTrial {
	t.Helper()
	planned, err := matrix.Plan(e, matrix.Seed(e))
	if err != nil {
		t.Fatal(err)
	}
	return planned
}

// planOf returns the load of a trial on a simulated machine, and the machine's calibration.
func planOf(t *testing.T, spec v1beta1.SizingTrialSpec) (loadplan.Plan, simulated.Machine, handover.Calibration) {
	t.Helper()
	limit, err := matrix.MilliCPU(spec.Variant.CPULimit)
	if err != nil {
		t.Fatal(err)
	}
	machine := simulated.Machine{Cost: cmp.Or(spec.Variant.Hash.Cost(), 8), MilliCPU: limit, Replicas: int(spec.Service.Replicas), GeneratorCPUs: simulated.UsualGeneratorCPUs}
	var timed calibration.Result
	if err := json.Unmarshal([]byte(machine.Calibration()), &timed); err != nil {
		t.Fatal(err)
	}
	load, err := loadplan.Build(spec, timed.Calibration, nil)
	if err != nil {
		t.Fatal(err)
	}
	return load, machine, timed.Calibration
}

// run returns the result of a trial on a simulated machine. The machine has no intervals of p50 and p99, and no
// latencies of closed steps; here they are multiples of the hash time.
func run(t *testing.T, spec v1beta1.SizingTrialSpec) v1beta1.SizingTrialStatus {
	t.Helper()
	load, machine, cal := planOf(t, spec)
	if spec.Role == v1beta1.RoleCalibration {
		judged := verdict.Calibrated(spec, cal, 0)
		return v1beta1.SizingTrialStatus{Phase: v1beta1.TrialSucceeded, Calibration: &cal, Result: &judged.Result, Speed: judged.Speed}
	}
	ran := machine.Run(load)
	for i := range ran.Steps {
		step := &ran.Steps[i]
		p50, p95, p99 := cal.HashMicroseconds, 2*cal.HashMicroseconds, 8*cal.HashMicroseconds
		if step.P95Microseconds == nil {
			step.P50Microseconds, step.P95Microseconds, step.P99Microseconds = &p50, &p95, &p99
			step.P95Interval = &handover.Interval{LowMicroseconds: p95, HighMicroseconds: p95}
		}
		step.P50Interval = &handover.Interval{LowMicroseconds: p50, HighMicroseconds: p50}
		step.P99Interval = &handover.Interval{LowMicroseconds: p99, HighMicroseconds: p99}
	}
	judged := verdict.Judge(verdict.Input{
		Spec: spec, Calibration: cal, Plan: load, Run: ran,
		Placement: verdict.Placement{ServiceNodes: []string{simulated.ServiceNode}, GeneratorNode: simulated.LoadNode},
	})
	return v1beta1.SizingTrialStatus{
		Phase: v1beta1.TrialSucceeded, Calibration: &cal, Result: &judged.Result,
		Steps: judged.Steps, Speed: judged.Speed, Capacity: judged.Capacity,
	}
}

func text(t *testing.T, of any) string {
	t.Helper()
	written, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	return string(written)
}

func TestEveryFieldHasAnEffect(t *testing.T) {
	var shown sync.Map
	t.Run("bases", func(t *testing.T) {
		for base := range bases {
			t.Run(base, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, base).observe(t)
				for _, n := range w.nodes {
					if n.leaf() && !shownElsewhere(n.path) && w.hasEffect(t, n, n.others(w.variants)...) {
						shown.Store(n.path, true)
					}
				}
			})
		}
	})
	for _, path := range fields("spec", schemaOfSpec(t)) {
		if _, has := shown.Load(path); !has && !shownElsewhere(path) {
			t.Errorf("no base shows an effect of %s", path)
		}
	}
}

// shownElsewhere reports whether another test is about a field: it acts while the operator runs, can't be set, or is a
// hash without parameters, which only excludes other hashes.
func shownElsewhere(path string) bool {
	_, acts := acting[path]
	_, never := neverTrue[path]
	return acts || never || path == "spec.matrix.hashes[].sha256" || path == "spec.matrix.hashes[].other"
}

// hasEffect reports whether one of some values of a field makes a difference. It is an error if any is accepted, but
// none makes one.
func (w *world) hasEffect(t *testing.T, n node, tries ...any) bool {
	t.Helper()
	defer n.set(n.value)
	var without []any
	for _, other := range tries {
		n.set(other)
		accepted, differs := w.differs(t)
		if differs {
			return true
		}
		if accepted && other != nil && !n.isDefault(other) { // its absence may mean the same as its value
			without = append(without, other)
		}
	}
	if len(without) > 0 {
		t.Errorf("%s has no effect with %v", n.path, without)
	}
	return false
}

// samples returns a value for each field, from any base.
func samples(t *testing.T) map[string]any {
	t.Helper()
	all := map[string]any{}
	for base := range bases {
		for _, n := range newWorld(t, base).nodes {
			all[n.path] = n.value
		}
	}
	return all
}

// saturated are fields whose effect a small matrix doesn't show: all of its variants are corners, and a single variant is
// compared with nothing.
var saturated = map[string]bool{"spec.matrix.measure": true, "spec.baseline": true}

// TestAFieldFromAnotherBaseHasAnEffectOrIsRefused adds each field that an object of a base lacks.
func TestAFieldFromAnotherBaseHasAnEffectOrIsRefused(t *testing.T) {
	samples := samples(t)
	for base := range bases {
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, base).observe(t)
			for _, parent := range w.nodes {
				fields, isObject := parent.value.(map[string]any)
				if !isObject {
					continue
				}
				for name := range parent.schema.Properties {
					added := parent.field(fields, name)
					if sample := samples[added.path]; added.value == nil && sample != nil && added.leaf() && !shownElsewhere(added.path) && !saturated[added.path] {
						tried := added
						tried.value = sample
						w.hasEffect(t, added, append(tried.others(w.variants), sample)...)
					}
				}
			}
		})
	}
}

func TestTheMembersOfAUnionExcludeEachOther(t *testing.T) {
	samples := samples(t)
	distinct := map[string]bool{}
	for base := range bases {
		w := newWorld(t, base).observe(t)
		for _, n := range w.nodes {
			for _, member := range unions[n.path] {
				if value := n.value.(map[string]any); value[member] == nil {
					w.tryMember(t, n, member, samples[n.path+"."+member], distinct)
				}
			}
		}
	}
	for path, members := range unions {
		for _, member := range members {
			if !distinct[path+"."+member] {
				t.Errorf("no base shows that %s.%s has another effect than the other members", path, member)
			}
		}
	}
}

// tryMember adds a member to a union that has another, which must be refused, and then replaces the other with it.
func (w *world) tryMember(t *testing.T, union node, member string, sample any, distinct map[string]bool) {
	t.Helper()
	value := union.value.(map[string]any)
	for _, other := range unions[union.path] {
		if value[other] == nil {
			continue
		}
		added, given := union.field(value, member), union.field(value, other)
		added.set(sample)
		if _, refusals := accept(t.Context(), w.object); !slices.ContainsFunc(refusals, func(r Refusal) bool {
			return strings.Contains(r.Message, member) && strings.Contains(r.Message, other)
		}) {
			t.Errorf("%s with %s and %s: the refusals are %v", union.path, other, member, refusals)
		}
		given.set(nil)
		if accepted, differs := w.differs(t); differs {
			distinct[added.path], distinct[given.path] = true, true
		} else if accepted {
			t.Errorf("%s.%s has the same effect as %s", union.path, member, other)
		}
		added.set(nil)
		given.set(given.value)
	}
}

func TestEveryFieldIsInABase(t *testing.T) {
	has := map[string]bool{}
	for base := range bases {
		for _, n := range newWorld(t, base).nodes {
			has[n.path] = has[n.path] || n.leaf()
		}
	}
	for _, path := range fields("spec", schemaOfSpec(t)) {
		if _, never := neverTrue[path]; has[path] == never {
			t.Errorf("%s must be either in a base, so that its effect is tested, or refused", path)
		}
	}
	for path, change := range neverTrue {
		if _, refusals := accept(t.Context(), newWorld(t, "a login in a script", change).object); len(refusals) == 0 {
			t.Errorf("%s is accepted", path)
		}
	}
}

func TestWhatActsWhileTheOperatorRunsIsTestedThere(t *testing.T) {
	for path, shown := range acting {
		source, err := os.ReadFile("../../" + shown.file)
		if err != nil || !strings.Contains(string(source), "func "+shown.test+"(t *testing.T)") {
			t.Errorf("%s: no test %s in %s, error %v", path, shown.test, shown.file, err)
		}
	}
}
