package cli

import "github.com/hashmark-dev/hashmark/internal/cgroup"

// threadTime returns the CPU time that the calling thread has used.
var threadTime = cgroup.ThreadCPUTime
