{{- define "gvList" -}}
<!-- hack/api.sh writes this page from the types in api/. -->

# API reference

All fields of `hashmark.dev/v1beta1`, as `kubectl explain` describes them. [What the API promises](api-stability.md) says what can
change.
{{ range . }}
{{- range .SortedKinds }}
- [{{ . }}](#{{ lower . }})
{{- end }}
{{ range .SortedTypes }}
{{- template "type" . }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* text puts each paragraph into one line, in which the characters of HTML, tables and formulas stand for themselves. */ -}}
{{- define "text" -}}
{{ regexReplaceAll "([^\n])\n([^\n-]|-[^ ])" (trim .) "${1} ${2}" | replace "<" "&lt;" | replace "$" "&#36;" | markdownRenderFieldDoc }}
{{- end -}}

{{- /* limits are those of a field, without the rules of its type, and with whole numbers written out. */ -}}
{{- define "limits" -}}
{{- $limits := list -}}
{{- range .Validation -}}
{{- $parts := splitList ": " . -}}
{{- if regexMatch "e[+][0-9]+$" . }}{{ $limits = append $limits (printf "%s: %.0f" (first $parts) (float64 (last $parts))) -}}
{{- else if not (has (first $parts) (list "Optional" "Required")) }}{{ $limits = append $limits (replace "|" "\\|" .) }}{{ end -}}
{{- end -}}
{{- $known := index .Type.Markers "kubebuilder:validation:XValidation" -}}
{{- with .Type.UnderlyingType }}{{ $known = concat $known (index .Markers "kubebuilder:validation:XValidation") }}{{ end -}}
{{- range index .Markers "kubebuilder:validation:XValidation" -}}
{{- if not (has . $known) }}{{ $limits = append $limits (markdownRenderFieldDoc .Message) }}{{ end -}}
{{- end -}}
{{ join "<br />" $limits }}
{{- end -}}

{{- define "type" -}}
{{- if markdownShouldRenderType . }}
## {{ .Name }}

{{ template "text" .Doc }}
{{ if .References }}
In {{ range $i, $reference := .SortedReferences }}{{ if $i }}, {{ end }}{{ markdownRenderTypeLink $reference }}{{ end }}.
{{ end }}
{{- with index .Markers "kubebuilder:validation:XValidation" }}
What is refused:
{{ range . }}
- {{ template "text" .Message }}
{{- end }}
{{ end }}
{{- if .Members }}
| field | type | description | default | limits |
|---|---|---|---|---|
{{- range .Members }}
| `{{ .Name }}` | {{ if eq .Type.Name "UID" }}string{{ else }}{{ markdownRenderType .Type }}{{ end }} | {{ template "text" .Doc }} | {{ with .Default }}`{{ . }}`{{ end }} | {{ template "limits" . }} |
{{- end }}
{{ end }}
{{- if .EnumValues }}
| value | description |
|---|---|
{{- range .EnumValues }}
| `{{ .Name }}` | {{ template "text" .Doc }} |
{{- end }}
{{ end }}
{{- end }}
{{- end -}}
