package loginflow

import "regexp"

// reference is $(NAME), or $$, which stands for a single $.
var reference = regexp.MustCompile(`\$\$|\$\(([A-Za-z_][A-Za-z0-9_]*)\)`)

// References returns the names of the variables that a text refers to, in their order. The syntax
// is that of a container's command in Kubernetes: $(NAME), and $$ for a single $.
func References(text string) []string {
	var names []string
	for _, match := range reference.FindAllStringSubmatch(text, -1) {
		if match[1] != "" {
			names = append(names, match[1])
		}
	}
	return names
}

// Expand replaces the references to variables. One to an unknown variable stays as it is.
func Expand(text string, variables map[string]string) string {
	return reference.ReplaceAllStringFunc(text, func(match string) string {
		if match == "$$" {
			return "$"
		}
		if value, known := variables[match[2:len(match)-1]]; known {
			return value
		}
		return match
	})
}
