package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Version is which hierarchy limits the CPU.
type Version int32

const (
	// None means that no cgroup controls this process's CPU.
	None Version = 0
	// V1 is the older interface, with one hierarchy for each controller.
	V1 Version = 1
	// V2 is the unified hierarchy.
	V2 Version = 2
)

// membership is a line of /proc/self/cgroup: the cgroup of the process in one hierarchy.
type membership struct {
	controllers []string // empty in the unified hierarchy
	path        string
}

// parseMemberships reads /proc/self/cgroup: hierarchy-id:controllers:path. The unified
// hierarchy has id 0 and no controllers (cgroups(7)).
func parseMemberships(text string) ([]membership, error) {
	var all []membership
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) != 3 || !strings.HasPrefix(fields[2], "/") {
			return nil, fmt.Errorf("line %q is not of the form id:controllers:/path", line)
		}
		m := membership{path: fields[2]}
		if fields[1] != "" {
			m.controllers = strings.Split(fields[1], ",")
		}
		all = append(all, m)
	}
	return all, nil
}

// mount is a line of /proc/self/mountinfo that shows a cgroup hierarchy.
type mount struct {
	root, point string
	version     Version
	controllers []string // only with V1
}

// parseMounts reads the cgroup mounts from /proc/self/mountinfo: id parent
// major:minor root point options [optional...] - type source super-options
// (proc_pid_mountinfo(5)).
func parseMounts(text string) ([]mount, error) {
	var all []mount
	for line := range strings.Lines(text) {
		before, after, found := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !found || len(left) < 6 || len(right) < 2 {
			return nil, fmt.Errorf("line %q is not a mount", line)
		}
		m := mount{root: unescape(left[3]), point: unescape(left[4])}
		switch {
		case right[0] == "cgroup2":
			m.version = V2
		case right[0] == "cgroup" && len(right) > 2:
			m.version, m.controllers = V1, strings.Split(right[2], ",")
		default:
			continue
		}
		all = append(all, m)
	}
	return all, nil
}

// unescape undoes the octal escapes of space, tab, newline and backslash.
func unescape(field string) string {
	var plain strings.Builder
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+3 < len(field) {
			if code, err := strconv.ParseUint(field[i+1:i+4], 8, 8); err == nil {
				plain.WriteByte(byte(code))
				i += 3
				continue
			}
		}
		plain.WriteByte(field[i])
	}
	return plain.String()
}

// hierarchies is what the kernel reports about this process's cgroups.
type hierarchies struct {
	memberships []membership
	mounts      []mount
}

func readHierarchies(fsys fs.FS) (hierarchies, error) {
	text, err := fs.ReadFile(fsys, "proc/self/cgroup")
	if errors.Is(err, fs.ErrNotExist) {
		return hierarchies{}, nil // a kernel without cgroups
	}
	if err != nil {
		return hierarchies{}, err
	}
	var h hierarchies
	if h.memberships, err = parseMemberships(string(text)); err != nil {
		return hierarchies{}, fmt.Errorf("proc/self/cgroup: %w", err)
	}
	if text, err = fs.ReadFile(fsys, "proc/self/mountinfo"); err != nil {
		return hierarchies{}, err
	}
	if h.mounts, err = parseMounts(string(text)); err != nil {
		return hierarchies{}, fmt.Errorf("proc/self/mountinfo: %w", err)
	}
	return h, nil
}

// folder returns the process's own folder for a controller: the first candidate that
// contains the file. It returns "" if no candidate does.
func (h hierarchies) folder(fsys fs.FS, version Version, controller, file string) string {
	for _, m := range h.memberships {
		if !m.has(version, controller) {
			continue
		}
		for _, candidate := range h.candidates(m.path, version, controller) {
			if _, err := fs.Stat(fsys, path.Join(candidate, file)); err == nil {
				return candidate
			}
		}
	}
	return ""
}

func (m membership) has(version Version, controller string) bool {
	if version == V2 {
		return len(m.controllers) == 0
	}
	return slices.Contains(m.controllers, controller)
}

// candidates returns the folders in which a cgroup may be visible. A runtime without a
// cgroup namespace mounts only the container's own part of a version 1 hierarchy: then the
// mount's root is the cgroup's path, or a part of it. In a namespace that was created
// elsewhere the two don't match, and only the mount point itself is left.
func (h hierarchies) candidates(cgroupPath string, version Version, controller string) []string {
	var within, whole []string
	for _, m := range h.mounts {
		if m.version != version || version == V1 && !slices.Contains(m.controllers, controller) {
			continue
		}
		point := strings.TrimPrefix(m.point, "/")
		whole = append(whole, point)
		rest, inside := below(m.root, cgroupPath)
		if inside {
			within = append(within, path.Join(point, rest))
		}
	}
	return append(within, whole...)
}

// below returns the part of a path under a root, and whether the path is under the root.
func below(root, full string) (string, bool) {
	if strings.Contains(full, "..") {
		return "", false
	}
	rest, found := strings.CutPrefix(full, strings.TrimSuffix(root, "/"))
	return rest, found && (rest == "" || rest[0] == '/')
}
