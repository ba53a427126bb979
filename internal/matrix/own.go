package matrix

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
)

// ownVariables are what the description of a user's own login service can refer to.
var ownVariables = []string{envvar.Cost, envvar.Workers, envvar.CPUMilli, envvar.User, envvar.Password, envvar.PasswordHash}

const mostFileBytes = 64 << 10

// systemPaths are where the kernel, the kubelet, the container runtime or Hashmark mount something
// into each container. A service that could write there could write its own evidence.
var systemPaths = []string{
	"/proc", "/sys", "/dev", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf",
	"/run/hashmark", "/run/secrets", "/var/run/hashmark", "/var/run/secrets",
}

// CheckOwn returns what is wrong with the user's own login service of an experiment, if it has one.
// The schema checks each field by itself.
func CheckOwn(spec v1beta1.SizingExperimentSpec) error {
	own := spec.Service.Own
	switch {
	case own == nil:
		return nil
	case len(spec.Matrix.Controls) > 0:
		return errors.New("matrix.controls are hashes of Hashmark's own login service, and can't be measured with service.own; remove them")
	case len(spec.Matrix.Concurrency) == 0:
		return errors.New("with service.own, matrix.concurrency must say how many logins the service computes at a time: WorkerPool with its workers, or Unbounded")
	}
	if err := checkReferences(own, len(spec.Matrix.Costs) > 1); err != nil {
		return err
	}
	if err := checkPaths(own); err != nil {
		return err
	}
	return checkLogin(own.Login)
}

type text struct{ field, value string }

// texts returns every text in which Kubernetes or Hashmark replaces variables.
func texts(own *v1beta1.OwnService) []text {
	var all []text
	for i, value := range own.Command {
		all = append(all, text{fmt.Sprintf("service.own.command[%d]", i), value})
	}
	for i, value := range own.Args {
		all = append(all, text{fmt.Sprintf("service.own.args[%d]", i), value})
	}
	for _, name := range slices.Sorted(maps.Keys(own.Env)) {
		all = append(all, text{"service.own.env." + name, string(own.Env[name])})
	}
	for _, name := range slices.Sorted(maps.Keys(own.Files)) {
		all = append(all, text{"service.own.files " + name, string(own.Files[name])})
	}
	return all
}

func checkReferences(own *v1beta1.OwnService, severalCosts bool) error {
	usesCost := false
	for _, t := range texts(own) {
		for _, name := range loginflow.References(t.value) {
			if !slices.Contains(ownVariables, name) {
				return fmt.Errorf("%s refers to $(%s), which is unknown; use one of %s, or $$( for the text itself", t.field, name, strings.Join(ownVariables, ", "))
			}
			usesCost = usesCost || name == envvar.Cost || name == envvar.PasswordHash
		}
	}
	if severalCosts && !usesCost {
		return fmt.Errorf("the matrix has several costs, but neither $(%s) nor $(%s) is in service.own.command, args, env or files, so all variants would run the same hash",
			envvar.Cost, envvar.PasswordHash)
	}
	return nil
}

func checkPaths(own *v1beta1.OwnService) error {
	size := 0
	for _, content := range own.Files {
		size += len(content)
	}
	if size > mostFileBytes {
		return fmt.Errorf("service.own.files have %d bytes in total; at most %d are allowed", size, mostFileBytes)
	}
	mounted := append(slices.Sorted(maps.Keys(own.Files)), own.Writable...)
	for _, at := range mounted {
		if path.Clean(at) != at {
			return fmt.Errorf("%s in service.own can't be mounted; use an absolute path without . and .., and without a / at its end", at)
		}
		for _, system := range systemPaths {
			if inFolder(at, system) || inFolder(system, at) {
				return fmt.Errorf("%s in service.own can't be mounted, because Kubernetes or Hashmark mounts %s; use another path", at, system)
			}
		}
		if slices.Contains(own.Writable, path.Dir(at)) {
			return fmt.Errorf("%s in service.own is in the writable folder %s, which would hide it; use another path", at, path.Dir(at))
		}
	}
	return nil
}

func inFolder(at, folder string) bool {
	return at == folder || strings.HasPrefix(at, strings.TrimSuffix(folder, "/")+"/")
}

// checkLogin checks that each step refers only to what is known by then.
func checkLogin(login handover.Login) error {
	for _, part := range []struct {
		field    string
		requests []handover.Request
	}{{"setup", login.Setup}, {"steps", login.Steps}} {
		known := []string{envvar.User, envvar.Password}
		for i, request := range part.requests {
			field := fmt.Sprintf("service.own.login.%s[%d]", part.field, i)
			for _, t := range requestTexts(request) {
				for _, name := range loginflow.References(t) {
					if !slices.Contains(known, name) {
						return fmt.Errorf("%s refers to $(%s), which is unknown there; use %s, or a name that an earlier request extracts", field, name, strings.Join(known, ", "))
					}
				}
			}
			for _, name := range slices.Sorted(maps.Keys(request.Extract)) {
				if err := checkExpression(request.Extract[name].Regexp); err != nil {
					return fmt.Errorf("%s.extract.%s: %w", field, name, err)
				}
				known = append(known, name)
			}
		}
	}
	if len(login.Wrong.Status) == 0 {
		return errors.New("service.own.login.wrong.status is empty; name the statuses that answer a wrong password, such as 401")
	}
	return nil
}

func requestTexts(r handover.Request) []string {
	all := []string{r.Path, r.Body}
	for _, values := range []map[string]handover.RequestText{r.Headers, r.JSON, r.Form} {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			all = append(all, string(values[name]))
		}
	}
	return all
}
