package matrix

import (
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

// CheckOwn returns what is wrong with a user's own login service; nothing with nil. It checks the
// references to variables and the regular expressions. The rules of the schema check the rest.
func CheckOwn(own *v1beta1.OwnService) error {
	if own == nil {
		return nil
	}
	for _, t := range texts(own) {
		for _, name := range loginflow.References(t.value) {
			if !slices.Contains(envvar.Own, name) && !slices.Contains(t.variables, name) {
				return fmt.Errorf("%s refers to $(%s), which is unknown; use one of %s, a variable of env before it, or $$( for the text itself", t.field, name, strings.Join(envvar.Own, ", "))
			}
		}
	}
	for _, companion := range own.Companions {
		if err := checkCompanion(companion); err != nil {
			return err
		}
	}
	if err := checkRequests("service.own.login.setup", own.Login.Setup); err != nil {
		return err
	}
	return checkRequests("service.own.login.steps", own.Login.Steps)
}

// CheckParameters returns an error if a user's own login service refers to a parameter that a hash of the matrix does not
// have, such as the cost of Argon2id.
func CheckParameters(spec v1beta1.SizingExperimentSpec) error {
	if spec.Service.Own == nil {
		return nil
	}
	for _, hash := range hashings(spec.Matrix) {
		variant := v1beta1.Variant{Hash: hash}
		known := []string{envvar.Workers, envvar.CPUMilli, envvar.User, envvar.Password}
		if hash.Bcrypt != nil {
			known = append(known, envvar.PasswordHash)
		}
		for _, parameter := range Parameters(variant) {
			known = append(known, parameter.Name)
		}
		for _, t := range texts(spec.Service.Own) {
			for _, name := range loginflow.References(t.value) {
				// CheckOwn returns what is no variable at all.
				if slices.Contains(envvar.Own, name) && !slices.Contains(known, name) {
					return fmt.Errorf("%s refers to $(%s), which %s does not have; write the value itself, or measure hashes that have it", t.field, name, Hashing(variant))
				}
			}
		}
	}
	return nil
}

// mounted are the paths in which Kubernetes or Hashmark mounts something. The schema has the same list for service.own.
var mounted = []string{
	"/proc", "/sys", "/dev", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/run/hashmark", "/run/secrets", "/var/run/hashmark", "/var/run/secrets",
}

// checkCompanion returns what is wrong with a companion that the schema can't check.
func checkCompanion(c v1beta1.Companion) error {
	field := "service.own.companions " + c.Name
	if c.Name == "localhost" {
		return fmt.Errorf("%s has the name of every container itself; choose another name", field)
	}
	if err := checkWritable(field, c.Writable); err != nil {
		return err
	}
	values := slices.Concat(c.Command, c.Args)
	for _, variable := range c.Env {
		values = append(values, variable.Value)
	}
	for _, value := range values {
		for _, name := range loginflow.References(value) {
			if slices.Contains(envvar.Own, name) {
				return fmt.Errorf("%s refers to $(%s), which only service.own has; write the value itself", field, name)
			}
		}
	}
	return nil
}

func checkWritable(field string, folders []string) error {
	for i, folder := range folders {
		if !path.IsAbs(folder) || path.Clean(folder) != folder || folder == "/" || strings.Contains(folder, ":") {
			return fmt.Errorf("%s can't write to %.64q; use an absolute path without a colon, . and .., and without a / at its end", field, folder)
		}
		for _, other := range slices.Concat(mounted, folders[:i]) {
			if within(folder, other) || within(other, folder) {
				return fmt.Errorf("%s can't write to %.64q, which is, contains or is in %s; use another path", field, folder, other)
			}
		}
	}
	return nil
}

// within reports whether a path is another one, or in it.
func within(inner, outer string) bool {
	return inner == outer || strings.HasPrefix(inner, outer+"/")
}

type text struct {
	field, value string
	// variables of env that Kubernetes replaces, too.
	variables []string
}

// texts returns every text in which Kubernetes or Hashmark replaces variables.
func texts(own *v1beta1.OwnService) []text {
	var all []text
	var variables []string
	for _, variable := range own.Env {
		all = append(all, text{"service.own.env " + variable.Name, variable.Value, slices.Clone(variables)})
		variables = append(variables, variable.Name)
	}
	for i, value := range own.Command {
		all = append(all, text{fmt.Sprintf("service.own.command[%d]", i), value, variables})
	}
	for i, value := range own.Args {
		all = append(all, text{fmt.Sprintf("service.own.args[%d]", i), value, variables})
	}
	for _, file := range own.Files {
		all = append(all, text{"service.own.files " + file.Path, file.Content, nil})
	}
	return all
}

// checkRequests checks that each request refers only to what is known by then.
func checkRequests(field string, requests []handover.Request) error {
	known := []string{envvar.User, envvar.Password}
	for i, request := range requests {
		for _, t := range requestTexts(request) {
			for _, name := range loginflow.References(t) {
				if !slices.Contains(known, name) {
					return fmt.Errorf("%s[%d] refers to $(%s), which is unknown there; use %s, or a name that an earlier request extracts", field, i, name, strings.Join(known, ", "))
				}
			}
		}
		for _, extraction := range request.Extract {
			if err := checkExpression(extraction.Regexp); err != nil {
				return fmt.Errorf("%s[%d].extract %s: %w", field, i, extraction.Name, err)
			}
			known = append(known, extraction.Name)
		}
	}
	return nil
}

func requestTexts(r handover.Request) []string {
	all := []string{r.Path, r.Body}
	for _, field := range slices.Concat(r.Headers, r.Form) {
		all = append(all, string(field.Value))
	}
	for _, name := range slices.Sorted(maps.Keys(r.JSON)) {
		all = append(all, string(r.JSON[name]))
	}
	return all
}
