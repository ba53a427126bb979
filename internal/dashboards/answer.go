package dashboards

import "fmt"

// Why queries about the answer may rightly have no data.
const (
	unanswered = "the experiment has no demand, or no answer yet"
	unfit      = "some size fits"
	unpriced   = "the experiment has no prices, or no price of that"
	unheld     = "no variant was held out to check the model by"
	unlike     = "the experiment has no baseline"
)

// maybe is a query that may rightly have no data.
func maybe(why string, t target) target {
	t.mayBeEmpty = why
	return t
}

// answerOf is a line for each set of labels of a series of the answer.
func answerOf(legend, labels, series, why string) target {
	return maybe(why, overTime(legend, best(labels, "hashmark_experiment_"+series, ofExperiment)))
}

func recommendedSize() Panel {
	size := fmt.Sprintf("%s * on () group_left () %s",
		best("variant, confidence", "hashmark_experiment_recommendation", ofExperiment),
		best("", "hashmark_experiment_recommended_replicas", ofExperiment))
	return about{"Recommended size", "How many replicas of which variant serve the demand with headroom, the objective held, and how far that " +
		"can be relied on. Where nothing fits, the bound that broke first. Why, and what would change the answer, is in the experiment's " +
		"status.", inRow(6)}.
		stat(field{Unit: replicas, NoValue: "no demand, or not ended", Thresholds: from(red, at(1, green))},
			maybe(unanswered, overTime("{{variant}}, confidence {{confidence}}", size)),
			maybe(unfit, overTime("nothing fits: {{bound}}", "0 * "+best("bound", "hashmark_experiment_no_recommendation", ofExperiment))))
}

// inRow is the size of a panel of the answer: so wide, and as high as the others.
func inRow(width int) size { return size{width, 4} }

func recommendedCPUs() Panel {
	return about{"Total CPU", "The CPU limits of all replicas of the recommended size together, in CPUs.", inRow(4)}.
		stat(field{Unit: number, NoValue: "–", Thresholds: from(blue)}, answerOf("", "", "recommended_cpus", unanswered))
}

func recommendedP95() Panel {
	return about{"Expected p95", "The p95 that the model expects of the recommended size at the demanded rate, without headroom. The " +
		"objective is above.", inRow(4)}.
		stat(field{Unit: seconds, NoValue: "–", Thresholds: from(blue)}, answerOf("", "", "recommended_p95_seconds", unanswered))
}

func recommendedCapacity() Panel {
	return about{"Demand and capacity", "The login rate that was asked for, and the highest at which all replicas of the recommended size " +
		"together meet the objective: what lies between is spare.", inRow(5)}.
		stat(field{Unit: perSecond, NoValue: "–", Thresholds: from(grey)},
			answerOf("asked", "", "demand_logins_per_second", unanswered),
			answerOf("served", "", "recommended_capacity_logins_per_second", unanswered))
}

func modelCheck() Panel {
	check := []mapping{{Type: "value", Options: map[string]word{
		"0": {Text: "not confirmed", Color: red}, "1": {Text: "confirmed", Color: green, Index: 1},
	}}}
	return about{"Model", "Whether the model predicted the variants that were held out: their capacity within 10 %, their p95 within 20 %. " +
		"Where it did not, don't rely on what is predicted.", inRow(5)}.
		stat(field{Unit: plain, NoValue: "not checked", Thresholds: from(grey), Mappings: check},
			maybe(unheld, overTime("", best("", "hashmark_model_check_passed", ofExperiment))))
}

// A currency is whatever the experiment named: a unit of Grafana's would claim
// one, so that it stands beside the number as its name.
func recommendedPrice(title, series, how string) Panel {
	return about{title, how + " In the currency that stands beside it.", inRow(8)}.
		stat(field{Unit: plain, NoValue: "no price", Thresholds: from(blue)}, answerOf("{{currency}}", "currency", series, unpriced))
}

func prices() []Panel {
	return []Panel{
		recommendedPrice("Price per month", "recommended_price_per_month",
			"What all replicas of the recommended size cost in a month of 730 hours."),
		recommendedPrice("Price per million logins", "recommended_price_per_million_logins",
			"What a million logins cost at the demanded rate, all replicas paid for."),
		recommendedPrice("An attacker's price per billion guesses", "recommended_attacker_price_per_billion_guesses",
			"What GPUs cost that guess a billion passwords against one stolen hash of the recommended size."),
	}
}

func sizes() Panel {
	const labels = "variant, cost, cpu_limit, concurrency, pool"
	value := func(why, series, header, measuredIn string) column {
		return column{
			expr: best(labels, "hashmark_variant_"+series, ofVariants), header: header, shown: []property{unit(measuredIn)}, mayBeEmpty: why,
		}
	}
	priced := func(series, header string) column {
		c := value(unpriced, series, header, plain)
		c.expr = best(labels+", currency", "hashmark_variant_"+series, ofVariants)
		return c
	}
	chosen := value(unanswered, "recommended", "Recommended", plain)
	chosen.shown = append(chosen.shown, cells(wordCell), property{"mappings", []mapping{{Type: "value", Options: map[string]word{
		"0": {Text: "no", Color: grey}, "1": {Text: "yes", Color: green, Index: 1},
	}}}})
	return about{"Sizes and prices", "What each variant takes to serve the demand, what it costs, and how it differs from the baseline: less " +
		"is better for p95 and price, more for capacity. A million logins are priced at the variant's own capacity, where its CPU is used " +
		"best. Read the verdict first. A blank cell: no demand, no price, no baseline, or no capacity.", size{24, 9}}.
		table("Variant",
			column{label: "variant", header: "Variant"},
			column{label: "cost", header: "Cost"},
			column{label: "cpu_limit", header: "CPU limit"},
			column{label: "concurrency", header: "Concurrency"},
			column{label: "pool", header: "Pool"},
			column{expr: best(labels+", verdict", "hashmark_variant_verdict", ofVariants)},
			column{label: "verdict", header: "Verdict", shown: inWords(verdicts)},
			chosen,
			value(unanswered, "replicas", "Replicas", number),
			value(unanswered, "total_cpus", "Total CPU", number),
			priced("price_per_month", "Per month"),
			priced("price_per_million_logins", "Per million logins"),
			priced("attacker_price_per_billion_guesses", "Attacker, per billion guesses"),
			column{label: "currency", header: "Currency"},
			value(unlike, "price_difference_ratio", "Price to baseline", share),
			value(unlike, "p95_difference_ratio", "p95 to baseline", share),
			value(unlike, "capacity_difference_ratio", "Capacity to baseline", share),
		)
}

func defenderAndAttacker() Panel {
	const defender, attacker = "hashmark_variant_price_per_million_logins", "hashmark_variant_attacker_price_per_billion_guesses"
	both := func(series, other string) string {
		return best("variant", series, ofVariants) + " and on (variant) " + best("variant", other, ofVariants)
	}
	x := column{header: "Defender, per million logins", shown: []property{unit(plain)}, expr: both(defender, attacker), mayBeEmpty: unpriced}
	y := column{header: "Attacker, per billion guesses", expr: both(attacker, defender), mayBeEmpty: unpriced}
	return about{"Defender's price against attacker's", "A point a variant: what a million logins cost you, and what a billion guesses cost who " +
		"has stolen the hashes. Each step up in cost doubles both. Of points on one level the leftmost is the cheapest way to run that " +
		"hash. Both in the currency of the table above.", size{12, 10}}.
		curve(field{Unit: plain}, x, y)
}

func hashTable() Panel {
	const labels = "pool, cpu_model, cost, control"
	value := func(series, header string) column {
		return column{expr: best(labels, series, ofExperiment), header: header, shown: []property{unit(seconds)}}
	}
	return about{"Time of a hash by kind of machine", "CPU time of one hash for each cost, or control, on each node pool, whatever the CPU " +
		"limit, and half the width of its 99.9 % interval. Half the time is twice the logins from the same CPUs.", size{12, 10}}.
		table("Cost",
			column{label: "pool", header: "Pool"},
			column{label: "cpu_model", header: "CPU"},
			column{label: "cost", header: "Cost"},
			column{label: "control", header: "Control"},
			value("hashmark_pool_hash_seconds", "Hash"),
			value("hashmark_pool_hash_error_seconds", "±"),
		)
}
