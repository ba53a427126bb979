package dashboards

import "fmt"

// overview shows every experiment: what waits, what runs, what failed and why.
func overview() Dashboard {
	return Dashboard{
		UID: overviewUID, Title: "Hashmark / Overview", From: "now-6h", Refresh: "30s",
		Description: "All SizingExperiments: what waits, what runs, what failed and why, and how the operator fares.",
		Variables: []variable{
			datasource(),
			some("namespace", "Namespace", "Where the experiments are.", "hashmark_experiment_phase"),
		},
		Annotations: []annotation{trialsRunning(inNamespaces)},
		Sections: []section{
			{"Now", []Panel{leaders(), experimentsByPhase(), trialsByPhase(), waiting(), failedInRow(), leftOut()}},
			{"Experiments", []Panel{experimentsTable(), experimentsOverTime()}},
			{"Trials", []Panel{trialsOverTime(inNamespaces, size{12, 9}), failedTrials()}},
			{"Operator", []Panel{attempts(), stages(), reconciles(), reconcileErrors()}},
		},
	}
}

func leaders() Panel {
	return about{"Operators that lead", "How many operators tell results. It should be 1: at 0 the operator is down, or Prometheus " +
		"doesn't reach it; at 2 two of them don't know of each other.", size{4, 4}}.
		stat(field{Unit: plain, Thresholds: from(red, at(1, green), at(2, orange))},
			overTime("", `count(hashmark_queue_length) or vector(0)`))
}

func experimentsByPhase() Panel {
	return about{"Experiments", "SizingExperiments in the cluster, by phase, whatever namespace is chosen.", size{6, 4}}.
		stat(field{Unit: number, Thresholds: from(grey)}, overTime("{{phase}}", best("phase", "hashmark_experiments", "")))
}

func trialsByPhase() Panel {
	return about{"Trials", "SizingTrials in the cluster, by phase, whatever namespace is chosen.", size{6, 4}}.
		stat(field{Unit: number, Thresholds: from(grey)}, overTime("{{phase}}", best("phase", "hashmark_trials", "")))
}

func waiting() Panel {
	return about{"Waiting for a turn", "Experiments that wait because others are measured. Load is limited for the whole operator, " +
		"so that measurements don't disturb each other.", size{2, 4}}.
		stat(field{Unit: number, Thresholds: from(green, at(1, purple))}, overTime("", best("", "hashmark_queue_length", "")))
}

func failedInRow() Panel {
	return about{"Failed in a row", "Trials that failed one after another, since the last one that was measured. From three on " +
		"something is wrong with more than one experiment: see why below.", size{3, 4}}.
		stat(field{Unit: number, Thresholds: from(green, at(1, orange), at(3, red))},
			overTime("", best("", "hashmark_trials_failed_in_row", "")))
}

func leftOut() Panel {
	return about{"Without series", "Experiments that these dashboards can't show, because there are more than the operator tells one " +
		"by one (--metrics-max-experiments).", size{3, 4}}.
		stat(field{Unit: number, Thresholds: from(green, at(1, orange))},
			overTime("", best("", "hashmark_experiments_left_out", "")))
}

func experimentsTable() Panel {
	const labels = "namespace, experiment"
	moment := []property{unit(fromNow)}
	value := func(series, header string, shown ...property) column {
		return column{expr: best(labels, series, inNamespaces), header: header, shown: shown}
	}
	time := func(series, header string) column {
		return column{expr: "1000 * " + best(labels, series, inNamespaces), header: header, shown: moment}
	}
	answered := func(series, header string) column {
		c := value(series, header, unit(number))
		c.mayBeEmpty = unanswered
		return c
	}
	open := property{"links", []map[string]any{{
		"title": "Open the experiment",
		"url": "/d/" + experimentUID + "?var-namespace=${__data.fields.Namespace}" +
			"&var-experiment=${__data.fields.Experiment}&${datasource:queryparam}&${__url_time_range}",
	}}}
	return about{"Experiments", "Each experiment as it is at the end of the time that is looked at, with how many of its trials have " +
		"ended, why it ended as it did, and what it recommends: none where nothing fits, blank without a demand and until it ended. Its " +
		"name leads to its results. Prices are in the currency beside them.", size{24, 11}}.
		table("Experiment",
			column{label: "namespace", header: "Namespace"},
			column{label: "experiment", header: "Experiment", shown: []property{open}},
			column{expr: best(labels+", phase", "hashmark_experiment_phase", inNamespaces)},
			column{label: "phase", header: "Phase", shown: inWords(phases)},
			value("hashmark_experiment_trials_finished", "Finished", unit(number)),
			value("hashmark_experiment_trials_planned", "Of trials", unit(number)),
			time("hashmark_experiment_start_timestamp_seconds", "Began"),
			time("hashmark_experiment_estimated_end_timestamp_seconds", "Likely to end"),
			time("hashmark_experiment_completion_timestamp_seconds", "Ended"),
			column{expr: best(labels+", reason", "hashmark_experiment_end", inNamespaces)},
			column{label: "reason", header: "Because of"},
			column{expr: fmt.Sprintf("%s or %s", best(labels+", variant, confidence, verified", "hashmark_experiment_recommendation", inNamespaces),
				relabelled(best(labels, "hashmark_experiment_no_recommendation", inNamespaces), [2]string{"variant", "none"})), mayBeEmpty: unanswered},
			column{label: "variant", header: "Recommended"},
			column{label: "confidence", header: "Confidence", shown: inWords(confidences)},
			column{label: "verified", header: "Verified"},
			answered("hashmark_experiment_recommended_replicas", "Replicas"),
			answered("hashmark_experiment_recommended_cpus", "CPUs"),
			column{
				expr:   best(labels+", currency", "hashmark_experiment_recommended_price_per_month", inNamespaces),
				header: "Price per month", mayBeEmpty: unpriced,
			},
			column{label: "currency", header: "Currency"},
		)
}

func experimentsOverTime() Panel {
	const labels = "namespace, experiment"
	return about{"Phases", "Which phase each experiment was in, and when. A bar ends where the experiment was deleted.", size{24, 8}}.
		timeline(phases, overTime("{{namespace}}/{{experiment}}", coded(labels, "hashmark_experiment_phase", inNamespaces, "phase", phases)))
}

// trialsOverTime shows what ran and what failed, of the experiments of a filter.
func trialsOverTime(filter string, of size) Panel {
	return about{"Trials that run, are suspended or failed", "When each trial was measured. Trials that wait have no bar, and neither " +
		"have those that were measured: their results tell of them. A failed one stays as long as its experiment does.", of}.
		timeline(trialPhases, overTime("{{trial}}", coded("trial", "hashmark_trial_phase", filter, "phase", trialPhases)))
}

func failedTrials() Panel {
	panel := about{"Trials that failed, and why", "Trials of which no attempt gave numbers, with the reason of the last one. Empty is " +
		"good. What each reason means, and what to do, is in the README under “When something is wrong”.", size{12, 9}}.
		table("Experiment",
			column{label: "namespace", header: "Namespace"},
			column{label: "experiment", header: "Experiment"},
			column{label: "variant", header: "Variant"},
			column{label: "trial", header: "Trial"},
			column{label: "reason", header: "Reason", shown: []property{cells(wordCell), colored(red)}},
			column{expr: best("namespace, experiment, variant, trial, reason", "hashmark_trial_phase", join(inNamespaces, `phase="Failed"`))},
		)
	panel.Targets[0].mayBeEmpty = "no trial failed"
	return panel
}

func attempts() Panel {
	return about{"Attempts that ended", "How the attempts at trials ended since the operators that answer were started, with the reason. " +
		"It is the counter itself: its increase would leave out the first attempt of each kind, which is the one to see.", size{6, 8}}.
		bars(field{Unit: number, Thresholds: from(blue)},
			overTime("{{outcome}} {{reason}}", "sum by (outcome, reason) (hashmark_attempts_total)"))
}

func stages() Panel {
	const stage = "hashmark_stage_duration_seconds"
	return about{"Mean time of a stage", "Where the time of a trial goes, by the mean over all trials since the operators that answer were " +
		"started. What is not Calibrating or Loading is overhead.", size{6, 8}}.
		bars(field{Unit: seconds, Thresholds: from(blue)},
			overTime("{{stage}}", fmt.Sprintf("sum by (stage) (%s_sum) / (sum by (stage) (%s_count) > 0)", stage, stage)))
}

func reconciles() Panel {
	return about{"Reconciles", "How often the operator looked at an experiment or a trial. It is busy while something runs, and quiet " +
		"when all has ended.", size{6, 8}}.
		plot(field{Unit: "ops"}, overTime("{{controller}}", rate("controller", "controller_runtime_reconcile_total", ofControllers)))
}

func reconcileErrors() Panel {
	return about{"Reconciles that failed", "Passes that ended with an error and are tried again. A few are conflicts and no matter; a line " +
		"that stays above zero is in the operator's log.", size{6, 8}}.
		plot(field{Unit: "ops", Thresholds: from(green, at(0.1, red))},
			overTime("{{controller}}", rate("controller", "controller_runtime_reconcile_errors_total", ofControllers)))
}
