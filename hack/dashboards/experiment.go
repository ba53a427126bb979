package dashboards

import "fmt"

// experiment shows one experiment: its objective, its recommendation, its results and their
// verdicts.
func experiment() Dashboard {
	return Dashboard{
		UID: experimentUID, Title: "Hashmark / Experiment", From: "now-6h", Refresh: "30s",
		Description: "One SizingExperiment: what to run and what it costs, latency against offered rate, capacity by cost and CPU limit, and the verdicts.",
		Variables:   ofOneExperiment(),
		Annotations: []annotation{trialsRunning(ofVariants)},
		Sections: []section{
			{"The experiment", []Panel{phase(), progress(), objective(), end(), verdictCounts()}},
			{"What to run", append([]Panel{recommendedSize(), recommendedCPUs(), recommendedP95(), recommendedCapacity(), modelCheck()}, prices()...)},
			{"What each variant needs", []Panel{sizes(), defenderAndAttacker(), hashTable()}},
			{"Latency and throttling against the offered rate", []Panel{latencyCurve(), throttlingCurve()}},
			{"By cost and CPU limit", []Panel{capacityMatrix(), latencyMatrix()}},
			{"Results", []Panel{results(), reasons()}},
			{"The speed of the CPU", []Panel{referenceSpeed(), speedOfVariants()}},
			{"How it was measured", []Panel{hashTimes(), againstBound(), trialsOverTime(ofVariants, size{12, 8}), progressOverTime()}},
		},
	}
}

func phase() Panel {
	return about{"Phase", "The phase of the experiment, as in kubectl get szx.", size{4, 4}}.
		stat(field{Unit: plain, Color: &color{Mode: "thresholds"}, Thresholds: from(grey), Mappings: words(phases)},
			overTime("", coded("namespace, experiment", "hashmark_experiment_phase", ofExperiment, "phase", phases)))
}

func progress() Panel {
	return about{"Trials", "How many of the experiment's trials have finished, whatever their outcome.", size{5, 4}}.
		stat(field{Unit: number, Thresholds: from(grey)},
			overTime("finished", best("", "hashmark_experiment_trials_finished", ofExperiment)),
			overTime("of", best("", "hashmark_experiment_trials_planned", ofExperiment)))
}

const objectiveSeries = "hashmark_experiment_objective_p95_seconds"

func objective() Panel {
	return about{"Objective", "The p95 of the experiment's objective: 95 of 100 logins must be answered within this time.", size{4, 4}}.
		stat(field{Unit: seconds, Thresholds: from(grey)}, overTime("", best("", objectiveSeries, ofExperiment)))
}

func end() Panel {
	return about{"End", "When the experiment finished, or is expected to finish.", size{5, 4}}.
		stat(field{Unit: fromNow, NoValue: "unknown", Thresholds: from(grey)},
			overTime("", fmt.Sprintf("1000 * max(hashmark_experiment_completion_timestamp_seconds{%s} or hashmark_experiment_estimated_end_timestamp_seconds{%s})",
				ofExperiment, ofExperiment)))
}

func verdictCounts() Panel {
	return about{"Verdicts", "The number of variants by verdict. Use Suspect results with care, and Invalid results not at all.", size{6, 4}}.
		stat(field{Unit: number, Thresholds: from(grey)},
			overTime("{{verdict}}", fmt.Sprintf("count by (verdict) (%s)", best("variant, verdict", "hashmark_variant_verdict", ofVariants))))
}

// offered returns the rate of each step for which another series has a value.
func offered(only string) string {
	const points = "variant, step"
	return best(points, "hashmark_step_offered_logins_per_second", ofVariants) +
		" and on (variant, step) " + best(points, only, ofVariants)
}

// latencyCurve draws the objective like a variant with two points: at no load and at the
// highest rate.
func latencyCurve() Panel {
	const p95 = "hashmark_step_p95_seconds"
	line, points := [2]string{"variant", "objective"}, [2][2]string{{"step", "first"}, {"step", "last"}}
	goal := best("", objectiveSeries, ofExperiment)
	highest := best("", "hashmark_step_offered_logins_per_second", ofVariants)
	x := column{header: "Offered rate", shown: []property{unit(perSecond)}, expr: fmt.Sprintf("%s or %s or %s",
		offered(p95), relabelled("0 * "+goal, line, points[0]), relabelled(highest, line, points[1]))}
	y := column{header: "p95", expr: fmt.Sprintf("%s or %s or %s",
		best("variant, step", p95, ofVariants), relabelled(goal, line, points[0]), relabelled(goal, line, points[1]))}
	return about{"p95 against offered rate", "Each point is a step: its login rate, and its p95. A variant can serve the rates to the left of the " +
		"point where its curve crosses the objective (the dashed line). Near that point p95 is imprecise: use the capacity in the results, " +
		"which is computed from more than these points. Saturated steps have no p95.", size{12, 12}}.
		curve(field{Unit: seconds}, x, y, matching("/objective/", colored(grey),
			property{"custom.lineStyle", lineStyle{Fill: "dash", Dash: []int{10, 10}}}, property{"custom.show", "lines"}))
}

func throttlingCurve() Panel {
	const throttled = "hashmark_step_throttled_ratio"
	x := column{header: "Offered rate", shown: []property{unit(perSecond)}, expr: offered(throttled)}
	y := column{header: "Throttled", expr: best("variant, step", throttled, ofVariants)}
	return about{"Throttling against offered rate", "The share of quota periods in which the CPU limit throttled the service, for each step; " +
		"the rates are those of the panel next to it. High shares are normal for a limit below one CPU. A variant without a quota, such " +
		"as one with exclusive CPUs, has no curve.", size{12, 12}}.
		curve(field{Unit: share}, x, y)
}

// bcrypt selects the variants with a cost.
const bcrypt = ofVariants + `,algorithm="bcrypt"`

func capacityMatrix() Panel {
	return about{"Capacity", "The highest login rate that meets the objective. Green cells have the highest capacity. Of variants that " +
		"differ only in concurrency or node pool, the best one is shown; other hashes are only in the results. Rows with a predicted cost are " +
		"the model's predictions for variants that were not measured. A dash means: no rate meets the objective, or it is unknown.", size{12, 8}}.
		matrix(perSecond, "continuous-RdYlGr", false, fmt.Sprintf("%s or %s",
			best("cost, cpu_limit", "hashmark_variant_capacity_logins_per_second", bcrypt),
			marked("cost", "predicted", best("cost, cpu_limit", "hashmark_prediction_capacity_logins_per_second", bcrypt))))
}

func latencyMatrix() Panel {
	return about{"p95 at the reported step", "The p95 of each variant at the step that its result reports: with load.capacity at 70 % of its " +
		"own maximum, so that cells can be compared. Green cells have the lowest latency. Of variants that differ only in concurrency or " +
		"node pool, the fastest is shown. A dash means: the step was overloaded or had too few logins.", size{12, 8}}.
		matrix(seconds, "continuous-GrYlRd", true, fmt.Sprintf("min by (cost, cpu_limit) (hashmark_variant_p95_seconds{%s})", bcrypt))
}

func results() Panel {
	const labels = "variant, algorithm, cost, cpu_limit, concurrency, pool"
	value := func(series, header, measuredIn string) column {
		c := measured(labels, "hashmark_variant_"+series, ofVariants, header, measuredIn)
		if measuredIn == perSecond {
			c.widest = len("12.3 req/s")
		}
		return c
	}
	return about{"Results", "One row per variant, as in the experiment's status. Look at the verdict first; Met says whether it meets the objective. p95 and its 95 % interval, the " +
		"errors and the throttling are those of the reported step; the maximum is the throughput at saturation; the bound is the CPU-bound " +
		"rate. A blank cell was not measured.", size{24, 10}}.
		table("Variant",
			column{label: "variant", header: "Variant"},
			column{label: "algorithm"},
			column{label: "cost", header: "Cost", widest: 4},
			column{label: "cpu_limit", header: "CPU limit", widest: 9},
			column{label: "concurrency", header: "Concurrency", widest: 11},
			column{label: "pool", header: "Pool", widest: 6},
			column{expr: best(labels+", verdict", "hashmark_variant_verdict", ofVariants)},
			column{label: "verdict", header: "Verdict", shown: inWords(verdicts), widest: 8},
			column{
				expr: best(labels, "hashmark_variant_objective_met", ofVariants), header: "Met",
				shown: []property{{"mappings", either("no", red, "yes", green)}, cells(wordCell)},
			},
			value("capacity_logins_per_second", "Capacity", perSecond),
			value("offered_logins_per_second", "Offered", perSecond),
			value("p95_seconds", "p95", seconds),
			value("p95_low_seconds", "p95 from", seconds),
			value("p95_high_seconds", "p95 to", seconds),
			value("error_ratio", "Errors", share),
			value("throttled_ratio", "Throttled", share),
			value("throughput_logins_per_second", "Maximum", perSecond),
			value("bound_logins_per_second", "Bound", perSecond),
			value("hash_seconds", "Hash", seconds),
		)
}

func reasons() Panel {
	verdict := best("variant, verdict", "hashmark_variant_verdict", ofVariants)
	return about{"Verdicts with their reasons", "The reasons for a verdict or for missing numbers, one row per reason; None means no reason. " +
		"The messages, with the observed values and what to do, are in the experiment's status; docs/verdicts.md lists the thresholds.", size{24, 8}}.
		table("Variant",
			column{label: "variant", header: "Variant"},
			column{label: "verdict", header: "Verdict", shown: inWords(verdicts)},
			column{label: "reason", header: "Reason"},
			column{expr: fmt.Sprintf("%s * on (variant) group_left (verdict) %s or on (variant) %s",
				best("variant, reason", "hashmark_variant_reason", ofVariants), verdict, relabelled(verdict, [2]string{"reason", "None"}))},
		)
}

func hashTimes() Panel {
	return about{"CPU time of a hash", "The CPU time of one hash at the reference speed of the CPU. On one kind of node it depends only on the cost " +
		"and doubles with each increment. If it does not, the calibration was disturbed.", size{12, 8}}.
		bars(field{Unit: seconds, Thresholds: from(blue)}, overTime("{{variant}}", best("variant", "hashmark_variant_hash_seconds", ofVariants)))
}

func againstBound() Panel {
	top := 1.1
	return about{"Maximum against bound", "The throughput at saturation divided by the CPU-bound rate, both at the reference speed. " +
		"Near 1 the service had all of its CPU. Well below 1, something else used the CPU, or there were too few callers. The verdict " +
		"itself compares the used CPU with the CPU limit.", size{12, 8}}.
		bars(field{
			Unit: share, Max: &top,
			Thresholds: from(red, at(0.5, orange), at(0.9, green), at(1.02, orange), at(1.05, red)),
		}, overTime("{{variant}}", fmt.Sprintf("%s / %s",
			best("variant", "hashmark_variant_throughput_logins_per_second", ofVariants),
			best("variant", "hashmark_variant_bound_logins_per_second", ofVariants))))
}

func progressOverTime() Panel {
	return about{"Progress", "Finished and planned trials. A line that stays flat for longer than a trial takes means that the experiment is " +
		"waiting: the panel with the trials shows for what.", size{12, 8}}.
		plot(field{Unit: number},
			overTime("finished", best("", "hashmark_experiment_trials_finished", ofExperiment)),
			overTime("planned", best("", "hashmark_experiment_trials_planned", ofExperiment)))
}
