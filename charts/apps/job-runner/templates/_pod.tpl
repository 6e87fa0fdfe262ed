{{- /* The pod of a job. Arguments: root, name, job. */ -}}
{{- define "job.pod" -}}
{{- $root := .root -}}
restartPolicy: Never
automountServiceAccountToken: false
enableServiceLinks: false
securityContext: {{- include "app.podSecurity" 1000 | nindent 2 }}
containers:
  - name: job
    image: {{ include "app.image" $root | quote }}
    command: {{- toYaml (.job.command | default $root.Values.command) | nindent 6 }}
    env:
      - name: JOB_NAME
        value: {{ .name | quote }}
      {{- range $name, $value := $root.Values.env }}
      - name: {{ $name | quote }}
        value: {{ $value | quote }}
      {{- end }}
    {{- with $root.Values.envFromSecret }}
    envFrom:
      - secretRef:
          name: {{ . }}
    {{- end }}
    resources: {{- toYaml $root.Values.resources | nindent 6 }}
    securityContext: {{- include "app.containerSecurity" $root | nindent 6 }}
    volumeMounts:
      - name: tmp
        mountPath: /tmp
volumes:
  - name: tmp
    emptyDir: {}
{{- end }}

{{- define "job.spec" -}}
backoffLimit: {{ int .root.Values.retries }}
{{- with .root.Values.deadlineSeconds }}
activeDeadlineSeconds: {{ int . }}
{{- end }}
template:
  metadata:
    labels:
      {{- include "app.labels" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .name | quote }}
  spec: {{- include "job.pod" . | nindent 4 }}
{{- end }}
