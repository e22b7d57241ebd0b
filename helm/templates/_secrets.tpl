{{- /*
The variables of secrets that a part reads, as a container's `env`. No value is ever in a chart.
Whoever gives `pod.extraEnvFrom` may have a needed one in it, so that none is missed then.
*/ -}}
{{- define "streamgauge.secretEnv" -}}
{{- $reads := printf "^STREAMGAUGE_(%s)$" (get (dict
  "score" "CHAT_KEY|DECISIONS_KEY|SINK_.+|KAFKA_.+"
  "replay" "CHAT_KEY|DECISIONS_KEY|KAFKA_.+"
  "watch" "NOTIFY_.+|KAFKA_.+"
  "assemble" "KAFKA_.+"
  "topics" "KAFKA_.+"
  "check" ".+") .component) -}}
{{- $names := list -}}
{{- range $name, $at := .root.Values.secrets -}}
{{- if regexMatch $reads $name -}}
{{- $names = append $names $name }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $at.name }}
      key: {{ $at.key }}
{{- end -}}
{{- end -}}
{{- $needed := include "streamgauge.needed" . | fromYaml -}}
{{- range $names -}}
{{- if and (hasPrefix "STREAMGAUGE_NOTIFY_" .) (not (hasKey $needed .)) -}}
{{- fail (printf "secrets.%s: config.notify has no receiver of that name" .) -}}
{{- end -}}
{{- end -}}
{{- range $name, $why := empty .pod.extraEnvFrom | ternary $needed dict -}}
{{- if and (regexMatch $reads $name) (not (has $name $names)) -}}
{{- fail (printf "secrets.%s: %s needs it: write {name: SECRET, key: KEY}" $name $why) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The secrets without which a process ends at its start, with the setting that needs each. */ -}}
{{- define "streamgauge.needed" -}}
{{- $config := .root.Values.config -}}
{{- $needed := dict -}}
{{- $mechanism := ($config.kafka | default dict).mechanism | default "" -}}
{{- if eq $mechanism "OAUTHBEARER" -}}
{{- $_ := set $needed "STREAMGAUGE_KAFKA_CLIENT_SECRET" "config.kafka.mechanism: OAUTHBEARER" -}}
{{- else if has $mechanism (list "PLAIN" "SCRAM-SHA-256" "SCRAM-SHA-512") -}}
{{- $_ := set $needed "STREAMGAUGE_KAFKA_PASSWORD" (printf "config.kafka.mechanism: %s" $mechanism) -}}
{{- end -}}
{{- range $config.notify -}}
{{- $name := .name | upper | replace "-" "_" -}}
{{- $_ := set $needed (printf "STREAMGAUGE_NOTIFY_%s_URL" $name) (printf "config.notify: %s" .name) -}}
{{- end -}}
{{- range $config.sinks -}}
{{- if eq .kind "langfuse" -}}
{{- $_ := set $needed "STREAMGAUGE_SINK_LANGFUSE_KEY" "config.sinks: langfuse" -}}
{{- end -}}
{{- end -}}
{{- toYaml $needed -}}
{{- end -}}
