// Package cgroup reads the CPU resources of this process's container and their use: quota,
// throttling, CPU time, cpuset, idle time and steal.
//
// It finds its own cgroup from /proc/self/cgroup and /proc/self/mountinfo, of version 1,
// version 2 or both at once, in a container with or without a cgroup namespace. Files are
// read through an fs.FS, so that tests use recorded trees; programs pass os.DirFS("/"). The
// package parses the few lines that it needs itself, because readings are taken within a
// small CPU quota while the container is under load, and the general parsers of /proc/stat
// parse thousands of interrupt counters each time.
//
// It does not subtract readings (package evidence does) or judge them. A limit above the
// container's own cgroup, such as its pod's, is not visible from within the container and
// is not read.
//
//	quota in thousandths of a CPU = 1000 × quota ÷ period
package cgroup
