import { deploymentTemplate } from '../test/support/charts.ts';

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
${deploymentTemplate({ replicas: 0, container: 'main' })}`;
