{{- define "a2a.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* An option of the directive: a flag, a value, several values, or a block. */}}
{{- define "a2a.option" -}}
{{- $name := .name -}}
{{- if kindIs "slice" .value -}}
{{- range .value }}
{{ $name }} {{ . }}
{{- end }}
{{- else if kindIs "map" .value }}
{{ $name }} {
{{- range $inner, $value := .value }}
	{{ $inner }} {{ $value }}
{{- end }}
}
{{- else if kindIs "bool" .value }}
{{ $name }} {{ ternary "on" "off" .value }}
{{- else }}
{{ $name }} {{ .value }}
{{- end }}
{{- end }}

{{- define "a2a.caddyfile" -}}
{
	admin off
	persist_config off
	auto_https off
	storage file_system /tmp
	grace_period {{ .Values.guard.gracePeriod }}
}

http://:8080 {
{{- with .Values.guard.before }}
	{{ . | trim | replace "\n" "\n\t" }}
{{- end }}
	a2a_guard {
		{{- if not (hasKey .Values.guard.options "name") }}
		name {{ .Release.Name }}
		{{- end }}
{{- range $name, $value := .Values.guard.options }}
		{{ include "a2a.option" (dict "name" $name "value" $value) | trim | replace "\n" "\n\t\t" }}
{{- end }}
	}
	reverse_proxy 127.0.0.1:{{ .Values.agent.port }} {
		transport http {
			keepalive {{ .Values.guard.keepalive }}
		}
	}
}

http://:9464 {
	respond /livez 200
	handle /readyz {
		rewrite * /.well-known/agent-card.json
		reverse_proxy 127.0.0.1:{{ .Values.agent.port }} {
			transport http {
				dial_timeout 1s
				response_header_timeout 2s
				keepalive off
			}
		}
	}
	metrics /metrics
}
{{- end }}
