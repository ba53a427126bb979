package dashboards

import "fmt"

// live shows what is running: k6 on the left, the login service on the right.
func live() Dashboard {
	return Dashboard{
		UID: liveUID, Title: "Hashmark / Live trial", From: "now-15m", Refresh: "5s",
		Description: "The current trial: k6 on the left, the login service under load on the right.",
		Variables:   ofOneExperiment(),
		Annotations: []annotation{trialsRunning(ofVariants)},
		Sections: []section{
			{"What is running", []Panel{trialsOverTime(ofVariants, size{18, 6}), deadline()}},
			{"k6 and the login service", []Panel{
				sentAndServed(), answers(),
				latency(), hashDuration(),
				callers(), queued(),
				failures(), throttling(),
				latencySteps(), cpuUsed(),
			}},
		},
	}
}

const needsRemoteWrite = " Needs the operator's generator.remoteWrite.url."

var half = size{12, 8}

// tall is half of the width, with room for a legend of all steps.
var tall = size{12, 11}

func deadline() Panel {
	left := overTime("{{variant}}", best("variant", "hashmark_trial_attempt_deadline_timestamp_seconds", ofVariants)+" - time()")
	left.mayBeEmpty = "nothing is running"
	// Grafana shows NoValue in the first color. No attempt is a week late.
	const never = -7 * 24 * 3600
	return about{"Time until the deadline", "How long the current attempt can still take. It usually ends long before. At zero the " +
		"attempt is discarded and the trial is tried again.", size{6, 6}}.
		stat(field{Unit: seconds, NoValue: "nothing is running", Thresholds: from(grey, at(never, red), at(0, orange), at(60, green))}, left)
}

func sentAndServed() Panel {
	return about{"k6: logins sent and served", "Logins that k6 sent, and complete responses with status 200, per second. If the lines differ, logins queue " +
		"up or fail. During saturation at the end this is intended." + needsRemoteWrite, half}.
		plot(field{Unit: perSecond},
			overTime("{{variant}} sent", rate("variant", "k6_hashmark_sent_total", ofVariants)),
			overTime("{{variant}} served", rate("variant", "k6_http_reqs_total", ofVariants+`,status="200"`)))
}

func answers() Panel {
	return about{"Login service: responses by status", "Logins that the service answered per second, by HTTP status. 503 is a full queue, 499 a caller " +
		"that gave up before its turn.", half}.
		plot(field{Unit: perSecond},
			overTime("{{variant}} {{code}}", rate("variant, code", "hashmark_login_requests_total", ofVariants)))
}

func latency() Panel {
	trend := func(which string) target {
		return overTime("{{variant}} "+which, best("variant", "k6_http_req_duration_"+which, ofVariants+`,status="200"`))
	}
	return about{"k6: latency", "Latency of requests with status 200, from sending to the response. k6 computes percentiles over its whole run: they cover all " +
		"steps until now, and change slowly. “p95 of each step” shows each step separately." + needsRemoteWrite, half}.
		plot(field{Unit: seconds}, trend("med"), trend("p95"), trend("p99"))
}

func hashDuration() Panel {
	quantile := func(q string, legend string) target {
		return overTime("{{variant}} "+legend, fmt.Sprintf("histogram_quantile(%s, %s)", q,
			rate("variant, le", "hashmark_login_hash_duration_seconds_bucket", ofVariants)))
	}
	return about{"Login service: hash time", "Wall-clock time, without waiting for a worker. It stays flat while there is enough CPU, and rises when " +
		"the CPU limit stops running hashes. The rest of the latency in k6 is waiting.", half}.
		plot(field{Unit: seconds}, quantile("0.5", "median"), quantile("0.95", "p95"))
}

func callers() Panel {
	return about{"k6: callers", "Active virtual users of k6, and the maximum. If all are active, logins are sent late, and the trial is " +
		"not usable." + needsRemoteWrite, half}.
		plot(field{Unit: number},
			overTime("{{variant}} active", best("variant", "k6_vus", ofVariants)),
			overTime("{{variant}} maximum", best("variant", "k6_vus_max", ofVariants)))
}

func queued() Panel {
	sum := func(series string) string {
		return fmt.Sprintf("sum by (variant) (hashmark_login_%s{%s})", series, ofVariants)
	}
	return about{"Login service: in flight and queued", "Logins that are waiting or being hashed, and those waiting for a worker, over all replicas. A queue " +
		"that only grows means that the offered rate is above the maximum.", half}.
		plot(field{Unit: number},
			overTime("{{variant}} in flight", sum("in_flight")),
			overTime("{{variant}} queued", sum("queue_length")))
}

func failures() Panel {
	requests := func(filter string) string { return rate("variant", "k6_http_reqs_total", filter) }
	return about{"k6: share of failed requests", "The share of requests without a response or with an error status. " +
		"Refusals by a full queue count." + needsRemoteWrite, half}.
		plot(field{Unit: share, Thresholds: from(green, at(0.05, red))}, overTime("{{variant}}",
			fmt.Sprintf("(%s or 0 * %s) / %s", requests(ofVariants+`,expected_response="false"`), requests(ofVariants), requests(ofVariants)))).
		upTo(0.1)
}

func throttling() Panel {
	cfs := func(what string) string { return rate("variant", "hashmark_login_cfs_"+what+"_total", ofVariants) }
	return about{"Login service: throttled", "The share of quota periods with work in which the CPU limit throttled the service. If it is high, the " +
		"wall-clock time of hashes is longer than their CPU time. Absent without a quota.", half}.
		plot(field{Unit: share}, overTime("{{variant}}", fmt.Sprintf("%s / (%s > 0)", cfs("throttled_periods"), cfs("periods")))).
		upTo(1)
}

func latencySteps() Panel {
	return about{"k6: p95 of each step", "Latency of the counted logins, from their due time, for each step until now. The line of a finished step " +
		"stays for a few minutes. The operator computes its p95 from the same logins." + needsRemoteWrite, tall}.
		plot(field{Unit: seconds}, overTime("{{variant}} step {{step}}",
			best("variant, step", "k6_hashmark_latency_p95", ofVariants+`,part="counted",outcome="ok"`)))
}

func cpuUsed() Panel {
	return about{"Login service: CPU used", "CPU time per second that the service used, over all replicas. At saturation it is the CPU limit.", tall}.
		plot(field{Unit: number}, overTime("{{variant}}", rate("variant", "process_cpu_seconds_total", ofVariants)))
}
