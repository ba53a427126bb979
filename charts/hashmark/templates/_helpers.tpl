{{/* The prefix of all names: the release's name, followed by the chart's name unless it contains it. */}}
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

{{/* The selector labels of a component, which never change: (list root component). */}}
{{- define "hashmark.selectorLabels" -}}
{{- $root := first . -}}
app.kubernetes.io/name: {{ default $root.Chart.Name $root.Values.nameOverride }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* The labels of an object of a component, with further labels that others select it by: (list root component labels). */}}
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
{{- .Values.serviceAccount.name | default (printf "%s-operator" (include "hashmark.fullname" .)) -}}
{{- end -}}

{{/* The reference of an image. A digest takes precedence over a tag: (list root image). */}}
{{- define "hashmark.image" -}}
{{- $root := first . -}}
{{- $image := last . -}}
{{- if not (or $root.Values.image.registry (contains "/" $image.repository)) -}}
{{- fail "image.registry is empty, and there is no registry with Hashmark's images that everybody can pull from; publish them to yours with: IMAGES=registry.example.com/team make release-local, and install the chart from there, or set image.registry=registry.example.com/team." -}}
{{- end -}}
{{- with $root.Values.image.registry }}{{ . }}/{{ end -}}
{{- $image.repository -}}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ coalesce $image.tag $root.Values.image.tag $root.Chart.AppVersion }}{{ end -}}
{{- end -}}

{{/* The namespaces whose experiments are measured, as JSON; [""] means all. */}}
{{- define "hashmark.namespaces" -}}
{{- if .Values.rbac.namespaced -}}
{{- .Values.watchNamespaces | default (list .Release.Namespace) | toJson -}}
{{- else -}}
[""]
{{- end -}}
{{- end -}}

{{/* The prefix of the kinds Role and RoleBinding, for a namespace of hashmark.namespaces. */}}
{{- define "hashmark.reach" -}}
{{- if not . }}Cluster{{ end -}}
{{- end -}}

{{/* "yes" if a kind of the Prometheus Operator is to be rendered: (list root kind values). */}}
{{- define "hashmark.rendered" -}}
{{- $root := index . 0 -}}
{{- $kind := index . 1 -}}
{{- $values := index . 2 -}}
{{- if and $root.Values.metrics.enabled $values.enabled -}}
{{- if or (eq $values.renderMode "alwaysRender") ($root.Capabilities.APIVersions.Has (printf "monitoring.coreos.com/v1/%s" $kind)) -}}
yes
{{- else if eq $values.renderMode "failIfMissing" -}}
{{- fail (printf "This cluster does not have the kind %s of monitoring.coreos.com/v1; install the Prometheus Operator first, or set renderMode to skipIfMissing." $kind) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Node selector, tolerations and affinity of the operator's pods and their test, or nothing. */}}
{{- define "hashmark.placement" -}}
{{- $placement := dict -}}
{{- range $key := list "nodeSelector" "tolerations" "affinity" -}}
{{- with index $.Values.operator $key }}{{ $_ := set $placement $key . }}{{ end -}}
{{- end -}}
{{- with $placement }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/* The name of the policy that checks who may read the Secrets of own services, or nothing without one. */}}
{{- define "hashmark.secretsPolicy" -}}
{{- $own := .Values.loginService -}}
{{- if and $own.allowSecrets $own.allowedImages (not .Values.rbac.namespaced) -}}
{{- printf "%s-own-secrets" (include "hashmark.fullname" .) -}}
{{- end -}}
{{- end -}}

{{/* The operator's settings, as the file that it reads. */}}
{{- define "hashmark.configuration" -}}
apiVersion: config.hashmark.dev/v1beta1
kind: OperatorConfiguration
{{- if .Values.rbac.namespaced }}
watchNamespaces: {{ include "hashmark.namespaces" . }}
{{- end }}
paused: {{ .Values.operator.paused }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
trials:
  maxConcurrent: {{ .Values.operator.maxConcurrentTrials }}
  startTimeout: {{ .Values.operator.startTimeout }}
loginService:
  image: $(RELATED_IMAGE_LOGIN_SERVICE)
  {{- with .Values.loginService.allowedImages }}
  allowedImages: {{ toJson . }}
  {{- end }}
  {{- with include "hashmark.secretsPolicy" . }}
  secretsPolicy: {{ . }}
  {{- end }}
{{- $pods := omit .Values.trialPods "runAsUser" }}
{{- $user := .Values.trialPods.runAsUser }}
{{- if kindIs "invalid" $user }}{{ $user = "platform" }}{{ end }}
{{- if eq (toString $user) "auto" }}{{ $user = .Capabilities.APIVersions.Has "security.openshift.io/v1" | ternary "platform" 65532 }}{{ end }}
trialPods:
  runAsUser: {{ eq (toString $user) "platform" | ternary "null" (int64 $user) }}
  {{- range $key := keys $pods | sortAlpha }}
  {{- with index $pods $key }}
  {{ $key }}: {{ toJson . }}
  {{- end }}
  {{- end }}
generator:
  image: $(RELATED_IMAGE_GENERATOR)
  cpuLimit: {{ .Values.generator.cpuLimit | quote }}
  memoryLimit: {{ .Values.generator.memoryLimit | quote }}
  {{- with .Values.generator.nodeSelector }}
  nodeSelector: {{ toJson . }}
  {{- end }}
  {{- with .Values.generator.tolerations }}
  tolerations: {{ toJson . }}
  {{- end }}
  {{- if .Values.k6.remoteWrite.url }}
  remoteWrite: {{ pick .Values.k6.remoteWrite "url" "secretName" | toJson }}
  {{- end }}
leaderElection:
  enabled: {{ .Values.operator.leaderElection }}
metrics:
  {{- if .Values.metrics.enabled }}
  bindAddress: ":{{ .Values.metrics.port }}"
  secure: {{ .Values.metrics.secure }}
  maxExperiments: {{ .Values.metrics.maxExperiments }}
  {{- else }}
  bindAddress: "0"
  {{- end }}
{{- end -}}
