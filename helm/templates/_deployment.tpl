{{- define "streamgauge.deployment" -}}
{{- $part := get .root.Values .component -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "streamgauge.fullname" .root }}-{{ .component }}
  labels:
    {{- include "streamgauge.labels" . | nindent 4 }}
spec:
  {{- if not ($part.autoscaling | default dict).enabled }}
  replicas: {{ $part.replicas }}
  {{- end }}
  minReadySeconds: {{ .root.Values.minReadySeconds }}
  revisionHistoryLimit: {{ .root.Values.revisionHistoryLimit }}
  strategy:
    {{- toYaml .root.Values.strategy | nindent 4 }}
  selector:
    matchLabels:
      {{- include "streamgauge.selectorLabels" . | nindent 6 }}
  template:
    {{- include "streamgauge.pod" (merge (dict "args" (list .component)) .) | nindent 4 }}
{{- end -}}
