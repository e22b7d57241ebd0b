{{- /*
A pod of any part, hardened in one place. Takes root, component, args, and for what runs once
`restartPolicy`; without that it is probed, for it serves.
*/ -}}
{{- define "streamgauge.pod" -}}
{{- $root := .root -}}
{{- $own := (get $root.Values .component | default dict).pod | default dict -}}
{{- $pod := merge (deepCopy $own) $root.Values.pod -}}
{{- $settings := include "streamgauge.settings" $root -}}
{{- $labels := dict "root" $root "component" .component -}}
metadata:
  labels:
    {{- include "streamgauge.selectorLabels" $labels | nindent 4 }}
    {{- with $pod.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    checksum/config: {{ $settings | sha256sum }}
    {{- with $pod.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- with .restartPolicy }}
  restartPolicy: {{ . }}
  {{- end }}
  serviceAccountName: {{ include "streamgauge.serviceAccountName" $root }}
  automountServiceAccountToken: false
  # The links to a Service streamgauge-… would be variables STREAMGAUGE_…, and those are settings:
  # one that matches no key is refused at start.
  enableServiceLinks: false
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- with $root.Values.securityContext }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    runAsNonRoot: true
    seccompProfile:
      type: RuntimeDefault
  terminationGracePeriodSeconds: {{ $pod.terminationGracePeriodSeconds }}
  {{- with $pod.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $pod.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $pod.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $pod.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $pod.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- range . }}
    {{- $chosen := dict "matchLabels" (include "streamgauge.selectorLabels" $labels | fromYaml) }}
    {{- hasKey . "labelSelector" | ternary . (set (deepCopy .) "labelSelector" $chosen) | list | toYaml | nindent 4 }}
    {{- end }}
  {{- end }}
  containers:
    - name: streamgauge
      image: {{ include "streamgauge.image" $root | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args:
        {{- toYaml (concat .args (list "--config" "/etc/streamgauge/streamgauge.yaml")) | nindent 8 }}
      {{- $secrets := include "streamgauge.secretEnv" (dict "root" $root "component" .component "pod" $pod) | trim }}
      {{- if or $secrets $pod.extraEnv }}
      env:
        {{- with $secrets }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- with $pod.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
      {{- with $pod.extraEnvFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- if not .restartPolicy }}
      ports:
        - name: http
          containerPort: {{ $root.Values.config.serve.port }}
      {{- include "streamgauge.probes" $root | trim | nindent 6 }}
      {{- end }}
      resources:
        {{- toYaml $pod.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      volumeMounts:
        # One file and not the folder, so that certificates can be mounted beside it.
        - name: config
          mountPath: /etc/streamgauge/streamgauge.yaml
          subPath: streamgauge.yaml
          readOnly: true
        - name: tmp
          mountPath: /tmp
        {{- with $pod.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: config
      configMap:
        name: {{ include "streamgauge.fullname" $root }}
    # A replay keeps the verdicts that the scores topic has in a file there, some KiB each.
    - name: tmp
      emptyDir:
        sizeLimit: {{ eq .component "replay" | ternary "8Gi" "64Mi" }}
    {{- with $pod.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- define "streamgauge.image" -}}
{{- with .Values.image -}}
{{- .repository -}}
{{- if .digest -}}@{{ .digest }}{{- else -}}:{{ default $.Chart.AppVersion .tag }}{{- end -}}
{{- end -}}
{{- end -}}

{{- /* A broker that is away makes a pod unready, and never restarts it: see docs/metrics.md. */ -}}
{{- define "streamgauge.probes" -}}
{{- range $kind, $path := dict "startup" "/healthz" "liveness" "/healthz" "readiness" "/readyz" }}
{{ $kind }}Probe:
  httpGet:
    path: {{ $path }}
    port: http
  {{- toYaml (get $.Values.probes $kind) | nindent 2 }}
{{- end }}
{{- end -}}
