// Package prediction predicts a variant with the model: it converts a trial's spec and
// calibration to the service of package simulation, and planned steps to the arrivals that the
// k6 script sends.
//
//	lanes = min(workers or GOMAXPROCS, CPUs of the cpuset)
//	hash  = the calibration's CPU time, or the CPU time of a login in the run
//
// It does not judge measurements (package verdict does), and it does not plan load (package
// loadplan does).
package prediction
