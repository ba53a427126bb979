//go:build linux

// Command init is the first process of the virtual machine of package cgroup2. It calibrates, serves
// and drives one trial, each program in a cgroup of its own and in a cgroup namespace, as a container
// sees itself. Then it prints a report and turns the machine off.
//
//	init enter program [arguments]
//
// is what it starts for each program, in its cgroup: it enters the namespaces and becomes the program.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/test/cgroup2"
)

const (
	groups      = "/sys/fs/cgroup"
	period      = 100_000 // microseconds
	address     = "http://127.0.0.1:8080"
	calibration = "/tmp/calibration.json"
	messageFile = "/tmp/message"
	// longest is how long the service may take to start, and then to be measured.
	longest = 5 * time.Minute
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "enter" {
		fmt.Fprintln(os.Stderr, "enter:", enter(os.Args[2:]))
		os.Exit(1)
	}
	var log bytes.Buffer
	report := cgroup2.Report{}
	if err := measure(&report, &log); err != nil {
		report.Error, report.Log = err.Error(), log.String()
	}
	text, err := json.Marshal(report)
	fmt.Printf("%s\n%s\n%s\n", cgroup2.Begin, text, cgroup2.End)
	unix.Sync()
	fmt.Fprintln(os.Stderr, errors.Join(err, unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)))
}

// enter makes the cgroup of this process the root of what it sees, and becomes the program.
func enter(command []string) error {
	runtime.LockOSThread() // namespaces belong to a thread; the program continues with this one's
	err := errors.Join(
		unix.Unshare(unix.CLONE_NEWNS|unix.CLONE_NEWCGROUP),
		unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""),
		unix.Unmount(groups, unix.MNT_DETACH),
		unix.Mount("cgroup2", groups, "cgroup2", 0, ""),
	)
	if err != nil {
		return err
	}
	return syscall.Exec(command[0], command, os.Environ())
}

func measure(report *cgroup2.Report, log *bytes.Buffer) error {
	if err := boot(); err != nil {
		return err
	}
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return err
	}
	report.Kernel = unix.ByteSliceToString(name.Release[:])
	service, err := newGroup("service", cgroup2.ServiceMilliCPU, "0")
	if err != nil {
		return err
	}
	generator, err := newGroup("generator", cgroup2.GeneratorMilliCPU, "1")
	if err != nil {
		return err
	}
	hash := []string{envvar.Algorithm + "=bcrypt", envvar.Cost + "=6"}
	calibrate := service.command(log, hash, "/loginservice", "calibrate", "--time=2s", "--output="+calibration)
	if err := calibrate.Run(); err != nil {
		return fmt.Errorf("calibrate: %w", err)
	}
	if report.Calibration, err = os.ReadFile(calibration); err != nil {
		return err
	}
	serve := service.command(log, append(hash, envvar.Concurrency+"=Unbounded", envvar.CalibrationFile+"="+calibration,
		fmt.Sprintf("%s=%d", envvar.CPULimit, cgroup2.ServiceMilliCPU), envvar.User+"=user", envvar.Password+"=password"), "/loginservice", "serve")
	if err := serve.Start(); err != nil {
		return err
	}
	if err := ready(); err != nil {
		return err
	}
	plan, err := planFor(report.Calibration)
	if err != nil {
		return err
	}
	drive := generator.command(log, []string{
		envvar.Plan + "=" + plan, envvar.Target + "=" + address, envvar.Pods + "=" + address, envvar.Replicas + "=1",
		envvar.User + "=user", envvar.Password + "=password", envvar.K6 + "=/k6", envvar.MessageFile + "=" + messageFile,
		"HOME=/tmp", "K6_NO_USAGE_REPORT=true",
	}, "/loadrunner")
	err = drive.Run()
	message, errRead := os.ReadFile(messageFile)
	report.Message = string(message)
	return errors.Join(err, errRead)
}

// boot mounts what the programs read, and starts the loopback device.
func boot() error {
	var errs []error
	for _, mount := range []struct{ kind, at string }{
		{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"cgroup2", groups}, {"tmpfs", "/tmp"},
	} {
		if err := os.MkdirAll(mount.at, 0o755); err != nil {
			errs = append(errs, err)
		}
		if err := unix.Mount(mount.kind, mount.at, mount.kind, 0, ""); err != nil {
			errs = append(errs, fmt.Errorf("mount %s: %w", mount.at, err))
		}
	}
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	errs = append(errs, err)
	loopback, err := unix.NewIfreq("lo")
	errs = append(errs, err)
	if err := errors.Join(errs...); err != nil {
		return err
	}
	loopback.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return errors.Join(unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, loopback), enable(groups))
}

// enable lets the children of a cgroup have the controllers that containers have.
func enable(group string) error {
	return os.WriteFile(filepath.Join(group, "cgroup.subtree_control"), []byte("+cpu +cpuset +memory"), 0)
}

// group is a cgroup, as kubelet makes one for a container of a pod.
type group struct{ folder string }

func newGroup(name string, milliCPU int, cpus string) (group, error) {
	pod := filepath.Join(groups, "pod-"+name)
	g := group{filepath.Join(pod, name)}
	return g, errors.Join(
		os.Mkdir(pod, 0o755), enable(pod), os.Mkdir(g.folder, 0o755),
		g.set("cpu.max", fmt.Sprintf("%d %d", milliCPU*period/1000, period)),
		g.set("cpuset.cpus", cpus), g.set("memory.max", "512M"),
	)
}

func (g group) set(file, value string) error {
	return os.WriteFile(filepath.Join(g.folder, file), []byte(value), 0)
}

// command returns a command that runs in the cgroup.
func (g group) command(log *bytes.Buffer, environment []string, program ...string) *exec.Cmd {
	command := exec.Command("/proc/self/exe", append([]string{"enter"}, program...)...)
	command.Env = environment
	command.Stdout, command.Stderr = log, log
	folder, err := os.Open(g.folder)
	if err != nil {
		command.Err = err
		return command
	}
	command.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(folder.Fd())}
	return command
}

// ready waits until the service answers.
func ready() error {
	deadline := time.After(longest)
	for poll := time.NewTicker(100 * time.Millisecond); ; {
		if response, err := http.Get(address + "/healthz"); err == nil { //nolint:noctx // ends with the machine
			_ = response.Body.Close()
			if response.StatusCode < http.StatusMultipleChoices {
				return nil
			}
		}
		select {
		case <-deadline:
			return errors.New("the login service is not ready")
		case <-poll.C:
		}
	}
}

func planFor(calibrated []byte) (string, error) {
	spec, calibration, err := cgroup2.Trial(calibrated)
	if err != nil {
		return "", err
	}
	plan, err := loadplan.Build(spec, calibration, nil)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = json.NewEncoder(&text).Encode(plan)
	return text.String(), err
}
