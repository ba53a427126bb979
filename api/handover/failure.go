package handover

// The reasons why a load has no numbers, as the load generator gives them.
const (
	// GeneratorKilled means that the generator was terminated from outside during the load.
	GeneratorKilled = "GeneratorKilled"
	// GeneratorOOMKilled means that k6 was killed but the load runner was not. Only the kernel
	// does this, because it ran out of memory.
	GeneratorOOMKilled = "GeneratorOOMKilled"
	// GeneratorThrottled means that k6 failed while its CPU quota stopped it for most of the
	// time.
	GeneratorThrottled = "GeneratorThrottled"
	// BadPlan means that the generator's environment is invalid.
	BadPlan = "BadPlan"
	// ServiceUnreachable means that the login service did not respond before the load.
	ServiceUnreachable = "ServiceUnreachable"
	// DeadlineExceeded means that the load was not finished at its deadline.
	DeadlineExceeded = "DeadlineExceeded"
	// ScriptError means that the k6 script threw an exception or did not compile.
	ScriptError = "ScriptError"
	// BadConfig means that k6 refused its options.
	BadConfig = "BadConfig"
	// K6Failed means that k6 could not be started, or failed in another way.
	K6Failed = "K6Failed"
	// SummaryGarbled means that k6 succeeded but its records are invalid or incomplete.
	SummaryGarbled = "SummaryGarbled"
)

// The reasons why a user's own login service can't be measured.
const (
	// ServiceNotReady means that the service did not answer in time, or ended.
	ServiceNotReady = "ServiceNotReady"
	// LoginFailed means that a login, or a request before the first login, was not answered as
	// expected.
	LoginFailed = "LoginFailed"
	// WrongPasswordAccepted means that a login with a wrong password succeeded.
	WrongPasswordAccepted = "WrongPasswordAccepted"
	// HashMismatch means that a login takes much less or much more CPU time than the hash that it should compute.
	HashMismatch = "HashMismatch"
)

// RehearsalReasons are the reasons why a user's own login service can't be measured.
var RehearsalReasons = []string{ServiceNotReady, LoginFailed, WrongPasswordAccepted, HashMismatch}
