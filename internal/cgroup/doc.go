// Package cgroup reads the CPU resources of this process's container and their use: quota, throttling, CPU time,
// cpuset, idle time and steal, from cgroups of version 1, version 2 or both at once. Files are read through an
// fs.FS, so that tests use recorded trees. It parses the few lines that it needs itself, because readings are
// taken within a small CPU quota under load, and general parsers read thousands of interrupt counters each time.
//
// It does not subtract readings (package evidence does) or judge them. A limit above the container's own
// cgroup, such as its pod's, is not visible from within the container and is not read.
package cgroup
