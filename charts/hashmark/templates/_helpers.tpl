{{/* What every object's name begins with: the release's name, with the chart's unless it holds it. */}}
{{- define "hashmark.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What a component is found by, and what never changes: (list root component). */}}
{{- define "hashmark.selectorLabels" -}}
{{- $root := first . -}}
app.kubernetes.io/name: {{ default $root.Chart.Name $root.Values.nameOverride }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* The labels of an object of a component, and those that somebody looks for it by: (list root component labels). */}}
{{- define "hashmark.labels" -}}
{{- $root := first . -}}
{{- $sought := gt (len .) 2 | ternary (last .) (dict) -}}
{{ include "hashmark.selectorLabels" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- with merge (dict) $sought $root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "hashmark.serviceAccountName" -}}
{{- if .Values.serviceAccount.name -}}
{{- .Values.serviceAccount.name -}}
{{- else if .Values.serviceAccount.create -}}
{{- include "hashmark.fullname" . }}-operator
{{- else -}}
default
{{- end -}}
{{- end -}}

{{/* The reference of an image, whose digest wins over any tag: (list root image). */}}
{{- define "hashmark.image" -}}
{{- $root := first . -}}
{{- $image := last . -}}
{{- with $root.Values.image.registry }}{{ . }}/{{ end -}}
{{- $image.repository -}}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ coalesce $image.tag $root.Values.image.tag $root.Chart.AppVersion }}{{ end -}}
{{- end -}}

{{/* The namespaces whose experiments are measured, as JSON; [""] where it is all of them. */}}
{{- define "hashmark.namespaces" -}}
{{- if .Values.rbac.namespaced -}}
{{- .Values.watchNamespaces | default (list .Release.Namespace) | toJson -}}
{{- else -}}
[""]
{{- end -}}
{{- end -}}

{{/* Where the kind of Role and RoleBinding reaches: its prefix, for a namespace of hashmark.namespaces. */}}
{{- define "hashmark.reach" -}}
{{- if not . }}Cluster{{ end -}}
{{- end -}}

{{/* Says "yes" where a kind of the Prometheus Operator is to be rendered: (list root kind values). */}}
{{- define "hashmark.rendered" -}}
{{- $root := index . 0 -}}
{{- $kind := index . 1 -}}
{{- $values := index . 2 -}}
{{- if and $root.Values.metrics.enabled $values.enabled -}}
{{- if or (eq $values.renderMode "alwaysRender") ($root.Capabilities.APIVersions.Has (printf "monitoring.coreos.com/v1/%s" $kind)) -}}
yes
{{- else if eq $values.renderMode "failIfMissing" -}}
{{- fail (printf "This cluster has no %s of monitoring.coreos.com/v1; install the Prometheus Operator first, or set renderMode to skipIfMissing." $kind) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Where the operator's pods and their test may run, or nothing. */}}
{{- define "hashmark.placement" -}}
{{- $placement := dict -}}
{{- range $key := list "nodeSelector" "tolerations" "affinity" -}}
{{- with index $.Values.operator $key }}{{ $_ := set $placement $key . }}{{ end -}}
{{- end -}}
{{- with $placement }}{{ toYaml . }}{{ end -}}
{{- end -}}
