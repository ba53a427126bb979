package dashboards

import "fmt"

// live shows what runs: what k6 sends and sees on the left, the login service on
// the right.
func live() Dashboard {
	return Dashboard{
		UID: liveUID, Title: "Hashmark / Live trial", From: "now-15m", Refresh: "5s",
		Description: "The trial that is measured: k6 on the left, the login service that it loads on the right.",
		Variables:   ofOneExperiment(),
		Annotations: []annotation{trialsRunning(ofVariants)},
		Sections: []section{
			{"What runs", []Panel{trialsOverTime(ofVariants, size{18, 6}), deadline()}},
			{"k6 beside the login service", []Panel{
				sentAndServed(), answers(),
				latency(), hashDuration(),
				callers(), queued(),
				failures(), throttling(),
				latencySteps(), cpuUsed(),
			}},
		},
	}
}

const needsRemoteWrite = " Needs the operator's --k6-remote-write-url."

var half = size{12, 8}

func deadline() Panel {
	return about{"Time until it is given up", "How long the attempt that is under way may still take. Usually it ends long before. At zero the " +
		"attempt is thrown away and tried again.", size{6, 6}}.
		stat(field{Unit: seconds, NoValue: "nothing runs", Thresholds: from(red, at(0, orange), at(60, green))},
			overTime("{{variant}}", best("variant", "hashmark_trial_attempt_deadline_timestamp_seconds", ofVariants)+" - time()"))
}

func sentAndServed() Panel {
	return about{"k6: logins sent and served", "What k6 sent, and what came back as a complete 200, per second. Where the two part, logins pile up " +
		"or fail: in the saturated step at the end that is meant." + needsRemoteWrite, half}.
		plot(field{Unit: perSecond},
			overTime("{{variant}} sent", rate("variant", "k6_hashmark_sent_total", ofVariants)),
			overTime("{{variant}} served", rate("variant", "k6_http_reqs_total", ofVariants+`,status="200"`)))
}

func answers() Panel {
	return about{"Login service: answers by status", "Logins that the service answered per second, by HTTP status. 503 is a full queue, 499 a caller " +
		"that gave up before its turn.", half}.
		plot(field{Unit: perSecond},
			overTime("{{variant}} {{code}}", rate("variant, code", "hashmark_login_requests_total", ofVariants)))
}

func latency() Panel {
	trend := func(which string) target {
		return overTime("{{variant}} "+which, best("variant", "k6_http_req_duration_"+which, ofVariants+`,status="200"`))
	}
	return about{"k6: latency", "Of requests that got a 200, from sending to the answer. k6 counts it from the beginning of its run: each percentile is over all " +
		"steps so far, and slower to move than the load. “p95 of each step” tells them apart." + needsRemoteWrite, half}.
		plot(field{Unit: seconds}, trend("med"), trend("p95"), trend("p99"))
}

func hashDuration() Panel {
	quantile := func(of string, legend string) target {
		return overTime("{{variant}} "+legend, fmt.Sprintf("histogram_quantile(%s, %s)", of,
			rate("variant, le", "hashmark_login_hash_duration_seconds_bucket", ofVariants)))
	}
	return about{"Login service: time of a hash", "By the clock, without waiting for a worker. It stays flat while the CPU suffices, and rises where " +
		"the CPU limit stops hashes in their middle. What k6 sees beyond it is waiting.", half}.
		plot(field{Unit: seconds}, quantile("0.5", "median"), quantile("0.95", "p95"))
}

func callers() Panel {
	return about{"k6: callers", "Virtual users of k6 that are under way, and those set aside. When all are, a login is sent late, and the trial " +
		"can't be believed." + needsRemoteWrite, half}.
		plot(field{Unit: number},
			overTime("{{variant}} under way", best("variant", "k6_vus", ofVariants)),
			overTime("{{variant}} at most", best("variant", "k6_vus_max", ofVariants)))
}

func queued() Panel {
	sum := func(series string) string {
		return fmt.Sprintf("sum by (variant) (hashmark_login_%s{%s})", series, ofVariants)
	}
	return about{"Login service: in flight and queued", "Logins that wait or are hashed, and those of them that wait for a worker, over all replicas. A queue " +
		"that only grows is an offered rate above the maximum.", half}.
		plot(field{Unit: number},
			overTime("{{variant}} in flight", sum("in_flight")),
			overTime("{{variant}} queued", sum("queue_length")))
}

func failures() Panel {
	of := func(filter string) string { return rate("variant", "k6_http_reqs_total", filter) }
	return about{"k6: share of failed requests", "Requests without an answer, or with one that is no success, of all. " +
		"Refusals of a full queue count." + needsRemoteWrite, half}.
		plot(field{Unit: share, Thresholds: from(green, at(0.05, red))}, overTime("{{variant}}",
			fmt.Sprintf("(%s or 0 * %s) / %s", of(ofVariants+`,expected_response="false"`), of(ofVariants), of(ofVariants))))
}

func throttling() Panel {
	of := func(what string) string { return rate("variant", "hashmark_login_cfs_"+what+"_total", ofVariants) }
	return about{"Login service: throttled", "The share of quota periods with work in which the CPU limit stopped the service. Look at the latency " +
		"beside it: where this is high, hashes take longer by the clock than on the CPU. Absent without a quota.", half}.
		plot(field{Unit: share}, overTime("{{variant}}", of("throttled_periods")+" / "+of("periods")))
}

func latencySteps() Panel {
	return about{"k6: p95 of each step", "Latency of the logins that count, from the moment they were due, over each step so far. A step that has ended " +
		"keeps its line for a few minutes. The operator computes its p95 from the same logins." + needsRemoteWrite, half}.
		plot(field{Unit: seconds}, overTime("{{variant}} step {{step}}",
			best("variant, step", "k6_hashmark_latency_p95", ofVariants+`,part="counted",outcome="ok"`)))
}

func cpuUsed() Panel {
	return about{"Login service: CPU used", "CPUs' worth of time that the service used, over all replicas. When saturated it is the CPU limit.", half}.
		plot(field{Unit: number}, overTime("{{variant}}", rate("variant", "process_cpu_seconds_total", ofVariants)))
}
