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

{{/* Whether the file of issuers has an entry for the one where people sign in. */}}
{{- define "chandlery.issuerInFile" -}}
{{- range (fromYaml .Values.oidc.authenticationConfig).jwt -}}
{{- if eq .issuer.url $.Values.oidc.issuer }}true{{ end -}}
{{- end -}}
{{- end -}}

{{- /* With a database, pages and controllers are separate Deployments; else one process does both, and its files belong to it alone. */}}
{{- define "chandlery.roles" -}}
{{- if .Values.database.urlSecret.name -}}
web controller
{{- else -}}
{{- if gt (int .Values.replicas) 1 -}}
{{- fail "replicas: more than one replica needs a database. Set database.urlSecret.name to a Secret with the URL of a PostgreSQL database, or replicas to 1." -}}
{{- end -}}
all
{{- end -}}
{{- end }}

{{- /* Name, replicas, service account and labels of a role: (dict "root" $ "role" "web"). */}}
{{- define "chandlery.roleName" -}}
{{ eq .role "all" | ternary .root.Release.Name (printf "%s-%s" .root.Release.Name .role) }}
{{- end }}

{{- define "chandlery.roleReplicas" -}}
{{ eq .role "controller" | ternary .root.Values.controller.replicas .root.Values.replicas }}
{{- end }}

{{- define "chandlery.roleServiceAccount" -}}
{{- $base := include "chandlery.serviceAccount" .root -}}
{{ eq .role "controller" | ternary (printf "%s-controller" $base) $base }}
{{- end }}

{{- /* The accounts that run the controllers, as subjects of a binding. The pages have another one, with the permissions in web.yaml. */}}
{{- define "chandlery.controllerSubjects" -}}
{{- $role := include "chandlery.roles" . | splitList " " | last -}}
- kind: ServiceAccount
  name: {{ include "chandlery.roleServiceAccount" (dict "root" . "role" $role) }}
  namespace: {{ .Release.Namespace }}
{{- end }}

{{- define "chandlery.roleSelector" -}}
{{ include "chandlery.selector" .root }}
{{- if ne .role "all" }}
app.kubernetes.io/component: {{ .role }}
{{- end }}
{{- end }}

{{- define "chandlery.roleLabels" -}}
{{ include "chandlery.labels" .root }}
{{- if ne .role "all" }}
app.kubernetes.io/component: {{ .role }}
{{- end }}
{{- end }}

{{- /* Whoever answers people. */}}
{{- define "chandlery.webSelector" -}}
{{ include "chandlery.roleSelector" (dict "root" . "role" (include "chandlery.roles" . | splitList " " | first)) }}
{{- end }}

{{- define "chandlery.keysSecret" -}}
{{ .Values.keys.existingSecret | default (printf "%s-keys" .Release.Name) }}
{{- end }}

{{- /* As whom people are impersonated: (dict "root" $ "apiGroup" "" "verb" "impersonate"). RBAC has no patterns, so it is everybody or a list. Everybody is in the group chandlery:signed-in. */}}
{{- define "chandlery.impersonated" -}}
{{- $limits := .root.Values.rbac.impersonation -}}
- apiGroups: [{{ .apiGroup | quote }}]
  resources: [users]
  {{- with $limits.users }}
  resourceNames: {{ uniq . | sortAlpha | toJson }}
  {{- end }}
  verbs: [{{ .verb | quote }}]
- apiGroups: [{{ .apiGroup | quote }}]
  resources: [groups]
  {{- with $limits.groups }}
  resourceNames: {{ append . "chandlery:signed-in" | uniq | sortAlpha | toJson }}
  {{- end }}
  verbs: [{{ .verb | quote }}]
{{- end }}

{{- define "chandlery.controllerService" -}}
{{ .Release.Name }}-controller
{{- end }}
