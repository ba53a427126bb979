package dashboards

func referenceSpeed() Panel {
	value := func(series, header, measuredIn string) column {
		return measured("pool", "hashmark_pool_"+series, ofExperiment, header, measuredIn)
	}
	return about{"Reference speed", "The speed to which all results are converted: the CPU time of a bcrypt hash of cost 8 in the first trial. Typical is " +
		"the median of the hash time over all trials in percent of the reference; fast and slow are the 10th and the 90th percentile. Sizes are chosen " +
		"for one that is slower, because another pod can be.", size{12, 8}}.
		table("Hash of cost 8",
			column{label: "pool", header: "Pool"},
			value("reference_hash_seconds", "Hash of cost 8", seconds),
			value("speed_median_ratio", "Typical", share),
			value("speed_low_ratio", "Fast", share),
			value("speed_high_ratio", "Slow", share),
		)
}

func speedOfVariants() Panel {
	value := func(series, header string) column {
		return measured("variant", "hashmark_variant_speed_"+series+"_ratio", ofVariants, header, share)
	}
	return about{"Speed while each variant was measured", "The hash time in percent of the reference: above 100 % the CPU was slower. Fast and " +
		"slow are the 10th and the 90th percentile. The variant's results are converted to the reference, so that a variant that was " +
		"measured on a slow CPU can be compared with the others.", size{12, 8}}.
		table("Variant",
			column{label: "variant", header: "Variant"},
			value("low", "Fast"),
			value("median", "Median"),
			value("high", "Slow"),
		)
}
