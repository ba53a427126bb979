package dashboards

import "fmt"

// Reasons why queries about the recommendation can have no data.
const (
	unanswered = "the experiment has no demand, or no recommendation yet"
	unfit      = "some size fits"
	unpriced   = "the experiment does not have this price"
	unheld     = "no variant was held out to check the model"
	unlike     = "the experiment has no baseline"
	// allMeasured is also true of the history that tests query.
	allMeasured = "no trial failed"
)

// maybe marks a query that can have no data.
func maybe(why string, t target) target {
	t.mayBeEmpty = why
	return t
}

// answerOf returns a query with a line for each set of labels of a series of the
// recommendation.
func answerOf(legend, labels, series, why string) target {
	return maybe(why, overTime(legend, best(labels, "hashmark_experiment_"+series, ofExperiment)))
}

func recommendedSize() Panel {
	size := fmt.Sprintf("%s * on () group_left () %s",
		best("variant, confidence", "hashmark_experiment_recommendation", ofExperiment),
		best("", "hashmark_experiment_recommended_replicas", ofExperiment))
	return about{"Recommended size", "How many replicas of which variant serve the demand with headroom and meet the objective, with the " +
		"confidence. If no size fits: the first limit that no size meets. The reason, and what would change the recommendation, are in the " +
		"experiment's status.", inRow(6)}.
		stat(field{Unit: replicas, NoValue: "no demand, or not finished", Thresholds: from(red, at(1, green))},
			maybe(unanswered, overTime("{{variant}}, confidence {{confidence}}", size)),
			maybe(unfit, overTime("no size fits: {{bound}}", "0 * "+best("bound", "hashmark_experiment_no_recommendation", ofExperiment))))
}

// inRow returns the size of a panel about the recommendation. All have the same height.
func inRow(width int) size { return size{width, 4} }

func recommendedCPUs() Panel {
	return about{"Total CPU", "The total CPU limit of all replicas of the recommended size, in CPUs.", inRow(4)}.
		stat(field{Unit: number, NoValue: "–", Thresholds: from(blue)}, answerOf("", "", "recommended_cpus", unanswered))
}

func recommendedP95() Panel {
	return about{"Expected p95", "The p95 that the model expects from the recommended size at the demanded rate, without headroom. The " +
		"objective is shown above.", inRow(4)}.
		stat(field{Unit: seconds, NoValue: "–", Thresholds: from(blue)}, answerOf("", "", "recommended_p95_seconds", unanswered))
}

func recommendedCapacity() Panel {
	return about{"Demand and capacity", "The demanded login rate, and the highest rate at which all replicas of the recommended size " +
		"together meet the objective. The difference is headroom.", inRow(5)}.
		stat(field{Unit: perSecond, NoValue: "–", Thresholds: from(grey)},
			answerOf("demand", "", "demand_logins_per_second", unanswered),
			answerOf("capacity", "", "recommended_capacity_logins_per_second", unanswered))
}

func modelCheck() Panel {
	return about{"Model", "Whether the model predicted the held-out variants accurately: capacity within 10 %, p95 within 20 %. " +
		"If it did not, don't rely on predictions.", inRow(5)}.
		stat(field{Unit: plain, NoValue: "not checked", Thresholds: from(grey), Mappings: either("not confirmed", red, "confirmed", green)},
			maybe(unheld, overTime("", best("", "hashmark_model_check_passed", ofExperiment))))
}

// The currency is the experiment's, which may not be a unit of Grafana. So it is the name of
// the number, not its unit.
func recommendedPrice(title, series, how string) Panel {
	return about{title, how + " The currency is shown next to the price.", inRow(8)}.
		stat(field{Unit: plain, NoValue: "no price", Thresholds: from(blue)}, answerOf("{{currency}}", "currency", series, unpriced))
}

func prices() []Panel {
	return []Panel{
		recommendedPrice("Price per month", "recommended_price_per_month",
			"The price of all replicas of the recommended size for a month of 730 hours."),
		recommendedPrice("Price per million logins", "recommended_price_per_million_logins",
			"The price of a million logins at the demanded rate, with all replicas."),
		recommendedPrice("Attacker's price per billion guesses", "recommended_attacker_price_per_billion_guesses",
			"The price of the GPUs that guess a billion passwords for one stolen hash of the recommended size."),
	}
}

func sizes() Panel {
	const labels = "variant, cost, cpu_limit, concurrency, pool"
	value := func(why, series, header, measuredIn string) column {
		c := measured(labels, "hashmark_variant_"+series, ofVariants, header, measuredIn)
		c.mayBeEmpty = why
		return c
	}
	priced := func(series, header string) column {
		c := value(unpriced, series, header, plain)
		c.expr = best(labels+", currency", "hashmark_variant_"+series, ofVariants)
		return c
	}
	chosen := value(unanswered, "recommended", "Recommended", plain)
	chosen.shown = append(chosen.shown, cells(wordCell), property{"mappings", either("no", grey, "yes", green)})
	return about{"Sizes and prices", "What each variant needs to serve the demand, its price, and its difference (Δ) from the baseline: lower " +
		"is better for p95 and price, higher for capacity. The prices are per month, per million logins, and per billion guesses of an " +
		"attacker. That of a million logins is at the variant's capacity, where its CPU is used best. Look at the verdict first. A blank cell means: no demand, no price, no baseline, or no capacity.", size{24, 9}}.
		table("Variant",
			column{label: "variant", header: "Variant"},
			column{label: "cost", header: "Cost", widest: 4},
			column{label: "cpu_limit", header: "CPU limit", widest: 9},
			column{label: "concurrency"},
			column{label: "pool"},
			column{expr: best(labels+", verdict", "hashmark_variant_verdict", ofVariants)},
			column{label: "verdict", header: "Verdict", shown: inWords(verdicts), widest: 8},
			chosen,
			value(unanswered, "replicas", "Replicas", number),
			value(unanswered, "total_cpus", "Total CPU", number),
			priced("price_per_month", "Per month"),
			priced("price_per_million_logins", "Per million"),
			priced("attacker_price_per_billion_guesses", "Attack per billion"),
			column{label: "currency", header: "Currency", widest: 4},
			value(unlike, "price_difference_ratio", "Δ price", share),
			value(unlike, "p95_difference_ratio", "Δ p95", share),
			value(unlike, "capacity_difference_ratio", "Δ capacity", share),
		)
}

func defenderAndAttacker() Panel {
	const defender, attacker = "hashmark_variant_price_per_million_logins", "hashmark_variant_attacker_price_per_billion_guesses"
	both := func(series, other string) string {
		return best("variant", series, ofVariants) + " and on (variant) " + best("variant", other, ofVariants)
	}
	x := column{header: "Defender, per million logins", shown: []property{unit(plain)}, expr: both(defender, attacker), mayBeEmpty: unpriced}
	y := column{header: "Attacker, per billion guesses", expr: both(attacker, defender), mayBeEmpty: unpriced}
	return about{"Defender's price against attacker's", "One point per variant: the price of a million logins, and the price of a billion guesses for an " +
		"attacker with the stolen hashes. Each increment of the cost doubles both. Of points at the same height, the leftmost is the " +
		"cheapest way to run that hash. The currency is that of the table above.", size{12, 10}}.
		curve(field{Unit: plain}, x, y)
}

func hashTable() Panel {
	const labels = "pool, cpu_model, cost, hash"
	return about{"Hash time by node pool", "CPU time of each hash on each node pool, independent of the CPU " +
		"limit, and half the width of its 99.9 % interval. Half the time means twice the logins from the same CPUs.", size{12, 10}}.
		table("Cost",
			column{label: "pool", header: "Pool", widest: 9},
			column{label: "cpu_model", header: "CPU"},
			column{label: "cost", header: "Cost", widest: 5},
			column{label: "hash", header: "Name", widest: 9},
			measured(labels, "hashmark_pool_hash_seconds", ofExperiment, "Hash", seconds),
			measured(labels, "hashmark_pool_hash_error_seconds", ofExperiment, "±", seconds),
		)
}
