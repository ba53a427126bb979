package v1beta1

// Labels on everything that belongs to an experiment. Objects are tied to their owner by
// UID, because a name can be deleted and used again.
const (
	// LabelExperimentUID holds the UID of the experiment that an object belongs to.
	LabelExperimentUID = "hashmark.dev/experiment-uid"
	// LabelTrialUID holds the UID of the trial that an object belongs to.
	LabelTrialUID = "hashmark.dev/trial-uid"
	// LabelAttempt holds the number of the attempt that an object belongs to.
	LabelAttempt = "hashmark.dev/attempt"
	// LabelExperiment holds the name of the experiment, for people and dashboards.
	LabelExperiment = "hashmark.dev/experiment"
	// LabelVariant holds the name of the variant, for people and dashboards.
	LabelVariant = "hashmark.dev/variant"
	// LabelComponent distinguishes a login service from a generator, and from what all trials of a
	// namespace share.
	LabelComponent = "hashmark.dev/component"
	// LabelCompanion holds the name of a companion.
	LabelCompanion = "hashmark.dev/companion"
	// LabelRole, set to RoleLoad on a node, makes companions prefer it. The load generator does not need it: it comes after the
	// service, and prefers another node.
	LabelRole = "hashmark.dev/role"
	// LabelScraper, set to "true" on a pod, lets it read a login service's /metrics through
	// the trial's NetworkPolicy.
	LabelScraper = "hashmark.dev/metrics-scraper"
)

// RoleLoad is the value of LabelRole.
const RoleLoad = "load"

// The values of LabelComponent.
const (
	ComponentService   = "login-service"
	ComponentGenerator = "generator"
	ComponentCompanion = "companion"
	ComponentTrials    = "trials"
)
