package dashboards

import "fmt"

// overview shows all experiments: what is waiting, what is running, what failed and why.
func overview() Dashboard {
	return Dashboard{
		UID: overviewUID, Title: "Hashmark / Overview", From: "now-6h", Refresh: "30s",
		Description: "All SizingExperiments: what is waiting, what is running, what failed and why, and the state of the operator.",
		Variables: []variable{
			datasource(),
			some("namespace", "Namespace", "The namespaces of the experiments.", "hashmark_experiment_phase"),
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
	return about{"Leading operators", "How many operators export results. It should be 1. At 0 the operator is down, or Prometheus " +
		"can't reach it; at 2 there are two independent operators.", size{4, 4}}.
		stat(field{Unit: plain, Thresholds: from(red, at(1, green), at(2, orange))},
			overTime("", `count(hashmark_queue_length) or vector(0)`))
}

func experimentsByPhase() Panel {
	return about{"Experiments", "SizingExperiments in the cluster by phase, in all namespaces. Phases without any are left out.", size{5, 4}}.
		stat(field{Unit: number, NoValue: "none", Thresholds: from(grey)}, overTime("{{phase}}", best("phase", "hashmark_experiments", "")+" > 0"))
}

func trialsByPhase() Panel {
	return about{"Trials", "SizingTrials in the cluster by phase, in all namespaces. Phases without any are left out.", size{5, 4}}.
		stat(field{Unit: number, NoValue: "none", Thresholds: from(grey)}, overTime("{{phase}}", best("phase", "hashmark_trials", "")+" > 0"))
}

func waiting() Panel {
	return about{"Waiting for a turn", "Experiments that are waiting while others are measured. The operator limits the load in the cluster, " +
		"so that measurements don't disturb each other.", size{4, 4}}.
		stat(field{Unit: number, Thresholds: from(green, at(1, purple))}, overTime("", best("", "hashmark_queue_length", "")))
}

func failedInRow() Panel {
	return about{"Failed in a row", "Trials that failed in a row, since the last one that was measured. Three or more mean that " +
		"something is wrong with more than one experiment: see the reasons below.", size{3, 4}}.
		stat(field{Unit: number, Thresholds: from(green, at(1, orange), at(3, red))},
			overTime("", best("", "hashmark_trials_failed_in_row", "")))
}

func leftOut() Panel {
	return about{"Without series", "Experiments that these dashboards can't show, because there are more than " +
		"--metrics-max-experiments.", size{3, 4}}.
		stat(field{Unit: number, Thresholds: from(green, at(1, orange))},
			overTime("", best("", "hashmark_experiments_left_out", "")))
}

func experimentsTable() Panel {
	const labels = "namespace, experiment"
	moment := []property{unit(fromNow)}
	value := func(series, header string, shown ...property) column {
		return column{expr: best(labels, series, inNamespaces), header: header, shown: shown}
	}
	time := func(header, expr string) column {
		return column{expr: "1000 * " + expr, header: header, shown: moment, widest: len("a few seconds ago")}
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
	return about{"Experiments", "Each experiment at the end of the time range, with its finished trials, its end (expected, while it is running), the " +
		"reason for its end, and its recommendation: none if no size fits, blank without a demand and before it has finished. Its name links to its " +
		"results. The price is per month, in the currency next to it.", size{24, 11}}.
		table("Experiment",
			column{label: "namespace", header: "Namespace"},
			column{label: "experiment", header: "Experiment", shown: []property{open}},
			column{expr: best(labels+", phase", "hashmark_experiment_phase", inNamespaces)},
			column{label: "phase", header: "Phase", shown: inWords(phases), widest: 10},
			value("hashmark_experiment_trials_finished", "Finished", unit(number)),
			value("hashmark_experiment_trials_planned", "Of trials", unit(number)),
			time("End", fmt.Sprintf("(%s or %s)", best(labels, "hashmark_experiment_completion_timestamp_seconds", inNamespaces),
				best(labels, "hashmark_experiment_estimated_end_timestamp_seconds", inNamespaces))),
			column{expr: best(labels+", reason", "hashmark_experiment_end", inNamespaces)},
			column{label: "reason", header: "Reason"},
			column{expr: fmt.Sprintf("%s or %s", best(labels+", variant, confidence, verified", "hashmark_experiment_recommendation", inNamespaces),
				relabelled(best(labels, "hashmark_experiment_no_recommendation", inNamespaces), [2]string{"variant", "none"})), mayBeEmpty: unanswered},
			column{label: "variant", header: "Recommended", widest: 12},
			column{label: "confidence", header: "Confidence", shown: inWords(confidences), widest: 10},
			column{label: "verified", header: "Verified", widest: 8},
			answered("hashmark_experiment_recommended_replicas", "Replicas"),
			answered("hashmark_experiment_recommended_cpus", "CPUs"),
			column{
				expr:   best(labels+", currency", "hashmark_experiment_recommended_price_per_month", inNamespaces),
				header: "Per month", mayBeEmpty: unpriced,
			},
			column{label: "currency", header: "Currency", widest: 4},
		)
}

func experimentsOverTime() Panel {
	const labels = "namespace, experiment"
	return about{"Phases", "The phase of each experiment over time. A bar ends when the experiment was deleted.", size{24, 8}}.
		timeline(phases, overTime("{{namespace}}/{{experiment}}", coded(labels, "hashmark_experiment_phase", inNamespaces, "phase", phases)))
}

// trialsOverTime shows the running, suspended and failed trials of the experiments of a
// filter.
func trialsOverTime(filter string, s size) Panel {
	return about{"Running, suspended and failed trials", "When each trial was running. Waiting trials have no bar, and measured trials " +
		"have none after their end: see the results. The bar of a failed trial stays as long as its experiment exists.", s}.
		timeline(trialPhases, overTime("{{trial}}", coded("trial", "hashmark_trial_phase", filter, "phase", trialPhases)))
}

func failedTrials() Panel {
	panel := about{"Failed trials", "Trials without a successful attempt, with the reason of the last attempt. Empty is good. " +
		"The README explains each reason and what to do under “When something is wrong”.", size{12, 9}}.
		table("Experiment",
			column{label: "namespace", header: "Namespace"},
			column{label: "experiment", header: "Experiment"},
			column{label: "variant", header: "Variant"},
			column{label: "trial", header: "Trial"},
			column{label: "reason", header: "Reason", shown: []property{cells(wordCell), colored(red)}},
			column{expr: best("namespace, experiment, variant, trial, reason", "hashmark_trial_phase", join(inNamespaces, `phase="Failed"`))},
		)
	panel.Targets[0].mayBeEmpty = allMeasured
	return panel
}

func attempts() Panel {
	ended := overTime("{{reason}}", "sum by (reason) (hashmark_attempts_total) > 0")
	ended.mayBeEmpty = "no attempt has ended yet"
	return about{"Finished attempts", "Attempts to run a trial since the start of the running operators, by reason; Measured and Infeasible are those with a result. " +
		"It shows the counter itself, since increase() would leave out the first attempt of each kind.", size{8, 8}}.
		bars(field{Unit: number, NoValue: "none yet", Thresholds: from(blue)}, ended)
}

func stages() Panel {
	const stage = "hashmark_stage_duration_seconds"
	return about{"Mean duration of a stage", "The time of each stage of a trial, as the mean over all trials since the start of the running " +
		"operators. Everything except Calibrating and Loading is overhead.", size{6, 8}}.
		bars(field{Unit: seconds, Thresholds: from(blue)},
			overTime("{{stage}}", fmt.Sprintf("sum by (stage) (%s_sum) / (sum by (stage) (%s_count) > 0)", stage, stage)))
}

func reconciles() Panel {
	return about{"Reconciles", "How often the operator reconciled an experiment or a trial. The rate is high while something is running, and low " +
		"when everything has finished.", size{5, 8}}.
		plot(field{Unit: "ops"}, overTime("{{controller}}", rate("controller", "controller_runtime_reconcile_total", ofControllers)))
}

func reconcileErrors() Panel {
	return about{"Failed reconciles", "Reconciles that ended with an error and are retried. A few are conflicts and harmless; if the line " +
		"stays above zero, see the operator's log.", size{5, 8}}.
		plot(field{Unit: "ops", Thresholds: from(green, at(0.1, red))},
			overTime("{{controller}}", rate("controller", "controller_runtime_reconcile_errors_total", ofControllers))).
		upTo(1)
}
