// Package envvar names the environment variables that the operator sets in the pods it
// creates, and that the programs there read.
package envvar

// Prefix begins every name. The login service reads each of its flags from a variable as well:
// the prefix and the flag's name in capitals, with underscores.
const Prefix = "HASHMARK_"

// Of the login service: what it hashes, and how.
const (
	// Algorithm and its parameters.
	Algorithm   = Prefix + "ALGORITHM"
	Cost        = Prefix + "COST"
	MemoryKiB   = Prefix + "MEMORY_KIB"
	Iterations  = Prefix + "ITERATIONS"
	Parallelism = Prefix + "PARALLELISM"
	Digest      = Prefix + "DIGEST"
	// Concurrency is Unbounded or WorkerPool, the latter with Workers and QueueLength.
	Concurrency = Prefix + "CONCURRENCY"
	Workers     = Prefix + "WORKERS"
	QueueLength = Prefix + "QUEUE_LENGTH"
	// CPULimit is the container's, in thousandths of a CPU.
	CPULimit = Prefix + "CPU_LIMIT"
	// CPUMilli is the same for a user's own login service.
	CPUMilli = Prefix + "CPU_MILLI"
	// CalibrationFile is where the calibration leaves its result for the service.
	CalibrationFile = Prefix + "CALIBRATION_FILE"
	// TLSListen is the address of logins with TLS, such as :8443; none if unset.
	TLSListen = Prefix + "TLS_LISTEN"
	// RequestTimeout is how long callers wait, such as 10s.
	RequestTimeout = Prefix + "REQUEST_TIMEOUT"
	// SessionKey signs the cookies of a service with sessions.
	SessionKey = Prefix + "SESSION_KEY"
)

// Of the load generator: what it drives.
const (
	// Plan is the plan as JSON (package loadplan).
	Plan = Prefix + "PLAN"
	// Target is the URL of the login service, such as http://10.96.0.7:8080.
	Target = Prefix + "TARGET"
	// Pods are the URLs of its pods, separated by commas. Evidence is read there, and each of
	// several is saturated by callers of its own.
	Pods = Prefix + "PODS"
	// Evidence are the URLs where the pods answer for Hashmark, in the order of Pods; Pods if unset.
	Evidence = Prefix + "EVIDENCE"
	// Ready is how a user's own login service says that it is ready, as JSON (handover.HealthCheck), and AlivePath where it
	// says that it is alive, if that is another path.
	Ready     = Prefix + "READY"
	AlivePath = Prefix + "ALIVE_PATH"
	// Companions are where the companions of a user's own login service answer for Hashmark, as name=address with commas
	// between; none if unset.
	Companions = Prefix + "COMPANIONS"
	// ReadyWithin is how long it may take to be ready, such as 2m0s.
	ReadyWithin = Prefix + "READY_WITHIN"
	// Handshakes is EachLogin if each login opens a connection of its own, and EachCaller if callers keep
	// theirs. With several pods, each login opens its own.
	Handshakes = Prefix + "HANDSHAKES"
	// Replicas is how many pods serve.
	Replicas = Prefix + "REPLICAS"
	// K6 is the k6 program; k6 on PATH if unset.
	K6 = Prefix + "K6"
	// RemoteWriteLabels are labels that k6's own series get, as name=value with commas between.
	RemoteWriteLabels = Prefix + "REMOTE_WRITE_LABELS"
	// MessageFile is where the result is written; /dev/termination-log if unset.
	MessageFile = Prefix + "MESSAGE_FILE"
)

// Of both.
const (
	// User and Password are the account that logs in.
	User     = Prefix + "USER"
	Password = Prefix + "PASSWORD"
	// PasswordHash stands for a hash of Password, where a user's own login service is described.
	PasswordHash = Prefix + "PASSWORD_HASH"
	// Login is how to log in at a user's own login service, as JSON (package handover).
	Login = Prefix + "LOGIN"
	// Control is where k6 gets the next account before the load, and Timeout how long a login may
	// take, in milliseconds (loadtests/rehearse.js).
	Control = Prefix + "CONTROL"
	Timeout = Prefix + "TIMEOUT"
	// Private is true if nothing that a service answers or prints may be quoted, because it has a key of a Secret.
	Private = Prefix + "PRIVATE"
	// Sessions is true if callers log in once a step, and then show a cookie.
	Sessions = Prefix + "SESSIONS"
	// Deadline is when to give up, in RFC 3339; never if unset.
	Deadline = Prefix + "DEADLINE"
)

// Own are what the description of a user's own login service can refer to.
var Own = []string{Cost, Algorithm, MemoryKiB, Iterations, Parallelism, Digest, Workers, CPUMilli, User, Password, PasswordHash}
