{{- define "streamgauge.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- /* 40: what is put behind it, a Job's pods among them, must fit into 63. */ -}}
{{- contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* The rules look at jobs with streamgauge in their names. */ -}}
{{- define "streamgauge.jobName" -}}
{{- $name := include "streamgauge.fullname" . -}}
{{- contains "streamgauge" $name | ternary $name (printf "streamgauge-%s" $name) -}}
{{- end -}}

{{- define "streamgauge.selectorLabels" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- define "streamgauge.labels" -}}
{{ include "streamgauge.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end -}}

{{- define "streamgauge.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "streamgauge.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- /* The settings file. Every template that speaks of settings begins here. */ -}}
{{- define "streamgauge.settings" -}}
{{- $config := .Values.config -}}
{{- $broker := required "config.broker: write kafka://HOST:PORT, with commas between several" $config.broker -}}
{{- if not (hasPrefix "kafka://" $broker) -}}
{{- fail "config.broker: pods share no folder: write kafka://HOST:PORT" -}}
{{- end -}}
{{- $serve := $config.serve | default dict -}}
{{- if or (not $serve.host) (eq $serve.host "localhost") (eq $serve.host "::1") (hasPrefix "127." $serve.host) -}}
{{- fail "config.serve.host: probes and Prometheus come from outside the pod: write 0.0.0.0 or ::" -}}
{{- end -}}
{{- if not $serve.port -}}
{{- fail "config.serve.port: probes need to know it: write one from 1 to 65535" -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}
