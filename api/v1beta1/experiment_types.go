package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// SizingExperiment measures how strong a password hash a login service can afford, on how
// much CPU, at which login rate. The operator measures every variant of its matrix and
// writes the results and a recommendation to its status.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=szx,categories=hashmark
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Trials",type=string,JSONPath=`.status.display.trials`
// +kubebuilder:printcolumn:name="Variant",type=string,JSONPath=`.status.display.variant`
// +kubebuilder:printcolumn:name="Recommended",type=string,JSONPath=`.status.display.recommended`
// +kubebuilder:printcolumn:name="Verified",type=string,JSONPath=`.status.display.verified`
// +kubebuilder:printcolumn:name="P95",type=string,JSONPath=`.status.display.p95`
// +kubebuilder:printcolumn:name="Capacity",type=string,JSONPath=`.status.display.capacity`
// +kubebuilder:printcolumn:name="Throughput",type=string,JSONPath=`.status.display.throughput`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Step-P50",type=string,priority=1,JSONPath=`.status.display.stepP50`
// +kubebuilder:printcolumn:name="Step-P95",type=string,priority=1,JSONPath=`.status.display.stepP95`
// +kubebuilder:printcolumn:name="Step-P99",type=string,priority=1,JSONPath=`.status.display.stepP99`
// +kubebuilder:printcolumn:name="Speed",type=string,priority=1,JSONPath=`.status.display.speed`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 52",message="the experiment's name can have at most 52 characters, because trials are named after it; choose a shorter one"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status.startTime) && !oldSelf.spec.cancel || self.spec.matrix == oldSelf.spec.matrix && self.spec.service == oldSelf.spec.service && has(self.spec.generator) == has(oldSelf.spec.generator) && (!has(self.spec.generator) || self.spec.generator == oldSelf.spec.generator) && self.spec.load == oldSelf.spec.load && self.spec.objective == oldSelf.spec.objective && has(self.spec.demand) == has(oldSelf.spec.demand) && (!has(self.spec.demand) || self.spec.demand == oldSelf.spec.demand) && has(self.spec.prices) == has(oldSelf.spec.prices) && (!has(self.spec.prices) || self.spec.prices == oldSelf.spec.prices) && has(self.spec.baseline) == has(oldSelf.spec.baseline) && (!has(self.spec.baseline) || self.spec.baseline == oldSelf.spec.baseline) && self.spec.repetitions == oldSelf.spec.repetitions && has(self.spec.seed) == has(oldSelf.spec.seed) && (!has(self.spec.seed) || self.spec.seed == oldSelf.spec.seed) && self.spec.parallelism == oldSelf.spec.parallelism && self.spec.attemptsPerTrial == oldSelf.spec.attemptsPerTrial",fieldPath=".spec",messageExpression="(self.spec.matrix != oldSelf.spec.matrix ? 'matrix' : self.spec.service != oldSelf.spec.service ? 'service' : (has(self.spec.generator) != has(oldSelf.spec.generator) || has(self.spec.generator) && self.spec.generator != oldSelf.spec.generator) ? 'generator' : self.spec.load != oldSelf.spec.load ? 'load' : self.spec.objective != oldSelf.spec.objective ? 'objective' : (has(self.spec.demand) != has(oldSelf.spec.demand) || has(self.spec.demand) && self.spec.demand != oldSelf.spec.demand) ? 'demand' : (has(self.spec.prices) != has(oldSelf.spec.prices) || has(self.spec.prices) && self.spec.prices != oldSelf.spec.prices) ? 'prices' : (has(self.spec.baseline) != has(oldSelf.spec.baseline) || has(self.spec.baseline) && self.spec.baseline != oldSelf.spec.baseline) ? 'baseline' : self.spec.repetitions != oldSelf.spec.repetitions ? 'repetitions' : (has(self.spec.seed) != has(oldSelf.spec.seed) || has(self.spec.seed) && self.spec.seed != oldSelf.spec.seed) ? 'seed' : self.spec.parallelism != oldSelf.spec.parallelism ? 'parallelism' : 'attemptsPerTrial') + \" can't be changed once the first trial has begun or the experiment is cancelled, only suspend, cancel, alsoMeasure and ttlSecondsAfterFinished can; create a new experiment\""
type SizingExperiment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What to measure. It can be changed until status.startTime is set or the experiment is
	// cancelled; after that only suspend, cancel, alsoMeasure and ttlSecondsAfterFinished can: to measure
	// something else, create a new experiment.
	Spec SizingExperimentSpec `json:"spec"`
	// The results and the recommendation, as far as they are known. The default is that of an
	// experiment that the operator has not seen, so that tools that wait do not take it for an ended one.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status SizingExperimentStatus `json:"status,omitzero"`
}

// SizingExperimentList is a list of experiments.
// +kubebuilder:object:root=true
type SizingExperimentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SizingExperiment `json:"items"`
}

// SizingExperimentSpec is what an experiment measures.
//
// +kubebuilder:validation:XValidation:rule="!(has(oldSelf.cancel) && oldSelf.cancel) || (has(self.cancel) && self.cancel)",message="a cancelled experiment stays cancelled; create a new experiment"
// +kubebuilder:validation:XValidation:rule="!(has(self.matrix.measure) && self.matrix.measure == 'Corners') || !(has(self.load.rates) || has(self.load.users))",message="matrix.measure Corners requires load.capacity, because the other variants are predicted from its results; remove load.rates and load.users, or use measure: All"
// +kubebuilder:validation:XValidation:rule="!(has(self.matrix.measure) && self.matrix.measure == 'Decision') || has(self.demand)",message="matrix.measure Decision measures only what can still be recommended, and nothing is recommended without a demand; add demand, or use measure: All"
// +kubebuilder:validation:XValidation:rule="!(has(self.matrix.measure) && self.matrix.measure == 'Decision') || !(has(self.load.rates) || has(self.load.users) || has(self.load.capacity) && has(self.load.capacity.arrivals) && self.load.capacity.arrivals == 'Uniform')",message="matrix.measure Decision requires load.capacity with Poisson arrivals, because every variant is predicted; change load, or use measure: All"
// +kubebuilder:validation:XValidation:rule="!(has(self.matrix.measure) && self.matrix.measure == 'Decision') || !has(self.service.own) && (!has(self.matrix.hashes) || self.matrix.hashes.all(h, has(h.bcrypt) && !(has(h.sessions) && h.sessions)))",message="matrix.measure Decision predicts bcrypt without sessions in Hashmark's own service only; use measure: All"
// +kubebuilder:validation:XValidation:rule="!(has(self.matrix.measure) && self.matrix.measure == 'Decision') || !has(self.baseline)",message="baseline compares measured variants, and matrix.measure Decision measures only a few; remove baseline, or use measure: All"
// +kubebuilder:validation:XValidation:rule="has(self.prices) || !has(self.matrix.nodePools) || self.matrix.nodePools.all(p, !has(p.perCPUHour))",message="a node pool's perCPUHour is in prices.currency; add prices, such as prices: {currency: USD}, or remove perCPUHour"
// +kubebuilder:validation:XValidation:rule="!has(self.load.users) || !((has(self.prices) && (has(self.prices.perCPUHour) || has(self.prices.perGiBHour))) || (has(self.matrix.nodePools) && self.matrix.nodePools.exists(p, has(p.perCPUHour))))",message="perCPUHour and perGiBHour price logins at the capacity, which load.users does not measure; remove them, or use load.capacity or load.rates"
// +kubebuilder:validation:XValidation:rule="!has(self.prices) || !has(self.prices.perCPUHour) || !has(self.matrix.nodePools) || size(self.matrix.nodePools) == 0 || !self.matrix.nodePools.all(p, has(p.perCPUHour))",message="prices.perCPUHour has no effect if every node pool has its own perCPUHour; remove one of them"
// +kubebuilder:validation:XValidation:rule="!has(self.prices) || !has(self.prices.perGiBHour) || has(self.prices.perCPUHour) || (has(self.matrix.nodePools) && self.matrix.nodePools.exists(p, has(p.perCPUHour)))",message="prices.perGiBHour has no effect without a price of CPUs; add prices.perCPUHour, or remove perGiBHour"
// +kubebuilder:validation:XValidation:rule="!has(self.objective.p99Milliseconds) || self.objective.p99Milliseconds > 60000 || self.load.requestTimeoutSeconds < 1 || self.objective.p99Milliseconds <= 1000 * self.load.requestTimeoutSeconds",message="objective.p99Milliseconds is above load.requestTimeoutSeconds x 1000, and a login that takes longer than the timeout fails; raise requestTimeoutSeconds, or lower p99Milliseconds"
// +kubebuilder:validation:XValidation:rule="self.objective.p95Milliseconds > 60000 || self.load.requestTimeoutSeconds < 1 || self.objective.p95Milliseconds <= 1000 * self.load.requestTimeoutSeconds",message="objective.p95Milliseconds is above load.requestTimeoutSeconds x 1000, and a login that takes longer than the timeout fails; raise requestTimeoutSeconds, or lower p95Milliseconds"
// +kubebuilder:validation:XValidation:rule="!(has(self.demand) && has(self.load.users))",message="demand is a login rate, which load.users does not measure; use load.capacity or load.rates, or remove demand"
// +kubebuilder:validation:XValidation:rule="!has(self.demand) || !has(self.matrix.hashes) || !self.matrix.hashes.exists(h, has(h.other)) || size(self.matrix.hashes) == 1",message="a hash with other is unknown, so that it can't be compared with another one for a demand; keep one of matrix.hashes, or remove demand"
// +kubebuilder:validation:XValidation:rule="!has(self.matrix.hashes) || has(self.prices) || has(self.demand) || self.matrix.hashes.all(h, !has(h.guessesPerSecond))",message="guessesPerSecond of a hash has no effect without prices and demand; add one of them, or remove it"
// +kubebuilder:validation:XValidation:rule="has(self.service.own) || !has(self.matrix.hashes) || !has(self.matrix.concurrency) || !self.matrix.hashes.exists(h, has(h.argon2id) || has(h.scrypt)) || self.matrix.concurrency.all(k, k.mode != 'Unbounded')",message="argon2id and scrypt require mode: WorkerPool, because mode: Unbounded does not limit how many hashes take memory at once; use WorkerPool, or measure the hash in a separate experiment"
// +kubebuilder:validation:XValidation:rule="has(self.service.own) || !has(self.matrix.hashes) || !self.matrix.hashes.exists(h, has(h.other))",message="a hash with other is what service.own computes; describe your service in service.own, or choose another hash"
// +kubebuilder:validation:XValidation:rule="!has(self.service.own) || !has(self.matrix.hashes) || self.matrix.hashes.all(h, !(has(h.sessions) && h.sessions))",message="sessions are those of Hashmark's own login service, and service.own has none; remove sessions from matrix.hashes"
// +kubebuilder:validation:XValidation:rule="!has(self.demand) || !has(self.demand.hashes) || self.demand.hashes.all(k, (k == 'bcrypt' && has(self.matrix.costs) && size(self.matrix.costs) > 0) || (has(self.matrix.hashes) && self.matrix.hashes.exists(h, !(has(h.sessions) && h.sessions) && (k == 'bcrypt' ? has(h.bcrypt) : k == 'argon2id' ? has(h.argon2id) : k == 'scrypt' ? has(h.scrypt) : k == 'pbkdf2' ? has(h.pbkdf2) : has(h.sha256)))))",message="demand.hashes names a kind of hash that matrix.costs and matrix.hashes don't have without sessions; add one to matrix.hashes, or remove it from demand.hashes"
// +kubebuilder:validation:XValidation:rule="!has(self.demand) || (has(self.demand.hashes) && self.demand.hashes.exists(k, k != 'bcrypt')) || (!(has(self.matrix.costs) && size(self.matrix.costs) > 0) && has(self.matrix.hashes) && size(self.matrix.hashes) == 1 && !has(self.matrix.hashes[0].bcrypt) && !(has(self.matrix.hashes[0].sessions) && self.matrix.hashes[0].sessions)) || (has(self.matrix.costs) && self.matrix.costs.exists(c, c >= self.demand.minimumCost)) || (has(self.matrix.hashes) && self.matrix.hashes.exists(h, has(h.bcrypt) && !(has(h.sessions) && h.sessions) && h.bcrypt.cost >= self.demand.minimumCost))",message="demand.minimumCost, by default 10, is above every cost in matrix.costs and matrix.hashes; add a cost that is at least as high, or lower it"
// +kubebuilder:validation:XValidation:rule="!has(self.service.own) || (has(self.matrix.concurrency) && size(self.matrix.concurrency) > 0)",message="with service.own, matrix.concurrency must say how many logins the service computes at a time; set WorkerPool with its workers, or Unbounded"
// +kubebuilder:validation:XValidation:rule="!has(self.service.own) || !has(self.matrix.hashes) || !self.matrix.hashes.exists(h, has(h.other)) || !((has(self.matrix.costs) && size(self.matrix.costs) > 0) || self.matrix.hashes.exists(h, has(h.bcrypt)))",message="the matrix has bcrypt and other, and nothing tells the service which of them to compute; measure them in separate experiments"
// +kubebuilder:validation:XValidation:rule="!has(self.service.own) || (has(self.matrix.costs) ? size(self.matrix.costs) : 0) + (has(self.matrix.hashes) ? self.matrix.hashes.filter(h, !has(h.other)).size() : 0) <= 1 || self.service.own.command.exists(t, t.matches('(^|[^$])([$][$])*[$][(]HASHMARK_(COST|PASSWORD_|PAR|[ADIM])')) || (has(self.service.own.args) && self.service.own.args.exists(t, t.matches('(^|[^$])([$][$])*[$][(]HASHMARK_(COST|PASSWORD_|PAR|[ADIM])'))) || (has(self.service.own.env) && self.service.own.env.exists(e, has(e.value) && e.value.matches('(^|[^$])([$][$])*[$][(]HASHMARK_(COST|PASSWORD_|PAR|[ADIM])'))) || (has(self.service.own.files) && self.service.own.files.exists(f, has(f.content) && f.content.matches('(^|[^$])([$][$])*[$][(]HASHMARK_(COST|PASSWORD_|PAR|[ADIM])')))",message="with several hashes, service.own must use $(HASHMARK_COST), $(HASHMARK_PASSWORD_HASH) or another parameter of the hash in command, args, env or files, or all variants run the same hash; use one of them, or a single hash"
// +kubebuilder:validation:XValidation:rule="!has(self.demand) || !has(self.demand.maxTotalCPU) || !has(self.matrix.cpuLimits) || size(self.matrix.cpuLimits) == 0 || !isQuantity(string(self.demand.maxTotalCPU)) || !quantity(string(self.demand.maxTotalCPU)).isGreaterThan(quantity('0')) || !self.matrix.cpuLimits.all(l, isQuantity(string(l))) || self.matrix.cpuLimits.exists(l, quantity(string(l)).compareTo(quantity(string(self.demand.maxTotalCPU))) <= 0)",message="demand.maxTotalCPU is below every limit in matrix.cpuLimits, so not even one replica fits; raise maxTotalCPU, or add a smaller CPU limit"
type SizingExperimentSpec struct {
	// The variants to measure: every combination of the matrix's lists.
	Matrix Matrix `json:"matrix"`

	// The login service that is deployed for each variant.
	// +kubebuilder:default={}
	Service Service `json:"service,omitempty"`

	// The pod that drives the load. When absent: sized by the operator's settings.
	// +optional
	Generator Generator `json:"generator,omitempty"`

	// The load that the login service is driven with: one of capacity, rates and users. When
	// all three are absent: capacity.
	// +kubebuilder:default={stepSeconds: 10}
	Load Load `json:"load,omitempty"`

	// The objective that a variant must meet at a rate for the rate to count as served.
	Objective Objective `json:"objective"`

	// What the login service must carry in production, for which a size is recommended.
	// When absent: nothing is recommended. Not with load.users.
	// +optional
	Demand *Demand `json:"demand,omitempty"`

	// What CPUs, memory and an attacker's GPUs cost. When absent: no prices are reported.
	// +optional
	Prices *Prices `json:"prices,omitempty"`

	// The name of the variant that the others are compared with, such as c8-1. With a
	// single repetition the differences are reported, but not whether chance explains them.
	// When absent: nothing is compared.
	// +optional
	// +kubebuilder:validation:MaxLength=52
	Baseline string `json:"baseline,omitempty"`

	// The names of variants that are measured in addition to those that decide, such as c10-500m, as
	// measure: All measures them. Requires measure: Decision. Names can be added at any time, also after
	// the end: the experiment then goes on. Once it has begun, a name that is no variant is ignored with
	// an event. When absent: only what decides is measured.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=52
	AlsoMeasure []string `json:"alsoMeasure,omitempty"`

	// How many times each variant is measured, 1 to 10. By default 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	Repetitions *int32 `json:"repetitions,omitempty"`

	// The seed of the order of the trials and of the arrivals. Trials are shuffled, so that a
	// drift of the machine does not affect only the last variants. The same seed gives the
	// same schedule. When absent: the operator draws a seed once and records it in the status.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=4294967295
	Seed *int64 `json:"seed,omitempty"`

	// How many trials can be under load at one time, 1 to 8, within the operator's
	// trials.maxConcurrent. By default 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=8
	Parallelism *int32 `json:"parallelism,omitempty"`

	// The maximum number of attempts to run a trial, 1 to 5, by default 3. A suspension and
	// a restart of the operator do not use up an attempt.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5
	AttemptsPerTrial *int32 `json:"attemptsPerTrial,omitempty"`

	// Stops the load while true. When it is false again, trials that were under way are
	// measured again, and finished ones are kept. Can be changed. By default false.
	// +optional
	// +kubebuilder:default=false
	Suspend *bool `json:"suspend,omitempty"`

	// Ends the experiment permanently and keeps the results so far. It can't be undone, and
	// it overrides suspend. By default false.
	// +optional
	// +kubebuilder:default=false
	Cancel *bool `json:"cancel,omitempty"`

	// How many seconds after its end the experiment is deleted, with its results; 0 deletes
	// it at once. When absent: the experiment is kept. Can be changed. Don't set it with
	// GitOps, which would create the experiment again and load the cluster again.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
}

// Matrix defines the variants: every cost and every hash with every CPU limit, each with
// every kind of concurrency and on every node pool. At most 64 variants.
//
// +kubebuilder:validation:XValidation:rule="((has(self.costs) && size(self.costs) > 0) || (has(self.hashes) && size(self.hashes) > 0)) && has(self.cpuLimits) && size(self.cpuLimits) > 0",message="the matrix is empty: name at least one cost or hash and one CPU limit, for example costs: [10] and cpuLimits: [1]"
// +kubebuilder:validation:XValidation:rule="!has(self.cpuLimits) || ((has(self.costs) ? size(self.costs) : 0) + (has(self.hashes) ? size(self.hashes) : 0)) * size(self.cpuLimits) * (has(self.concurrency) && size(self.concurrency) > 0 ? size(self.concurrency) : 1) * (has(self.nodePools) && size(self.nodePools) > 0 ? size(self.nodePools) : 1) <= 64",message="the matrix has more than 64 variants ((costs + hashes) x cpuLimits x concurrency x nodePools); split it into several experiments"
type Matrix struct {
	// The bcrypt costs to measure, each 4 to 16, at most 8: the short form of hashes with bcrypt
	// that need no name. Each increment doubles the time
	// of a hash, for you and for an attacker. OWASP requires 10 or more.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.all(c, c >= 4 && c <= 16)",message="each cost must be between 4 and 16: each increment doubles the time of a hash, and one hash at cost 31 takes a day and a half"
	// +kubebuilder:validation:XValidation:rule="self.all(c, self.exists_one(o, o == c))",message="costs contains a cost twice; remove the duplicate"
	Costs []int32 `json:"costs,omitempty"`

	// The CPU limits to measure, quantities of at least 10m and at most 64, such as 250m or 1,
	// at most 8, all with different values. A decimal needs quotes, such as "0.5". Kept as
	// written. A kubelet gives every container at least 10m.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:XIntOrString
	// +kubebuilder:validation:items:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.all(l, isQuantity(string(l)))",message="each CPU limit must be a Kubernetes CPU quantity, such as 250m or 1"
	// +kubebuilder:validation:XValidation:rule="!self.all(l, isQuantity(string(l))) || self.all(l, quantity(string(l)).compareTo(quantity('10m')) >= 0 && quantity(string(l)).compareTo(quantity('64')) <= 0)",message="each CPU limit must be at least 10m and at most 64 CPUs"
	// +kubebuilder:validation:XValidation:rule="!self.all(l, isQuantity(string(l))) || self.all(l, self.exists_one(o, quantity(string(o)).compareTo(quantity(string(l))) == 0))",message="two CPU limits have the same value, such as 1 and 1000m; remove one of them"
	CPULimits []intstr.IntOrString `json:"cpuLimits,omitempty"`

	// How the login service handles several logins at once, one variant each, at most 8.
	// When absent: one WorkerPool with its defaults.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Concurrency []Concurrency `json:"concurrency,omitempty"`

	// Where the login service runs, one variant each, at most 8. When absent: wherever the
	// scheduler places it.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	NodePools []NodePool `json:"nodePools,omitempty"`

	// The hashes to measure in addition to the costs, or instead of them: another hash than bcrypt,
	// sessions, or a cost a second time. One variant each, at most 8, all with different names.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.all(h, size(h.name) > 0)",message="each hash of matrix.hashes must have a name, such as {name: owasp, argon2id: {}}; add one"
	Hashes []Hash `json:"hashes,omitempty"`

	// Which variants are measured. Decision times the hashes once on each node pool, predicts
	// every variant, and measures only what can still be recommended until one size is left. It
	// requires a demand, load.capacity with Poisson arrivals, costs without other hashes,
	// Hashmark's own service, and no baseline. All measures every variant. Corners measures every
	// hash that is not a cost and, for each kind of concurrency on each node pool, the lowest and
	// the highest cost on the smallest and the largest CPU limit, and two more variants to check
	// the model; the other costs and limits are predicted. Corners requires load.capacity. When
	// absent: Decision if the experiment meets its requirements and has several variants, or else
	// All.
	// +optional
	Measure Measure `json:"measure,omitempty"`
}
