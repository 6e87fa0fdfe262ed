{{- define "postgresql.secret" -}}
{{ .Values.auth.existingSecret | default .Release.Name }}
{{- end }}
