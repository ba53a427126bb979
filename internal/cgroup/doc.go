// Package cgroup reads what this process's container was given and has used of
// its machine's CPUs: quota, throttling, CPU time, cpuset, idle and stolen time.
//
// It finds its own cgroup from /proc/self/cgroup and /proc/self/mountinfo, of
// version 1, version 2 or both at once, in a container with or without a cgroup
// namespace. Files are read through an fs.FS, so that tests use recorded trees;
// programs pass os.DirFS("/"). It parses the few lines it needs itself, because
// readings are taken inside a small CPU quota while the container is under load,
// and the general parsers of /proc/stat take apart thousands of interrupt
// counters each time.
//
// It does not subtract readings (package evidence does) or judge them. A limit
// set above the container's own cgroup, as on its pod's, can't be seen from
// inside and is not looked for.
//
//	quota in thousandths of a CPU = 1000 × quota ÷ period
package cgroup
