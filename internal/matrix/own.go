package matrix

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
)

// ownVariables are what the description of a user's own login service can refer to.
var ownVariables = []string{envvar.Cost, envvar.Workers, envvar.CPUMilli, envvar.User, envvar.Password, envvar.PasswordHash}

// CheckOwn returns what is wrong with a user's own login service; nothing with nil. It checks the
// references to variables and the regular expressions. The rules of the schema check the rest.
func CheckOwn(own *v1beta1.OwnService) error {
	if own == nil {
		return nil
	}
	for _, t := range texts(own) {
		for _, name := range loginflow.References(t.value) {
			if !slices.Contains(ownVariables, name) {
				return fmt.Errorf("%s refers to $(%s), which is unknown; use one of %s, or $$( for the text itself", t.field, name, strings.Join(ownVariables, ", "))
			}
		}
	}
	if err := checkRequests("service.own.login.setup", own.Login.Setup); err != nil {
		return err
	}
	return checkRequests("service.own.login.steps", own.Login.Steps)
}

// CheckOther returns an error if the matrix has a hash with other, and a user's own login service needs
// the cost or the bcrypt hash of the variant.
func CheckOther(spec v1beta1.SizingExperimentSpec) error {
	own, other := spec.Service.Own, func(h v1beta1.Hash) bool { return h.Other != nil }
	if own == nil || !slices.ContainsFunc(spec.Matrix.Hashes, other) {
		return nil
	}
	for _, t := range texts(own) {
		for _, name := range loginflow.References(t.value) {
			if name == envvar.Cost || name == envvar.PasswordHash {
				return fmt.Errorf("%s refers to $(%s), but a hash with other has no cost; write the password's hash itself, or measure bcrypt", t.field, name)
			}
		}
	}
	return nil
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
	for _, variable := range own.Env {
		all = append(all, text{"service.own.env " + variable.Name, variable.Value})
	}
	for _, file := range own.Files {
		all = append(all, text{"service.own.files " + file.Path, file.Content})
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
