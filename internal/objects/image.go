package objects

import (
	"slices"
	"strings"
)

// within reports whether an image is in a repository, or in one below it: registry.example/team
// admits registry.example/team/login:v1 and not registry.example/team-evil.
func within(image, repository string) bool {
	rest, is := strings.CutPrefix(image, strings.TrimSuffix(repository, "/"))
	if !is || repository == "" || rest == "" {
		return false
	}
	tag := rest[0] == ':' && !strings.Contains(rest, "/") // otherwise it is a port
	return tag || rest[0] == '/' || rest[0] == '@'
}

// SameImage reports whether a pod's image is the planned one: by the same reference, by a digest instead of or beside its tag,
// or in a mirror of its repository. Nothing tells whether a digest is that of a tag, so whoever may change pods is trusted
// with it.
func SameImage(planned, given string, mirrors []ImageMirror) bool {
	return sameImage(planned, given) || slices.ContainsFunc(mirrors, func(m ImageMirror) bool {
		source := strings.TrimSuffix(m.Source, "/")
		return within(planned, source) && sameImage(strings.TrimSuffix(m.Mirror, "/")+strings.TrimPrefix(planned, source), given)
	})
}

func sameImage(planned, given string) bool {
	if planned == given {
		return true
	}
	name, digest, has := strings.Cut(given, "@")
	_, want, digested := strings.Cut(planned, "@")
	if !has || digested && want != digest {
		return false
	}
	repository := func(image string) string {
		image, _, _ = strings.Cut(image, "@")
		if i := strings.LastIndex(image, ":"); i > strings.LastIndex(image, "/") {
			return image[:i]
		}
		return image
	}
	tagged := repository(name) != name
	plain, _, _ := strings.Cut(planned, "@")
	return repository(planned) == repository(name) && (!tagged || plain == name)
}
