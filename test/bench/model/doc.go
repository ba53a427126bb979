// Package model holds the simulation against the real login service under real
// quotas, without a cluster: the service runs in a control group of its own on
// CPUs of its own, and is driven over loopback by the schedule that the
// simulation is given, with the CPU time per login that it used in that run.
//
// It says how far the model itself is off, and nothing of how well a calibration
// tells the CPU time beforehand. It needs root, cgroup v1 and the tag bench. The
// generator runs at a real-time priority, so that it is late for nothing:
//
//	go build -o dist/bench/loginservice ./cmd/loginservice
//	go test -c -tags bench -o dist/bench/model.test ./test/bench/model
//	export HASHMARK_LOGINSERVICE=$PWD/dist/bench/loginservice
//	chrt --fifo 20 taskset -c 1 dist/bench/model.test -test.v -logins 2000
package model
