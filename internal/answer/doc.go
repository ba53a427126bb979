// Package answer fills the results of an experiment's status, for both the operator and the
// command line: [Rows] at any time, [Conclude] at the end, and [WhatIf] for another
// objective, demand or prices with the same measurements.
//
// It computes little itself. Rows come from package summary, predictions from package
// forecast, prices from package pricing, the capacities under another objective from package
// verdict, and the choice from package recommendation. This package combines them: it says
// which results are candidates and what each costs.
//
//	capacity of one replica = capacity of a row ÷ spec.service.replicas
//
// It drives no load and reads no cluster. It uses only the spec and the trials.
package answer
