{{- /* The ports of a broker's address, as a list under `ports`. */ -}}
{{- define "streamgauge.brokerPorts" -}}
ports:
{{- range .Values.config.broker | trimPrefix "kafka://" | splitList "," }}
  - {{ . | splitList ":" | last }}
{{- end }}
{{- end -}}

{{- /* The ports of web addresses, as a list under `ports`. What is not set is passed over. */ -}}
{{- define "streamgauge.urlPorts" -}}
ports:
{{- range compact . }}
{{- $url := urlParse . }}
  - {{ regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (eq $url.scheme "http" | ternary 80 443) }}
{{- end }}
{{- end -}}

{{- /*
One rule: to the peers of `values`, or anywhere, at its ports and those that are `known`. Nothing
where there is no port.
*/ -}}
{{- define "streamgauge.egressRule" -}}
{{- with concat ((.known | fromYaml).ports | default list) .values.ports | uniq }}
- ports:
    {{- range . }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
  {{- with $.values.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end -}}

{{- /* Where a part goes, by its settings. */ -}}
{{- define "streamgauge.egress" -}}
{{- $config := .root.Values.config -}}
{{- $judge := $config.judge | default dict -}}
{{- $judges := list ($judge.chat | default dict).url ($judge.decisions | default dict).url ($judge.reasons | default dict).url -}}
{{- range $assistant := $config.assistants -}}
{{- $judges = append $judges $assistant.url -}}
{{- end -}}
{{- $sinks := list -}}
{{- range $config.sinks -}}
{{- $sinks = append $sinks .url -}}
{{- end -}}
{{- $tokens := list (($config.kafka | default dict).oauth | default dict).token_url -}}
{{- $otlp := list ($config.telemetry | default dict).otlp -}}
{{- $anywhere := dict "ports" list -}}
{{- with .root.Values.networkPolicy }}
- ports:
    - {protocol: UDP, port: 53}
    - {protocol: TCP, port: 53}
{{- include "streamgauge.egressRule" (dict "values" .kafka "known" (include "streamgauge.brokerPorts" $.root)) }}
{{- include "streamgauge.egressRule" (dict "values" $anywhere "known" (include "streamgauge.urlPorts" $tokens)) }}
{{- include "streamgauge.egressRule" (dict "values" .otlp "known" (include "streamgauge.urlPorts" $otlp)) }}
{{- if has $.component (list "score" "replay" "check") }}
{{- include "streamgauge.egressRule" (dict "values" .judge "known" (include "streamgauge.urlPorts" $judges)) }}
{{- end }}
{{- if has $.component (list "score" "check") }}
{{- include "streamgauge.egressRule" (dict "values" .sinks "known" (include "streamgauge.urlPorts" $sinks)) }}
{{- end }}
{{- if and $config.notify (eq $.component "watch") }}
{{- include "streamgauge.egressRule" (dict "values" .notify "known" "") }}
{{- end }}
{{- with .extraEgress }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end -}}
