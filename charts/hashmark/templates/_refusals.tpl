{{/* Refuses values that are each right and wrong together, with one sentence on what to change. */}}
{{- define "hashmark.refusals" -}}
{{- $values := .Values -}}
{{- if and $values.watchNamespaces (not $values.rbac.namespaced) -}}
{{- fail "watchNamespaces confines the operator only with Roles of its own there; set rbac.namespaced=true, or leave watchNamespaces empty." -}}
{{- end -}}
{{- if and (gt (int $values.operator.replicas) 1) (not $values.operator.leaderElection) -}}
{{- fail "operator.replicas is above 1 without operator.leaderElection, so that all of them would work at once; set one of the two back." -}}
{{- end -}}
{{- $available := $values.podDisruptionBudget.minAvailable -}}
{{- if and $values.podDisruptionBudget.enabled (not (kindIs "string" $available)) (ge (int $available) (int $values.operator.replicas)) -}}
{{- fail "podDisruptionBudget.minAvailable must be below operator.replicas, or no node with an operator could be drained; raise operator.replicas." -}}
{{- end -}}
{{- if and $values.k6.remoteWrite.secretName (not $values.k6.remoteWrite.url) -}}
{{- fail "k6.remoteWrite.secretName names credentials for nowhere; set k6.remoteWrite.url too." -}}
{{- end -}}
{{- if regexMatch "^https?://(localhost|127[.]|\\[::1\\])" $values.k6.remoteWrite.url -}}
{{- fail "k6.remoteWrite.url names the generator's own host, where nobody listens; write the address that pods reach the receiver by." -}}
{{- end -}}
{{- $now := now -}}
{{- range $key := list "serviceMonitor" "podMonitor" -}}
{{- $monitor := index $values.metrics $key -}}
{{- if and $monitor.enabled ((dateModify $monitor.interval $now).Before (dateModify $monitor.scrapeTimeout $now)) -}}
{{- fail (printf "metrics.%s.scrapeTimeout is above its interval, and the Prometheus Operator would pass the monitor over; lower it too." $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
