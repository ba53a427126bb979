// Package prediction tells what the model expects of a variant: it turns a
// trial's spec and calibration into the service that package simulation knows,
// and planned steps into the arrivals that the k6 script sends.
//
//	lanes = min(workers or GOMAXPROCS, CPUs of the cpuset)
//	hash  = the calibration's CPU time, or that of a login in the run at hand
//
// It does not judge what was measured (package verdict does) and it plans no
// load (package loadplan does).
package prediction
