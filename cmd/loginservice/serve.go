package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/cgroup"
	"github.com/hashmark-dev/hashmark/internal/login"
)

const milliPerCPU = 1000

// errDeadline ends a service or its calibration at the attempt's deadline, so that it uses no more
// CPU if the operator was uninstalled.
var errDeadline = errors.New("the deadline has passed")

func serve(ctx context.Context, arguments []string, w system) error {
	s, err := parseSettings(arguments, w)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(w.stderr, nil))
	ctx, cancel := until(ctx, s.deadline)
	defer cancel()
	// A container that is restarted after its deadline exits here, before it hashes.
	if ctx.Err() == nil {
		err = s.listenAndServe(ctx, logger)
	}
	if ctx.Err() != nil {
		logger.Info("stopping the login service", "reason", context.Cause(ctx).Error())
	}
	if errors.Is(err, login.ErrCutOff) {
		logger.Warn(err.Error())
		return nil
	}
	return err
}

// listenAndServe listens before the service is ready, so that /healthz answers while the
// test account is created.
func (s settings) listenAndServe(ctx context.Context, logger *slog.Logger) error {
	listeners, err := s.listeners(ctx)
	if err != nil {
		return err
	}
	var gate login.Gate
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		ended <- login.Serve(ctx, &gate, slog.NewLogLogger(logger.Handler(), slog.LevelWarn), listeners...)
	}()
	service, err := s.service(logger)
	if err != nil {
		cancel()
		return errors.Join(err, <-ended)
	}
	gate.Open(service.Handler())
	for _, listener := range listeners {
		logger.Info("serving logins", "address", listener.Addr().String())
	}
	return <-ended
}

func (s settings) listeners(ctx context.Context) ([]net.Listener, error) {
	plain, err := new(net.ListenConfig).Listen(ctx, "tcp", s.listen)
	if err != nil || s.tlsListen == "" {
		return []net.Listener{plain}, err
	}
	secure, err := new(net.ListenConfig).Listen(ctx, "tcp", s.tlsListen)
	if err != nil {
		return nil, errors.Join(err, plain.Close())
	}
	secure, err = login.WithTLS(secure)
	return []net.Listener{plain, secure}, err
}

func (s settings) service(logger *slog.Logger) (*login.Service, error) {
	observer, err := cgroup.Observe(os.DirFS("/"))
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	account, err := login.NewAccount(s.user, s.password, s.recipe)
	if err != nil {
		return nil, err
	}
	calibrated, err := s.calibration(observer.Container(), time.Since(begin))
	if err != nil {
		return nil, err
	}
	concurrency, err := s.arrange(observer.Container(), calibrated)
	if err != nil {
		return nil, err
	}
	perSecond := calibration.PerSecond(calibrated.Calibration, s.threads(concurrency.Workers()))
	logger.Info("ready", "hash", s.recipe.String(), "sessions", s.sessions, "concurrency", s.concurrency,
		"workers", concurrency.Workers(), "queueLength", concurrency.QueueLength(),
		"hashesPerSecond", perSecond, "goMaxProcs", runtime.GOMAXPROCS(0))
	options := login.Options{
		Account: account, Concurrency: concurrency, Observer: observer,
		Recipe: s.recipe, HashesPerSecond: perSecond, ThreadCPUTime: cgroup.ThreadCPUTime,
	}
	if s.sessions {
		options.Sessions = login.NewSessions(s.sessionKey)
	}
	return login.New(options)
}

// threads returns how many threads this many workers can hash on at a time.
func (s settings) threads(workers int32) int32 { return workers * s.recipe.Lanes() }

// calibration reads the calibration file. Without a file it uses the time of the one hash
// that was just computed.
func (s settings) calibration(container *cgroup.Container, oneHash time.Duration) (calibration.Result, error) {
	if s.calibrationFile == "" {
		where, err := surroundings(container)
		return calibration.Result{
			Cost:        s.recipe.Cost,
			Calibration: handover.Calibration{CalibrationResult: handover.CalibrationResult{HashMicroseconds: max(1, oneHash.Microseconds())}, Surroundings: where},
		}, err
	}
	text, err := os.ReadFile(s.calibrationFile)
	if err != nil {
		return calibration.Result{}, fmt.Errorf("read the calibration: %w", err)
	}
	var result calibration.Result
	if err := json.Unmarshal(text, &result); err != nil {
		return calibration.Result{}, fmt.Errorf("read the calibration in %s: %w", s.calibrationFile, err)
	}
	if result.Cost != s.recipe.Cost || result.Recipe != otherThanBcrypt(s.recipe) {
		return calibration.Result{}, fmt.Errorf("the calibration in %s is for another hash (cost %d, recipe %q) than %s; calibrate again",
			s.calibrationFile, result.Cost, result.Recipe, s.recipe)
	}
	return result, nil
}

// arrange fills in the defaults of the pool, and starts it.
func (s settings) arrange(container *cgroup.Container, calibrated calibration.Result) (login.Concurrency, error) {
	if s.concurrency == unbounded {
		return login.Unbounded{}, nil
	}
	workers := s.workers
	if workers == 0 {
		limit, err := s.limitMilli(container)
		if err != nil {
			return nil, err
		}
		workers = int32(min(maxWorkers, (limit+milliPerCPU-1)/milliPerCPU))
	}
	length := s.queueLength
	if length == 0 {
		length = calibration.DefaultQueueLength(calibration.PerSecond(calibrated.Calibration, s.threads(workers)), s.requestTimeout)
	}
	return login.NewPool(workers, length), nil
}

// limitMilli returns the CPU limit in thousandths of a CPU: the flag, the container's
// quota, or GOMAXPROCS CPUs.
func (s settings) limitMilli(container *cgroup.Container) (int64, error) {
	if s.cpuLimitMilli > 0 {
		return s.cpuLimitMilli, nil
	}
	cpu, err := container.CPU()
	if err != nil {
		return 0, err
	}
	if cpu.QuotaMilliCPU > 0 {
		return cpu.QuotaMilliCPU, nil
	}
	return int64(runtime.GOMAXPROCS(0)) * milliPerCPU, nil
}
