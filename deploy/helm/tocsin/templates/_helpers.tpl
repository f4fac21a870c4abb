{{- define "tocsin.fullname" -}}
{{- if contains "tocsin" .Release.Name -}}
{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-tocsin" .Release.Name | trunc 52 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{- define "tocsin.selectorLabels" -}}
app.kubernetes.io/name: tocsin
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: server
{{- end }}

{{- define "tocsin.labels" -}}
{{ include "tocsin.selectorLabels" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | trunc 63 | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
{{- end }}

{{- define "tocsin.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "tocsin.serviceAccountName" -}}
{{ .Values.serviceAccount.name | default (include "tocsin.fullname" .) }}
{{- end }}

{{/* What the chart's own Secret contains, as a map. */}}
{{- define "tocsin.secretData" -}}
{{- with .Values.database.url }}
DATABASE_URL: {{ quote . }}
{{- end }}
{{- with .Values.masterKey.value }}
TOCSIN_MASTER_KEY: {{ quote . }}
{{- end }}
{{- with .Values.masterKey.previous }}
TOCSIN_PREVIOUS_MASTER_KEY: {{ quote . }}
{{- end }}
{{- with .Values.bootstrapCredentials.value }}
TOCSIN_BOOTSTRAP_CREDENTIALS: {{ toJson . | quote }}
{{- end }}
{{- end }}

{{- define "tocsin.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
{{- end }}

{{/* Mistakes that the schema of the values cannot express. */}}
{{- define "tocsin.check" -}}
{{- $v := .Values -}}
{{- if not $v.baseUrl }}{{ fail "baseUrl is required: the public base URL of the server, such as https://tocsin.example.com" }}{{ end -}}
{{- if and (not $v.database.url) (not $v.database.existingSecret) }}{{ fail "database.url or database.existingSecret is required" }}{{ end -}}
{{- if and $v.database.url $v.database.existingSecret }}{{ fail "set either database.url or database.existingSecret" }}{{ end -}}
{{- if and (not $v.masterKey.value) (not $v.masterKey.existingSecret) }}{{ fail "masterKey.value or masterKey.existingSecret is required; generate a key with: openssl rand -base64 32" }}{{ end -}}
{{- if and $v.masterKey.value $v.masterKey.existingSecret }}{{ fail "set either masterKey.value or masterKey.existingSecret" }}{{ end -}}
{{- if and $v.masterKey.existingSecretPreviousKey (not $v.masterKey.existingSecret) }}{{ fail "masterKey.existingSecretPreviousKey needs masterKey.existingSecret" }}{{ end -}}
{{- if and $v.masterKey.previous $v.masterKey.existingSecretPreviousKey }}{{ fail "set either masterKey.previous or masterKey.existingSecretPreviousKey" }}{{ end -}}
{{- if and $v.bootstrapCredentials.value $v.bootstrapCredentials.existingSecret }}{{ fail "set either bootstrapCredentials.value or bootstrapCredentials.existingSecret" }}{{ end -}}
{{- if and $v.probe.enabled (not $v.probe.prober) }}{{ fail "probe.prober is required: host:port of the blackbox exporter" }}{{ end -}}
{{- if and $v.autoscaling.enabled (gt (int $v.autoscaling.minReplicas) (int $v.autoscaling.maxReplicas)) }}{{ fail "autoscaling.minReplicas must be at most autoscaling.maxReplicas" }}{{ end -}}
{{- end }}
