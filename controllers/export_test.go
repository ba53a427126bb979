//go:build integration

package controllers

// The changes that call for passes, for tests that make the passes themselves.
var (
	ExperimentTurns  = experimentTurns
	TrialTurns       = trialTurns
	ExperimentTrials = experimentTrials
	CreatedOrDeleted = createdOrDeleted
)
