package dashboards

import "fmt"

// experiment shows the question, the answers and how far they may be believed.
func experiment() Dashboard {
	return Dashboard{
		UID: experimentUID, Title: "Hashmark / Experiment", From: "now-6h", Refresh: "30s",
		Description: "One SizingExperiment: what to run and what it costs, latency against offered rate, capacity by cost and CPU limit, and the verdicts.",
		Variables:   ofOneExperiment(),
		Annotations: []annotation{trialsRunning(ofVariants)},
		Sections: []section{
			{"The experiment", []Panel{phase(), progress(), objective(), end(), verdictCounts()}},
			{"What to run", append([]Panel{recommendedSize(), recommendedCPUs(), recommendedP95(), recommendedCapacity(), modelCheck()}, prices()...)},
			{"What each variant takes", []Panel{sizes(), defenderAndAttacker(), hashTable()}},
			{"Latency and throttling against the offered rate", []Panel{latencyCurve(), throttlingCurve()}},
			{"By cost and CPU limit", []Panel{capacityMatrix(), latencyMatrix()}},
			{"Results", []Panel{results(), reasons()}},
			{"The speed of the CPU", []Panel{referenceSpeed(), speedOfVariants()}},
			{"How it was measured", []Panel{hashTimes(), againstBound(), trialsOverTime(ofVariants, size{12, 8}), progressOverTime()}},
		},
	}
}

func phase() Panel {
	return about{"Phase", "Where the experiment stands, as kubectl shows it.", size{4, 4}}.
		stat(field{Unit: plain, Color: &color{Mode: "thresholds"}, Thresholds: from(grey), Mappings: words(phases)},
			overTime("", coded("namespace, experiment", "hashmark_experiment_phase", ofExperiment, "phase", phases)))
}

func progress() Panel {
	return about{"Trials", "How many of the experiment's trials have ended, in whichever way.", size{5, 4}}.
		stat(field{Unit: number, Thresholds: from(grey)},
			overTime("ended", best("", "hashmark_experiment_trials_finished", ofExperiment)),
			overTime("of", best("", "hashmark_experiment_trials_planned", ofExperiment)))
}

const objectiveSeries = "hashmark_experiment_objective_p95_seconds"

func objective() Panel {
	return about{"Objective", "The p95 that the experiment asks for: 95 of 100 logins shall be answered within this time.", size{4, 4}}.
		stat(field{Unit: seconds, Thresholds: from(red)}, overTime("", best("", objectiveSeries, ofExperiment)))
}

func end() Panel {
	return about{"End", "When the experiment ended, or is likely to.", size{5, 4}}.
		stat(field{Unit: fromNow, NoValue: "not known yet", Thresholds: from(grey)},
			overTime("", fmt.Sprintf("1000 * max(hashmark_experiment_completion_timestamp_seconds{%s} or hashmark_experiment_estimated_end_timestamp_seconds{%s})",
				ofExperiment, ofExperiment)))
}

func verdictCounts() Panel {
	return about{"Verdicts", "How many variants may be believed: Valid ones, Suspect ones with care, Invalid ones not at all.", size{6, 4}}.
		stat(field{Unit: number, Thresholds: from(grey)},
			overTime("{{verdict}}", fmt.Sprintf("count by (verdict) (%s)", best("variant, verdict", "hashmark_variant_verdict", ofVariants))))
}

// offered is the rate of each step of which another series tells something.
func offered(only string) string {
	const points = "variant, step"
	return best(points, "hashmark_step_offered_logins_per_second", ofVariants) +
		" and on (variant, step) " + best(points, only, ofVariants)
}

// latencyCurve draws the objective as a variant of its own: two points, at no
// load and at the highest rate of all.
func latencyCurve() Panel {
	const p95 = "hashmark_step_p95_seconds"
	line, points := [2]string{"variant", "objective"}, [2][2]string{{"step", "first"}, {"step", "last"}}
	goal := best("", objectiveSeries, ofExperiment)
	highest := best("", "hashmark_step_offered_logins_per_second", ofVariants)
	x := column{header: "Offered rate", shown: []property{unit(perSecond)}, expr: fmt.Sprintf("%s or %s or %s",
		offered(p95), relabelled("0 * "+goal, line, points[0]), relabelled(highest, line, points[1]))}
	y := column{header: "p95", expr: fmt.Sprintf("%s or %s or %s",
		best("variant, step", p95, ofVariants), relabelled(goal, line, points[0]), relabelled(goal, line, points[1]))}
	return about{"p95 against offered rate", "Each point is a step: a login rate that was held, and the p95 that came of it. A variant can " +
		"serve what lies left of where its curve crosses the objective, the dashed line. Near that crossing p95 is rough: the capacity " +
		"in the results is decided with more than these points. Saturated steps have no p95.", size{12, 12}}.
		curve(field{Unit: seconds}, x, y, matching("/objective/", colored(red),
			property{"custom.lineStyle", lineStyle{Fill: "dash", Dash: []int{10, 10}}}, property{"custom.show", "lines"}))
}

func throttlingCurve() Panel {
	const throttled = "hashmark_step_throttled_ratio"
	x := column{header: "Offered rate", shown: []property{unit(perSecond)}, expr: offered(throttled)}
	y := column{header: "Throttled", expr: best("variant, step", throttled, ofVariants)}
	return about{"Throttling against offered rate", "The share of quota periods in which the CPU limit stopped the service, step by step; " +
		"the rates are those of the picture beside it. High shares are normal for a limit below one CPU. A variant without a quota, as " +
		"with whole CPUs of its own, has no curve.", size{12, 12}}.
		curve(field{Unit: share}, x, y)
}

// bcrypt are the variants that have a cost.
const bcrypt = ofVariants + `,algorithm="Bcrypt"`

func capacityMatrix() Panel {
	return about{"Capacity", "The highest login rate that meets the objective. Green cells serve most. Of variants that differ in " +
		"concurrency or node pool the best counts; controls are only in the results. Rows of a cost that is called predicted are what " +
		"the model expects of variants that were not measured. A dash: no rate meets the objective, or it is not known.", size{12, 8}}.
		matrix(perSecond, "continuous-RdYlGr", false, fmt.Sprintf("%s or %s",
			best("cost, cpu_limit", "hashmark_variant_capacity_logins_per_second", bcrypt),
			marked("cost", "predicted", best("cost, cpu_limit", "hashmark_prediction_capacity_logins_per_second", bcrypt))))
}

func latencyMatrix() Panel {
	return about{"p95 at the reported step", "The p95 of each variant at the step that its result reports: in mode Capacity at 70 % of its " +
		"own maximum, so that cells compare. Green cells answer fastest. Of variants that differ in concurrency or node pool the fastest " +
		"counts. A dash: the step was overloaded or had too few logins.", size{12, 8}}.
		matrix(seconds, "continuous-GrYlRd", true, fmt.Sprintf("min by (cost, cpu_limit) (hashmark_variant_p95_seconds{%s})", bcrypt))
}

func results() Panel {
	const labels = "variant, algorithm, cost, cpu_limit, concurrency, pool"
	value := func(series, header, measuredIn string) column {
		return column{expr: best(labels, "hashmark_variant_"+series, ofVariants), header: header, shown: []property{unit(measuredIn)}}
	}
	met := property{"mappings", []mapping{{Type: "value", Options: map[string]word{
		"0": {Text: "no", Color: red}, "1": {Text: "yes", Color: green, Index: 1},
	}}}}
	return about{"Results", "A row a variant, as in the experiment's status. Read the verdict first. p95 and its 95 % interval, the errors " +
		"and the throttling are those of the reported step; the maximum is what the saturated service completed; the bound is what its CPU " +
		"could hash. A blank cell was not measured.", size{24, 10}}.
		table("Variant",
			column{label: "variant", header: "Variant"},
			column{label: "algorithm", header: "Algorithm"},
			column{label: "cost", header: "Cost"},
			column{label: "cpu_limit", header: "CPU limit"},
			column{label: "concurrency", header: "Concurrency"},
			column{label: "pool", header: "Pool"},
			column{expr: best(labels+", verdict", "hashmark_variant_verdict", ofVariants)},
			column{label: "verdict", header: "Verdict", shown: inWords(verdicts)},
			column{
				expr: best(labels, "hashmark_variant_objective_met", ofVariants), header: "Objective met",
				shown: []property{met, cells(wordCell)},
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
	return about{"Verdicts with their reasons", "Why a variant is not simply Valid, or has no numbers: a row a reason, None where there is " +
		"none. The messages, with what was seen and what to do, are in the experiment's status; docs/verdicts.md lists the thresholds.", size{24, 8}}.
		table("Variant",
			column{label: "variant", header: "Variant"},
			column{label: "verdict", header: "Verdict", shown: inWords(verdicts)},
			column{label: "reason", header: "Reason"},
			column{expr: fmt.Sprintf("%s * on (variant) group_left (verdict) %s or on (variant) %s",
				best("variant, reason", "hashmark_variant_reason", ofVariants), verdict, relabelled(verdict, [2]string{"reason", "None"}))},
		)
}

func hashTimes() Panel {
	return about{"CPU time of a hash", "What one hash costs at the reference speed of the CPU. On one kind of node it depends on the cost alone, " +
		"and doubles with each step of it: where it does not, the calibration was disturbed.", size{12, 8}}.
		bars(field{Unit: seconds, Thresholds: from(blue)}, overTime("{{variant}}", best("variant", "hashmark_variant_hash_seconds", ofVariants)))
}

func againstBound() Panel {
	top, bottom := 1.1, 0.0
	return about{"Maximum against bound", "What the saturated service completed, as a share of what its CPU could hash, both at the reference speed. " +
		"Near 1 the service had all of its CPU. Well below, something else used the CPU, or the callers could not keep it busy. The verdict " +
		"itself compares CPU used with CPU allowed.", size{12, 8}}.
		bars(field{
			Unit: share, Min: &bottom, Max: &top,
			Thresholds: from(red, at(0.5, orange), at(0.9, green), at(1.02, orange), at(1.05, red)),
		}, overTime("{{variant}}", fmt.Sprintf("%s / %s",
			best("variant", "hashmark_variant_throughput_logins_per_second", ofVariants),
			best("variant", "hashmark_variant_bound_logins_per_second", ofVariants))))
}

func progressOverTime() Panel {
	return about{"Progress", "Trials that have ended, of those planned. A line that stays flat for longer than a trial takes is an experiment " +
		"that waits: the trials beside it tell for what.", size{12, 8}}.
		plot(field{Unit: number},
			overTime("ended", best("", "hashmark_experiment_trials_finished", ofExperiment)),
			overTime("planned", best("", "hashmark_experiment_trials_planned", ofExperiment)))
}
