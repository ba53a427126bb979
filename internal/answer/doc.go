// Package answer puts together what an experiment answers, for the operator and
// the command line alike: [Rows] at any time, [Conclude] at the end, and [WhatIf]
// for another question to the same measurements.
//
// It computes little itself. Rows come from package summary, predictions from
// package forecast, prices from package pricing, another objective's capacities
// from package verdict, and the choice from package recommendation. What is here
// is how they meet: which results are candidates, and what each costs.
//
//	capacity of one replica = capacity of a row ÷ spec.service.replicas
//
// It drives no load and reads no cluster: spec and trials are all it knows.
package answer
