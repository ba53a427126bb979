package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/cgroup"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/internal/observe"
	"github.com/hashmark-dev/hashmark/internal/password"
	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// besideHashMemory is what this program needs beside the memory of a hash, in bytes.
	besideHashMemory = 32 << 20

	defaultReferenceCost = 8
	outputMode           = 0o644
)

// calibrationSettings are the settings of calibrate.
type calibrationSettings struct {
	recipe        password.Recipe
	referenceCost int32
	limits        calibration.Limits
	outputs       []string
	deadline      time.Time
	// own is a login service whose logins are timed instead of a hash. Without a command, hashes
	// are timed.
	own      observe.Rehearsal
	hashFile string
	warmUp   time.Duration
	// anyHash means that it is not known what a login hashes.
	anyHash bool
}

// calibrate times hashes and writes the result as JSON. If it fails, it writes the error to
// the outputs instead: one of them is the container's termination message, which is all
// that the operator reads.
func calibrate(arguments []string, w system) error {
	s := calibrationSettings{limits: calibration.Standard}
	flags := flag.NewFlagSet("loginservice calibrate", flag.ContinueOnError)
	recipeVars(flags, &s.recipe)
	numberVar(flags, &s.referenceCost, "reference-cost", defaultReferenceCost,
		"bcrypt `cost` that is timed alternately with the hash, so that their ratio does not depend on the CPU's speed")
	flags.DurationVar(&s.limits.Least, "time", s.limits.Least,
		"`time` to spend on the hash at least, up to a minute; the reference takes two thirds of it on top")
	flags.Func("output", "`file` to write the JSON to, in addition to stdout; can be repeated", func(file string) error {
		s.outputs = append(s.outputs, file)
		return nil
	})
	deadlineVar(flags, &s.deadline, "`time` (RFC 3339) at which the calibration is given up; by default never")
	s.ownVars(flags)
	arguments, s.own.Command = splitCommand(arguments)
	err := parse(flags, arguments, w)
	if err == nil {
		err = s.run(w)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		err = errors.Join(err, s.write([]byte(units.Plain(err.Error())+"\n")))
	}
	return err
}

func (s calibrationSettings) run(w system) error {
	if err := errors.Join(checkRecipe(&s.recipe), s.checkReference(), s.limitTime()); err != nil {
		return err
	}
	container, err := cgroup.Open(os.DirFS("/"))
	if err != nil {
		return err
	}
	where, err := surroundings(container)
	if err != nil {
		return err
	}
	timing, err := s.timeUntilDeadline()
	if err != nil {
		return err
	}
	text, err := json.Marshal(calibration.NewResult(timing, where))
	if err != nil {
		return err
	}
	text = append(text, '\n')
	_, err = w.stdout.Write(text)
	return errors.Join(s.write(text), err)
}

func (s calibrationSettings) checkReference() error {
	if err := bcrypt(s.referenceCost).Check(); err != nil {
		return fmt.Errorf("%w: --reference-cost is %d: %w", errUsage, s.referenceCost, err)
	}
	return nil
}

// limitTime gives the reference and the warm-up their usual shares of the given time.
func (s *calibrationSettings) limitTime() error {
	if s.limits.Least <= 0 || s.limits.Least > s.limits.Most {
		return fmt.Errorf("%w: --time is %s; it must be above 0 and at most %s", errUsage, s.limits.Least, s.limits.Most)
	}
	share := float64(s.limits.Least) / float64(calibration.Standard.Least)
	s.limits.Reference = time.Duration(share * float64(s.limits.Reference))
	s.limits.WarmUp = time.Duration(share * float64(s.limits.WarmUp))
	return nil
}

// timeUntilDeadline times hashes, and gives up at the deadline. A hash can't be interrupted, so it
// is left alone; it ends with the program.
func (s calibrationSettings) timeUntilDeadline() (calibration.Timing, error) {
	ctx, cancel := until(context.Background(), s.deadline)
	defer cancel()
	var timing calibration.Timing
	ended := make(chan error, 1)
	go func() {
		var err error
		timing, err = s.time()
		ended <- err
	}()
	select {
	case err := <-ended:
		return timing, err
	case <-ctx.Done():
		return calibration.Timing{}, errDeadline
	}
}

// time hashes as the service does, on one thread, and reads that thread's CPU clock.
// Memory-hard hashes are timed by the clock of all threads, because Argon2id computes its
// lanes on several threads, and garbage is collected on others.
func (s calibrationSettings) time() (calibration.Timing, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := time.Now()
	calibrator := calibration.Calibrator{
		Meter: calibration.Meter{
			CPU:  cgroup.ThreadCPUTime,
			Wall: func() time.Duration { return time.Since(begin) },
		},
		Limits:        s.limits,
		Prepare:       func(cost int32) (func() error, error) { return password.Prepare(bcrypt(cost)) },
		ReferenceCost: s.referenceCost,
	}
	if len(s.own.Command) > 0 {
		return s.timeLogins(calibrator)
	}
	if s.recipe.Algorithm == password.Bcrypt {
		return calibrator.Run(s.recipe.Cost)
	}
	other := calibration.Hash{
		Recipe:  otherThanBcrypt(s.recipe),
		CPU:     cgroup.ThreadCPUTime,
		Prepare: func() (func() error, error) { return password.Prepare(s.recipe) },
	}
	if s.recipe.MemoryHard() {
		other.CPU = cgroup.AllThreadsCPUTime
	}
	return calibrator.RunOther(other)
}

func (s *calibrationSettings) ownVars(flags *flag.FlagSet) {
	flags.BoolVar(&s.anyHash, "any-hash", false, "accept logins that take another CPU time than the hash; only with a command")
	flags.Func("login", "how to log in at the service that the command after -- starts, as `JSON`; its logins are timed instead of a hash",
		func(text string) (err error) {
			s.own.Flow, err = loginflow.Parse(text)
			return err
		})
	hashFileVar(flags, &s.hashFile)
	accountVars(flags, &s.own.User, &s.own.Password)
	readyVars(flags, &s.own.Address, &s.own.Ready)
	flags.BoolVar(&s.own.Private, "private", false, "quote nothing that the service answers")
	flags.DurationVar(&s.own.ReadyWithin, "ready-within", 2*time.Minute, "`time` that the service may take to be ready")
	flags.StringVar(&s.own.ScriptFolder, "script-folder", "", "`folder` with k6 and its scripts")
	flags.DurationVar(&s.warmUp, "warm-up", 0, "`time` of logins that are not timed")
	flags.DurationVar(&s.own.RequestTimeout, "request-timeout", defaultRequestTimeout, "`time` that a login may take")
}

// timeLogins starts the service, and times its logins one after another, by the CPU time of the
// container without this process.
func (s calibrationSettings) timeLogins(calibrator calibration.Calibrator) (calibration.Timing, error) {
	container, err := cgroup.Open(os.DirFS("/"))
	if err != nil {
		return calibration.Timing{}, err
	}
	if s.own.Environment, err = substituteHash(s.hashFile, s.own.Command); err != nil {
		return calibration.Timing{}, err
	}
	var timing calibration.Timing
	err = s.own.Run(func(logins observe.Logins) (err error) {
		cpu := func() (time.Duration, error) { return serviceCPUTime(container, logins.PID) }
		timing, err = calibrator.RunOther(calibration.Hash{
			Recipe: "login", WarmUp: s.warmUp, CPU: cpu,
			Prepare: func() (func() error, error) { return logins.Right, nil },
		})
		if err != nil || logins.Unknown == nil {
			return err
		}
		perMille, err := calibrator.Compare(cpu, logins.Unknown, logins.Wrong)
		timing.UnknownUserPerMille = &perMille
		return err
	})
	if err != nil || s.anyHash {
		return timing, err
	}
	hash, err := s.hashTime(calibrator, timing.Reference.Mean)
	if err != nil {
		return timing, err
	}
	return timing, s.checkHash(timing.CPU.Mean, hash)
}

// serviceCPUTime returns the CPU time of the container without this process and without k6, which logs
// in. Container and this process are counted up to the last tick of the scheduler, so that the
// difference has no time of this process.
func serviceCPUTime(container *cgroup.Container, k6 int) (time.Duration, error) {
	all, err := container.UsageMicroseconds()
	own, errOwn := cgroup.ProcessCPUTime()
	others, errOthers := cgroup.CPUTimeOf(k6)
	return time.Duration(all)*time.Microsecond - own - others, errors.Join(err, errOwn, errOthers)
}

// A login computes something else than the configured hash if its CPU time is below leastOfHash times that of the hash, or
// above mostOfHash times that and besideHash seconds for the rest of the login. Fast implementations of bcrypt need 0.9 of the time of Go's
// and slow ones 1.4 times (docs/limits.md), and one cost more or less is half or double. Those of other hashes differ more.
const (
	leastOfHash, mostOfHash   = 0.4, 2.5
	leastOfOther, mostOfOther = 0.25, 6
	besideHash                = 0.02
	// Below smallHash seconds there is no upper limit, because the rest of a login can take many times as long.
	smallHash = 0.005
)

// hashTime returns the CPU time of the hash that a login should compute, in seconds, at the speed at which the reference hash
// took as long as given.
func (s calibrationSettings) hashTime(calibrator calibration.Calibrator, reference float64) (float64, error) {
	if s.recipe.Algorithm == password.Bcrypt {
		return reference * math.Exp2(float64(s.recipe.Cost-s.referenceCost)), nil
	}
	if s.recipe.MemoryHard() {
		// The service has ended, and its memory is enough for a hash. Without a limit, the runtime would keep that of the last one, too.
		debug.SetMemoryLimit(int64(s.recipe.MemoryKiB)<<10 + besideHashMemory)
	}
	hash, err := password.Prepare(s.recipe)
	if err != nil {
		return 0, err
	}
	unit, err := password.Prepare(bcrypt(s.referenceCost))
	if err != nil {
		return 0, err
	}
	perMille, err := calibrator.Compare(cgroup.AllThreadsCPUTime, hash, unit)
	return reference * float64(perMille) / 1000, err
}

// checkHash compares the CPU time of a login with that of the hash that it should compute, in seconds.
func (s calibrationSettings) checkHash(login, hash float64) error {
	least, most := leastOfOther, float64(mostOfOther)
	if s.recipe.Algorithm == password.Bcrypt {
		least, most = leastOfHash, mostOfHash
	}
	why := ""
	switch {
	case login < least*hash:
		why = "the result is cached, the hash is skipped, or another hash runs than the one that is configured"
	case hash > smallHash && login > most*hash+besideHash:
		why = "the service hashes again at login, for example to raise a stored hash to its own parameters, or another hash runs than the one that is configured. If that is what your service does, name the hash other: {}"
	default:
		return nil
	}
	taken, needed := int64(login*1e6), int64(hash*1e6)
	return &observe.Refusal{Reason: handover.HashMismatch, Message: fmt.Sprintf("a login takes %s of CPU time, but a hash with %s takes %s: %s",
		units.Latency(&taken), s.recipe, units.Latency(&needed), why)}
}

func bcrypt(cost int32) password.Recipe {
	return password.Recipe{Algorithm: password.Bcrypt, Cost: cost}
}

// otherThanBcrypt returns the recipe as a calibration records it: empty for bcrypt, whose
// cost says everything.
func otherThanBcrypt(r password.Recipe) string {
	if r.Algorithm == password.Bcrypt {
		return ""
	}
	return r.String()
}

func (s calibrationSettings) write(text []byte) error {
	var failed error
	for _, file := range s.outputs {
		if err := os.WriteFile(file, text, outputMode); err != nil {
			failed = errors.Join(failed, fmt.Errorf("write the calibration: %w", err))
		}
	}
	return failed
}

func surroundings(container *cgroup.Container) (handover.Surroundings, error) {
	files := os.DirFS("/")
	cpu, cpuErr := container.CPU()
	cpus, affinityErr := cgroup.Affinity()
	bootID, bootErr := cgroup.BootID(files)
	model, modelErr := cgroup.CPUModel(files)
	where := handover.Surroundings{
		GoMaxProcs:    cgroup.GoMaxProcs(),
		Cpuset:        cpus.String(),
		CoreCpuset:    cgroup.Cores(files, cpus).String(),
		CPUModel:      model,
		CgroupVersion: int32(container.Version()),
		BootID:        bootID,
		GoVersion:     runtime.Version(),
	}
	if cpu.QuotaMilliCPU > 0 {
		where.QuotaMilliCPU, where.QuotaBurstMicroseconds = &cpu.QuotaMilliCPU, cpu.BurstMicroseconds
		if cpu.PeriodMicroseconds != evidence.UsualPeriod.Microseconds() {
			where.QuotaPeriodMicroseconds = cpu.PeriodMicroseconds
		}
	}
	return where, errors.Join(cpuErr, affinityErr, bootErr, modelErr)
}
