{{- define "chandlery.selector" -}}
app.kubernetes.io/name: chandlery
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "chandlery.labels" -}}
{{ include "chandlery.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
{{- end }}

{{- define "chandlery.serviceAccount" -}}
{{ .Values.serviceAccount.name | default .Release.Name }}
{{- end }}

{{- define "chandlery.catalog" -}}
{{ .Values.catalog.existingConfigMap | default (printf "%s-catalog" .Release.Name) }}
{{- end }}

{{- define "chandlery.hosts" -}}
{{- $name := .Release.Name -}}
{{- $inNamespace := printf "%s.%s" $name .Release.Namespace -}}
{{- list $name $inNamespace (printf "%s.svc" $inNamespace) (printf "%s.svc.cluster.local" $inNamespace) .Values.ingress.host | compact | join " " -}}
{{- end }}
