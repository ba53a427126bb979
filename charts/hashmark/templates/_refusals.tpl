{{/* Fails for values that are valid but do not fit together, and for a cluster with an API that is not converted, with one
sentence on what to change. */}}
{{- define "hashmark.refusals" -}}
{{- $values := .Values -}}
{{- if and $values.watchNamespaces (not $values.rbac.namespaced) -}}
{{- fail "watchNamespaces requires Roles in these namespaces; set rbac.namespaced=true, or leave watchNamespaces empty." -}}
{{- end -}}
{{- if and (gt (int $values.operator.replicas) 1) (not $values.operator.leaderElection) -}}
{{- fail "operator.replicas is above 1 without operator.leaderElection, so that all replicas would be active; set operator.replicas=1 or operator.leaderElection=true." -}}
{{- end -}}
{{- if not (or $values.serviceAccount.create $values.serviceAccount.name) -}}
{{- fail "serviceAccount.create is false, and without a name the operator would share the namespace's default account with other pods; set serviceAccount.name to an account of its own." -}}
{{- end -}}
{{- if and $values.loginService.requirePermission $values.rbac.namespaced -}}
{{- fail "loginService.requirePermission requires a cluster-wide policy, which is not created with rbac.namespaced; set loginService.requirePermission=false, and let an administrator apply own-service.yaml, which hack/manifests.sh writes." -}}
{{- end -}}
{{- if and (not $values.operator.leaderElection) $values.operator.strategy (ne (dig "type" "RollingUpdate" $values.operator.strategy) "Recreate") -}}
{{- fail "operator.strategy is not Recreate, and operator.leaderElection is false, so that the old and the new operator would be active together; set operator.leaderElection=true, or remove operator.strategy." -}}
{{- end -}}
{{- $available := $values.podDisruptionBudget.minAvailable -}}
{{- if and $values.podDisruptionBudget.enabled (not (kindIs "string" $available)) (ge (int $available) (int $values.operator.replicas)) -}}
{{- fail "podDisruptionBudget.minAvailable must be below operator.replicas, otherwise nodes with an operator can't be drained; raise operator.replicas." -}}
{{- end -}}
{{- if and $values.k6.remoteWrite.secretName (not $values.k6.remoteWrite.url) -}}
{{- fail "k6.remoteWrite.secretName has no effect without a URL; set k6.remoteWrite.url too." -}}
{{- end -}}
{{- if regexMatch "^https?://(localhost|127[.]|\\[::1\\])" $values.k6.remoteWrite.url -}}
{{- fail "k6.remoteWrite.url names the generator's own host, where no receiver listens; set it to an address that pods can reach." -}}
{{- end -}}
{{- if $values.crds.enabled -}}
{{- range $plural := list "sizingexperiments" "sizingtrials" -}}
{{- $definition := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" (printf "%s.hashmark.dev" $plural) -}}
{{- if has "v1alpha1" (dig "status" "storedVersions" list $definition) -}}
{{- fail "this cluster has hashmark.dev/v1alpha1, which is not converted to v1beta1; delete the CRDs sizingexperiments.hashmark.dev and sizingtrials.hashmark.dev (and with them all experiments), then install again." -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $now := now -}}
{{- range $key := list "serviceMonitor" "podMonitor" -}}
{{- $monitor := index $values.metrics $key -}}
{{- if and $monitor.enabled ((dateModify $monitor.interval $now).Before (dateModify $monitor.scrapeTimeout $now)) -}}
{{- fail (printf "metrics.%s.scrapeTimeout is above its interval, so that the Prometheus Operator would ignore the monitor; lower scrapeTimeout." $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
