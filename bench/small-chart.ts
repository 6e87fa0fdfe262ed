/** What small releases consist of; the version of the chart is in it, so that an upgrade changes something. */
export const SMALL_TEMPLATE = `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}"}
data: {greeting: hello, version: "{{ .Chart.Version }}"}
---
apiVersion: v1
kind: Service
metadata: {name: "{{ .Release.Name }}"}
spec:
  selector: {app: "{{ .Release.Name }}"}
  ports: [{port: 80}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}"}
spec:
  replicas: 0
  selector: {matchLabels: {app: "{{ .Release.Name }}"}}
  template:
    metadata: {labels: {app: "{{ .Release.Name }}"}}
    spec: {containers: [{name: main, image: example.com/main:1}]}
`;
